from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from analysis.files import DataError
from analysis.tables import (
    aggregate,
    elapsed_versus_error,
    read_energy,
    read_lagrange,
    speed_up,
    summarise_run,
    timing_table,
)

FOLDER = "run/{mode}_4steps/acceleration_2pow-07/repeat{repeat}"


def test_run_is_reduced_to_its_wall_time(write_run: Callable[..., Path]) -> None:
    path = write_run(FOLDER.format(mode="block", repeat=2), wall=8.0, dt=0.5)
    row = summarise_run("nfw", path)
    assert row["criterion"] == "acceleration"
    assert row["accuracy"] == 2.0**-7
    assert (row["step_mode"], row["repeat"], row["steps"], row["eta"]) == ("block", 2, 4, 0.5)
    assert row["elapsed_per_step_s"] == 2.0
    assert row["stages_per_step_s"] == 0.5
    assert row["simulated_time"] == 2.0
    assert row["elapsed_per_time_s"] == 4.0
    assert row["active_fraction"] == 0.5
    assert (row["rebuilds"], row["interactions"]) == (2, 6)
    assert row["device"] == "CPU"


def test_run_in_parts_is_refused(write_run: Callable[..., Path]) -> None:
    path = write_run(FOLDER.format(mode="block", repeat=1), wall=8.0, dt=0.5)
    with h5py.File(path, "a") as file:
        file["Timing"].attrs["parts"] = 2
    with pytest.raises(DataError, match="was made in 2 parts, so that its times are none"):
        summarise_run("nfw", path)


def test_run_cut_short_is_refused(write_run: Callable[..., Path]) -> None:
    path = write_run("run/block_9steps/opening_0.5/repeat1", wall=1.0, dt=1.0, steps=4)
    with pytest.raises(DataError, match=r"4 steps are logged.*9 were asked for"):
        summarise_run("nfw", path)


def test_repeats_become_median_and_extremes(write_run: Callable[..., Path]) -> None:
    walls = {1: 4.0, 2: 12.0, 3: 8.0}
    files = [
        write_run(FOLDER.format(mode="block", repeat=n), wall=wall, dt=0.5)
        for n, wall in walls.items()
    ]
    (row,) = aggregate(timing_table("nfw", files)).to_dict("records")
    assert row["repeats"] == 3
    assert row["elapsed_per_step_s"] == 2.0
    assert row["elapsed_per_step_s_min"] == 1.0
    assert row["elapsed_per_step_s_max"] == 3.0
    assert row["elapsed_per_time_s_max"] == 6.0
    assert row["revision"] == "abc"


def test_speed_up_compares_equal_settings(write_run: Callable[..., Path]) -> None:
    table = speed_up(
        timing_table(
            "nfw",
            [
                write_run(FOLDER.format(mode="block", repeat=1), wall=4.0, dt=0.25),
                write_run(FOLDER.format(mode="shared", repeat=1), wall=12.0, dt=0.5),
                write_run("run/block_4steps/opening_0.5/repeat1", wall=1.0, dt=1.0),
            ],
        )
    )
    assert len(table) == 1
    assert table.loc[0, "per_step"] == 3.0
    assert table.loc[0, "per_time"] == 1.5


def test_speed_up_spans_opposite_extremes(timings: pd.DataFrame) -> None:
    table = speed_up(timings)
    assert len(table) == 7
    np.testing.assert_allclose(table["per_step"], 3.0)
    np.testing.assert_allclose(table["per_step_min"], 2.0)
    np.testing.assert_allclose(table["per_step_max"], 4.5)
    np.testing.assert_allclose(table["per_time"], 1.5)


def test_speed_up_needs_both_modes(timings: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="both block and shared"):
        speed_up(timings[timings["step_mode"] == "block"])


def test_elapsed_times_stand_beside_their_errors(
    timings: pd.DataFrame, errors: pd.DataFrame
) -> None:
    table = elapsed_versus_error(errors, timings)
    assert len(table) == 14
    np.testing.assert_allclose(table["error_99"], 0.1 * table["accuracy"])
    expected = table["step_mode"].map({"block": 1.25, "shared": 3.75}) / table["accuracy"]
    np.testing.assert_allclose(table["elapsed_per_step_s"], expected)


def test_run_without_error_is_named(timings: pd.DataFrame, errors: pd.DataFrame) -> None:
    with pytest.raises(DataError, match=r"criterion opening, accuracy 0\.4"):
        elapsed_versus_error(errors[errors["accuracy"] != 0.4], timings)


def test_energy_drift_is_relative_to_the_start(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "energy.h5", "w") as file:
        file["Energy/total"] = [-2.0, -2.0, -1.9]
        file["Energy/time"] = [0.0, 1.0, 2.0]
    np.testing.assert_allclose(read_energy(tmp_path / "energy.h5")["drift"], [0, 0, -0.05])


def test_radii_have_the_names_of_components(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "lagrange.h5", "w") as file:
        file["Lagrange/component"] = [0, 1, 2]
        file["Lagrange/r_50"] = [1.0, 2.0, 3.0]
        file.create_group("ComponentNames").attrs.update(
            {"0": np.bytes_("halo"), "1": np.bytes_("disc")}
        )
    assert read_lagrange(tmp_path / "lagrange.h5")["name"].tolist() == ["halo", "disc", "2"]
