"""Runs of a study on several ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from analysis.study.runs import load
from tests.programs.results import read_log
from tests.study.workflow import Workflow

STUDY = {
    "study": "ranks",
    "reference": {"targets": 64},
    "runs": {
        "defaults": {
            "model": "plummer",
            "particles": 512,
            "steps": 2,
            "accuracy": 0.125,
            "device": "cpu",
        },
        "grids": [{"ranks": [1, 2]}],
    },
    "plots": [{"x": "ranks", "y": "elapsed_per_step_s"}],
}
TWO_CORES = ("--cores", "2")  # of however many


def workflow(folder: Path, programs: Path, **changes: object) -> Workflow:
    """Workflow of the study."""
    (folder / "study.yaml").write_text(yaml.safe_dump(STUDY | changes))
    return Workflow(folder, folder / "study.yaml", programs)


def commands(workflow: Workflow) -> list[str]:
    """List the commands of the jobs of runs that are planned."""
    planned = workflow.run("--dry-run", "--printshellcmds", *TWO_CORES)
    assert planned.returncode == 0, planned.stdout
    found = [line for line in planned.stdout.splitlines() if "analysis.study.measure" in line]
    return sorted(found, key=lambda line: "ranks~" in line)


def test_launcher_starts_the_runs_on_several_ranks_alone(tmp_path: Path, programs: Path) -> None:
    alone, two = commands(workflow(tmp_path, programs))
    assert "ranks~" not in alone
    assert "--launcher" not in alone
    assert "--threads 2 " in alone
    assert "/ranks~2/" in two
    assert "--launcher 'mpirun -n 2' --threads 1 " in two


def test_launcher_may_be_another(tmp_path: Path, programs: Path) -> None:
    own = workflow(tmp_path, programs, launcher="mpiexec -np {ranks} --map-by slot:PE={threads}")
    assert "--launcher 'mpiexec -np 2 --map-by slot:PE=1'" in commands(own)[1]


def test_more_ranks_than_cores_are_refused(tmp_path: Path, programs: Path) -> None:
    refused = workflow(tmp_path, programs).run("--dry-run", "--cores", "1")
    assert refused.returncode != 0
    assert "grids.0.ranks: 2 ranks need 2 cores; give snakemake --cores 2, or" in refused.stdout


@pytest.mark.usefixtures("mpirun")
def test_table_tells_the_ranks_that_made_forces_and_steps(tmp_path: Path, programs: Path) -> None:
    done = workflow(tmp_path, programs).run(*TWO_CORES, "--", "results/ranks/runs.parquet")
    logs = "".join(log.read_text() for log in tmp_path.rglob("run.log"))
    assert done.returncode == 0, done.stdout + logs
    alone, two = load(tmp_path / "results" / "ranks").to_dict("records")
    assert (alone["ranks"], two["ranks"]) == (1, 2)
    for row in (alone, two):
        remote = read_log(tmp_path / row["path"], "steps")["remote_cells"]
        assert remote.any() == (row["ranks"] == 2)
    assert alone["force_interactions"] != two["force_interactions"]
    assert two["error_99"] < 1.1 * alone["error_99"]
