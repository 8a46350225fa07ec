"""The whole study at its smallest size, with the programs of this build."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import yaml

from analysis.equilibrium import FRACTIONS
from analysis.files import PROVENANCE, read_attributes
from analysis.models import deviation
from analysis.scaling import STAGES
from analysis.sweep import Run
from analysis.tables import read_steps
from tests.study.workflow import ROOT, Workflow

pytestmark = pytest.mark.long

FIGURES = {
    "elapsed_vs_error_nfw": "2^12 = 4096",
    "elapsed_vs_error_plummer": "2^12 = 4096",
    "speedup_nfw": "2^12 = 4096",
    "speedup_plummer": "2^12 = 4096",
    "breakdown_vs_particles_nfw": "2^9 = 512 to 2^12 = 4096",
}
MODEL_FIGURES = {"model_nfw": "NFW sphere", "model_plummer": "Plummer sphere"}
MAPS = ["map_m31"]
BENCHES = [
    "walk_vs_active_nfw",
    "enclosing_balls_nfw",
    "ball_costs",
    "rebuild_interval_nfw",
    "group_extent_nfw",
    "launch_configuration",
    "tuning",
    "findings",
]
SAMPLE = "results/test/nfw_N4096_s1"


@pytest.fixture(scope="module")
def workflow(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Workflow:
    """Run the study once, on copies of the programs that the tests may touch."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "bin").mkdir()
    for name in ("gothic", "gothic-ic"):
        shutil.copy2(programs / name, folder / "bin" / name)
    workflow = Workflow(folder, ROOT / "config" / "test.yaml", folder / "bin")
    done = workflow.run()
    logs = "".join(f"{log}:\n{log.read_text()}" for log in folder.rglob("logs/**/*.log"))
    assert done.returncode == 0, done.stdout + logs
    return workflow


def table(workflow: Workflow, name: str) -> pd.DataFrame:
    return pd.read_csv(workflow.folder / "results" / "figures" / f"{name}.csv")


def test_second_run_has_nothing_to_do(workflow: Workflow) -> None:
    assert workflow.jobs("--dry-run") == set()
    assert "Nothing to be done" in workflow.run("--dry-run").stdout


@pytest.mark.parametrize(("name", "model"), MODEL_FIGURES.items())
def test_particles_are_those_of_the_model(workflow: Workflow, name: str, model: str) -> None:
    stem = workflow.folder / "results" / "figures" / name
    assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    caption = stem.with_suffix(".txt").read_text()
    assert f"The model {model} (G = 1)" in caption
    assert "2^12 = 4096 particles" in caption
    rows = table(workflow, name)
    assert rows["count"].sum() > 4000
    for quantity in ("density", "mass", "sigma_r", "sigma_phi"):
        assert deviation(rows, quantity) < 2


def test_every_model_has_its_figures_and_the_first_its_scaling(workflow: Workflow) -> None:
    tables = {path.stem for path in (workflow.folder / "results" / "figures").glob("*.csv")}
    assert {*FIGURES, *MODEL_FIGURES, *MAPS, *BENCHES} <= tables
    assert "breakdown_vs_particles_plummer" not in tables
    for name in FIGURES:
        samples = set(table(workflow, name)["sample"])
        assert {sample.split("_N")[0] for sample in samples} == {name.split("_")[-1]}


@pytest.mark.parametrize(("name", "sizes"), FIGURES.items())
def test_figure_comes_with_table_and_caption(workflow: Workflow, name: str, sizes: str) -> None:
    stem = workflow.folder / "results" / "figures" / name
    assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert stem.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert f"N = {sizes} particles, 8 steps per run" in stem.with_suffix(".txt").read_text()
    columns = {"criterion", "accuracy", "particles", "steps", *PROVENANCE}
    assert columns <= set(table(workflow, name).columns)


@pytest.mark.parametrize("model", ["nfw", "plummer"])
@pytest.mark.parametrize("criterion", ["acceleration", "multipole", "opening"])
@pytest.mark.parametrize("error", ["error_50", "error_90", "error_99"])
def test_errors_fall_with_accuracy(
    workflow: Workflow, model: str, criterion: str, error: str
) -> None:
    rows = table(workflow, f"elapsed_vs_error_{model}")
    rows = rows[(rows["criterion"] == criterion) & (rows["step_mode"] == "block")]
    errors = rows.sort_values("accuracy")[error].to_numpy()
    assert len(errors) >= 2
    assert (np.diff(errors) > 0).all()
    assert 0 < errors[0] < errors[-1] < 1


def test_table_holds_every_run(workflow: Workflow) -> None:
    rows = table(workflow, "elapsed_vs_error_nfw")
    assert len(rows) == 16
    assert set(rows["step_mode"]) == {"block", "shared"}
    assert (rows["repeats"] == 2).all()
    assert (rows["compared"] == 2048).all()
    assert (rows["elapsed_per_step_s"] > rows["stages_per_step_s"]).all()
    assert (rows["stages_per_step_s"] > 0).all()
    assert len(table(workflow, "speedup_nfw")) == 8


def test_scaling_table_has_a_row_per_size_whose_stages_add_up(workflow: Workflow) -> None:
    rows = pd.read_csv(workflow.folder / "results" / "test" / "scaling_nfw.csv")
    assert list(rows["particles"]) == [512, 4096]
    assert (rows["repeats"] == 2).all()
    stages = rows[[f"{stage}_s" for stage in STAGES if stage != "total"]]
    assert (stages > 0).all(axis=None)
    assert (stages.sum(axis=1) / rows["total_s"]).between(0.5, 1.01).all()
    assert (rows["total_s_min"] <= rows["total_s"]).all()
    assert (rows["total_s"] <= rows["total_s_max"]).all()
    assert (rows["elapsed_per_step_s"] > rows["total_s"]).all()
    assert rows["active_fraction"].between(0, 1).all()
    assert (np.diff(rows["interactions"]) > 0).all()
    for row in rows.itertuples():
        steps = [
            read_steps(path)
            for path in (workflow.folder / "results" / "test" / row.sample).glob(
                "run/block_8steps/acceleration_2pow-07/repeat*/steps.h5"
            )
        ]
        assert row.interactions in [table["interactions"].sum() for table in steps]
        assert row.rebuilds in [table["rebuilt"].sum() for table in steps]


def test_tables_of_the_study_can_be_kept(workflow: Workflow) -> None:
    command = [sys.executable, "-m", "analysis.measured", "--device-name", "here"]
    command += ["--study", str(workflow.folder / "results" / "test")]
    command += ["--folder", str(workflow.folder / "measured")]
    subprocess.run(command, cwd=ROOT, check=True)
    names = {path.name for path in (workflow.folder / "measured" / "here").iterdir()}
    kinds = ("errors", "timings", "trace", "order")
    assert {
        *(f"{kind}_{model}.csv" for kind in kinds for model in ("nfw", "plummer")),
        "scaling_nfw.csv",
        "bench_peak.csv",
    } <= names
    assert not any(name.startswith("check") for name in names)


def test_page_shows_every_figure_once(workflow: Workflow) -> None:
    results = workflow.folder / "results"
    page = (results / "index.html").read_text()
    linked = re.findall(r'href="(figures/[^"]*)"', page)
    tables = [link for link in linked if link.endswith(".csv")]
    drawn = {f"figures/{path.name}" for path in (results / "figures").glob("*.csv")}
    assert len(tables) == len(set(tables))
    assert set(tables) <= drawn
    assert {f"figures/{name}.csv" for name in (*FIGURES, *MODEL_FIGURES, "performance")} < set(
        tables
    )
    assert all((results / link).exists() for link in linked)


def test_trace_tells_every_step_of_its_run(workflow: Workflow) -> None:
    rows = table(workflow, "stages_vs_step_nfw")
    assert list(rows["step"]) == list(range(1, 17))
    steps = read_steps(
        workflow.folder / SAMPLE / "run/block_16steps/acceleration_2pow-07/repeat1/steps.h5"
    )
    assert list(rows["interactions"]) == list(steps["interactions"])
    assert (rows["sequence"] == "slow").any()
    both = table(workflow, "interactions_vs_step")
    assert set(both["sample"]) == {"nfw_N4096_s1", "plummer_N4096_s1"}
    ours = table(workflow, "performance").iloc[:2]
    assert (ours["rate_minimum"] <= ours["rate_average"]).all()
    assert (ours["rate_average"] <= ours["rate_maximum"]).all()
    assert (ours["direct_rate"] > 0).all()


def test_crossover_has_a_row_per_size(workflow: Workflow) -> None:
    rows = table(workflow, "crossover_plummer")
    assert list(rows["particles"]) == [256, 2048]
    ratio = rows["direct_seconds"] / rows["tree_seconds"]
    np.testing.assert_allclose(rows["direct_over_tree"], ratio, rtol=1e-6)
    assert (rows["sort_seconds"] + rows["walk_seconds"] < 2 * rows["tree_seconds_max"]).all()


def test_both_curves_find_the_same_tree(workflow: Workflow) -> None:
    rows = table(workflow, "hilbert_vs_morton").set_index(["sample", "quantity"])
    for sample in ("nfw_N4096_s1", "plummer_N4096_s1"):
        assert rows.loc[(sample, "cells"), "ratio"] == 1
        assert rows.loc[(sample, "interactions"), "ratio"] > 1
        assert rows.loc[(sample, "radius_median"), "ratio"] > 1


def test_files_hold_what_their_paths_name(workflow: Workflow) -> None:
    logs = sorted((workflow.folder / SAMPLE).glob("run/**/steps.h5"))
    assert len(logs) == 33
    for path in logs:
        run = Run.from_path(path)
        options = read_attributes(path, "Options")
        assert options["mac"] == run.setting.criterion
        assert float(options["accuracy"]) == run.setting.accuracy
        assert options["step"] == run.mode


def test_model_left_to_itself_keeps_its_radii(workflow: Workflow) -> None:
    assert {"quiet_run", "drift", "figure_equilibrium"} <= workflow.jobs("--", "equilibrium")
    stem = workflow.folder / "results" / "figures" / "equilibrium_plummer"
    assert "left to itself for 0.5 dynamical times" in stem.with_suffix(".txt").read_text()
    rows = table(workflow, "equilibrium_plummer")
    assert list(rows["dynamical_times"].unique()) == pytest.approx([0, 0.25, 0.5], abs=1e-6)
    assert list(rows["position"].unique()) == list(FRACTIONS)
    assert (rows["particles"] == 1024).all()
    assert rows["change"].abs().max() < 6 * rows["scatter"].max()
    assert workflow.jobs("--dry-run", "--", "equilibrium") == set()
    preset = yaml.safe_load(workflow.config.read_text())
    preset["equilibrium"]["dynamical_times"] = 0.6
    config = workflow.folder / "longer.yaml"
    config.write_text(yaml.safe_dump(preset))
    longer = Workflow(workflow.folder, config, workflow.programs)
    planned = longer.jobs("--dry-run", "--", "equilibrium")
    assert {"quiet_run", "drift", "figure_equilibrium"} <= planned


def test_map_shows_the_stars_of_the_galaxy(workflow: Workflow) -> None:
    rows = table(workflow, "map_m31")
    assert set(rows["kind"]) == {"stars", "all particles"}
    assert set(rows["view"]) == {"face-on", "edge-on"}
    caption = (workflow.folder / "results" / "figures" / "map_m31.txt").read_text()
    assert "N = 2^11 = 2048 particles: halo, " in caption


def test_findings_are_tried_on_every_table(workflow: Workflow) -> None:
    rows = table(workflow, "findings")
    assert rows["verdict"].isin(["confirmed", "partly", "contradicted", "not decided"]).all()
    assert set(rows["sample"]) >= {"nfw_N4096_s1", "plummer_N4096_s1"}
    html = (workflow.folder / "results" / "figures" / "findings.html").read_text()
    assert "the time of a step is proportional to N above 10^5" in html


def test_movie_has_a_frame_after_each_part(workflow: Workflow) -> None:
    done = workflow.jobs("--", "movie")
    assert {"movie_part", "figure_movie"} <= done
    stem = workflow.folder / "results" / "figures" / "movie_m31"
    assert stem.with_suffix(".gif").read_bytes().startswith(b"GIF89a")
    times = table(workflow, "movie_m31")["time"].unique()
    assert list(times) == pytest.approx([0, 1, 2], abs=0.05)
    assert workflow.jobs("--dry-run", "--", "movie") == set()


def test_steps_add_up_to_the_simulated_time(workflow: Workflow) -> None:
    for path in (workflow.folder / SAMPLE).glob("run/**/steps.h5"):
        steps = read_steps(path)
        assert (steps["dt"] > 0).all()
        np.testing.assert_allclose(steps["time"].diff()[1:], steps["dt"][1:], rtol=1e-9)
        with h5py.File(path.with_name("energy.h5")) as file:
            np.testing.assert_allclose(file["Energy/time"][-1], steps["dt"].sum(), rtol=1e-9)


def attempts(folder: Path) -> list[Path]:
    return list(folder.parent.glob(f"{folder.name}.unfinished-*"))


def test_run_stopped_by_a_signal_is_made_again(workflow: Workflow) -> None:
    target = f"{SAMPLE}/run/block_100000steps/opening_0.4/repeat1/steps.h5"
    command = workflow.command("--until", "timed_run", "--", target)
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL) as process:
        folder = workflow.folder / Path(target).parent
        deadline = time.monotonic() + 60
        while not attempts(folder) and time.monotonic() < deadline:
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGTERM)
        assert process.wait(timeout=60) != 0
    assert attempts(folder)
    assert not (workflow.folder / target).exists()


def test_identical_program_built_anew_reruns_nothing(workflow: Workflow) -> None:
    for name in ("gothic", "gothic-ic"):
        os.utime(workflow.folder / "bin" / name)
    assert workflow.jobs() <= {"programs"}
    assert workflow.jobs("--dry-run") == set()


def test_changed_simulator_reruns_its_results_but_not_the_initial_conditions(
    workflow: Workflow,
) -> None:
    with (workflow.folder / "bin" / "gothic").open("ab") as program:
        program.write(b"\n")
    assert workflow.jobs("--until", "programs") == {"programs"}
    jobs = workflow.jobs("--dry-run")
    assert {"reference", "force", "timed_run", "errors", "timings"} <= jobs
    assert "initial_conditions" not in jobs
