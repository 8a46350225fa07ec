"""Calls of the programs, and what is expected if they are refused."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

NEEDS_MPIRUN = pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun")


def limited(what: int, size: int) -> Callable[[], None]:
    """Make a function that limits a resource of the process that calls it."""
    return lambda: resource.setrlimit(what, (size, size))


def contents(folder: Path, pattern: str = "*.h5") -> dict[str, bytes]:
    """Read the files of a folder whose names fit a pattern."""
    return {path.name: path.read_bytes() for path in folder.glob(pattern)}


def wait_for(path: Path) -> None:
    """Wait until a run has begun to write a file."""
    deadline = time.monotonic() + 600
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def said(text: str) -> list[str]:
    """Find gothic's lines on standard error, between mpirun's lines."""
    return [line for line in text.splitlines() if line.startswith("gothic: ")]


def ranks_of(process: subprocess.Popen[str]) -> list[int]:
    """Find the processes that mpirun has started, in the order of their ranks."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return sorted(map(int, children.read_text().split()))


def ranks_have_ended(process: subprocess.Popen[str]) -> bool:
    """Tell whether all ranks of mpirun have ended, but it has not noticed."""
    ranks = ranks_of(process)
    with contextlib.suppress(FileNotFoundError):  # it has noticed now
        stats = [Path(f"/proc/{rank}/stat").read_text() for rank in ranks]
        return bool(ranks) and all(stat.rpartition(") ")[2].startswith("Z") for stat in stats)
    return False


def status_of(status: int, errors: str) -> int:
    """Find with which status a program ended, by what mpirun told on standard error.

    After all ranks have ended, the mpirun of Open MPI sometimes crashes while it puts its own house
    in order (https://github.com/open-mpi/ompi/issues/13650). The status that it was about to return
    is the one that it has told: of MPI_Abort or of a rank, or else 0.
    """
    if status != -signal.SIGSEGV or "PMIx_server_finalize" not in errors:
        return status
    told = re.search(r"with errorcode (\d+)\.|Exit code: +(\d+)", errors)
    return int(told[1] or told[2]) if told else 0


def finish(process: subprocess.Popen[str], seconds: float = 600) -> tuple[str, str]:
    """Wait until a program ends, and return what it wrote.

    After a rank was killed, the mpirun of Open MPI 4.1 sometimes hangs although all ranks have
    ended (https://github.com/open-mpi/ompi/issues/7790). It is killed then.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            output, errors = process.communicate(timeout=10)
            process.returncode = status_of(process.returncode, errors)
            return output, errors
        except subprocess.TimeoutExpired:
            if ranks_have_ended(process):
                process.kill()
            elif time.monotonic() > deadline:
                raise


# Open MPI as root, with more ranks than there are cores, and beside other tests.
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


class Gothic:
    """The programs, called in a folder of their own; gothic on one rank or, by mpirun, several."""

    def __init__(self, programs: Path, folder: Path, ranks: int = 1) -> None:
        self.programs = programs
        self.folder = folder
        self.ranks = ranks

    def on(self, ranks: int) -> Gothic:
        """Call the programs in the same folder on so many ranks."""
        return Gothic(self.programs, self.folder, ranks)

    def command(self, program: str, *arguments: object) -> list[str]:
        """Make the command that calls a program."""
        launcher = ["mpirun", "-n", str(self.ranks)] if self.ranks > 1 else []
        return [*launcher, str(self.programs / program), *map(str, arguments)]

    def names(self) -> set[str]:
        """List all files and folders."""
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}

    def files(self) -> dict[Path, tuple[int, int, int]]:
        """Tell inode, size and time of every file, which change when it is written."""
        stats = {path: path.lstat() for path in self.folder.rglob("*") if not path.is_dir()}
        return {path: (s.st_ino, s.st_size, s.st_mtime_ns) for path, s in stats.items()}

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        """Start gothic and do not wait for it."""
        return subprocess.Popen(
            self.command("gothic", *arguments),
            cwd=self.folder,
            env={**os.environ, **MPI},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(
        self,
        *arguments: object,
        program: str = "gothic",
        limit: Callable[[], None] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end, whatever that is."""
        result = subprocess.run(
            self.command(program, *arguments),
            cwd=self.folder,
            env={**os.environ, **MPI},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            preexec_fn=limit,
        )
        if self.ranks > 1:
            result.returncode = status_of(result.returncode, result.stderr)
        return result

    def on_terminal(self, *arguments: object, program: str = "gothic") -> str:
        """Run a program with a terminal as its standard error; return what it wrote there."""
        ours, theirs = pty.openpty()
        command = [str(self.programs / program), *map(str, arguments)]
        with subprocess.Popen(command, cwd=self.folder, stderr=theirs) as process:
            os.close(theirs)
            text = b""
            try:
                while part := os.read(ours, 4096):
                    text += part
            except OSError:  # nobody has the terminal any more
                os.close(ours)
        assert process.returncode == 0
        return text.decode()

    def done(self, *arguments: object, program: str = "gothic") -> str:
        """Run a program, which must succeed without a word on standard error; return its output."""
        result = self.call(*arguments, program=program)
        assert (result.returncode, result.stderr) == (0, ""), result.stderr
        return result.stdout

    def make(self, *arguments: object) -> None:
        """Run gothic-ic, which must succeed; few particles are warned of."""
        result = self.call(*arguments, program="gothic-ic")
        assert result.returncode == 0, result.stderr

    def failed(
        self,
        status: int,
        *arguments: object,
        program: str = "gothic",
        limit: Callable[[], None] | None = None,
    ) -> str:
        """Run a program that must fail and write no file; return its message of one line."""
        before = self.files()
        result = self.call(*arguments, program=program, limit=limit)
        assert result.returncode == status, result.stderr
        if result.stdout:  # of a run that had begun
            _, last = result.stdout.splitlines()
            assert ", failed after " in last
        message, end, rest = result.stderr.partition("\n")
        assert (end, rest) == ("\n", "")
        assert message.startswith(f"{program}: ")
        remedy = message.rpartition(";")[2]
        assert len(remedy.split()) >= 2, f"no remedy in: {message}"
        assert self.files() == before
        return message

    def refused(self, *arguments: object, program: str = "gothic") -> str:
        """Run a program that must refuse its options or input."""
        return self.failed(2, *arguments, program=program)
