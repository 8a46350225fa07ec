from __future__ import annotations

import errno
import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.errors import DataError
from analysis.study.lock import hold

HOLD = "import sys; from analysis.study.lock import hold; hold(sys.argv[1])"


def test_lock_ends_with_its_process(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", HOLD, tmp_path], check=True)
    hold(tmp_path)


def test_folder_is_held_by_one_process(tmp_path: Path) -> None:
    hold(tmp_path)
    command = [sys.executable, "-c", HOLD, tmp_path]
    other = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"DataError: {tmp_path}: another workflow is at work there" in other.stderr


def test_file_system_without_locks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: object, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(DataError, match=r"\.lock: No locks available; the file system must know"):
        hold(tmp_path)
