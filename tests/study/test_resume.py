"""A workflow that is killed, and what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from analysis.runs import description, load
from tests.programs.results import expect_equal
from tests.study.workflow import ROOT, Workflow

pytestmark = pytest.mark.long
RUNS = 12
SAMPLE = "model~plummer/particles~1024/seed~1"
PROFILE = ("--workflow-profile", str(ROOT / "config" / "profiles" / "local"))


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 500
    while time.monotonic() < deadline:
        with suppress(FileNotFoundError):  # a folder may be gone while it is looked through
            if condition():
                return
        time.sleep(0.02)
    pytest.fail("nothing happened")


def rows(study: Path) -> dict[Path, tuple[int, int]]:
    """Inode and time of the row of every run that is done, from the first to the last."""
    found = {}
    if (study / "study.json").exists():
        for run in description(study)["runs"]:
            with suppress(FileNotFoundError):
                path = study / "runs" / run / "run.json"
                found[path] = path.stat()
    ordered = sorted(found.items(), key=lambda item: item[1].st_mtime_ns)
    return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in ordered}


def programs_in(folder: Path) -> list[str]:
    """List the command lines of all processes that work on files of a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_text().split("\0")
            inside = path.with_name("cwd").readlink() == folder
        except OSError:
            continue
        if inside and any(word.endswith("gothic") for word in words):
            found.append(" ".join(words))
    return found


@pytest.fixture
def workflow(tmp_path: Path, programs: Path) -> Workflow:
    config = {
        "study": "many",
        "runs": {
            "defaults": {"model": "plummer", "particles": 256, "steps": 400, "device": "cpu"},
            "grids": [{"accuracy": [0.5**n for n in range(1, RUNS + 1)]}],
        },
    }
    (tmp_path / "many.yaml").write_text(yaml.safe_dump(config))
    return Workflow(tmp_path, tmp_path / "many.yaml", programs)


@pytest.mark.parametrize("kill", [os.kill, os.killpg], ids=["process", "group"])
def test_killed_workflow_goes_on_without_making_runs_again(
    workflow: Workflow, kill: Callable[[int, int], None]
) -> None:
    study = workflow.folder / "results" / "many"
    command = workflow.command(*PROFILE)
    with subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        wait_for(lambda: len(rows(study)) >= 4 and programs_in(workflow.folder))
        kill(process.pid, signal.SIGKILL)
    wait_for(lambda: not programs_in(workflow.folder))
    done = rows(study)
    assert 4 <= len(done) < RUNS

    again = workflow.run(*PROFILE)
    assert again.returncode == 0, again.stdout
    assert len(load(study)) == RUNS
    assert done.items() <= rows(study).items()
    assert not list(workflow.folder.rglob("attempt-*"))


def test_two_workflows_do_not_work_in_one_folder(workflow: Workflow) -> None:
    results = workflow.folder / "results"
    holding = "import sys, time; from analysis.lock import hold; hold(sys.argv[1]); print('held')"
    holder = subprocess.Popen(
        [sys.executable, "-u", "-c", f"{holding}; time.sleep(600)", str(results)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        refused = workflow.run(*PROFILE)
        assert refused.returncode != 0
        assert "results: another workflow is at work there; wait for it" in refused.stdout
        assert not list(results.rglob("ic.h5"))
        assert "runs" in workflow.jobs("--dry-run", *PROFILE)
    finally:
        holder.kill()
        holder.wait()
    assert "listing" in workflow.jobs(*PROFILE, "--", "results/many/study.json")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_workflow_that_is_told_to_stop_goes_on_from_checkpoints(
    tmp_path: Path, programs: Path, number: int
) -> None:
    runs = {"defaults": {"model": "plummer", "particles": 2048, "steps": 3000, "device": "cpu"}}
    runs["list"] = [{"accuracy": 0.125, "threads": 1, "repeats": 2}]
    (tmp_path / "long.yaml").write_text(yaml.safe_dump({"study": "long", "runs": runs}))
    workflow = Workflow(tmp_path, tmp_path / "long.yaml", programs)
    with subprocess.Popen(
        workflow.command(*PROFILE),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        wait_for(lambda: list(tmp_path.rglob("steps.h5.partial")))
        os.killpg(process.pid, number)
        assert process.wait(timeout=500) != 0
    assert list(tmp_path.rglob("attempt-*/checkpoint.h5"))
    assert "stopped" in "".join(path.read_text() for path in tmp_path.rglob("runs/*.log"))

    again = workflow.run(*PROFILE)
    assert again.returncode == 0, again.stdout
    assert sorted(load(tmp_path / "results" / "long")["parts"]) == [1, 2]
    expect_equal(*(path.parent for path in tmp_path.rglob("run.json")))
    assert not list(tmp_path.rglob("attempt-*"))
    assert not list(tmp_path.rglob("checkpoint*"))


class Attempts:
    """Attempts at a run."""

    def __init__(self, study: Path, programs: Path) -> None:
        self.study = study
        self.ic = study / "ic" / SAMPLE / "ic.h5"
        self.ic.parent.mkdir(parents=True)
        self.programs = programs
        model = ROOT / "config" / "models" / "plummer.toml"
        words = [model, "--particles", "1024", "--output", self.ic]
        subprocess.run([programs / "gothic-ic", *words], check=True)

    def folder(self, steps: int, repeat: int = 1) -> Path:
        """Folder of a run."""
        return (
            self.study
            / "runs"
            / SAMPLE
            / (
                "criterion~acceleration/accuracy~2pow-07/step~block/eta~0.5/softening~0/device~cpu/"
                f"sharing~0/steps~{steps}/threads~1/repeat~{repeat}"
            )
        )

    def command(self, folder: Path, *options: str, program: Path | None = None) -> list[str]:
        """Command of an attempt."""
        run = folder.relative_to(self.study / "runs")
        words = [sys.executable, "-m", "analysis.measure", str(self.study), str(run), *options]
        gothic = program or self.programs / "gothic"
        return [*words, "--snapshots", "kept", "--program", str(gothic)]

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


@pytest.fixture
def attempts(tmp_path: Path, programs: Path) -> Attempts:
    return Attempts(tmp_path, programs)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_attempt_goes_on_where_one_was_stopped(attempts: Attempts, number: int) -> None:
    parts, whole = attempts.folder(3000), attempts.folder(3000, repeat=2)
    assert attempts.stopped(parts, "steps.h5.partial", number) == 3
    assert len(list(parts.glob("attempt-*/checkpoint.h5"))) == 1
    assert not (parts / "run.json").exists()
    assert attempts.made(parts)["parts"] == 2
    assert attempts.made(whole)["parts"] == 1
    expect_equal(parts, whole)
    assert {path.name for path in parts.iterdir()} == {path.name for path in whole.iterdir()}


def test_attempt_goes_on_where_one_was_killed(attempts: Attempts) -> None:
    parts, whole = attempts.folder(3000), attempts.folder(3000, repeat=2)
    often = ("--checkpoint-interval", "0.01s")
    for number in range(3):
        before = len(list(parts.glob("attempt-*")))
        assert before == min(number, 1)
        status = attempts.stopped(parts, "checkpoint_previous.h5", signal.SIGKILL, *often)
        assert status == -signal.SIGKILL
    assert attempts.made(parts)["parts"] > 1
    attempts.made(whole)
    expect_equal(parts, whole)
    assert {path.name for path in parts.iterdir()} == {path.name for path in whole.iterdir()}


def test_checkpoint_of_another_task_is_of_no_use(attempts: Attempts) -> None:
    folder = attempts.folder(3000)
    assert attempts.stopped(folder, "steps.h5.partial", signal.SIGTERM) == 3
    os.utime(attempts.ic)
    assert attempts.made(folder)["parts"] == 1


def test_damaged_checkpoint_is_refused_once(attempts: Attempts) -> None:
    folder = attempts.folder(3000)
    assert attempts.stopped(folder, "steps.h5.partial", signal.SIGTERM) == 3
    (checkpoint,) = folder.glob("attempt-*/checkpoint.h5")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
    refused = subprocess.run(
        attempts.command(folder), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "checkpoint.h5: is damaged, its checksum is wrong; remove it" in refused.stderr
    assert not list(folder.glob("attempt-*"))
    assert attempts.made(folder)["parts"] == 1


def test_earlier_attempt_that_still_goes_on_does_no_harm(
    tmp_path: Path, attempts: Attempts, programs: Path
) -> None:
    slow = tmp_path / "slow"
    waiting = f"while [ ! -e {tmp_path}/go ]; do sleep 0.1; done"
    slow.write_text(f'#!/bin/sh\n{waiting}\nexec {programs}/gothic "$@"\n')
    slow.chmod(0o755)
    folder = attempts.folder(2)
    command = attempts.command(folder, program=slow)
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) as earlier:
        wait_for(lambda: list(folder.glob("attempt-*")))
        attempts.made(folder)
        made = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
        (tmp_path / "go").touch()
        assert earlier.wait(timeout=500) != 0
    assert sorted(path.name for path in made) == [
        "energy.h5",
        "lagrange.h5",
        "run.json",
        "run.log",
        "snapshot_000.h5",
        "steps.h5",
    ]
    later = {path: path.stat().st_mtime_ns for path in folder.iterdir() if path.name != "run.log"}
    assert later.items() <= made.items()
