"""The programs that tests run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.programs.gothic import MPI

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def programs() -> Path:
    """Find the folder of gothic and gothic-ic: GOTHIC_PROGRAMS, or build/bin."""
    folder = Path(os.environ.get("GOTHIC_PROGRAMS", ROOT / "build" / "bin")).resolve()
    for name in ("gothic", "gothic-ic"):
        if not (folder / name).exists():
            pytest.skip(f"{folder / name} is missing; run make build first")
    return folder


@pytest.fixture
def mpirun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs that this test starts call mpirun, also as root and on few cores."""
    if not shutil.which("mpirun"):
        pytest.skip("there is no mpirun")
    for name, value in MPI.items():
        monkeypatch.setenv(name, value)
