"""One workflow at a time in a folder of results."""

from __future__ import annotations

import fcntl
from pathlib import Path

from analysis.errors import DataError

HELD = []


def hold(folder: str | Path) -> None:
    """Keep other workflows out of a folder for as long as this process lives, however it ends.

    A `DataError` if another workflow is at work there, or the file system knows no locks.
    """
    path = Path(folder, ".lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise DataError(
            f"{folder}: another workflow is at work there; wait for it, or give this one a folder "
            "of its own with --config results=FOLDER"
        ) from error
    except OSError as error:
        raise DataError(
            f"{path}: {error.strerror}; the file system must know locks, choose another one with "
            "--config results=FOLDER"
        ) from error
    HELD.append(file)
