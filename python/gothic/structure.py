"""The densest point of a system, and the radii that hold parts of its mass."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gothic import _gothic
from gothic._gothic import InputError
from gothic.snapshot import Snapshot


def densest_point(positions: ArrayLike, masses: ArrayLike = 1.0) -> NDArray[np.float64]:
    """Find the densest point of a system, shape (3,), as ``gothic run`` does for ``lagrange.h5``.

    It is the centre of mass within a sphere that shrinks about it until few particles are left
    (Power et al. 2003, section 2.5).

    Parameters
    ----------
    positions
        Shape (N, 3).
    masses
        Shape (N,), or one number for all.
    """
    return np.array(_gothic.densest_point(Snapshot(positions, masses)))


def lagrangian_radii(
    radii: ArrayLike, masses: ArrayLike, fractions: ArrayLike
) -> NDArray[np.float64]:
    """Find the radii that enclose parts of the mass, in single precision.

    Parameters
    ----------
    radii
        Distances of particles from their centre, shape (N,).
    masses
        Shape (N,), or one number for all.
    fractions
        Parts of the whole mass, ascending, shape (M,).

    Returns
    -------
    numpy.ndarray
        For each fraction the least distance of a particle that encloses so much mass, shape (M,).

    Raises
    ------
    InputError
        If there are no particles, or the fractions are not ascending or not between 0 and 1.
    """
    distance = np.ascontiguousarray(radii, np.float64)
    mass = np.ascontiguousarray(np.broadcast_to(masses, distance.shape), np.float64)
    parts = np.atleast_1d(np.asarray(fractions, np.float64))
    if distance.ndim != 1 or len(distance) == 0:
        raise InputError(f"radii: have the shape {distance.shape}, not (N,); give at least one")
    if not ((parts > 0) & (parts <= 1)).all() or (np.diff(parts) < 0).any():
        raise InputError(f"fractions: are {fractions}; give ascending numbers between 0 and 1")
    return np.array(_gothic.enclosing_radii(distance, mass, parts.tolist()))
