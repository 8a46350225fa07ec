"""Runs on several ranks of a cluster, which Slurm starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.study.runs import load
from tests.cluster.slurm import Slurm
from tests.conftest import ROOT
from tests.programs.results import read_log

pytestmark = pytest.mark.long

STUDY = """\
study: ranks
programs: PROGRAMS
reference: {targets: 64}
runs:
  defaults: {model: plummer, particles: 512, steps: 2, accuracy: 2^-5}
  grids: [{device: [cpu, auto], ranks: [1, 2]}]
nodes:
  here:
    devices: [cpu]
    threads: 2
    resources: {slurm_partition: usual, mem_mb: 1000, runtime: 5}
  fake:
    devices: [auto]
    threads: 1
    resources: {slurm_partition: gpus, gpu: 1, gpu_model: fake, mem_mb: 1000, runtime: 5}
"""


@pytest.fixture
def made(tmp_path: Path, slurm: Slurm, programs: Path) -> Path:
    """Make the study, and return its folder."""
    if "pmix" not in slurm.ask("srun", "--mpi=list"):
        pytest.skip("Slurm has no PMIx")
    (tmp_path / "study.yaml").write_text(STUDY.replace("PROGRAMS", str(programs)))
    profile = str(ROOT / "config" / "profiles" / "slurm")
    places = ("--snakefile", str(ROOT / "Snakefile"), "--workflow-profile", profile)
    workflow = slurm.start_workflow(tmp_path, *places)
    output, _ = workflow.communicate(timeout=600)
    logs = "".join(log.read_text() for log in tmp_path.rglob("run.log"))
    assert workflow.returncode == 0, output + logs
    return tmp_path


def test_each_rank_is_a_task_with_its_cores_or_its_gpu(made: Path, slurm: Slurm) -> None:
    jobs = slurm.jobs_of(made, "runs")
    asked = [(job["Partition"], job["NumTasks"], job["CPUs/Task"]) for job in jobs]
    assert sorted(asked) == [
        ("gpus", "1", "1"),
        ("gpus", "2", "1"),
        ("usual", "1", "2"),
        ("usual", "2", "2"),
    ]
    gpus = {job["NumTasks"]: job["TresPerJob"] for job in jobs if job["Partition"] == "gpus"}
    assert gpus == {"1": "gres:gpu:fake:1", "2": "gres:gpu:fake:2"}
    for run in load(made / "results" / "ranks").to_dict("records"):
        remote = read_log(made / run["path"], "steps")["remote_cells"]
        assert remote.any() == (run["ranks"] == 2)
