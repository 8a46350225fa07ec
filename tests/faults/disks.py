"""Small disks, in memory."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class Disk:
    """A mounted disk whose size may change."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def resize(self, kib: int) -> None:
        size = f"remount,size={kib}k"
        subprocess.run(["mount", "-o", size, str(self.place)], check=True)

    def resize_to_hold(self, kib: int) -> None:
        """Leave room for some KiB besides what is there."""
        used = sum(path.stat().st_blocks for path in self.place.iterdir()) // 2
        self.resize(used + kib)


@contextmanager
def small_disk(place: Path, kib: int) -> Iterator[Disk]:
    """Mount a disk of ``kib`` KiB as the new folder ``place``; skip the test if not allowed to."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root may mount a small disk")
    try:
        yield Disk(place)
    finally:
        subprocess.run(["umount", str(place)], check=True)
