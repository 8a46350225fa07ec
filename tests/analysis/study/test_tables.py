"""Figures of a study: which ones there are, and the rows from which they are drawn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.figures.draw import draw
from analysis.measured.__main__ import run as keep
from analysis.measured.__main__ import tables_of
from analysis.reading.csv_tables import head_of_table, read_table, write_table
from analysis.study.drift_table import drift_table
from analysis.study.figure_kinds import KINDS, figures_of, files_of
from analysis.study.runs import load, parameters_in, save, table_of
from analysis.study.schema import filled, rules
from analysis.study.tables import Study
from tests.analysis.benches import balls_table, crossover_table, histogram_table
from tests.analysis.rows import a_row
from tests.conftest import ROOT

RUNS = [
    {"model": "nfw", "particles": 64, "steps": 8},
    {"model": "m31", "particles": 64, "steps": 8},
    {"model": "king", "particles": 128, "steps": 8},
]


def config(*figures: dict) -> dict:
    benches = [{"word": "crossover", "model": ["plummer"]}]
    study = {"study": "s", "figures": list(figures), "benches": benches}
    return filled(study, rules())


@pytest.mark.parametrize(
    ("figure", "names"),
    [
        ({"kind": "speedup"}, ["speedup_nfw", "speedup_m31", "speedup_king"]),
        ({"kind": "speedup", "where": {"particles": "50..100"}}, ["speedup_nfw", "speedup_m31"]),
        ({"kind": "speedup", "where": {"model": "m31"}, "name": "gain"}, ["gain_m31"]),
        ({"kind": "interactions_vs_step"}, ["interactions_vs_step"]),
        ({"kind": "crossover"}, ["crossover_plummer"]),
        ({"kind": "map", "where": {"model": "m31", "particles": 8}}, ["map_m31"]),
    ],
)
def test_kind_has_a_figure_for_each_model_or_one_for_all(figure: dict, names: list[str]) -> None:
    assert [found["name"] for found in figures_of(config(figure), RUNS)] == names


def test_every_kind_is_drawn_by_a_module_and_in_one_group() -> None:
    for name in KINDS:
        assert (ROOT / "analysis" / "figures" / f"{name}.py").exists()
    figures = figures_of(config({"kind": "speedup"}, {"kind": "crossover"}), RUNS)
    assert files_of(figures, "benches", "f") == [
        f"f/crossover_plummer.{suffix}" for suffix in ("pdf", "png", "csv", "txt")
    ]
    assert len(files_of(figures, "runs", "f")) == 12


@pytest.fixture
def study(tmp_path: Path, sweep: pd.DataFrame) -> Study:
    """Write the tables of a study."""
    save(sweep, tmp_path)
    write_table(balls_table(), tmp_path / "bench_balls.csv")
    write_table(histogram_table(), tmp_path / "bench_histogram.csv")
    write_table(crossover_table([256, 1024], 700), tmp_path / "bench_crossover.csv")
    figures = [
        {"name": "elapsed", "kind": "elapsed_vs_error", "where": {"model": "nfw"}},
        {"name": "crossing", "kind": "crossover", "where": {"model": "nfw"}},
        {"name": "wrong", "kind": "speedup", "where": {"model": "m31"}},
        {"name": "balls", "kind": "enclosing_balls", "where": {"model": "m31"}},
        {"name": "any", "kind": "plot", "where": {}, "x": "error_99", "y": "wall_s"},
        {"name": "findings", "kind": "findings", "where": {}},
    ]
    told = {"study": "config/s.yaml", "runs": [], "figures": figures}
    (tmp_path / "study.json").write_text(json.dumps(told))
    return Study(tmp_path)


def test_figure_that_fails_stops_no_other(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tmp_path / "figures"
    figures.mkdir()
    (figures / "wrong.png").write_text("of an earlier table")
    failures = draw(study, None, figures)
    assert failures.keys() == {"wrong"}
    assert f"wrong: {failures['wrong']}" in capsys.readouterr().err
    assert not (figures / "wrong.png").exists()
    drawn = {path.stem for path in (tmp_path / "figures").glob("*.txt")}
    assert drawn == {"elapsed", "crossing", "balls", "any", "findings"}


def test_figure_that_fails_unforeseen_stops_no_other(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of a library")

    monkeypatch.setattr("analysis.figures.crossover.make", fail)
    failures = draw(study, "benches", tmp_path)
    assert failures == {"crossing": "ZeroDivisionError: of a library"}
    assert {path.stem for path in tmp_path.glob("*.txt")} == {"balls", "findings"}


def test_run_without_snapshots_leaves_the_changes_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert drift_table(table_of([a_row(path=str(tmp_path))]), tmp_path).empty
    assert f"{tmp_path}: has no snapshots; give the run" in capsys.readouterr().err


def test_runs_of_a_figure_differ_in_what_it_shows_alone(study: Study, sweep: pd.DataFrame) -> None:
    save(pd.concat([sweep, sweep.assign(particles=2048)]), study.folder)
    with pytest.raises(DataError, match="the runs differ in particles, 1024, 2048; choose one"):
        study.sweep({})
    assert len(study.sweep({"particles": 2048})) == len(sweep) / 2  # two repeats


def test_start_up_is_spread_over_as_many_steps_in_runs_of_all_lengths(
    study: Study, sweep: pd.DataFrame
) -> None:
    steps = np.where(sweep["step"] == "block", 1024, 64)
    wall = 0.5 + 4.0 / steps  # of a step, with four seconds outside of all steps
    times = {"elapsed_per_step_s": wall, "elapsed_per_time_s": wall * steps / 2.0}
    rows = sweep.assign(steps=steps, simulated_time=2.0, stages_per_step_s=0.5, **times)
    save(rows, study.folder)
    table = study.sweep({})
    np.testing.assert_allclose(table["elapsed_per_step_s"], 0.5 + 4.0 / 1024)
    expected = (0.5 + 4.0 / 1024) * table["steps"] / 2.0
    np.testing.assert_allclose(table["elapsed_per_time_s"], expected)


@pytest.mark.parametrize("name", ["steps", "drift"])
def test_steps_and_changes_are_those_of_one_run(study: Study, name: str) -> None:
    rows = [a_row(path=path, **{"halo.scale": scale}) for path, scale in (("a", 5), ("b", 7.5))]
    save(table_of(rows), study.folder)
    logged = pd.DataFrame({"path": ["a", "b", "b"], "component": "halo", "particles": [8, 9, 9]})
    logged.to_csv(study.folder / f"{name}.csv", index=False)
    read = {"steps": study.steps, "drift": study.drift}[name]
    assert list(read({"halo.scale": 7.5})["particles"]) == [9, 9]
    with pytest.raises(DataError, match=r"the runs differ in halo\.scale, 5, 7\.5; choose"):
        read({"model": "nfw"})


def test_times_of_a_run_in_parts_are_refused(study: Study, sweep: pd.DataFrame) -> None:
    save(sweep.assign(parts=2), study.folder)
    with pytest.raises(DataError, match="was made in parts, so that its times are none"):
        study.sweep({})


def test_tables_of_one_device_are_kept(study: Study, sweep: pd.DataFrame) -> None:
    assert {path.name for path in tables_of(study.folder)} == {
        "runs.csv",
        "bench_balls.csv",
        "bench_crossover.csv",
        "bench_histogram.csv",
    }
    sweep.assign(device_name="GPU").to_csv(study.folder / "runs.csv", index=False)
    with pytest.raises(DataError, match="of several devices, CPU; GPU"):
        tables_of(study.folder)
    sweep.assign(revision="abc-dirty").to_csv(study.folder / "runs.csv", index=False)
    with pytest.raises(DataError, match="abc-dirty had changes; commit, build and measure"):
        tables_of(study.folder)


def test_tables_of_a_study_need_its_runs_if_it_has_any(study: Study) -> None:
    (study.folder / "runs.csv").unlink()
    described = study.folder / "study.json"
    told = json.loads(described.read_text())
    described.write_text(json.dumps(told | {"runs": ["a"]}))
    with pytest.raises(DataError, match=r"runs\.csv: no such file; run snakemake first"):
        tables_of(study.folder)
    described.write_text(json.dumps(told | {"runs": []}))
    assert {path.name.partition("_")[0] for path in tables_of(study.folder)} == {"bench"}


def test_kept_tables_replace_those_of_the_study_on_that_device_and_name_it(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kept" / "gpu" / study.folder.name
    other = folder.with_name("other") / "runs.csv"
    for old in (folder / "bench_old.csv", other):
        old.parent.mkdir(parents=True)
        old.touch()
    words = ["--study", study.folder, "--device-name", "gpu", "--folder", tmp_path / "kept"]
    monkeypatch.setattr("sys.argv", ["measured", *map(str, words)])
    keep()
    assert {path.name for path in folder.glob("*.csv")} == {
        path.name for path in tables_of(study.folder)
    }
    assert other.exists()
    assert head_of_table(folder / "runs.csv")["study"] == "config/s.yaml"
    assert "study" not in read_table(folder / "runs.csv")
    assert json.loads((folder / "study.json").read_text())["study"] == "config/s.yaml"


def test_kept_command_lines_name_no_folder_of_the_machine(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = study.folder / "bench_balls.csv"
    line = "{}gothic bench balls --input results/s/ic.h5 --output {}table.csv"
    measured = read_table(path).assign(command_line=line.format("/home/me/bin/", "/tmp/tmp1/"))
    write_table(measured, path)
    words = ["--study", study.folder, "--device-name", "gpu", "--folder", tmp_path / "kept"]
    monkeypatch.setattr("sys.argv", ["measured", *map(str, words)])
    keep()
    kept = read_table(tmp_path / "kept" / "gpu" / study.folder.name / path.name)
    assert set(kept["command_line"]) == {line.format("", "")}


def test_parts_of_a_study_by_one_revision_join(
    study: Study, sweep: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--study", study.folder, "--device-name", "gpu", "--folder", tmp_path / "kept"]
    monkeypatch.setattr("sys.argv", ["measured", *map(str, words)])
    folder = tmp_path / "kept" / "gpu" / study.folder.name

    def kept_of(part: pd.DataFrame) -> pd.DataFrame:
        save(part, study.folder)
        keep()
        return load(folder / "runs.csv")

    sweep = sweep.assign(path=[f"runs/{number}" for number in range(len(sweep))])
    criteria = dict(list(sweep.groupby("criterion")))
    multipole = criteria["multipole"].copy()
    multipole.insert(0, "curve", "morton")  # a parameter that the other part leaves out
    kept_of(criteria["opening"])
    for bench in study.folder.glob("bench_*.csv"):
        bench.unlink()
    kept_of(multipole)
    found = kept_of(multipole.assign(wall_s=7.0))  # measured again
    assert dict(found.groupby("criterion").size()) == {
        name: len(criteria[name]) for name in ("multipole", "opening")
    }
    assert set(found[found["criterion"] == "multipole"]["wall_s"]) == {7.0}
    assert set(found[found["criterion"] == "opening"]["curve"]) == {"hilbert"}
    assert "curve" in parameters_in(found)
    assert read_table(folder / "runs.csv")["curve"].notna().all()
    assert (folder / "bench_balls.csv").exists()
    later = kept_of(multipole.assign(revision="later"))
    assert set(later["criterion"]) == {"multipole"}
    assert not (folder / "bench_balls.csv").exists()


@pytest.mark.long
@pytest.mark.parametrize("folder", [*(ROOT / "analysis" / "measured").glob("*/*/study.json")])
def test_every_figure_of_measured_tables_is_drawn(folder: Path, tmp_path: Path) -> None:
    assert draw(Study(folder.parent), None, tmp_path) == {}
    assert len(list(tmp_path.glob("*.txt"))) == len(Study(folder.parent).figures)
