"""A study on a cluster of two node types, in which a run fails and a job is pre-empted."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from tests.cluster.slurm import Slurm
from tests.conftest import ROOT

pytestmark = pytest.mark.long

STUDY = """\
study: small
runs:
  defaults: {model: plummer, particles: 256, steps: 2}
  grids:
    - {accuracy: [2^-2, 2^-7], device: cpu}
    - {accuracy: [2^-5, 2^-7], device: auto}
nodes:
  here:
    devices: [cpu]
    threads: 2
    resources: {slurm_partition: usual, constraint: here, mem_mb: 1000, runtime: 5}
  fake:
    devices: [auto, cuda]
    threads: 2
    options: [-DGPUS=ON]
    resources: {slurm_partition: gpus, gpu: 1, gpu_model: fake, mem_mb: 1000, runtime: 5}
"""
# The build takes no time: it makes programs that call the ready ones. A run with the accuracy 2^-2
# fails until there is a file "mended"; any other run on a CPU waits until there is a file "go".
BUILD = """\
cmake_minimum_required(VERSION 3.25)
project(programs NONE)
option(GPUS "" OFF)
configure_file(gothic bin/gothic COPYONLY)
file(WRITE ${CMAKE_BINARY_DIR}/gpus ${GPUS})
add_custom_target(gothic)
add_custom_target(gothic-ic COMMAND ln -sf PROGRAMS/gothic-ic bin/gothic-ic)
add_custom_target(python_package)
"""
GOTHIC = """\
#!/bin/bash
if [[ $* == *"--dry-run"* ]]; then exec PROGRAMS/gothic "$@"; fi
if [[ $* == *"--accuracy 0.25 "* && ! -e FOLDER/mended ]]; then
  echo "gothic: this run is not meant to succeed"
  exit 1
fi
if [[ $* == *"--device cpu"* ]]; then
  touch FOLDER/waiting
  until [[ -e FOLDER/go ]]; do sleep 0.1; done
fi
exec PROGRAMS/gothic "$@"
"""


class ClusterStudy:
    """The study's folder, which is also a repository with programs that are quickly built."""

    def __init__(self, folder: Path, slurm: Slurm, programs: Path) -> None:
        self.folder = folder
        self.slurm = slurm
        for name in ("analysis", "config", "python", "src"):
            (folder / name).symlink_to(ROOT / name)
        for name in ("Snakefile", "CMakePresets.json"):
            shutil.copy(ROOT / name, folder)
        (folder / "study.yaml").write_text(STUDY)
        for name, text in (("CMakeLists.txt", BUILD), ("gothic", GOTHIC)):
            text = text.replace("PROGRAMS", str(programs)).replace("FOLDER", str(folder))
            (folder / name).write_text(text)
        (folder / "gothic").chmod(0o755)

    def start(self) -> subprocess.Popen[str]:
        """Start the workflow with the profile of Slurm."""
        profile = ("--workflow-profile", "config/profiles/slurm")
        return self.slurm.start_workflow(self.folder, *profile)

    def rows(self) -> dict[Path, int]:
        """List the runs that are done, with their inodes: a run made anew has another one."""
        return {path: path.stat().st_ino for path in self.folder.rglob("run.json")}

    def jobs(self, name: str) -> list[dict[str, str]]:
        """Slurm's records of the jobs of a rule, in the order of their partitions."""
        jobs = self.slurm.jobs_of(self.folder, name)
        return sorted(jobs, key=lambda job: job["Partition"])


@pytest.fixture(scope="module")
def study(
    tmp_path_factory: pytest.TempPathFactory, cluster: Slurm, programs: Path
) -> Iterator[ClusterStudy]:
    """Run the study until an urgent job has pre-empted one of its jobs, and then to its end."""
    study = ClusterStudy(tmp_path_factory.mktemp("cluster"), cluster, programs)
    workflow = study.start()
    cluster.wait((study.folder / "waiting").exists, "a run on a CPU")
    study.unfinished = list(study.folder.rglob("attempt-*"))
    urgent = cluster.submit("--partition=urgent", "--exclusive", "--wrap", "sleep 1")
    cluster.wait_for(urgent, "COMPLETED")
    (study.folder / "go").touch()
    study.output = workflow.communicate(timeout=600)[0]
    study.status = workflow.returncode
    yield study
    cluster.clear()


def test_programs_are_built_once_on_each_node_type(study: ClusterStudy) -> None:
    assert sorted(job["Partition"] for job in study.jobs("build")) == ["gpus", "usual"]
    assert (study.folder / "build-here" / "gpus").read_text() == "OFF"
    assert (study.folder / "build-fake" / "gpus").read_text() == "ON"


def test_runs_of_a_node_type_share_a_job(study: ClusterStudy) -> None:
    assert [job["Partition"] for job in study.jobs("runs")] == ["gpus", "usual"]
    assert {job["TimeLimit"] for job in study.jobs("runs")} == {"00:10:00"}


def test_timed_runs_have_the_node_or_a_gpu_to_themselves(study: ClusterStudy) -> None:
    on_gpu, on_cpu = study.jobs("runs")
    assert on_cpu["OverSubscribe"] == "NO"
    assert on_cpu["Features"] == "here"
    assert on_gpu["OverSubscribe"] == "OK"
    assert on_gpu["TresPerJob"] == "gres:gpu:fake:1"


def test_failed_run_is_shown_and_stops_no_other(study: ClusterStudy) -> None:
    assert study.status != 0
    assert "gothic: this run is not meant to succeed" in study.output
    assert len(study.rows()) == 3


def test_job_that_was_pre_empted_starts_again(study: ClusterStudy) -> None:
    _, job = study.jobs("runs")
    assert job["Restarts"] == "1"
    assert study.unfinished
    assert not any(folder.exists() for folder in study.unfinished)


def test_same_command_completes_the_study(study: ClusterStudy) -> None:
    done = study.rows()
    (study.folder / "mended").touch()
    workflow = study.start()
    output, _ = workflow.communicate(timeout=600)
    assert workflow.returncode == 0, output
    assert done.items() <= study.rows().items()
    table = pd.read_parquet(study.folder / "results" / "small" / "runs.parquet")
    assert len(table) == 4
    assert (table["elapsed_per_step_s"] > 0).all()
