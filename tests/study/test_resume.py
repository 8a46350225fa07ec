"""A workflow that is killed, and what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from analysis.runs import load
from tests.study.workflow import ROOT, Workflow

pytestmark = pytest.mark.workflow
RUNS = 12
PROFILE = ("--workflow-profile", str(ROOT / "config" / "profiles" / "local"))


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


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
    def rows() -> dict[Path, tuple[int, int]]:
        """Inode and time of every row, from the first to the last."""
        found = {path: path.stat() for path in workflow.folder.rglob("run.json")}
        ordered = sorted(found.items(), key=lambda item: item[1].st_mtime_ns)
        return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in ordered}

    command = workflow.command(*PROFILE)
    with subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        wait_for(lambda: len(rows()) >= 4 and programs_in(workflow.folder))
        kill(process.pid, signal.SIGKILL)
    wait_for(lambda: not programs_in(workflow.folder))
    done = rows()
    assert 4 <= len(done) < RUNS
    # The last one may have been moved into place just before the workflow could note it.
    noted = dict(list(done.items())[:-1])

    again = workflow.run(*PROFILE)
    assert again.returncode == 0, again.stdout
    assert len(load(workflow.folder / "results" / "many")) == RUNS
    assert noted.items() <= rows().items()
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
        assert "run" in workflow.jobs("--dry-run", *PROFILE)
    finally:
        holder.kill()
        holder.wait()
    assert "listing" in workflow.jobs(*PROFILE, "--", "results/many/runs.txt")


def test_earlier_attempt_that_still_goes_on_does_no_harm(tmp_path: Path, programs: Path) -> None:
    ic = tmp_path / "ic.h5"
    model = ROOT / "config" / "models" / "plummer.toml"
    subprocess.run(
        [programs / "gothic-ic", model, "--particles", "256", "--output", ic], check=True
    )
    slow = tmp_path / "slow"
    waiting = f"while [ ! -e {tmp_path}/go ]; do sleep 0.1; done"
    slow.write_text(f'#!/bin/sh\n{waiting}\nexec {programs}/gothic "$@"\n')
    slow.chmod(0o755)
    folder = tmp_path / (
        "model~plummer/particles~256/seed~1/criterion~acceleration/accuracy~2pow-07/step~block/"
        "eta~0.5/softening~0/device~cpu/sharing~0/steps~2/repeat~1"
    )
    command = [sys.executable, "-m", "analysis.measure", str(folder), "--ic", str(ic)]
    command += ["--snapshot", "--program"]
    with subprocess.Popen([*command, slow], cwd=ROOT, stderr=subprocess.PIPE) as earlier:
        wait_for(lambda: list(folder.glob("attempt-*")))
        subprocess.run([*command, programs / "gothic"], cwd=ROOT, check=True)
        made = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
        (tmp_path / "go").touch()
        assert earlier.wait(timeout=60) != 0
    assert sorted(path.name for path in made) == [
        "energy.h5",
        "run.json",
        "snapshot_000.h5",
        "steps.h5",
    ]
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == made
