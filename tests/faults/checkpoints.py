"""Checkpoints as files: whether they are whole, and forged ones with a right checksum."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

from tests.programs.results import datasets

SEAL_BYTES = 512
NAMES = ("checkpoint.h5", "checkpoint_previous.h5")


def seal_of(content: bytes) -> bytes:
    """Make the seal of a checkpoint from the bytes after it."""
    text = f"GOTHIC checkpoint 5\ncrc32 {zlib.crc32(content)}\nbytes {len(content)}\n"
    return text.encode().ljust(SEAL_BYTES, b"\0")


def is_whole(path: Path) -> bool:
    data = path.read_bytes()
    return data[:SEAL_BYTES] == seal_of(data[SEAL_BYTES:])


def reseal(path: Path) -> None:
    """Give a checkpoint the checksum that fits its content."""
    content = path.read_bytes()[SEAL_BYTES:]
    path.write_bytes(seal_of(content) + content)


def forge(path: Path, change: Callable[[h5py.File], object]) -> None:
    """Change the content of a checkpoint, and its checksum so that it fits."""
    with h5py.File(path, "r+") as file:
        change(file)
    reseal(path)


def expect_sound(folder: Path, whole: Path) -> None:
    """Expect that every file with its final name is complete, after whatever happened to a run.

    Parameters
    ----------
    folder : Path
        Folder of the run.
    whole : Path
        Folder of the same run without any fault.
    """
    for path in folder.glob("*.h5"):
        if path.name in NAMES:
            assert is_whole(path), path
            assert datasets(path)["State/Position"].size > 0
        elif path.name.startswith("snapshot"):
            found = datasets(path)
            for name, values in datasets(whole / path.name).items():
                np.testing.assert_array_equal(found[name], values, err_msg=f"{path}/{name}")
        else:
            assert datasets(path), path
