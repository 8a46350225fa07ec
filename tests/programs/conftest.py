from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs.gothic import Gothic
from tests.programs.snapshots import sphere, write_snapshot


@pytest.fixture
def gothic(programs: Path, tmp_path: Path) -> Gothic:
    """Run the programs in a folder of their own, where ic.h5 holds 512 particles."""
    write_snapshot(tmp_path / "ic.h5", sphere(512))
    return Gothic(programs, tmp_path)
