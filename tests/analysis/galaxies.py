"""Particles that numpy draws from closed forms, and the tables of their models."""

from __future__ import annotations

from pathlib import Path

import gothic
import numpy as np
import pandas as pd

from analysis.reading.model_check import COLUMNS
from analysis.reading.snapshots import Particles

KPC = gothic.GALACTIC
NUMBER = 100_000
SIGMA_Z, SIGMA_R, SIGMA_PHI = 0.05, 0.2, 0.1
HEIGHT = 0.1


def isotropic(random: np.random.Generator, radius: np.ndarray) -> np.ndarray:
    """Vectors of given length in random directions."""
    direction = random.normal(size=(len(radius), 3))
    return direction * (radius / np.linalg.norm(direction, axis=1))[:, None]


def draw_plummer() -> Particles:
    """Draw a Plummer sphere, G = M = a = 1, with sigma_t = 1.5 sigma_r."""
    random = np.random.default_rng(1)
    radius = 1 / np.sqrt(random.uniform(size=NUMBER) ** (-2 / 3) - 1)
    position = isotropic(random, radius)
    sigma = np.sqrt(1 / (6 * np.sqrt(1 + radius**2)))[:, None]
    velocity = sigma * random.normal(size=(NUMBER, 3))
    outward = position / radius[:, None]
    radial = (velocity * outward).sum(axis=1)[:, None] * outward
    return Particles(position, 1.5 * velocity - 0.5 * radial, np.full(NUMBER, 1 / NUMBER))


def draw_disc() -> Particles:
    """Draw an exponential disc, M = R_d = 1, that turns with v = sqrt(R), Gaussian in height."""
    random = np.random.default_rng(2)
    radius = random.gamma(2.0, size=NUMBER)
    angle = random.uniform(0, 2 * np.pi, NUMBER)
    outward = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(NUMBER)])
    forward = np.column_stack([-np.sin(angle), np.cos(angle), np.zeros(NUMBER)])
    noise = random.normal(size=(NUMBER, 4))
    velocity = SIGMA_R * noise[:, :1] * outward
    velocity += (np.sqrt(radius) + SIGMA_PHI * noise[:, 1])[:, None] * forward
    velocity[:, 2] = SIGMA_Z * noise[:, 2]
    position = radius[:, None] * outward
    position[:, 2] = HEIGHT * noise[:, 3]
    return Particles(position, velocity, np.full(NUMBER, 1 / NUMBER))


def plummer_check(name: str = "cluster", points: int = 200) -> pd.DataFrame:
    """Tabulate the model of `draw_plummer` as gothic-ic does."""
    radius = np.geomspace(1e-3, 1e3, points)
    mass = (1 + radius**-2.0) ** -1.5
    sigma = np.sqrt(1 / (6 * np.sqrt(1 + radius**2)))
    columns = {
        "density": 3 / (4 * np.pi) * (1 + radius**2) ** -2.5,
        "mass": mass,
        "v_circ": np.sqrt(mass / radius),
        "sigma_r": sigma,
        "sigma_phi": 1.5 * sigma,
        "sigma_z": 1.5 * sigma,
        "v_mean": 0.0,
    }
    return tabulate(name, "sphere", radius, columns)


def disc_check(name: str = "disc") -> pd.DataFrame:
    """Tabulate the model of `draw_disc` as gothic-ic does, for G = 2."""
    radius = np.geomspace(1e-3, 30, 200)
    density = np.exp(-radius) / (2 * np.pi)
    columns = {
        "density": density,
        "mass": 1 - (1 + radius) * np.exp(-radius),
        "v_circ": np.sqrt(radius),
        "sigma_r": SIGMA_R,
        "sigma_phi": SIGMA_PHI,
        "sigma_z": SIGMA_Z,
        "v_mean": np.sqrt(radius),
        "toomre_q": np.sqrt(3 / radius) * SIGMA_R / (3.36 * 2 * density),
        "height": HEIGHT,
    }
    return tabulate(name, "disc", radius, columns)


def tabulate(
    name: str, kind: str, radius: np.ndarray, columns: dict[str, np.ndarray | float]
) -> pd.DataFrame:
    """Make a table of one component; columns that are not given are empty."""
    empty = dict.fromkeys(COLUMNS, np.nan)
    table = pd.DataFrame({"radius": radius}).assign(**{**empty, "radius": radius, **columns})
    return table.assign(component=name, kind=kind)[list(COLUMNS)]


def write_snapshot(
    path: Path, parts: dict[str, Particles], time: float = 0.0, *, named: bool = True
) -> Path:
    """Write components in model units, alternately as particles of types 1 and 4."""
    numbers = range(len(parts))
    types = [4 if n % 2 == 1 else 1 for n in numbers]
    counts = [len(part) for part in parts.values()]
    table = [gothic.Component(name, kind) for name, kind in zip(parts, types, strict=True)]
    gothic.Snapshot(
        np.concatenate([part.position for part in parts.values()]),
        np.concatenate([part.mass for part in parts.values()]),
        np.concatenate([part.velocity for part in parts.values()]),
        types=np.repeat(types, counts),
        components=np.repeat(numbers, counts),
        time=time,
        component_table=table if named else (),
    ).write(path)
    return path
