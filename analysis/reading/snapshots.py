"""Snapshots by component."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from analysis.reading.files import package
from analysis.reading.origin import Model

if TYPE_CHECKING:
    from gothic import Units

STARS = 4  # type of particles
# Centres of any snapshot: the origin of its coordinates, and its centre of mass.
ORIGIN, MASS = "origin", "mass"


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
    models
        Model of every component by its name.
    file
        Name of the file.
    """

    time: float
    units: Units
    components: dict[str, Particles]
    stars: frozenset[str] = frozenset()
    models: dict[str, Model] = field(default_factory=dict)
    file: str = ""

    def galaxies(self) -> dict[str, list[str]]:
        """List the components of every named galaxy: those of A are ``A/halo``, ``A/disc``."""
        found: dict[str, list[str]] = {}
        for name in self.components:
            if galaxy := name.rpartition("/")[0]:
                found.setdefault(galaxy, []).append(name)
        return found

    def light(self, names: Iterable[str]) -> list[str]:
        """Select the components of stars, or all of them if there are none."""
        names = list(names)
        return [name for name in names if name in self.stars] or names

    def joined(self, names: Iterable[str] | None = None) -> Particles:
        """Join the particles of some components, or of all, in their order."""
        parts = [self.components[name] for name in names or self.components]
        columns = ("position", "velocity", "mass")
        return Particles(*(np.concatenate([getattr(part, c) for part in parts]) for c in columns))


def read_snapshot(path: Path) -> Snapshot:
    """Read a snapshot, in double precision.

    Components have the names of the file's table; without one they are called ``component 1``.

    Raises
    ------
    DataError
        If the file is damaged or incomplete.
    """
    with package() as gothic:
        held = gothic.read(path)
    table = dict(enumerate(held.component_table))
    columns = (held.positions, held.velocities, held.masses)
    components, stars, models = {}, set(), {}
    for number in np.unique(held.components):
        mine = held.components == number
        row = table.get(int(number))
        name = row.name if row else f"component {number}"
        models[name] = Model(row.model, row.model_digest) if row else Model()
        components[name] = Particles(*(column[mine].astype(np.float64) for column in columns))
        if (held.types[mine] == STARS).any():
            stars.add(name)
    return Snapshot(held.time, held.units, components, frozenset(stars), models, path.name)
