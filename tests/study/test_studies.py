"""A small study from the programs to its page, with the programs of this build."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path, PurePath

import pandas as pd
import pytest
import yaml

from analysis.reading.csv_tables import read_table
from analysis.reading.files import read_attributes, read_forces
from analysis.study.parameters import parameters_of, runs_by_path, sample
from analysis.study.run_row import relative_errors, summarise
from analysis.study.runs import collect, load, select
from analysis.study.schema import run_defaults
from tests.conftest import ROOT
from tests.programs.results import datasets
from tests.study.workflow import Workflow, rows

STUDY = {
    "study": "small",
    "reference": {"targets": 64},
    "runs_per_job": 4,
    "runs": {
        "defaults": {
            "model": "plummer",
            "particles": "2^8",
            "steps": 2,
            "device": "cpu",
            "order": "point",
        },
        "grids": [{"accuracy": ["2^-3", "2^-7"], "step": ["block", "shared"], "repeats": 2}],
        "list": [{"criterion": "opening", "accuracy": 0.5, "time": 0.125, "rebuild_interval": 1}],
    },
    "benches": [{"word": "crossover", "model": "plummer", "particles": [64, 128], "repeats": 1}],
    "figures": [
        {"kind": "elapsed_vs_error", "where": {"steps": 2}},
        {"kind": "stages_vs_step", "where": {"accuracy": "2^-7", "step": "block", "steps": 2}},
        {"kind": "model", "where": {"model": "plummer", "particles": "2^8"}},
        {"kind": "crossover"},
    ],
    "plots": [{"x": "error_99", "y": "wall_s", "colour": "step", "where": {"steps": 2}}],
}
DRAWN = {
    "elapsed_vs_error_plummer",
    "stages_vs_step_plummer",
    "model_plummer",
    "crossover_plummer",
    "wall_s_vs_error_99",
}
# No CPU has vectors of 32 numbers.
FAILING = {"accuracy": "2^-7", "time": 0.125, "sharing": 32}


def study(folder: Path, programs: Path, *further: dict) -> Workflow:
    """Workflow of the study, with further single runs."""
    runs = STUDY["runs"] | {"list": [*STUDY["runs"]["list"], *further]}
    config = folder / f"study{len(further)}.yaml"
    config.write_text(yaml.safe_dump(STUDY | {"runs": runs}))
    return Workflow(folder, config, programs)


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Workflow:
    """Make the study with a run that fails, on copies of the programs that tests may touch."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "bin").mkdir()
    for name in ("gothic", "gothic-ic"):
        shutil.copy2(programs / name, folder / "bin" / name)
    workflow = study(folder, folder / "bin", FAILING)
    done = workflow.run("--keep-going", "--show-failed-logs")
    assert done.returncode != 0
    assert "sharing~32" in done.stdout
    return workflow


@pytest.fixture(scope="module")
def workflow(failed: Workflow) -> Workflow:
    """Take the failing run out and make the rest."""
    done = rows(failed.folder)
    workflow = study(failed.folder, failed.programs)
    jobs = workflow.jobs()
    assert {"listing", "tables", "figures_of_runs", "index"} <= jobs
    assert rows(workflow.folder) == done, "runs that are done stay"
    return workflow


@pytest.fixture(scope="module")
def runs(workflow: Workflow) -> pd.DataFrame:
    return load(workflow.folder / "results" / "small")


def test_value_that_an_option_does_not_take_is_told_before_any_run(
    tmp_path: Path, programs: Path
) -> None:
    refused = study(tmp_path, programs, {"accuracy": -2}).run("--keep-going", "--show-failed-logs")
    assert refused.returncode != 0
    assert ".accuracy: -2 is no number above 0; correct it" in refused.stdout
    assert not list(tmp_path.rglob("ic.h5"))
    assert not list(tmp_path.rglob("run.log"))


def test_run_that_fails_does_not_stop_the_others(failed: Workflow) -> None:
    assert len(rows(failed.folder)) == 9
    assert not list(failed.folder.rglob("attempt-*"))


def test_table_has_a_row_for_every_run(runs: pd.DataFrame) -> None:
    assert len(runs) == 9
    assert len(select(runs, criterion="acceleration", accuracy=2.0**-3, step="block")) == 2
    (timed,) = select(runs, criterion="opening").to_dict("records")
    assert (timed["time"], timed["rebuild_interval"]) == (0.125, 1)
    assert timed["simulated_time"] == pytest.approx(0.125)
    assert (select(runs, criterion="acceleration")["steps"] == 2).all()
    assert (runs["wall_s"] > runs["stages_per_step_s"] * runs["steps"]).all()
    assert (runs["interactions"] > 0).all()


def test_rows_tell_what_their_files_hold(workflow: Workflow, runs: pd.DataFrame) -> None:
    for row in runs.itertuples():
        folder = workflow.folder / row.path
        options = read_attributes(folder / "steps.h5", "Options")
        assert (options["mac"], float(options["accuracy"])) == (row.criterion, row.accuracy)
        assert (options["step"], float(options["eta"])) == (row.step, row.eta)
        assert datasets(folder / "steps.h5")["Steps/interactions"].sum() == row.interactions
        total = datasets(folder / "energy.h5")["Energy/total"]
        assert row.energy_drift == pytest.approx(total[-1] / total[0] - 1)


def test_errors_are_those_of_a_force_with_the_options_of_the_run(
    workflow: Workflow, runs: pd.DataFrame
) -> None:
    row = select(runs, accuracy=2.0**-3, step="shared", repeat=2).iloc[0]
    ic = workflow.folder / row["ic"]
    force = workflow.folder / "force.h5"
    command = [workflow.programs / "gothic", "force", "--input", ic, "--output", force]
    options = ["--accuracy", "0.125", "--order", "point", "--device", "cpu"]
    subprocess.run([*command, *options], check=True)
    reference = read_forces(ic.parent / "softening~0" / "reference.h5")
    found = summarise(relative_errors(reference, read_forces(force)))
    assert row["error_99"] == pytest.approx(found["error_99"], rel=1e-6)
    assert row["compared"] == 64


def test_run_without_steps_has_its_forces_alone_anew_in_each_repeat(
    tmp_path: Path, programs: Path
) -> None:
    defaults = {"model": "nfw", "particles": 256, "accuracy": 2.0**-7, "steps": 0, "repeats": 2}
    paths = list(runs_by_path({"list": [defaults]}, run_defaults()))
    ic = tmp_path / "ic" / sample(parameters_of(PurePath(paths[0]))) / "ic.h5"
    ic.parent.mkdir(parents=True)
    model = ROOT / "config" / "models" / "nfw.toml"
    drawn = [programs / "gothic-ic", model, "--particles", "256", "--output", ic]
    measure = [sys.executable, "-m", "analysis.study.measure", tmp_path, *paths]
    for command in (drawn, [*measure, "--program", programs / "gothic"]):
        subprocess.run(command, cwd=ROOT, check=True)
    (tmp_path / "study.json").write_text(json.dumps({"runs": paths, "figures": []}))
    table, _ = collect(tmp_path)
    assert list(table["steps"]) == [0, 0]
    assert table["force_walk_s"].nunique() == 2
    assert table[["device_name", "revision"]].notna().all(axis=None)
    assert table["wall_s"].isna().all()
    assert sorted(path.name for path in Path(tmp_path / "runs" / paths[0]).iterdir()) == [
        "run.json",
        "run.log",
    ]


def test_measurements_have_the_order_of_the_runs(workflow: Workflow, runs: pd.DataFrame) -> None:
    table = read_table(workflow.folder / "results" / "small" / "bench_crossover.csv")
    assert table["command_line"].str.contains("--order point").all()
    assert (runs["order"] == "point").all()


def test_page_shows_every_figure_once(workflow: Workflow) -> None:
    results = workflow.folder / "results"
    linked = re.findall(r'href="(small/figures/[^"]*)"', (results / "index.html").read_text())
    assert len(linked) == len(set(linked))
    assert {Path(link).stem for link in linked} == DRAWN
    assert all((results / link).stat().st_size > 0 for link in linked)
    assert (results / "figures").resolve() == (results / "small" / "figures").resolve()


def test_figures_have_captions_and_tables(workflow: Workflow) -> None:
    figures = workflow.folder / "results" / "small" / "figures"
    caption = (figures / "elapsed_vs_error_plummer.txt").read_text()
    assert "Plummer sphere, N = 2^8 = 256 particles, 2 steps per run" in caption
    assert len(pd.read_csv(figures / "elapsed_vs_error_plummer.csv")) == 4
    assert list(pd.read_csv(figures / "stages_vs_step_plummer.csv")["number"]) == [1, 2]
    assert list(pd.read_csv(figures / "crossover_plummer.csv")["particles"]) == [64, 128]


def test_identical_program_built_anew_reruns_nothing(workflow: Workflow) -> None:
    for name in ("gothic", "gothic-ic"):
        os.utime(workflow.folder / "bin" / name)
    assert workflow.jobs() <= {"programs"}


def test_run_that_was_removed_is_made_again(workflow: Workflow, runs: pd.DataFrame) -> None:
    done = rows(workflow.folder)
    removed = workflow.folder / runs["path"].iloc[0]
    shutil.rmtree(removed)
    study = workflow.folder / "results" / "small"
    wanted = [*(study / "runs").glob("*.done"), study / "runs.parquet"]  # not all the figures
    targets = [str(path.relative_to(workflow.folder)) for path in wanted]
    assert workflow.jobs("--", *targets) == {"runs", "tables"}
    again = rows(workflow.folder)
    assert again.keys() == done.keys()
    changed = {path for path in done if done[path] != again[path]}
    assert changed == {removed / "run.json"}


@pytest.mark.long
def test_figure_that_fails_is_told_and_leaves_the_others(workflow: Workflow) -> None:
    study, figures = (workflow.folder / "results" / name for name in ("small", "small/figures"))
    points = workflow.folder / "points.csv"
    points.write_text("error,time\n0.01,0.5\n")
    overlay = [{"file": "points.csv", "x": "error", "y": "time"}]
    right = {"x": "error_99", "y": "wall_s", "name": "right", "overlay": overlay}
    wrong = {"x": "error_99", "y": "wall_s", "name": "wrong", "where": {"error_99": "2..3"}}
    config = workflow.folder / "figures.yaml"

    def drawn(*plots: dict) -> tuple[int, str]:
        config.write_text(yaml.safe_dump(STUDY | {"plots": plots}))
        done = Workflow(workflow.folder, config, workflow.programs).run("--show-failed-logs")
        return done.returncode, done.stdout

    status, output = drawn(right, wrong)
    problem = f"{study}/runs.csv: no row has {{'error_99': '2..3'}}; choose others"
    problem = problem.removeprefix(f"{workflow.folder}/")
    assert status != 0
    assert f"wrong: {problem}" in output
    assert problem in unescape((study.parent / "index.html").read_text())
    assert {path.stem for path in figures.glob("*.png")} >= {"right", "stages_vs_step_plummer"}
    before = (figures / "right.png").read_bytes()
    points.write_text("error,time\n0.02,0.9\n")
    assert drawn(right)[0] == 0
    assert (figures / "right.png").read_bytes() != before


def test_changed_program_makes_runs_anew_but_not_the_initial_conditions(
    workflow: Workflow,
) -> None:
    with (workflow.folder / "bin" / "gothic").open("ab") as program:
        program.write(b"\n")
    assert workflow.jobs("--until", "programs") == {"programs"}
    jobs = workflow.jobs("--dry-run")
    assert {"reference", "runs", "bench", "tables"} <= jobs
    assert "initial_conditions" not in jobs
