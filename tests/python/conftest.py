from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.programs.gothic import Gothic
from tests.programs.snapshots import sphere, write_snapshot

if TYPE_CHECKING:
    import gothic


def flags(options: dict[str, object]) -> list[str]:
    """Write options as on a command line."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


@pytest.fixture
def program(programs: Path, tmp_path: Path) -> Gothic:
    """Run the programs in a folder of their own, where ic.h5 holds 512 particles."""
    write_snapshot(tmp_path / "ic.h5", sphere(512))
    return Gothic(programs, tmp_path)


@pytest.fixture
def ball(tmp_path: Path) -> gothic.Snapshot:
    """Read 512 particles, with IDs in random order."""
    import gothic

    write_snapshot(tmp_path / "ic.h5", sphere(512))
    return gothic.read(tmp_path / "ic.h5")
