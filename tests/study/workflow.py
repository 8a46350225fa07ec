"""A workflow in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Workflow:
    """Calls Snakemake on the project's Snakefile, with a temporary working directory."""

    def __init__(
        self, folder: Path, config: Path, programs: Path | None = None, root: Path = ROOT
    ) -> None:
        self.folder = folder
        self.config = config
        self.programs = programs
        self.root = root

    def command(self, *arguments: str) -> list[str]:
        """Command line of Snakemake with further arguments."""
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(self.root / "Snakefile")]
        command += ["--directory", str(self.folder), "--cores", "all"]
        command += ["--configfile", str(self.config)]
        if self.programs:
            command += ["--config", f"programs={self.programs}"]
        return command + list(arguments)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake with further arguments; its output is in ``stdout``."""
        return subprocess.run(
            self.command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def jobs(self, *arguments: str) -> set[str]:
        """Run Snakemake successfully and list the rules of which it ran or planned jobs."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout
        headings = ("rule ", "localrule ", "checkpoint ", "localcheckpoint ")
        lines = [line.strip(" :") for line in done.stdout.splitlines() if line.endswith(":")]
        return {line.split()[1] for line in lines if line.startswith(headings)}
