"""Calls of gothic and gothic-ic in a folder, and the models that come with them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from analysis.errors import DataError

ROOT = Path(__file__).parents[1]
MODELS = ROOT / "config" / "models"


def model_names() -> list[str]:
    """Name the models of config/models."""
    return sorted(path.stem for path in MODELS.glob("*.toml"))


def file_of(model: str) -> Path:
    """Find the file of a model: a path that ends in .toml, or a name in config/models."""
    if model.endswith(".toml"):
        return Path(model)
    return Path(os.path.relpath(MODELS / f"{model}.toml"))


class Programs:
    """The programs, called in one folder, to which the paths of their files are relative."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs = programs.resolve()
        self.folder = folder

    def call(self, program: str, *arguments: object) -> None:
        """Run a program, which must succeed; a `DataError` if it does not."""
        words = list(map(str, arguments))
        try:
            done = subprocess.run(
                [self.programs / program, *words],
                cwd=self.folder,
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError as error:
            raise DataError(f"{self.programs / program}: {error}; run make build first") from error
        if done.returncode != 0:
            raise DataError(f"{program} {' '.join(words)}: {done.stderr.strip()}")

    def run(self, output: str, *options: object) -> None:
        """Make a run in a folder, which is made anew."""
        shutil.rmtree(self.path(output), ignore_errors=True)
        self.call("gothic", "run", "--output", output, *options)

    def draw(self, model: str, particles: int, output: str = "ic.h5", *options: object) -> None:
        """Draw the particles of a file of config/models."""
        drawn = ("--particles", particles, "--output", output, *options)
        self.call("gothic-ic", MODELS / f"{model}.toml", *drawn)

    def path(self, name: str) -> Path:
        """Find a file by its name."""
        return self.folder / name
