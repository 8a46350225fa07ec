from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.programs.foreign import Types, part
from tests.programs.gothic import Gothic
from tests.programs.snapshots import sphere, write_snapshot


@pytest.fixture
def gothic(programs: Path, tmp_path: Path) -> Gothic:
    """Run the programs in a folder of their own, where ic.h5 holds 512 particles."""
    write_snapshot(tmp_path / "ic.h5", sphere(512))
    return Gothic(programs, tmp_path)


@pytest.fixture
def types() -> Types:
    """Draw physical particles, dark and stars, in kpc, 1e10 solar masses and km/s."""
    arrays = sphere(512)
    arrays["Coordinates"] *= 20
    arrays["Velocities"] *= 100
    arrays["ParticleIDs"] = np.arange(512, dtype=np.uint64) * 10 + 3
    arrays["Masses"] *= np.random.default_rng(2).random(512).astype(np.float32)
    return {1: part(arrays, 0, 300), 4: part(arrays, 300)}
