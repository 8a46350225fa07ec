"""Runs on a cluster that are interrupted go on from their checkpoints."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from analysis.study.runs import load
from tests.cluster.slurm import Slurm
from tests.conftest import ROOT
from tests.programs.results import expect_equal

pytestmark = pytest.mark.long

STUDY = """\
study: long
programs: PROGRAMS
runs_per_job: 1
runs:
  defaults: {model: plummer, particles: 2048, device: cpu, accuracy: 2^-3, threads: 1}
  list:
    - {steps: 6000, repeats: 2}
nodes:
  here:
    devices: [cpu]
    threads: 2
    resources: {slurm_partition: usual, mem_mb: 1000, runtime: 30}
"""


class LongStudy:
    """A study of one run and its repeat, each in a job of its own."""

    def __init__(self, folder: Path, slurm: Slurm, programs: Path) -> None:
        self.folder = folder
        self.slurm = slurm
        (folder / "study.yaml").write_text(STUDY.replace("PROGRAMS", str(programs)))

    def start(self) -> subprocess.Popen[str]:
        """Start the workflow with the profile of Slurm."""
        profile = str(ROOT / "config" / "profiles" / "slurm")
        places = ("--snakefile", str(ROOT / "Snakefile"), "--workflow-profile", profile)
        return self.slurm.start_workflow(self.folder, *places, "--jobs", "1")

    def hold_run(self) -> str:
        """Wait until a run makes steps, halt it and return the number of its job.

        It would be over before Slurm gets to anything. Slurm continues whatever it ends.
        """
        self.slurm.wait(lambda: list(self.folder.rglob("steps.h5.partial")), "a run")
        self.process().suspend()
        assert not list(self.folder.rglob("run.json"))
        return self.slurm.ask("squeue", "--noheader", "--states=RUNNING", "--format=%A").strip()

    def process(self) -> psutil.Process:
        """Find the run's process."""
        for process in psutil.process_iter(["name", "cwd"]):
            if process.info == {"name": "gothic", "cwd": str(self.folder)}:
                return process
        raise ProcessLookupError("the run is over already")

    def release_stopped_run(self) -> None:
        """Let a run that was halted go on, once it has got the signal that stops it."""
        process = self.process()
        self.slurm.wait(lambda: signal.SIGTERM in pending_signals(process.pid), "SIGTERM")
        process.resume()

    def finish(self, workflow: subprocess.Popen[str]) -> None:
        """Expect that one repeat was made in two parts, with the result of the other one."""
        output, _ = workflow.communicate(timeout=600)
        assert workflow.returncode == 0, output
        assert sorted(load(self.folder / "results" / "long")["parts"]) == [1, 2]
        expect_equal(*(path.parent for path in self.folder.rglob("run.json")))
        assert not list(self.folder.rglob("attempt-*"))
        assert not list(self.folder.rglob("checkpoint*"))


def pending_signals(process: int) -> set[int]:
    """Read the pending signals of a process that is halted."""
    status = Path(f"/proc/{process}/status").read_text()
    bits = int(re.search(r"^ShdPnd:\s*(\w+)$", status, re.MULTILINE)[1], 16)
    return {number for number in signal.valid_signals() if bits >> (number - 1) & 1}


@pytest.fixture
def study(tmp_path: Path, slurm: Slurm, programs: Path) -> Iterator[LongStudy]:
    return LongStudy(tmp_path, slurm, programs)


def test_run_that_was_pre_empted_goes_on(study: LongStudy) -> None:
    workflow = study.start()
    job = study.hold_run()
    urgent = study.slurm.submit("--partition=urgent", "--exclusive", "--wrap", "sleep 1")
    study.slurm.wait_for(urgent, "COMPLETED")
    study.finish(workflow)
    assert study.slurm.job(job)["Restarts"] == "1"


def test_run_whose_time_is_nearly_over_goes_on_in_the_same_job(study: LongStudy) -> None:
    workflow = study.start()
    job = study.hold_run()
    study.slurm.ask("scancel", "--signal=TERM", job)
    study.release_stopped_run()
    study.finish(workflow)
    assert study.slurm.job(job)["Restarts"] == "1"


def test_run_that_was_cancelled_is_left_alone(study: LongStudy) -> None:
    workflow = study.start()
    job = study.hold_run()
    study.slurm.ask("scancel", job)
    study.slurm.wait_for(job, "CANCELLED")
    assert study.slurm.job(job)["Restarts"] == "0"
    workflow.communicate(timeout=600)
    assert workflow.returncode != 0
    study.finish(study.start())
