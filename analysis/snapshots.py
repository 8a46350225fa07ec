"""Reading snapshots of gothic and gothic-ic."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from analysis.files import DataError, open_file, pick
from analysis.sweep import MYR

NEWTON = 6.672e-8  # cm^3 g^-1 s^-2, as in src/files/units.hpp
DATASETS = ("Component", "Coordinates", "Masses", "Velocities")
STARS = "PartType4"
UNITS = ("UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s")


@dataclass(frozen=True)
class Units:
    """What the numbers of a file are multiples of; all three equal to one are model units.

    Attributes
    ----------
    length, mass, velocity
        In cm, g and cm/s.
    """

    length: float = 1.0
    mass: float = 1.0
    velocity: float = 1.0

    @property
    def physical(self) -> bool:
        """Whether these are units of the real world."""
        return (self.length, self.mass, self.velocity) != (1.0, 1.0, 1.0)

    @property
    def gravity(self) -> float:
        """The gravitational constant: 1 in model units."""
        if not self.physical:
            return 1.0
        return NEWTON * self.mass / (self.length * self.velocity**2)

    @property
    def myr(self) -> float:
        """Million years in units of time; NaN in model units."""
        return MYR * self.velocity / self.length if self.physical else float("nan")


@dataclass(frozen=True)
class Particles:
    """Particles of one component.

    Attributes
    ----------
    position, velocity
        Shape (N, 3).
    mass
        Shape (N,).
    """

    position: np.ndarray
    velocity: np.ndarray
    mass: np.ndarray

    def __len__(self) -> int:
        """Count the particles."""
        return len(self.mass)


@dataclass(frozen=True)
class Snapshot:
    """The particles at one time.

    Attributes
    ----------
    time
        In the units of the file.
    units
        Those units.
    components
        Particles of every component by its name, in the order of the model.
    stars
        Names of the components that are made of stars.
    """

    time: float
    units: Units
    components: dict[str, Particles]
    stars: frozenset[str] = frozenset()

    @property
    def position(self) -> np.ndarray:
        """Positions of all particles, shape (N, 3)."""
        return np.concatenate([part.position for part in self.components.values()])

    @property
    def mass(self) -> np.ndarray:
        """Masses of all particles, shape (N,)."""
        return np.concatenate([part.mass for part in self.components.values()])


def read_snapshot(path: Path) -> Snapshot:
    """Read a snapshot in the GADGET HDF5 format, with the components of gothic-ic.

    Components have the names of /Components/Name, or their numbers where the file has no names.

    Raises
    ------
    DataError
        If the file is damaged, has no particles, or lacks a dataset.
    """
    header = pick(path, "Header", ("Time", *UNITS))
    parts = []
    stars: set[int] = set()
    with open_file(path) as file:
        names = component_names(file)
        for group in sorted(name for name in file if name.startswith("PartType")):
            for dataset in DATASETS:
                if dataset not in file[group]:
                    raise DataError(f"{path}: /{group}/{dataset} is missing")
            parts.append([file[group][dataset][()] for dataset in DATASETS])
            if group == STARS:
                stars |= set(np.unique(parts[-1][0]).tolist())
    if not parts:
        raise DataError(f"{path}: there is no group PartTypeN; was it written by gothic?")
    component, position, mass, velocity = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    components = {}
    for number in np.unique(component):
        mine = component == number
        components[names.get(int(number), str(number))] = Particles(
            *(column[mine].astype(np.float64) for column in (position, velocity, mass))
        )
    units = Units(*(float(header[name]) for name in UNITS))
    of_stars = frozenset(names.get(number, str(number)) for number in stars)
    return Snapshot(float(header["Time"]), units, components, of_stars)


def component_names(file: h5py.File) -> dict[int, str]:
    """Read the names of components by their number; empty where the file has none."""
    if "Components" not in file:
        return {}
    return {n: name.decode() for n, name in enumerate(file["Components/Name"][()])}
