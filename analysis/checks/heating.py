"""Power of the errors of forces: whether trees that serve several steps heat.

With the error e of the acceleration a of a particle with velocity v, the power is the mean of e.v
over the mean of |a| |v|. Errors without direction add nothing to it; others change the energy.
"""

from __future__ import annotations

from collections.abc import Iterator

import h5py
import numpy as np

from analysis.checks.checked import Row
from analysis.checks.particles import Table, errors, read
from analysis.programs import Programs

BULGE = 1  # component of config/models/m31.toml
TARGETS = 16384
AGES = (1, 4, 8)
BOUND = 1e-4


def power(found: Table, exact: np.ndarray) -> float:
    """Power of the errors of the accelerations in `found`, which has the velocities, too."""
    velocity, acceleration = found["Velocities"], found["Acceleration"]
    lengths = np.linalg.norm(acceleration, axis=1) * np.linalg.norm(velocity, axis=1)
    return float(((acceleration - exact) * velocity).sum() / lengths.sum())


def with_old_tree(programs: Programs, ic: str, age: int, step: float, *options: object) -> Table:
    """Particles after so many shared steps of one tree, with the accelerations of the last."""
    steps = ("--step", "shared", "--dt", step, "--steps", age, "--rebuild-interval", 1 << 20)
    programs.run("old_tree", "--input", ic, *steps, *options)
    return read(programs.path("old_tree/snapshot_000.h5"))


def inner_tenth(particles: Table, component: int) -> Table:
    """Choose some particles of a component, at random among its innermost tenth."""
    member = np.flatnonzero(particles["Component"] == component)
    position = particles["Coordinates"][member]
    radius = np.linalg.norm(position - np.median(position, axis=0), axis=1)
    inner = member[np.argsort(radius)[: len(member) // 10]]
    chosen = np.random.default_rng(1).permutation(inner)[:TARGETS]
    return {name: column[chosen] for name, column in particles.items()}


def direct_at(programs: Programs, position: np.ndarray, *options: object) -> np.ndarray:
    """Accelerations at points by the particles of the last `with_old_tree`."""
    with h5py.File(programs.path("points.h5"), "w") as file:
        file["Coordinates"] = position
    given = ("--input", "old_tree/snapshot_000.h5", "--at", "points.h5", "--output", "sums.h5")
    programs.call("gothic", "direct", *given, *options)
    with h5py.File(programs.path("sums.h5")) as file:
        return file["Points/Acceleration"][()]


def measure(
    programs: Programs, ic: str, age: int, step: float, pull: tuple[object, ...], *options: object
) -> dict[str, float]:
    """Power and errors of the forces on the inner tenth of the bulge.

    ``pull`` are options that direct sums have as well, such as the softening.
    """
    inner = inner_tenth(with_old_tree(programs, ic, age, step, *pull, *options), BULGE)
    exact = direct_at(programs, inner["Coordinates"], *pull)
    middle, last = np.quantile(errors(inner, exact), [0.5, 0.99])
    return {
        "age": age,
        "step": step,
        "power": power(inner, exact),
        "error_50": float(middle),
        "error_99": float(last),
    }


def heating(programs: Programs) -> Iterator[Row]:
    """Trees of every age in M31's bulge, softened over many distances between particles."""
    softening = 0.125
    programs.draw("m31", 1 << 18)
    for age in AGES:
        found = measure(programs, "ic.h5", age, 2.0**-15, ("--softening", softening))
        text = f"m31, softening {softening:g} kpc, {age} steps of 2^-15 with one tree"
        yield Row("Heating", f"{text}: power of errors", 0, found["power"], BOUND, "1e-4")
