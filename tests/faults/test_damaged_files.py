"""Truncated and bit-flipped files are read or refused, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.programs.gothic import Gothic
from tests.programs.snapshots import sphere, write_snapshot

Damage = Callable[[np.random.Generator, bytearray], None]


def flip_a_bit(random: np.random.Generator, data: bytearray) -> None:
    data[random.integers(len(data))] ^= 1 << random.integers(8)


def replace_bytes(random: np.random.Generator, data: bytearray) -> None:
    for place in random.integers(len(data), size=random.integers(1, 9)):
        data[place] = random.integers(256)


def overwrite_a_run(random: np.random.Generator, data: bytearray) -> None:
    start, length = random.integers(len(data)), random.integers(1, 17)
    data[start : start + length] = bytes([random.choice([0, 1, 127, 255])]) * length


DAMAGES: dict[str, Damage] = {
    "bits flipped": flip_a_bit,
    "bytes replaced": replace_bytes,
    "bytes overwritten": overwrite_a_run,
}


def expect_sane_or_refused(gothic: Gothic) -> None:
    """Compute forces of bad.h5: they are finite, or there is a message."""
    result = gothic.call("force", "--input", "bad.h5", "--output", "out.h5", "--threads", "1")
    if result.returncode == 0:
        assert result.stderr == ""
        for values in all_forces(gothic.folder / "out.h5"):
            assert np.isfinite(values).all()
        (gothic.folder / "out.h5").unlink()
        return
    assert result.returncode == 2, (result.returncode, result.stderr)
    # Where the C library finds its heap damaged it says so in a line before.
    message = result.stderr.splitlines()[-1]
    assert message.startswith("gothic: bad.h5: ")
    assert "; " in message
    assert not (gothic.folder / "out.h5").exists()


def all_forces(path: Path) -> list[np.ndarray]:
    """Read the datasets of all types."""
    with h5py.File(path) as file:
        groups = [group for name, group in file.items() if name.startswith("PartType")]
        return [data[()] for group in groups for data in group.values()]


@pytest.mark.parametrize("count", [20, pytest.param(150, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", DAMAGES)
def test_damaged_snapshot_is_read_or_refused(gothic: Gothic, kind: str, count: int) -> None:
    write_snapshot(gothic.folder / "small.h5", sphere(4))
    whole = (gothic.folder / "small.h5").read_bytes()
    random = np.random.default_rng(len(kind))
    for _ in range(count):
        data = bytearray(whole)
        DAMAGES[kind](random, data)
        (gothic.folder / "bad.h5").write_bytes(data)
        expect_sane_or_refused(gothic)


def test_truncated_snapshot_is_refused(gothic: Gothic) -> None:
    whole = (gothic.folder / "ic.h5").read_bytes()
    for size in np.linspace(0, len(whole) - 1, 20, dtype=int):
        (gothic.folder / "bad.h5").write_bytes(whole[:size])
        message = gothic.refused("force", "--input", "bad.h5", "--output", "out.h5")
        remedies = (
            "is no snapshot in a known format; give",
            "truncated or damaged; write or copy it again",
        )
        assert any(remedy in message for remedy in remedies)
