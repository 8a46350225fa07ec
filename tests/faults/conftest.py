"""The programs in a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs.gothic import Gothic
from tests.programs.snapshots import sphere, write_snapshot


@pytest.fixture
def gothic(programs: Path, tmp_path: Path) -> Gothic:
    """Run the programs in a folder of their own, where ic.h5 holds 64 particles."""
    write_snapshot(tmp_path / "ic.h5", sphere(64))
    return Gothic(programs, tmp_path)
