"""Parameter studies, with the programs of this build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import yaml

from analysis.accuracy import relative_errors, summarise
from analysis.files import read_forces
from analysis.runs import load, select
from tests.study.overhead import measure
from tests.study.workflow import ROOT, Workflow

pytestmark = pytest.mark.long

STUDY = {
    "study": "small",
    "reference": {"targets": 64},
    "runs": {
        "defaults": {"model": "plummer", "particles": "2^8", "steps": 2, "device": "cpu"},
        "grids": [{"accuracy": ["2^-3", "2^-7"], "step": ["block", "shared"], "repeats": 2}],
        "list": [{"criterion": "opening", "accuracy": 0.5, "time": 0.125, "rebuild_interval": 1}],
    },
    "plots": [{"x": "error_99", "y": "wall_s", "colour": "step", "where": {"steps": 2}}],
}
# No CPU has vectors of 32 numbers.
FAILING = {"accuracy": "2^-7", "sharing": 32}


def study(folder: Path, programs: Path, *further: dict) -> Workflow:
    """Workflow of the study, with further single runs."""
    runs = STUDY["runs"] | {"list": [*STUDY["runs"]["list"], *further]}
    config = folder / f"study{len(further)}.yaml"
    config.write_text(yaml.safe_dump(STUDY | {"runs": runs}))
    return Workflow(folder, config, programs)


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Workflow:
    """Make the study with a run that fails."""
    workflow = study(tmp_path_factory.mktemp("study"), programs, FAILING)
    done = workflow.run("--keep-going")
    assert done.returncode != 0
    assert "--sharing: at most" in "".join(
        log.read_text() for log in workflow.folder.glob("results/small/runs/**/run.log")
    )
    return workflow


@pytest.fixture(scope="module")
def workflow(failed: Workflow, programs: Path) -> Workflow:
    """Take the failing run out and make the rest."""
    workflow = study(failed.folder, programs)
    assert workflow.jobs() == {"listing", "table", "plot", "all"}
    return workflow


def runs_of(workflow: Workflow) -> pd.DataFrame:
    return load(workflow.folder / "results" / "small")


def test_run_that_fails_does_not_stop_the_others(failed: Workflow) -> None:
    command = [sys.executable, "-m", "analysis.runs", "results/small"]
    done = subprocess.run(
        command,
        cwd=failed.folder,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "results/small/runs.parquet: 9 of 10 runs\n"
    assert len(runs_of(failed)) == 9
    assert not list(failed.folder.rglob("attempt-*"))


def test_table_has_a_row_for_every_run(workflow: Workflow) -> None:
    runs = runs_of(workflow)
    assert len(runs) == 9
    assert len(select(runs, criterion="acceleration", accuracy=2.0**-3, step="block")) == 2
    (timed,) = select(runs, criterion="opening").to_dict("records")
    assert (timed["time"], timed["rebuild_interval"]) == (0.125, 1)
    assert timed["simulated_time"] == pytest.approx(0.125)
    assert (select(runs, criterion="acceleration")["steps"] == 2).all()
    assert (runs["wall_s"] > runs["stages_per_step_s"] * runs["steps"]).all()
    assert (runs["interactions"] > 0).all()
    assert set(runs["device"]) == {"cpu"}, "what all runs have in common"


def test_rows_tell_what_their_files_hold(workflow: Workflow) -> None:
    for row in runs_of(workflow).itertuples():
        with h5py.File(workflow.folder / row.path / "steps.h5") as file:
            options = {name: value.decode() for name, value in file["Options"].attrs.items()}
            assert file["Steps/interactions"][:].sum() == row.interactions
        assert options["mac"] == row.criterion
        assert float(options["accuracy"]) == row.accuracy
        assert (options["step"], float(options["eta"])) == (row.step, row.eta)
        assert int(options["rebuild-interval"]) == row.rebuild_interval
        with h5py.File(workflow.folder / row.path / "energy.h5") as file:
            total = file["Energy/total"][:]
        assert row.energy_drift == pytest.approx(total[-1] / total[0] - 1)
        assert (workflow.folder / row.ic).exists()


def test_forces_are_compared_with_direct_sums(workflow: Workflow, programs: Path) -> None:
    (row,) = select(runs_of(workflow), criterion="opening").to_dict("records")
    ic = workflow.folder / row["ic"]
    forces = workflow.folder / "force.h5"
    command = [programs / "gothic", "force", "--input", ic, "--output", forces]
    subprocess.run([*command, "--mac", "opening", "--accuracy", "0.5"], check=True)
    (reference,) = ic.parent.rglob("reference.h5")
    expected = summarise(relative_errors(read_forces(reference), read_forces(forces)))
    for name, error in expected.items():
        assert row[name] == pytest.approx(error, rel=1e-6)
    assert row["compared"] == 64
    assert row["force_s"] >= row["force_walk_s"] > 0


def test_errors_fall_with_accuracy(workflow: Workflow) -> None:
    runs = select(runs_of(workflow), criterion="acceleration", step="block", repeat=1)
    assert np.diff(runs.sort_values("accuracy")["error_99"]) > 0


def test_what_can_be_shared_is_made_once(workflow: Workflow) -> None:
    assert len(list(workflow.folder.rglob("ic.h5"))) == 1
    assert len(list(workflow.folder.rglob("reference.h5"))) == 1
    assert not list(workflow.folder.rglob("snapshot_*"))
    assert not [path for path in workflow.folder.rglob("force.h5") if "runs" in path.parts]


def test_plot_is_drawn(workflow: Workflow) -> None:
    stem = workflow.folder / "results/small/figures/wall_s_vs_error_99"
    assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert len(pd.read_csv(stem.with_suffix(".csv"))) == 4


def test_second_time_there_is_nothing_to_do(workflow: Workflow) -> None:
    assert workflow.jobs("--dry-run") == set()


def test_study_that_grows_makes_what_is_new(workflow: Workflow, programs: Path) -> None:
    larger = study(
        workflow.folder, programs, {"accuracy": "2^-7", "softening": 0.1}, {"accuracy": "2^-8"}
    )
    planned = larger.run("--dry-run").stdout
    assert planned.count("rule run:\n") == 2
    assert planned.count("rule reference:\n") == 1
    assert "initial_conditions" not in planned


def test_states_at_the_end_are_kept_on_demand(workflow: Workflow) -> None:
    config = workflow.folder / "kept.yaml"
    config.write_text(yaml.safe_dump(STUDY | {"snapshots": True}))
    planned = Workflow(workflow.folder, config, workflow.programs).run("--dry-run").stdout
    assert planned.count("repeat~1/snapshot_000.h5") >= 5


def test_overhead_counts_every_program(tmp_path: Path, programs: Path) -> None:
    found = measure(tmp_path, programs, 4)
    # Initial conditions and direct sums, and a force evaluation and the run for each.
    assert len(found.programs) == 2 + 2 * 4
    assert 0 < sum(found.programs) < found.elapsed
    print(f"overhead of the workflow: {found.per_run:.3f} s per run")
