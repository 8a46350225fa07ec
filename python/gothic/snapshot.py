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
    """What numbers are multiples of, in cgs. All three equal to one are model units, where G = 1.

    Attributes
    ----------
    length_in_cm, mass_in_g, velocity_in_cm_per_s
        The units; that of time is length over velocity.
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
    """Copy values into an array of the snapshot, converting and spreading them as NumPy does.

    Raises
    ------
    InputError
        If the shape does not fit, or values are no numbers of that kind.
    """
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


class Snapshot:
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
        """Copy arrays."""
        positions = np.asarray(positions)
        if positions.ndim != 2 or positions.shape[1] != 3:
            raise InputError(
                f"arrays: positions: have the shape {positions.shape}, not (N, 3); correct it"
            )
        self._held = _gothic.Snapshot.blank(len(positions))
        _fill("positions", self.positions, positions)
        _fill("masses", self.masses, masses)
        if velocities is not None:
            _fill("velocities", self.velocities, velocities)
        if ids is not None:
            _fill("ids", self.ids, ids)
        if types is not None:
            _fill("types", self.types, types)
        if components is not None:
            _fill("components", self.components, components)
        elif not component_table:
            self.components[:] = self.types
        self._held.component_table = [
            (component.name, component.type, component.softening) for component in component_table
        ]
        self._held.units = (units.length_in_cm, units.mass_in_g, units.velocity_in_cm_per_s)
        self._held.time = time
        self._held.softening = softening
        self._held.validate()

    @classmethod
    def _of(cls, held: _gothic.Snapshot) -> Snapshot:
        """Wrap what the extension module has made."""
        snapshot = cls.__new__(cls)
        snapshot._held = held
        return snapshot

    @property
    def positions(self) -> NDArray[np.float32]:
        """Positions, shape (N, 3)."""
        return self._held.positions

    @property
    def velocities(self) -> NDArray[np.float32]:
        """Velocities, shape (N, 3)."""
        return self._held.velocities

    @property
    def masses(self) -> NDArray[np.float32]:
        """Masses, shape (N,)."""
        return self._held.masses

    @property
    def ids(self) -> NDArray[np.uint64]:
        """IDs, shape (N,)."""
        return self._held.ids

    @property
    def types(self) -> NDArray[np.uint8]:
        """GADGET types, shape (N,)."""
        return self._held.types

    @property
    def components(self) -> NDArray[np.int32]:
        """Numbers of the components that the particles belong to, shape (N,)."""
        return self._held.components

    @property
    def component_table(self) -> tuple[Component, ...]:
        """What is known of the components, by their numbers; empty where nothing is."""
        return tuple(Component(*component) for component in self._held.component_table)

    @property
    def accelerations(self) -> NDArray[np.float32] | None:
        """Accelerations that the simulation had, shape (N, 3); None for others' snapshots."""
        return self._held.accelerations if len(self._held.accelerations) else None

    @property
    def potentials(self) -> NDArray[np.float32] | None:
        """Potentials that the simulation had, shape (N,); None for others' snapshots."""
        return self._held.potentials if len(self._held.potentials) else None

    @property
    def units(self) -> Units:
        """Units of all numbers."""
        return Units(*self._held.units)

    @property
    def gravitational_constant(self) -> float:
        """G in these units: 1 in model units."""
        return self.units.gravitational_constant

    @property
    def time(self) -> float:
        """Time of the state."""
        return self._held.time

    @property
    def softening(self) -> float:
        """Plummer softening length that is used where no other is asked for; 0 where unknown."""
        return self._held.softening

    def __len__(self) -> int:
        """Count the particles."""
        return len(self._held)

    def __repr__(self) -> str:
        """Tell number, time and components."""
        names = ", ".join(component.name for component in self.component_table)
        about = f"{len(self)} particles at time {self.time:g}" + (f": {names}" if names else "")
        return f"<Snapshot of {about}>"

    def component(self, name: str) -> NDArray[np.bool_]:
        """Find the particles of a component by its name.

        Returns
        -------
        numpy.ndarray
            Shape (N,), true for particles of that component.

        Raises
        ------
        KeyError
            If there is no component of that name.
        """
        names = [component.name for component in self.component_table]
        if name not in names:
            raise KeyError(f"no component {name!r}; there are {', '.join(names) or 'no names'}")
        return np.equal(self.components, names.index(name))

    def write(self, path: Path, *, compression: int = 0) -> None:
        """Write a GADGET HDF5 file, which the programs, yt and pynbody read.

        Particles are in the order of their IDs. The file appears when it is complete.

        Parameters
        ----------
        path
            Of the file.
        compression
            0 for none, or the level of gzip, 1 to 9.

        Raises
        ------
        InputError
            If the arrays were changed to what no file may hold, there is no such level, or the
            folder cannot be written to.
        OSError
            If the disk is full.
        """
        self._held.write(os.fspath(path), compression)


def read(path: Path) -> Snapshot:
    """Read and check a GADGET HDF5 snapshot.

    Parameters
    ----------
    path
        Of the file.

    Returns
    -------
    Snapshot
        Particles by type and within a type as in the file.

    Raises
    ------
    InputError
        If the file is missing, damaged or incomplete; see ``Snapshot``.
    """
    return Snapshot._of(_gothic.Snapshot.read(os.fspath(path)))
