from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.study.parameters import MAIN, runs_by_path
from analysis.study.run_row import ERRORS, FORCE, MEASURED
from analysis.study.runs import collect, load, parameters_in, reduce_repeats, save, select, table_of
from tests.analysis.rows import DEFAULTS, a_row, some_runs

FIRST = [*MAIN, "repeat"]


def test_types_are_those_of_the_quantities() -> None:
    table = some_runs()
    for name in ("particles", "seed", "sharing", "repeat", "rebuild_interval", "steps", "threads"):
        assert table[name].dtype == "Int64", name
    for name in ("accuracy", "eta", "softening", "error_99", "wall_s", "energy_drift"):
        assert table[name].dtype == "float64", name
    for name in ("model", "step", "device", "path", "revision"):
        assert table[name].dtype == "str", name


def test_rows_are_sorted_by_parameters_whatever_their_order() -> None:
    rows = some_runs().to_dict("records")
    pd.testing.assert_frame_equal(table_of(reversed(rows)), some_runs())
    assert some_runs()["particles"].is_monotonic_increasing


def test_parameter_that_a_row_leaves_out_has_its_default() -> None:
    table = some_runs()
    assert list(table) == [*FIRST, "rebuild_interval", "path", "ic", *MEASURED]
    assert list(table["rebuild_interval"].value_counts()[[0, 1]]) == [15, 1]


def test_columns_of_errors_are_empty_without_a_reference() -> None:
    row = {name: value for name, value in a_row().items() if name not in (*ERRORS, *FORCE)}
    table = table_of([row])
    assert table[[*ERRORS, *FORCE]].isna().all(axis=None)
    assert table["compared"].dtype == "Int64"


def test_parameter_of_numbers_and_words_is_a_column_of_texts() -> None:
    table = table_of([a_row(group_extent="auto"), a_row(group_extent=0.5), a_row()])
    assert sorted(table["group_extent"]) == ["0", "0.5", "auto"]


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ({"criterion": "opening"}, 0),
        ({"step": "block", "particles": 256}, 4),
        ({"step": ["block", "shared"]}, 16),
        ({"accuracy": 2.0**-7}, 8),
        ({"accuracy": 2.0**-7 * (1 + 1e-12)}, 8),
        ({"accuracy": [2.0**-7, 2.0**-5], "repeat": 1}, 8),
        ({"accuracy": (1e-3, 1e-2)}, 8),
        ({"accuracy": (1.0, 2.0)}, 0),
    ],
)
def test_rows_are_selected_by_value_list_or_range(where: dict, count: int) -> None:
    assert len(select(some_runs(), **where)) == count


def test_unknown_column_is_refused() -> None:
    with pytest.raises(DataError, match="mac: there is no such column; there are model"):
        select(some_runs(), mac="opening")


def test_repeats_become_one_row_with_median_and_extremes() -> None:
    rows = [a_row(repeat=n, wall_s=wall) for n, wall in ((1, 4.0), (2, 12.0), (3, 7.0))]
    (row,) = reduce_repeats(table_of(rows)).to_dict("records")
    assert (row["repeats"], row["wall_s"]) == (3, 7)
    assert (row["wall_s_least"], row["wall_s_greatest"]) == (4, 12)
    assert row["revision"] == "abc"
    assert "repeat" not in row


def test_reduction_keeps_every_set_of_parameters_and_missing_ones() -> None:
    table = table_of([a_row(time=0.5), a_row(), a_row(repeat=2)])
    reduced = reduce_repeats(table)
    assert parameters_in(table) == [*FIRST[:-1], "time"]
    assert sorted(reduced["repeats"]) == [1, 2]
    assert reduced["time"].isna().sum() == 1


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Write the folder of a study of three runs; two are done."""
    folder = tmp_path / "results" / "small"
    paths = list(runs_by_path({"defaults": a_row(), "grids": [{"eta": [0.1, 0.2, 0.4]}]}, DEFAULTS))
    for path, eta in list(zip(paths, (0.1, 0.2, 0.4), strict=True))[:2]:
        (folder / "runs" / path).mkdir(parents=True)
        (folder / "runs" / path / "run.json").write_text(json.dumps(a_row(eta=eta)))
    (folder / "study.json").write_text(json.dumps({"runs": paths, "figures": []}))
    return folder


def test_table_has_the_listed_runs_that_are_done(study: Path) -> None:
    table, number = collect(study)
    assert list(table["eta"]) == [0.1, 0.2]
    assert number == 3
    told = json.loads((study / "study.json").read_text())
    (study / "study.json").write_text(json.dumps(told | {"runs": told["runs"][1:2]}))
    assert list(collect(study)[0]["eta"]) == [0.2]


def test_table_is_read_as_it_was_written(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = collect(study)
    save(table, study)
    monkeypatch.chdir(study.parents[1])
    for path in (study, study / "runs.parquet", "small"):
        pd.testing.assert_frame_equal(load(path), table)
    text = pd.read_csv(study / "runs.csv")
    assert list(text) == list(table)
    assert list(text["eta"]) == [0.1, 0.2]
    assert sorted(path.name for path in study.glob("runs.*")) == [
        "runs.csv",
        "runs.parquet",
    ]
    (study / "runs.parquet").unlink()
    pd.testing.assert_frame_equal(load(study), table)


def test_command_says_how_many_runs_are_done(study: Path) -> None:
    command = [sys.executable, "-m", "analysis.study.runs", str(study)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{study}/runs.parquet: 2 of 3 runs\n"


def test_damaged_and_missing_files_are_named(study: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing: no table of runs is there"):
        load(tmp_path / "nothing")
    with pytest.raises(DataError, match=r"study.json: no such file; run snakemake"):
        collect(tmp_path)
    (study / "runs.parquet").write_text("no table")
    with pytest.raises(DataError, match=r"runs.parquet: .*delete it"):
        load(study)
    next(study.rglob("run.json")).write_text("{")
    with pytest.raises(DataError, match=r"run.json: .*delete it"):
        collect(study)
