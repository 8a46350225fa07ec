"""Every model of config/models is in equilibrium in its own gravity, and stays there."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from gothic import lagrangian_radii

from analysis.reading.drift import dynamical_time
from analysis.reading.profiles import centred
from analysis.reading.snapshots import Snapshot, read_snapshot
from tests.conftest import ROOT
from tests.programs.gothic import Gothic

MODELS = ROOT / "config" / "models"
FRACTIONS = (0.1, 0.5, 0.9)
SOFTENING = 0.015625  # short beside every scale: models are made without


def virial_ratio(mass: np.ndarray, kinetic: np.ndarray, virial: np.ndarray) -> tuple[float, float]:
    """Return 2 K over -sum m r.a and its statistical error."""
    weight = np.sum(mass * virial)
    ratio = np.sum(mass * kinetic) / weight
    return ratio, np.sqrt(np.sum((mass * (kinetic - ratio * virial)) ** 2)) / weight


def read(path: Path, *names: str) -> list[np.ndarray]:
    """Read datasets of all particle types in the order of the IDs."""
    with h5py.File(path) as file:
        groups = [group for key, group in file.items() if key.startswith("PartType")]
        order = np.argsort(np.concatenate([group["ParticleIDs"][()] for group in groups]))
        return [np.concatenate([group[name][()] for group in groups])[order] for name in names]


@pytest.mark.parametrize(
    "model",
    [
        "plummer",
        "m31",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("king", "hernquist", "nfw", "milky_way", "early_type")
        ),
    ],
)
def test_every_component_is_in_virial_equilibrium(gothic: Gothic, model: str) -> None:
    gothic.make(MODELS / f"{model}.toml", "--particles", 1 << 16, "--output", "ic.h5")
    given = ("--softening", SOFTENING, "--accuracy", 2.0**-9)
    gothic.done("force", "--input", "ic.h5", "--output", "force.h5", *given)
    component, mass, position, velocity = read(
        gothic.folder / "ic.h5", "Component", "Masses", "Coordinates", "Velocities"
    )
    (acceleration,) = read(gothic.folder / "force.h5", "Acceleration")
    kinetic = np.sum(velocity.astype(float) ** 2, axis=1)
    virial = -np.sum(position.astype(float) * acceleration, axis=1)
    ratio, error = virial_ratio(mass, kinetic, virial)
    assert abs(ratio - 1) < 3 * error
    for number in np.unique(component):
        of_it = component == number
        if np.count_nonzero(of_it) < 2:  # a black hole
            assert not kinetic[of_it].any()
            continue
        ratio, error = virial_ratio(mass[of_it], kinetic[of_it], virial[of_it])
        assert abs(ratio - 1) < max(4 * error, 0.01), number


def radii_of(snapshot: Snapshot) -> dict[str, np.ndarray]:
    """Lagrangian radii of each component; for discs, of the distances from the axis."""
    return {
        name: lagrangian_radii(
            np.linalg.norm(part.position[:, : 2 if name == "disc" else 3], axis=1),
            part.mass,
            FRACTIONS,
        )
        for name, part in centred(snapshot).items()
    }


@pytest.mark.long
@pytest.mark.parametrize("model", ["plummer", "king", "hernquist", "nfw", "m31"])
def test_components_keep_their_radii(gothic: Gothic, model: str) -> None:
    """Spheres for five dynamical times, M31 for a hundred million years."""
    gothic.make(MODELS / f"{model}.toml", "--particles", 1 << 17, "--output", "ic.h5")
    start = read_snapshot(gothic.folder / "ic.h5")
    time = 0.1023 if model == "m31" else 5 * dynamical_time(start)
    given = ("--softening", SOFTENING, "--time", time)
    gothic.done("run", "--input", "ic.h5", "--output", "result", *given)
    before = radii_of(start)
    after = radii_of(read_snapshot(gothic.folder / "result" / "snapshot_000.h5"))
    # The bulge has 5000 particles and swells by encounters: it crosses itself fifteen times, and
    # relaxes in 0.1 N / ln N = 57 crossings.
    limits = {"bulge": 0.07, "disc": 0.05}
    for name, radii in before.items():
        assert np.abs(after[name] / radii - 1).max() < limits.get(name, 0.02), name
