from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from analysis.files import PROVENANCE, DataError
from analysis.scaling import breakdown, scaling_table, summarise_stages

FOLDER = "nfw_N{particles}_s1/run/block_4steps/acceleration_2pow-07/repeat{repeat}"


def test_stages_are_means_over_all_steps(write_run: Callable[..., Path]) -> None:
    path = write_run(FOLDER.format(particles=100, repeat=1), wall=8.0, dt=0.5, memory=5000)
    row = summarise_stages(path)
    assert (row["sample"], row["particles"], row["steps"]) == ("nfw_N100_s1", 100, 4)
    stages = ("predict", "keys", "sort", "build", "groups", "moments", "walk", "correct")
    found = [row[f"{stage}_s"] for stage in stages]
    np.testing.assert_allclose(found, 0.012 * np.arange(8))
    assert row["total_s"] == 0.5
    assert row["elapsed_per_step_s"] == 2.0
    assert (row["active_fraction"], row["rebuilds"], row["interactions"]) == (0.5, 2, 6)
    assert row["interactions_per_walk_s"] == pytest.approx(6 / (4 * 0.072))
    assert (row["memory_bytes"], row["bytes_per_particle"]) == (5000, 50)


def test_memory_that_is_not_told_is_nan(write_run: Callable[..., Path]) -> None:
    row = summarise_stages(write_run(FOLDER.format(particles=100, repeat=1), wall=1.0, dt=0.5))
    assert np.isnan([row["memory_bytes"], row["bytes_per_particle"]]).all()


def test_missing_stage_is_named(write_run: Callable[..., Path]) -> None:
    path = write_run(FOLDER.format(particles=100, repeat=1), wall=1.0, dt=0.5)
    with h5py.File(path, "a") as file:
        del file["Steps/moments"]
    with pytest.raises(DataError, match="dataset moments of /Steps is missing"):
        summarise_stages(path)


def test_table_has_a_row_per_size_that_adds_up(write_run: Callable[..., Path]) -> None:
    walls = {(4096, 1): 9.0, (4096, 2): 3.0, (4096, 3): 6.0, (64, 1): 1.0}
    files = [
        write_run(
            FOLDER.format(particles=particles, repeat=repeat),
            wall=wall,
            dt=0.5,
            particles=particles,
        )
        for (particles, repeat), wall in walls.items()
    ]
    table = scaling_table(files)
    assert list(table["particles"]) == [64, 4096]
    assert list(table["repeats"]) == [1, 3]
    np.testing.assert_allclose(table["total_s"], [1 / 16, 6 / 16])
    np.testing.assert_allclose(table["total_s_min"], [1 / 16, 3 / 16])
    np.testing.assert_allclose(table["total_s_max"], [1 / 16, 9 / 16])
    np.testing.assert_allclose(table["walk_s"], 1.5 * 6e-3 * np.array([1, 6]))
    assert list(table.columns[-len(PROVENANCE) :]) == list(PROVENANCE)
    assert (table[["version", "revision", "device"]] == ["1.2.3", "abc", "CPU"]).all(axis=None)


def test_tree_construction_is_the_sum_of_its_stages(scaling: pd.DataFrame) -> None:
    table = breakdown(scaling)
    np.testing.assert_allclose(table["construction_s"], 14e-6 * scaling["particles"])
