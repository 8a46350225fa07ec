from __future__ import annotations

from math import nan
from pathlib import Path

import numpy as np
import pytest

from analysis.errors import DataError
from analysis.reading.bench_tables import automatic_sharing, crossing, knee, on_gpu, read_bench
from tests.analysis.benches import (
    GPU,
    balls_table,
    crossover_table,
    sharing_table,
    write,
)


def test_table_is_read(tmp_path: Path) -> None:
    table = read_bench(write(balls_table(), tmp_path / "bench.csv"), "balls")
    assert set(table["model"]) == {"m31"}
    assert not on_gpu(table)
    assert on_gpu(balls_table(device_name=GPU))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda table: table.drop(columns="ball"), "column ball is missing"),
        (lambda table: table.drop(columns="device_name"), "column device_name is missing"),
        (lambda table: table[:0], "no rows"),
    ],
)
def test_foreign_table_is_refused(tmp_path: Path, change: object, complaint: str) -> None:
    path = write(change(balls_table()), tmp_path / "bench.csv")
    with pytest.raises(DataError, match=complaint):
        read_bench(path, "balls")
    with pytest.raises(DataError, match="run snakemake"):
        read_bench(tmp_path / "none.csv", "balls")


@pytest.mark.parametrize("constant", [300.0, 2e3, 4e4])
def test_knee_is_where_the_constant_time_equals_the_growing_one(constant: float) -> None:
    active = 2.0 ** np.arange(4, 22)
    assert knee(active[::-1], (constant + active)[::-1]) == pytest.approx(constant, rel=0.03)


def test_knee_is_not_found_where_there_is_none() -> None:
    active = 2.0 ** np.arange(4, 12)
    assert knee(active, active**0.9) == 0
    assert np.isnan(knee(active, active**0.1))


@pytest.mark.parametrize(("equal", "found"), [(700, 700), (3000, 3000), (10, nan), (1e6, nan)])
def test_crossing_of_powers_is_found_exactly_where_there_is_one(equal: float, found: float) -> None:
    table = crossover_table([16384, 256, 4096, 1024], equal)
    assert crossing(table) == pytest.approx(found, nan_ok=True)


@pytest.mark.parametrize("equal", [True, False])
def test_automatic_sharing_is_compared_at_equal_accuracy_where_that_was_measured(
    equal: bool,
) -> None:
    found = automatic_sharing(sharing_table(equal))
    assert len(found) == 14
    assert found["ratio"].to_numpy() == pytest.approx(np.full(14, 1.1))
    assert found["best_group_size"].iloc[0] == 2
    assert found["best_group_size"].iloc[-1] == 64
