"""A workflow in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.conftest import ROOT


def rows(folder: Path) -> dict[Path, int]:
    """List the runs that are done, with their inodes: a run that is made anew has another one."""
    return {path: path.stat().st_ino for path in folder.rglob("run.json")}


def running(folder: Path) -> list[psutil.Process]:
    """List the processes that work in a folder with gothic: gothic and the jobs that call it."""
    return [
        process
        for process in psutil.process_iter(["cwd", "cmdline"])
        if process.info["cwd"] == str(folder)
        and any(word.endswith("gothic") for word in process.info["cmdline"] or ())
    ]


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until a function returns something true."""
    deadline = time.monotonic() + 500
    while time.monotonic() < deadline:
        with suppress(FileNotFoundError):  # a folder may be gone while it is looked through
            if condition():
                return
        time.sleep(0.02)
    pytest.fail("nothing happened")


class Workflow:
    """Calls Snakemake on the project's Snakefile, with a temporary working directory."""

    def __init__(self, folder: Path, config: Path, programs: Path | None = None) -> None:
        self.folder = folder
        self.config = config
        self.programs = programs

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start Snakemake with further arguments, in a group of processes of its own."""
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        command += ["--directory", str(self.folder), "--cores", "all"]
        command += ["--configfile", str(self.config)]
        if self.programs:
            command += ["--config", f"programs={self.programs}"]
        return subprocess.Popen(
            [*command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake with further arguments; its output is in ``stdout``."""
        process = self.start(*arguments)
        output, _ = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, output)

    def jobs(self, *arguments: str) -> set[str]:
        """Run Snakemake successfully and list the rules of which it ran or planned jobs."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout
        headings = ("rule ", "localrule ", "checkpoint ", "localcheckpoint ")
        lines = [line.strip(" :") for line in done.stdout.splitlines() if line.endswith(":")]
        return {line.split()[1] for line in lines if line.startswith(headings)}
