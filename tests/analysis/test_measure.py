from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath

import h5py
import numpy as np
import pytest

from analysis.criteria import acceleration_unit
from analysis.files import DataError
from analysis.measure import MEASURED, STAGES, errors_of_forces, options, summarise_run
from analysis.space import parameters_of

PATH = (
    "runs/model~{model}/particles~256/seed~1/criterion~multipole/accuracy~2pow-04/step~block/"
    "eta~0.25/softening~{softening}/device~cpu/sharing~0/steps~8/{further}repeat~2"
)


def paired(words: list[str]) -> dict[str, str]:
    return dict(zip(words[::2], words[1::2], strict=True))


def test_options_are_those_of_the_path() -> None:
    path = PATH.format(model="nfw", softening="0.125", further="threads~3/rebuild_interval~1/")
    of_force, of_run = map(paired, options(parameters_of(PurePath(path)), 2))
    assert of_force == {
        "--mac": "multipole",
        "--accuracy": "0.0625",
        "--softening": "0.125",
        "--device": "cpu",
        "--sharing": "0",
        "--threads": "3",
    }
    assert of_run == {"--step": "block", "--eta": "0.25", "--steps": "8", "--rebuild-interval": "1"}


def test_multipole_accuracy_is_in_the_units_of_the_model() -> None:
    path = PATH.format(model="m31", softening="0", further="")
    of_force = paired(options(parameters_of(PurePath(path)), 2)[0])
    unit = acceleration_unit(Path(__file__).parents[2] / "config/models/m31.toml")
    assert float(of_force["--accuracy"]) == unit / 16
    assert "--softening" not in of_force
    assert of_force["--threads"] == "2"


def test_run_is_reduced_to_the_measured_columns(write_run: Callable[..., Path]) -> None:
    row = summarise_run(write_run("run", wall=8.0, dt=0.5).parent)
    assert {*row} <= {*MEASURED}
    assert (row["steps"], row["simulated_time"]) == (4, 2.0)
    assert (row["wall_s"], row["read_s"], row["bootstrap_s"], row["write_s"]) == (8, 0.1, 0.2, 0.3)
    assert (row["elapsed_per_step_s"], row["elapsed_per_time_s"]) == (2.0, 4.0)
    assert row["stages_per_step_s"] == 0.5
    assert (row["active_fraction"], row["rebuilds"]) == (0.5, 2)
    assert (row["interactions"], row["cells_judged"]) == (6, 12)
    assert (row["energy_drift"], row["energy_drift_max"]) == (-0.25, 0.5)
    assert (row["threads"], row["device_name"], row["revision"]) == (2, "CPU", "abc")
    order = ("predict", "keys", "sort", "build", "groups", "moments", "walk", "correct")
    assert set(order) == set(STAGES)
    for n, stage in enumerate(order):
        assert row[f"{stage}_s"] == pytest.approx(n * 1.5 * 8 / 1000)


def test_log_cut_short_is_refused(write_run: Callable[..., Path]) -> None:
    path = write_run("run", wall=8.0, dt=0.5)
    with h5py.File(path, "a") as file:
        file["Timing"].attrs["steps"] = 5
    with pytest.raises(DataError, match="4 steps are logged"):
        summarise_run(path.parent)


def test_force_evaluation_is_reduced_to_its_errors(
    tmp_path: Path, write_forces: Callable[..., Path]
) -> None:
    ids = np.arange(1, 102)
    exact = np.random.default_rng(1).normal(size=(101, 3))
    reference = write_forces(tmp_path / "reference.h5", {1: (ids[::2], exact[::2])})
    forces = write_forces(tmp_path / "force.h5", {1: (ids, exact * (1 + ids / 1e4)[:, None])})
    row = errors_of_forces(reference, forces)
    assert row["error_50"] == pytest.approx(51e-4)
    assert row["error_max"] == pytest.approx(101e-4)
    assert row["compared"] == 51
    assert row["force_s"] == sum(0.5**n for n in range(6))
    assert (row["force_walk_s"], row["force_interactions"]) == (0.5**5, 1000)
