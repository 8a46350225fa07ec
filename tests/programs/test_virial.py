"""Every model of config/models: particles in their own gravity are in virial equilibrium."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.files import read_forces
from tests.programs.gothic import Gothic

REPOSITORY = Path(__file__).parents[2]
PARTICLES = 1 << 18
MODELS = [
    "plummer",
    "king",
    "hernquist",
    "nfw",
    "m31",
    "milky_way",
    "early_type",
]


def sorted_column(file: h5py.File, name: str) -> np.ndarray:
    """Read a dataset of all particle types in the order of the IDs."""
    groups = [group for key, group in file.items() if key.startswith("PartType")]
    ids = np.concatenate([group["ParticleIDs"][()] for group in groups])
    column = np.concatenate([group[name][()] for group in groups])
    return column[np.argsort(ids)].astype(float)


def virial_ratio(mass: np.ndarray, kinetic: np.ndarray, virial: np.ndarray) -> tuple[float, float]:
    """Return 2 K over -sum m r.a and its statistical error."""
    weight = np.sum(mass * virial)
    ratio = np.sum(mass * kinetic) / weight
    return ratio, np.sqrt(np.sum((mass * (kinetic - ratio * virial)) ** 2)) / weight


@pytest.mark.parametrize("model", MODELS)
def test_particles_are_in_virial_equilibrium(gothic: Gothic, model: str) -> None:
    toml = REPOSITORY / f"config/models/{model}.toml"
    made = gothic.call(toml, "--particles", PARTICLES, "--output", "ic.h5", program="gothic-ic")
    assert made.stderr == ""
    gothic.done("force", "--input", "ic.h5", "--output", "force.h5", "--accuracy", 2.0**-9)
    with h5py.File(gothic.folder / "ic.h5") as file:
        names = [name.decode() for name in file["Components/Name"][()]]
        component = sorted_column(file, "Component").astype(int)
        mass = sorted_column(file, "Masses")
        position = sorted_column(file, "Coordinates")
        velocity = sorted_column(file, "Velocities")
    forces = read_forces(gothic.folder / "force.h5")
    acceleration = forces.acceleration[np.argsort(forces.ids)]

    kinetic = np.sum(velocity**2, axis=1)
    virial = -np.sum(position * acceleration, axis=1)
    ratio, error = virial_ratio(mass, kinetic, virial)
    assert abs(ratio - 1) < 3 * error
    for number, name in enumerate(names):
        of_it = component == number
        if np.count_nonzero(of_it) < 2:  # a black hole
            assert not kinetic[of_it].any()
            continue
        ratio, error = virial_ratio(mass[of_it], kinetic[of_it], virial[of_it])
        assert abs(ratio - 1) < max(4 * error, 0.01), name
