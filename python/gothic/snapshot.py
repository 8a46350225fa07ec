"""Particles at one time, in memory and in files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gothic import _gothic
from gothic._gothic import InputError

Path = str | os.PathLike[str]
MYR_IN_S = 3.15576e13  # a million Julian years


class Units(NamedTuple):
    """What numbers are multiples of; the unit of time is length over velocity.

    All three equal to one are model units, where G = 1.
    """

    length_in_cm: float = 1.0
    mass_in_g: float = 1.0
    velocity_in_cm_per_s: float = 1.0

    @property
    def physical(self) -> bool:
        """Whether these are units of the real world."""
        return tuple(self) != (1.0, 1.0, 1.0)

    @property
    def gravitational_constant(self) -> float:
        """G in these units: 1 in model units."""
        return _gothic.gravitational_constant(*self)

    @property
    def myr(self) -> float:
        """Million years in units of time; NaN in model units."""
        ratio = MYR_IN_S * self.velocity_in_cm_per_s / self.length_in_cm
        return ratio if self.physical else float("nan")


GALACTIC = Units(3.085678e21, 1.989e43, 1e5)
"""kpc, 10^10 solar masses and km/s, with the constants of GADGET-2."""


class Component(NamedTuple):
    """What is known of one component of a model.

    Attributes
    ----------
    name
        Such as "halo".
    type
        GADGET type of its particles, 0 to 5; 1 is dark matter, 4 stars.
    softening
        Plummer softening recommended for it; 0 where there is none.
    """

    name: str
    type: int = 1
    softening: float = 0.0


def _fill(name: str, target: NDArray[Any], values: ArrayLike) -> None:
    """Copy values into an array of the snapshot, converting and spreading them as NumPy does."""
    given = np.asarray(values)
    wanted = "numbers" if target.dtype.kind == "f" else "integers"
    if given.dtype.kind not in ("fiu" if target.dtype.kind == "f" else "iu"):
        raise InputError(f"arrays: {name}: are not {wanted} ({given.dtype}); give an array of them")
    if given.shape not in (target.shape, ()):
        raise InputError(
            f"arrays: {name}: have the shape {given.shape}, not {target.shape}; correct it"
        )
    if target.dtype.kind in "iu" and given.size > 0:
        limits = np.iinfo(target.dtype)
        if int(given.min()) < limits.min or int(given.max()) > limits.max:
            raise InputError(f"arrays: {name}: a value is beyond {target.dtype}; correct it")
    with np.errstate(over="ignore"):  # told by the validation that follows
        np.copyto(target, given, casting="unsafe")


class Snapshot(_gothic.Snapshot):
    """Particles at one time, checked as those of a file are.

    Arrays are copied and converted once. Those of the snapshot are views of its memory: they may be
    changed in place, and are checked again when forces, a simulation or a file are made of them.

    Parameters
    ----------
    positions
        Shape (N, 3).
    masses
        Shape (N,), or one number for all.
    velocities
        Shape (N, 3); default: all at rest.
    ids
        Shape (N,), each its own; default: 1, 2, ... in the order of the particles.
    types
        Shape (N,) or one for all: GADGET types, 0 to 5; default: 1, dark matter.
    components
        Shape (N,) or one for all: number of the component; default: the type, or 0 with a table.
    units, time, softening
        Units, time and Plummer softening length in these units; 0 where none is known.
    component_table
        What is known of the components, by their numbers.

    Raises
    ------
    InputError
        If a number is not finite or a mass negative, there is no mass, an ID is there twice, or an
        array has the wrong shape or kind.
    """

    def __init__(
        self,
        positions: ArrayLike,
        masses: ArrayLike,
        velocities: ArrayLike | None = None,
        *,
        ids: ArrayLike | None = None,
        types: ArrayLike | None = None,
        components: ArrayLike | None = None,
        units: Units = Units(),  # noqa: B008
        time: float = 0.0,
        softening: float = 0.0,
        component_table: Sequence[Component] = (),
    ) -> None:
        positions = np.asarray(positions)
        if positions.ndim != 2 or positions.shape[1] != 3:
            raise InputError(
                f"arrays: positions: have the shape {positions.shape}, not (N, 3); correct it"
            )
        super().__init__(len(positions))
        arrays = {
            "positions": positions,
            "masses": masses,
            "velocities": velocities,
            "ids": ids,
            "types": types,
            "components": components,
        }
        for name, values in arrays.items():
            if values is not None:
                _fill(name, getattr(self, name), values)
        if components is None and not component_table:
            self.components[:] = self.types
        self._describe(tuple(units), time, softening, [tuple(row) for row in component_table])
        self._check()

    @property
    def units(self) -> Units:
        """Units of all numbers."""
        return Units(*self._units)

    @property
    def gravitational_constant(self) -> float:
        """G in these units: 1 in model units."""
        return self.units.gravitational_constant

    @property
    def component_table(self) -> tuple[Component, ...]:
        """What is known of the components, by their numbers; empty where nothing is."""
        return tuple(Component(*row) for row in self._component_table)

    def __repr__(self) -> str:
        """Tell number, time and components."""
        names = ", ".join(component.name for component in self.component_table)
        about = f"{len(self)} particles at time {self.time:g}" + (f": {names}" if names else "")
        return f"<Snapshot of {about}>"

    def component(self, name: str) -> NDArray[np.bool_]:
        """Find the particles of a component by its name: true for them, shape (N,).

        Raises
        ------
        KeyError
            If there is no component of that name.
        """
        names = [component.name for component in self.component_table]
        if name not in names:
            raise KeyError(f"no component {name!r}; there are {', '.join(names) or 'no names'}")
        return np.equal(self.components, names.index(name))


def unfilled() -> Snapshot:
    """Make a snapshot without particles, which the extension module fills."""
    snapshot = Snapshot.__new__(Snapshot)
    _gothic.Snapshot.__init__(snapshot, 0)
    return snapshot


def read(path: Path) -> Snapshot:
    """Read and check a GADGET HDF5 snapshot.

    The particles come by type and within a type as in the file.

    Raises
    ------
    InputError
        If the file is missing, damaged or incomplete; see ``Snapshot``.
    """
    snapshot = unfilled()
    snapshot._read(os.fspath(path))
    return snapshot
