"""Accelerations and potentials, by the tree and by direct summation."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gothic import _gothic
from gothic._gothic import InputError
from gothic.arguments import as_arguments, require_known
from gothic.option_types import DirectForceOptions, TreeForceOptions
from gothic.snapshot import Snapshot, Units


@dataclass(frozen=True)
class Forces:
    """Forces on particles or at points.

    Attributes
    ----------
    acceleration
        Shape (M, 3), in the units of the particles.
    potential
        Shape (M,), without the particle's own contribution.
    timing
        Seconds of the stages and counters, under the names of /Timing in the files of ``gothic
        force`` and ``gothic direct``.
    device
        Name of the device that computed the forces.
    targets
        Indices of the particles that the forces act on, shape (M,); None for forces at points.
    ids
        IDs of the particles that the forces act on, shape (M,), if the forces are from a file.
    """

    acceleration: NDArray[np.float32] | NDArray[np.float64] = field(repr=False)
    potential: NDArray[np.float32] | NDArray[np.float64] = field(repr=False)
    timing: dict[str, float | int]
    device: str
    targets: NDArray[np.uint32] | None = field(default=None, repr=False)
    ids: NDArray[np.uint64] | None = field(default=None, repr=False)


def _particles(
    particles: Snapshot | ArrayLike, masses: ArrayLike | None, units: Units | None
) -> Snapshot:
    if isinstance(particles, Snapshot):
        for name, value in (("masses", masses), ("units", units)):
            if value is not None:
                raise TypeError(f"a snapshot has its own {name}; give none")
        return particles
    if masses is None:
        raise TypeError("arrays of positions need masses")
    return Snapshot(particles, masses, units=units or Units())


def tree_forces(
    particles: Snapshot | ArrayLike,
    masses: ArrayLike | None = None,
    *,
    units: Units | None = None,
    at: ArrayLike | None = None,
    **options: Unpack[TreeForceOptions],
) -> Forces:
    """Find tree forces on all particles or at points, as ``gothic force`` does.

    The forces are in single precision, in the order of the particles or points.

    Parameters
    ----------
    particles
        A snapshot, or positions of shape (N, 3).
    masses
        Shape (N,) or one number for all, with positions.
    units
        Units of positions and masses; default: model units, where G = 1.
    at
        Points that get forces instead of the particles, shape (M, 3). A point on a particle feels
        this particle's softened potential, too.
    **options
        See ``TreeForceOptions``. Arrays have no softening of their own: give one.

    Raises
    ------
    InputError
        If an option, the particles or points are wrong, or the device is not there.
    MemoryError
        If there is not enough memory.
    """
    require_known("tree_forces", TreeForceOptions, options)
    snapshot = _particles(particles, masses, units)
    points = None if at is None else _points(at)
    found = _gothic.tree_forces(snapshot, as_arguments(options), points)
    targets = np.arange(len(snapshot), dtype=np.uint32) if at is None else None
    return Forces(*found, targets=targets)


def direct_forces(
    particles: Snapshot | ArrayLike,
    masses: ArrayLike | None = None,
    *,
    units: Units | None = None,
    at: ArrayLike | None = None,
    targets: int | ArrayLike | None = None,
    **options: Unpack[DirectForceOptions],
) -> Forces:
    """Sum the forces of all particles, as ``gothic direct`` does: the reference.

    The forces are arrays of 64 bits, in the order of ``targets`` or ``at``, or in the order of the
    IDs if ``targets`` is a number.

    Parameters
    ----------
    particles, masses, units, at
        As for ``tree_forces``.
    targets
        Which particles get a force: their indices, a mask, or how many, evenly spread over the
        order of the IDs; default: all.
    **options
        See ``DirectForceOptions``.

    Raises
    ------
    InputError
        If an option, a target or the particles are wrong, or the device is not there.
    MemoryError
        If there is not enough memory.
    """
    require_known("direct_forces", DirectForceOptions, options)
    if at is not None and targets is not None:
        raise TypeError("targets are particles, at are points; give one of them")
    snapshot = _particles(particles, masses, units)
    points = None if at is None else _points(at)
    chosen = _chosen(targets, snapshot)
    found = _gothic.direct_forces(snapshot, as_arguments(options), points, chosen)
    return Forces(*found, targets=chosen if at is None else None)


def _points(at: ArrayLike) -> NDArray[np.float32]:
    """Check and convert points."""
    given = np.asarray(at)
    if given.dtype.kind not in "fiu" or given.ndim != 2 or given.shape[1] != 3 or len(given) == 0:
        raise InputError(
            f"at: is an array of {given.dtype} of the shape {given.shape}; give numbers of the "
            "shape (M, 3)"
        )
    with np.errstate(over="ignore"):
        points = np.ascontiguousarray(given, dtype=np.float32)
    if not np.isfinite(points).all():
        raise InputError(
            "at: a number is NaN, infinite or beyond single precision; correct or remove it"
        )
    return points


def _chosen(targets: int | ArrayLike | None, snapshot: Snapshot) -> NDArray[np.uint32]:
    """Find indices of particles; a mask picks those where it is true."""
    count = len(snapshot)
    if targets is None:
        return np.arange(count, dtype=np.uint32)
    if isinstance(targets, Integral):
        if not 0 <= targets < 2**32:
            raise InputError(f"targets: are {targets}; give at least 0")
        return _gothic.spread_targets(snapshot, int(targets))
    indices = np.asarray(targets)
    if indices.dtype.kind == "b" and indices.shape == (count,):
        indices = np.flatnonzero(indices)
    if indices.ndim != 1 or indices.dtype.kind not in "iu" or indices.size == 0:
        raise InputError("targets: are not a list of indices; give at least one integer")
    if int(indices.min()) < 0 or int(indices.max()) >= count:
        raise InputError(f"targets: an index is out of range; give 0 to {count - 1}")
    return indices.astype(np.uint32)
