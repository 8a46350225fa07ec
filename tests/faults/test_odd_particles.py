"""Few, degenerate and extreme particles get right forces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.programs.gothic import Gothic
from tests.programs.snapshots import Arrays, direct_sum, read_forces, sphere, write_snapshot


def scaled(*factors: float) -> Arrays:
    arrays = sphere(200)
    arrays["Coordinates"] *= np.float32(factors)
    return arrays


def replaced(name: str, index: object, value: object) -> Arrays:
    arrays = sphere(200)
    arrays[name][index] = value
    return arrays


ODD: dict[str, Callable[[], Arrays]] = {
    **{f"{count} particles": lambda count=count: sphere(count) for count in (1, 2, 3, 9, 17, 33)},
    "point": lambda: scaled(0, 0, 0),
    "half in a point": lambda: replaced("Coordinates", slice(100), (0.25, -0.5, 1)),
    "line": lambda: scaled(1, 0, 0),
    "plane": lambda: scaled(1, 1, 0),
    "needle of 1e6": lambda: scaled(1, 1e-6, 1e-6),
    "pancake of 1e6": lambda: scaled(1, 1, 1e-6),
    "long needle of 1e6": lambda: scaled(1e6, 1, 1),
    "outlier at 1e6": lambda: replaced("Coordinates", 0, (1e6, 0, 0)),
    "outlier at 1e9": lambda: replaced("Coordinates", 0, (1e9, 0, 0)),
    "tiny": lambda: scaled(1e-19, 1e-19, 1e-19),
    "one heavy": lambda: replaced("Masses", 0, 1e6),
    "half without mass": lambda: replaced("Masses", slice(100), 0),
    "light": lambda: replaced("Masses", ..., 1e-25),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_particles_work(gothic: Gothic, case: str) -> None:
    arrays = ODD[case]()
    write_snapshot(gothic.folder / "ic.h5", arrays)
    exact = direct_sum(arrays, 0.05)[0][np.argsort(arrays["ParticleIDs"])]
    scale = np.abs(exact).max() + 1e-300
    for command, more in {"force": ("--accuracy", "1e-6"), "direct": ()}.items():
        gothic.done(command, "--input", "ic.h5", "--output", "forces.h5", *more)
        found = read_forces(gothic.folder / "forces.h5")
        np.testing.assert_allclose(found["Acceleration"], exact, rtol=0, atol=2e-5 * scale)
        assert np.isfinite(found["Potential"]).all()
    run = gothic.call(
        "run", "--input", "ic.h5", "--output", "out", "--steps", 4, "--energy-bound", 0
    )
    assert run.returncode == 0
    for line in run.stderr.splitlines():  # many are far from equilibrium
        assert line.startswith("gothic: warning: the virial ratio is ")
    state = read_forces(gothic.folder / "out" / "snapshot_000.h5")
    assert sorted(state["ParticleIDs"]) == sorted(arrays["ParticleIDs"])
    for name, values in state.items():
        assert np.isfinite(values).all(), name
