"""The commands of docs/tutorial.md run as they stand, with few particles and a short time."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import h5py
import pytest

from tests.study.workflow import ROOT

TEXT = (ROOT / "docs" / "tutorial.md").read_text()
OPTIONS = (ROOT / "config" / "gigayear.toml").read_text()
# What is replaced to make it small.
SMALL = {
    "--particles 1048576": "--particles 4096",
    "--config config/gigayear.toml": "--config small.toml",
    "--stop-after 10min": "--stop-after 1s",
    "--time 0.002 --snapshot-interval 0.001": "--time 0.0002 --snapshot-interval 0.0001",
}
SMALL_OPTIONS = {
    "time = 1.0227 ": "time = 0.010227 ",
    "snapshot-interval = 0.10227 ": "snapshot-interval = 0.0010227 ",
    "eta = 0.2": "eta = 1",
    "dt-max = 0.002": "dt-max = 0.0005",
}


def blocks(language: str) -> list[str]:
    """List the blocks of a language in the tutorial."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def replaced(text: str, replacements: dict[str, str]) -> str:
    for old, new in replacements.items():
        assert text.count(old) >= 1, old
        text = text.replace(old, new)
    return text


def test_options_are_those_of_the_file() -> None:
    assert blocks("toml") == [OPTIONS]


@pytest.fixture
def folder(tmp_path: Path, programs: Path) -> Path:
    """Make a folder where the paths of the tutorial lead to the repository and its programs."""
    for name in ("config", "analysis", "python", "src", ".venv"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "bin").symlink_to(programs)
    (tmp_path / "build" / "python").symlink_to(programs.parent / "python")
    (tmp_path / "small.toml").write_text(replaced(OPTIONS, SMALL_OPTIONS))
    return tmp_path


def run(command: list[str], folder: Path) -> int:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    allowed = (0, 3) if "--stop-after" in command[-1] else (0,)
    assert done.returncode in allowed, f"{command[-1]}\n{done.stdout}\n{done.stderr}"
    return done.returncode


def test_tutorial_runs(folder: Path) -> None:
    commands = replaced("\n".join(blocks("sh")), SMALL).splitlines()
    assert len(commands) >= 10
    for command in filter(None, commands):
        run(["bash", "-c", command], folder)
    for program in blocks("python"):
        run([str(ROOT / ".venv" / "bin" / "python"), "-c", program], folder)
    names = {path.name for path in (folder / "gigayear").iterdir()}
    assert {f"snapshot_{n:03}.h5" for n in range(11)} <= names
    assert {"steps.h5", "energy.h5", "lagrange.h5"} <= names
    with h5py.File(folder / "gigayear" / "snapshot_010.h5") as file:
        assert file["Header"].attrs["Time"] == pytest.approx(0.010227)
    pictures = {path.name for path in (folder / "pictures").glob("*.png")}
    assert {"start.png", "drift.png", "stars_yt.png"} <= pictures
    assert {f"gigayear_{name}.png" for name in ("maps", "rotation", "energy", "radii")} <= pictures
