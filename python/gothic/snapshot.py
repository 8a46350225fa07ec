"""Particles at one time, in memory and in files."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gothic import _gothic
from gothic._gothic import InputError

Path = str | os.PathLike[str]
MYR_IN_S = 3.15576e13  # a million Julian years
KPC_IN_CM, SOLAR_MASS_IN_G = 3.085678e21, 1.989e33  # as in GADGET-2
SAME = 1e-9  # relative difference of numbers that are the same but for a change of units


class Units(NamedTuple):
    """Units of length, mass and velocity in cgs; the unit of time is length over velocity.

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
        """G in these units, which is 1 in model units."""
        return _gothic.gravitational_constant(*self)

    @property
    def myr(self) -> float:
        """Million years in units of time; NaN in model units."""
        ratio = MYR_IN_S * self.velocity_in_cm_per_s / self.length_in_cm
        return ratio if self.physical else float("nan")

    def __str__(self) -> str:
        """Tell the units of length, mass and velocity."""
        if not self.physical:
            return "model units, G = 1"
        length, mass = self.length_in_cm / KPC_IN_CM, self.mass_in_g / SOLAR_MASS_IN_G
        speed = self.velocity_in_cm_per_s / 1e5
        return f"units of {length:g} kpc, {mass:g} solar masses, {speed:g} km/s"


GALACTIC = Units(KPC_IN_CM, 1e10 * SOLAR_MASS_IN_G, 1e5)
"""kpc, 10^10 solar masses and km/s, with the constants of GADGET-2."""


class Component(NamedTuple):
    """Name, type, softening and model of one component.

    Attributes
    ----------
    name
        Such as "halo", or "A/halo" for the halo of the galaxy A: see ``Snapshot.named``.
    type
        GADGET type of its particles, 0 to 5; 1 is dark matter, 4 stars.
    softening
        Plummer softening of its particles; 0 for that of the snapshot.
    model, model_digest
        Name of the model that it was drawn from, and a digest of that model's text; empty if not
        known.
    """

    name: str
    type: int = 1
    softening: float = 0.0
    model: str = ""
    model_digest: str = ""


GALAXY = "/"  # between the name of a galaxy and that of its component
ARRAYS = ("positions", "masses", "velocities", "ids", "types", "components")
FORCES = ("accelerations", "potentials")
DESCRIPTION = ("units", "time", "softening", "component_table")


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


class Rotation(Protocol):
    """An object with a matrix, such as ``scipy.spatial.transform.Rotation``."""

    def as_matrix(self) -> ArrayLike:
        """Give the matrix of shape (3, 3)."""


def _vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Check three numbers."""
    vector = np.asarray(values)
    if vector.dtype.kind not in "fiu" or vector.shape != (3,) or not np.isfinite(vector).all():
        raise InputError(f"{name}: is {values}; give three finite numbers")
    return vector.astype(np.float64)


def _rotation_matrix(rotation: ArrayLike | Rotation) -> NDArray[np.float64]:
    """Check a rotation, and give its matrix."""
    given = np.asarray(rotation.as_matrix() if hasattr(rotation, "as_matrix") else rotation)
    if given.shape != (3, 3) or given.dtype.kind not in "fiu":
        raise InputError(
            f"rotation: has the shape {given.shape}; give a matrix of shape (3, 3) or SciPy's "
            "Rotation"
        )
    matrix = given.astype(np.float64)
    proper = np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-6) and np.linalg.det(matrix) > 0
    if not proper:
        raise InputError(
            "rotation: is not one; give a matrix with orthonormal rows and the determinant 1"
        )
    return matrix


class Snapshot(_gothic.Snapshot):
    """Particles at one time, checked as particles of a file are.

    Arrays are copied and converted once. The arrays of the snapshot are views of its memory: they
    may be changed in place, and are checked again when forces, a simulation or a file are made of
    them.

    ``a[mask]``, ``a[indices]``, ``a[10:20]`` and ``a + b`` are new snapshots, and so are those that
    ``shifted``, ``rotated`` and ``in_units`` return.

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
    units
        Units of all numbers; default: model units, where G = 1.
    time, softening
        Time and Plummer softening length in these units; default: 0, which stands for no softening.
    component_table
        Names, types and softenings of the components, by their numbers.

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
        if positions.dtype == np.float64:
            _gothic.require_held(np.ascontiguousarray(positions))
        if components is None and not component_table:
            self.components[:] = self.types
        self._describe(
            tuple(units), time, softening, [tuple(Component(*row)) for row in component_table]
        )
        self._check()

    @property
    def units(self) -> Units:
        """Units of all numbers."""
        return Units(*self._units)

    @property
    def gravitational_constant(self) -> float:
        """G in these units, which is 1 in model units."""
        return self.units.gravitational_constant

    @property
    def component_table(self) -> tuple[Component, ...]:
        """Names, types and softenings of the components, by their numbers; empty if not known."""
        return tuple(Component(*row) for row in self._component_table)

    def __repr__(self) -> str:
        """Tell number, time, units and components."""
        names = ", ".join(component.name for component in self.component_table)
        about = f"{len(self)} particles at time {self.time:g} in {self.units}"
        return f"<Snapshot of {about}{': ' if names else ''}{names}>"

    def __getitem__(self, chosen: slice | ArrayLike) -> Snapshot:
        """Copy the particles that a mask, a slice or indices choose, as NumPy does.

        They keep their accelerations and potentials, which all particles together cause.
        """
        if not isinstance(chosen, slice):
            chosen = np.asarray(chosen)
            if chosen.ndim != 1 or chosen.dtype.kind not in "biu":
                raise TypeError("give a mask, a slice or a list of indices; [[7]] is one particle")
        count = len(self.masses[chosen])
        return self._copy(f"{count} of {len(self)} particles", chosen)

    def __add__(self, other: Snapshot) -> Snapshot:
        """Join the particles of two snapshots at one time, the first one's first.

        * Physical units become the first snapshot's. Model units are only joined with model units.
        * If an ID is in both, all IDs of the second follow the largest ID of the first.
        * Components of the same name become one, which is of no model; ``named`` keeps two
          galaxies apart. If only one snapshot names its components, the others are called
          ``component 1`` and so on.
        * The softening of the snapshot or of a component stays if both have the same. Otherwise
          it is 0: forces and simulations then ask for one.
        * There are no accelerations and potentials: each snapshot's were caused by itself alone.

        Raises
        ------
        InputError
            If the times differ, one has model units and the other has not, or components of the
            same name have different types.
        """
        if not isinstance(other, Snapshot):
            return NotImplemented
        return _join(self, other if other.units == self.units else other.in_units(self.units))

    def shifted(
        self, position: ArrayLike = (0, 0, 0), velocity: ArrayLike = (0, 0, 0), time: float = 0
    ) -> Snapshot:
        """Copy the particles, moved by a position, a velocity and a time.

        Raises
        ------
        InputError
            If one is not finite, or no vector.
        """
        by, boost = _vector("position", position), _vector("velocity", velocity)
        return self._copy(
            f"shifted by {by.tolist()}, {boost.tolist()}, {float(time)}",
            positions=self.positions + by,
            velocities=self.velocities + boost,
            time=self.time + time,
        )

    def rotated(self, rotation: ArrayLike | Rotation) -> Snapshot:
        """Copy the particles, turned about the origin: x becomes R x, and v becomes R v.

        Parameters
        ----------
        rotation
            The matrix R, shape (3, 3), or an object with a method ``as_matrix``, such as
            ``scipy.spatial.transform.Rotation.from_euler("x", 60, degrees=True)``.

        Raises
        ------
        InputError
            If it is no rotation; a reflection is none.
        """
        matrix = _rotation_matrix(rotation)
        turned = {name: getattr(self, name) @ matrix.T for name in ("positions", "velocities")}
        if self.accelerations is not None:
            turned["accelerations"] = self.accelerations @ matrix.T
        return self._copy(f"rotated by {matrix.tolist()}", **turned)

    def in_units(self, units: Units) -> Snapshot:
        """Copy the particles, with all numbers in other units.

        Raises
        ------
        InputError
            If the old or the new units are model units, which have no size, and the others are not.
        """
        old = self.units
        if old.physical != units.physical:
            raise InputError(
                f"units: {old} cannot become {units}, since model units have no size; make a "
                "Snapshot of the arrays that names its units"
            )
        length = old.length_in_cm / units.length_in_cm
        mass = old.mass_in_g / units.mass_in_g
        speed = old.velocity_in_cm_per_s / units.velocity_in_cm_per_s
        factors = {"positions": length, "masses": mass, "velocities": speed}
        if self.accelerations is not None:
            factors |= {"accelerations": speed**2 / length, "potentials": speed**2}
        numbers = {
            **{name: getattr(self, name) * np.float64(by) for name, by in factors.items()},
            "time": self.time * length / speed,
            "softening": self.softening * length,
            "component_table": [
                row._replace(softening=row.softening * length) for row in self.component_table
            ],
        }
        return self._copy(f"converted to {units}", **numbers, units=units)

    def _copy(self, change: str, chosen: Any = slice(None), **values: Any) -> Snapshot:  # noqa: ANN401
        """Copy the chosen particles, with these values instead of their own.

        Parameters
        ----------
        change
            The name of the change, for the provenance of files.
        """
        own = {name: getattr(self, name)[chosen] for name in ARRAYS}
        own |= {name: getattr(self, name) for name in DESCRIPTION}
        forces = {name: values.pop(name, getattr(self, name)) for name in FORCES}
        copy = Snapshot(**(own | values))
        copy._come_from(self, change)
        if self.accelerations is not None:
            copy._add_forces()
            for name, force in forces.items():
                getattr(copy, name)[:] = force[chosen]
        return copy

    def named(self, galaxy: str) -> Snapshot:
        """Copy the particles as those of a galaxy of this name: its halo becomes ``NAME/halo``.

        Sums then keep the components of two galaxies apart, and so do files, runs and figures.

        Raises
        ------
        InputError
            If the name is empty or has a slash, or the particles are of several galaxies whose
            components have the same names.
        """
        if not galaxy or GALAXY in galaxy:
            raise InputError(f"galaxy: is {galaxy!r}; give a name without {GALAXY}")
        table, rows = _named_components(self)
        own = [row.name.rpartition(GALAXY)[2] for row in table]
        if len(set(own)) < len(own):
            raise InputError(f"{self!r}: has several galaxies; name each before the sum")
        table = [
            row._replace(name=galaxy + GALAXY + name) for row, name in zip(table, own, strict=True)
        ]
        return self._copy(f"named {galaxy}", components=rows, component_table=table)

    def galaxy(self, name: str) -> NDArray[np.bool_]:
        """Find the particles of a galaxy by the name that ``named`` gave it: a mask of shape (N,).

        Raises
        ------
        KeyError
            If there is no galaxy of that name.
        """
        whose = [row.name.rpartition(GALAXY)[0] for row in self.component_table]
        if name not in whose or not name:
            known = ", ".join(dict.fromkeys(filter(None, whose)))
            raise KeyError(f"no galaxy {name!r}; there are {known or 'no names'}")
        return np.isin(self.components, [k for k, found in enumerate(whose) if found == name])

    def component(self, name: str) -> NDArray[np.bool_]:
        """Find the particles of a component by its name: a mask of shape (N,).

        Raises
        ------
        KeyError
            If there is no component of that name.
        """
        names = [component.name for component in self.component_table]
        if name not in names:
            raise KeyError(f"no component {name!r}; there are {', '.join(names) or 'no names'}")
        return np.equal(self.components, names.index(name))


def _join(a: Snapshot, b: Snapshot) -> Snapshot:
    """Join snapshots of the same units."""
    if not math.isclose(a.time, b.time, rel_tol=SAME):
        raise InputError(
            f"a + b: the times are {a.time:g} and {b.time:g}; run one to the time of the other, or "
            "change it by shifted(time=...)"
        )
    table, components = _joined_components(a, b)
    arrays = {name: np.concatenate([getattr(a, name), getattr(b, name)]) for name in ARRAYS}
    joined = Snapshot(
        **(arrays | {"ids": _joined_ids(a.ids, b.ids), "components": components}),
        units=a.units,
        time=a.time,
        softening=_common(a.softening, b.softening),
        component_table=table,
    )
    joined._come_from_both(a, b)
    return joined


def _common(a: float, b: float) -> float:
    """Give the softening of both; 0 if they differ."""
    return a if math.isclose(a, b, rel_tol=SAME) else 0.0


def _joined_ids(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Keep the IDs if they are unique; otherwise the IDs of b follow the largest ID of a."""
    if np.intersect1d(a, b).size > 0:
        up = int(a.max()) + 1 - int(b.min())
        if int(b.max()) + up >= 2**64:
            raise InputError("a + b: IDs are in both, and too large to move up; give smaller ones")
        b = b + np.uint64(up)
    return np.concatenate([a, b])


def _named_components(snapshot: Snapshot) -> tuple[list[Component], NDArray[np.int32]]:
    """Give the table of components, made up if there is none, and each particle's row in it."""
    if snapshot.component_table:
        return list(snapshot.component_table), snapshot.components
    numbers, first, rows = np.unique(snapshot.components, return_index=True, return_inverse=True)
    types = snapshot.types[first]
    table = [Component(f"component {k}", int(kind)) for k, kind in zip(numbers, types, strict=True)]
    return table, rows.astype(np.int32)


def _joined_components(a: Snapshot, b: Snapshot) -> tuple[list[Component], NDArray[np.int32]]:
    """Give one table for both, and each particle's row in it."""
    if not a.component_table and not b.component_table:
        return [], np.concatenate([a.components, b.components])
    (table, rows), (others, other_rows) = _named_components(a), _named_components(b)
    names = [component.name for component in table]
    place = np.empty(len(others), np.int32)  # in the table, of each component of b
    for k, other in enumerate(others):
        if other.name not in names:
            names.append(other.name)
            table.append(other)
        place[k] = names.index(other.name)
        same = table[place[k]]
        if same.type != other.type:
            raise InputError(
                f"a + b: the component {other.name} has type {same.type} in one and {other.type} "
                "in the other; give one of them another name"
            )
        if same is not other:
            softening = _common(same.softening, other.softening)
            table[place[k]] = Component(same.name, same.type, softening)
    return table, np.concatenate([rows, place[other_rows]])


def unfilled() -> Snapshot:
    """Make a snapshot without particles, which the extension module fills."""
    snapshot = Snapshot.__new__(Snapshot)
    _gothic.Snapshot.__init__(snapshot, 0)
    return snapshot


def read(
    path: Path,
    *,
    gas: Literal["refuse", "collisionless"] = "refuse",
    box: Literal["refuse", "ignore"] = "refuse",
) -> Snapshot:
    """Read and check a snapshot, of GOTHIC or of another code.

    Formats are HDF5 of GADGET, AREPO and SWIFT, binary files of GADGET-2, and TIPSY. The particles
    come by type, then by file, and then as in the file. What is assumed or converted is told by a
    ``UserWarning``.

    Parameters
    ----------
    path
        Of the file, or of any one of several.
    gas
        Refuse gas, or take it as particles that move by gravity alone.
    box
        Refuse a periodic box, or ignore it where the particles do not fill it.

    Raises
    ------
    InputError
        If the file is missing, damaged or incomplete; see ``Snapshot``.
    """
    for name, given, choices in (
        ("gas", gas, ("refuse", "collisionless")),
        ("box", box, ("refuse", "ignore")),
    ):
        if given not in choices:
            raise InputError(f"{name}: is {given!r}; use one of: {', '.join(choices)}")
    snapshot = unfilled()
    for note in snapshot._read(os.fspath(path), gas == "collisionless", box == "ignore"):
        warnings.warn(note, stacklevel=2)
    return snapshot
