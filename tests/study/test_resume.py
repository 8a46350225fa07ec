"""Workflows and attempts at runs that are stopped or killed, and what they leave behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from analysis.study.parameters import parameters_of, runs_by_path, sample
from analysis.study.runs import load
from analysis.study.schema import run_defaults
from tests.conftest import ROOT
from tests.programs.results import LOGS, expect_equal
from tests.study.workflow import Workflow, rows, running, wait_for

pytestmark = pytest.mark.long
PROFILE = ("--workflow-profile", str(ROOT / "config" / "profiles" / "local"))
PLUMMER = {"model": "plummer", "particles": 1024, "device": "cpu", "threads": 1}
LONG = PLUMMER | {"steps": 3000, "accuracy": 0.125, "repeats": 2}
MANY = [PLUMMER | {"steps": 400, "accuracy": 0.5**n} for n in range(1, 13)]


@pytest.fixture
def start(tmp_path: Path, programs: Path) -> Callable[[list[dict]], Workflow]:
    """Give a function that writes a study with a list of runs."""

    def write(runs: list[dict]) -> Workflow:
        path = tmp_path / "study.yaml"
        path.write_text(yaml.safe_dump({"study": "some", "runs": {"list": runs}}))
        return Workflow(tmp_path, path, programs)

    return write


def expect_done(workflow: Workflow, runs: int) -> list[int]:
    """Let the workflow come to its end, which leaves rows only; return how many parts each has."""
    again = workflow.run(*PROFILE)
    assert again.returncode == 0, again.stdout
    assert not list(workflow.folder.rglob("attempt-*"))
    assert not list(workflow.folder.rglob("checkpoint*"))
    table = load(workflow.folder / "results" / "some")
    assert len(table) == runs
    return sorted(table["parts"])


@pytest.mark.parametrize("kill", [os.kill, os.killpg], ids=["process", "group"])
def test_killed_workflow_goes_on_without_making_runs_again(
    start: Callable[[list[dict]], Workflow], kill: Callable[[int, int], None]
) -> None:
    workflow = start(MANY)
    with workflow.start(*PROFILE) as process:
        wait_for(lambda: len(rows(workflow.folder)) >= 4 and running(workflow.folder))
        kill(process.pid, signal.SIGKILL)
    wait_for(lambda: not running(workflow.folder))
    done = rows(workflow.folder)
    assert 4 <= len(done) < len(MANY)
    expect_done(workflow, len(MANY))
    assert done.items() <= rows(workflow.folder).items()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_workflow_that_is_told_to_stop_goes_on_from_checkpoints(
    start: Callable[[list[dict]], Workflow], number: int
) -> None:
    workflow = start([LONG])
    with workflow.start(*PROFILE) as process:
        wait_for(lambda: list(workflow.folder.rglob("steps.h5.partial")))
        os.killpg(process.pid, number)
        assert process.wait(timeout=500) != 0
    assert list(workflow.folder.rglob("attempt-*/checkpoint.h5"))
    assert "stopped" in "".join(log.read_text() for log in workflow.folder.rglob("runs/*.log"))
    assert expect_done(workflow, 2) == [1, 2]
    expect_equal(*(path.parent for path in rows(workflow.folder)))


def test_two_workflows_do_not_work_in_one_folder(
    start: Callable[[list[dict]], Workflow],
) -> None:
    workflow = start(MANY)
    results = workflow.folder / "results"
    holding = "import sys, time; from analysis.study.lock import hold; hold(sys.argv[1])"
    command = [sys.executable, "-u", "-c", f"{holding}; print('held'); time.sleep(600)"]
    command.append(str(results))
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout.readline() == "held\n"
            refused = workflow.run(*PROFILE)
            assert refused.returncode != 0
            assert "results: another workflow is at work there; wait for it" in refused.stdout
            assert not list(results.rglob("ic.h5"))
            assert "runs" in workflow.jobs("--dry-run", *PROFILE)
        finally:
            holder.kill()
    assert "listing" in workflow.jobs(*PROFILE, "--", "results/some/study.json")


class Attempts:
    """Attempts at a run and its repeat, as the jobs of a workflow make them."""

    def __init__(self, study: Path, programs: Path, run: dict[str, object]) -> None:
        paths = list(runs_by_path({"list": [run]}, run_defaults()))
        self.study = study
        self.folders = [study / "runs" / path for path in paths]
        self.ic = study / "ic" / sample(parameters_of(Path(paths[0]))) / "ic.h5"
        self.ic.parent.mkdir(parents=True)
        self.programs = programs
        self.launcher = f"mpirun -n {run['ranks']}" if "ranks" in run else ""
        model = ROOT / "config" / "models" / "plummer.toml"
        words = [model, "--particles", "1024", "--output", self.ic]
        subprocess.run([programs / "gothic-ic", *words], check=True)

    def command(self, folder: Path, *options: str) -> list[str]:
        """Command of an attempt."""
        run = folder.relative_to(self.study / "runs")
        words = [sys.executable, "-m", "analysis.study.measure", str(self.study), str(run)]
        words += ["--snapshots", "kept", "--program", str(self.programs / "gothic")]
        words += ["--launcher", self.launcher]
        return [*words, *options]

    def made(self, folder: Path) -> dict[str, object]:
        """Make an attempt that must succeed, and return its row."""
        subprocess.run(self.command(folder), cwd=ROOT, check=True)
        return json.loads((folder / "run.json").read_text())

    def stopped(self, folder: Path, file: str, number: int, *options: str) -> int:
        """Start an attempt, send it a signal when there is a file, and return its status."""
        with subprocess.Popen(self.command(folder, *options), cwd=ROOT) as process:
            wait_for(lambda: list(folder.glob(f"attempt-*/{file}")))
            process.send_signal(number)
            return process.wait(timeout=500)

    def expect_parts(self) -> None:
        """Make the rest of the run and its whole repeat, which have equal files."""
        parts, whole = self.folders
        assert self.made(parts)["parts"] > 1
        assert self.made(whole)["parts"] == 1
        expect_equal(parts, whole)
        assert {path.name for path in parts.iterdir()} == {path.name for path in whole.iterdir()}


@pytest.fixture
def attempts(tmp_path: Path, programs: Path) -> Attempts:
    return Attempts(tmp_path, programs, LONG)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_attempt_goes_on_where_one_was_stopped(attempts: Attempts, number: int) -> None:
    parts = attempts.folders[0]
    assert attempts.stopped(parts, "steps.h5.partial", number) == 3
    assert len(list(parts.glob("attempt-*/checkpoint.h5"))) == 1
    assert not (parts / "run.json").exists()
    attempts.expect_parts()


@pytest.mark.usefixtures("mpirun")
def test_attempt_on_several_ranks_goes_on(tmp_path: Path, programs: Path) -> None:
    attempts = Attempts(tmp_path, programs, LONG | {"ranks": 2})
    parts, often = attempts.folders[0], ("--checkpoint-interval", "0.01s")
    assert attempts.stopped(parts, "steps.h5.partial", signal.SIGTERM) == 3
    status = attempts.stopped(parts, "checkpoint_previous.h5", signal.SIGKILL, *often)
    assert status == -signal.SIGKILL
    wait_for(lambda: not running(ROOT))
    attempts.expect_parts()


def test_attempt_goes_on_where_one_was_killed(attempts: Attempts) -> None:
    parts = attempts.folders[0]
    often = ("--checkpoint-interval", "0.01s")
    for number in range(3):
        assert len(list(parts.glob("attempt-*"))) == min(number, 1)
        status = attempts.stopped(parts, "checkpoint_previous.h5", signal.SIGKILL, *often)
        assert status == -signal.SIGKILL
    attempts.expect_parts()


def test_checkpoint_of_another_task_is_of_no_use(attempts: Attempts) -> None:
    folder = attempts.folders[0]
    assert attempts.stopped(folder, "steps.h5.partial", signal.SIGTERM) == 3
    os.utime(attempts.ic)
    assert attempts.made(folder)["parts"] == 1


def test_damaged_checkpoint_is_refused_once(attempts: Attempts) -> None:
    folder = attempts.folders[0]
    assert attempts.stopped(folder, "steps.h5.partial", signal.SIGTERM) == 3
    (checkpoint,) = folder.glob("attempt-*/checkpoint.h5")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
    command = attempts.command(folder)
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "checkpoint.h5: is damaged, its checksum is wrong; remove it" in refused.stderr
    assert not list(folder.glob("attempt-*"))
    assert attempts.made(folder)["parts"] == 1


def test_earlier_attempt_that_still_goes_on_does_no_harm(tmp_path: Path, programs: Path) -> None:
    attempts = Attempts(tmp_path, programs, LONG | {"steps": 2})
    folder = attempts.folders[0]
    slow = tmp_path / "gothic"
    waiting = f"until [ -e {tmp_path}/go ]; do sleep 0.1; done"
    slow.write_text(f'#!/bin/sh\n{waiting}\nexec {programs}/gothic "$@"\n')
    slow.chmod(0o755)
    attempts.programs = tmp_path
    with subprocess.Popen(attempts.command(folder), cwd=ROOT, stderr=subprocess.PIPE) as earlier:
        wait_for(lambda: list(folder.glob("attempt-*")))
        attempts.programs = programs
        attempts.made(folder)
        made = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
        (tmp_path / "go").touch()
        assert earlier.wait(timeout=500) != 0
    names = {*(f"{log}.h5" for log in LOGS), "run.json", "run.log", "snapshot_000.h5"}
    assert {path.name for path in made} == names
    later = {path: path.stat().st_mtime_ns for path in folder.iterdir() if path.name != "run.log"}
    assert later.items() <= made.items()
