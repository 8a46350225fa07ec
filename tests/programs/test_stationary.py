"""Models that are left to themselves keep their radii."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analysis.equilibrium import dynamical_time
from analysis.profiles import centred, lagrangian_radii
from analysis.snapshots import Snapshot, read_snapshot
from tests.programs.gothic import Gothic

MODELS = Path(__file__).parents[2] / "config" / "models"
FRACTIONS = (0.1, 0.5, 0.9)


def radii_of(snapshot: Snapshot) -> dict[str, np.ndarray]:
    """Lagrangian radii of each component; of discs, those of the distances from the axis."""
    return {
        name: lagrangian_radii(
            np.linalg.norm(part.position[:, : 2 if name == "disc" else 3], axis=1),
            part.mass,
            FRACTIONS,
        )
        for name, part in centred(snapshot).items()
    }


def evolve(gothic: Gothic, model: str, particles: int, time: float | None) -> dict[str, np.ndarray]:
    """Draw a model, run it and return the relative changes of its radii.

    It runs for `time` or, where that is None, for five dynamical times.
    """
    ic = gothic.folder / "ic.h5"
    toml = MODELS / f"{model}.toml"
    gothic.call(toml, "--particles", particles, "--output", ic, program="gothic-ic")
    start = read_snapshot(ic)
    time = time or 5 * dynamical_time(start)
    result = gothic.call("run", "--input", ic, "--output", "result", "--time", time)
    assert result.returncode == 0, result.stderr
    before, after = (
        radii_of(start),
        radii_of(read_snapshot(gothic.folder / "result/snapshot_000.h5")),
    )
    return {name: after[name] / before[name] - 1 for name in before}


@pytest.mark.parametrize("model", ["plummer", "king", "hernquist", "nfw"])
def test_spheres_keep_their_radii_for_five_dynamical_times(gothic: Gothic, model: str) -> None:
    (drift,) = evolve(gothic, model, 1 << 17, None).values()
    assert np.abs(drift).max() < 0.02


def test_m31_keeps_its_radii_for_a_hundred_million_years(gothic: Gothic) -> None:
    # The bulge has 5000 particles and swells by encounters: it crosses itself fifteen times, and
    # relaxes in 0.1 N / ln N = 57 crossings.
    limits = {"halo": 0.02, "bulge": 0.07, "disc": 0.05}
    drift = evolve(gothic, "m31", 1 << 17, 0.1023)
    assert set(drift) == set(limits)
    for name, change in drift.items():
        assert np.abs(change).max() < limits[name], name
