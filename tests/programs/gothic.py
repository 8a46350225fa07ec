"""Calls of the programs, and what is expected of those that are refused."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable
from pathlib import Path


def limited(what: int, size: int) -> Callable[[], None]:
    """Make a function that limits a resource of the process that calls it."""
    return lambda: resource.setrlimit(what, (size, size))


def contents(folder: Path, pattern: str = "*.h5") -> dict[str, bytes]:
    """Read the files of a folder whose names fit a pattern."""
    return {path.name: path.read_bytes() for path in folder.glob(pattern)}


class Gothic:
    """The programs, called in a folder of their own."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs = programs
        self.folder = folder

    def names(self) -> set[str]:
        """List all files and folders."""
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        """Start gothic and do not wait for it."""
        command = [str(self.programs / "gothic"), *map(str, arguments)]
        return subprocess.Popen(
            command,
            cwd=self.folder,
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
        return subprocess.run(
            [str(self.programs / program), *map(str, arguments)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            preexec_fn=limit,
        )

    def done(self, *arguments: object) -> str:
        """Run gothic, which must succeed without a word on standard error; return its output."""
        result = self.call(*arguments)
        assert result.stderr == ""
        assert result.returncode == 0
        return result.stdout

    def make(self, *arguments: object) -> None:
        """Run gothic-ic, which must succeed without a word on standard error."""
        result = self.call(*arguments, program="gothic-ic")
        assert result.stderr == ""
        assert result.returncode == 0

    def failed(
        self,
        status: int,
        *arguments: object,
        program: str = "gothic",
        limit: Callable[[], None] | None = None,
    ) -> str:
        """Run a program that must fail and leave no new file; return its message of one line."""
        before = self.names()
        result = self.call(*arguments, program=program, limit=limit)
        assert result.returncode == status, result.stderr
        assert result.stdout == ""
        message, end, rest = result.stderr.partition("\n")
        assert end == "\n"
        assert rest == ""
        assert message.startswith(f"{program}: ")
        remedy = message.rpartition(";")[2]
        assert len(remedy.split()) >= 2, f"no remedy in: {message}"
        left = {name for name in self.names() - before if not (self.folder / name).is_dir()}
        assert left == set()
        return message

    def refused(self, *arguments: object, program: str = "gothic") -> str:
        """Run a program that must refuse its options or input."""
        return self.failed(2, *arguments, program=program)
