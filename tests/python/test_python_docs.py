"""Code of docs/python.md and the example runs as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)

ROOT = Path(__file__).parents[2]
ENVIRONMENT = os.environ | {"MPLBACKEND": "agg"}


@pytest.fixture
def folder(tmp_path: Path, programs: Path) -> Path:
    """Make a folder in which the names of the repository hold."""
    for name in ("analysis", "config"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "bin").symlink_to(programs)
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    """Run Python there and return what it prints."""
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_code_of_the_documentation_runs(folder: Path) -> None:
    blocks = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL
    )
    assert len(blocks) >= 6
    assert run(folder, "-c", "\n".join(blocks)).count("\n") > 5
    made = {"stars.h5", "collision.h5", "cluster.h5", "cluster_005.h5", "cluster", "run"}
    assert made <= {path.name for path in folder.iterdir()}


def test_example_draws_its_picture(folder: Path) -> None:
    said = run(
        folder,
        *("-m", "analysis.examples.orbits_and_forces", "--particles", "1000", "--steps", "30"),
        *("--output", "picture.png"),
    )
    assert "99 % of the errors are below" in said
    with Image.open(folder / "picture.png") as picture:
        assert picture.width > 1000
    assert (folder / "picture.h5").exists()
