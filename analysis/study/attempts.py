"""Attempts at a run: each has a folder of its own, attempt-*, beside the results.

Whatever kills an attempt, the next one goes on from its checkpoint, if that is of the same task.
An earlier attempt that still goes on loses its folder, and so never gets to move its files.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

CHECKPOINTS = ("checkpoint.h5", "checkpoint_previous.h5")
TASK = "task.json"
REFUSED = 2  # exit status of programs that cannot use what they are given


class ProgramError(Exception):
    """A program has ended with another exit status than 0; negative numbers are signals."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@contextmanager
def attempted(folder: Path, task: str) -> Iterator[Path]:
    """Make the folder of an attempt, with the checkpoint and snapshots of an earlier one.

    It is removed at the end, unless the attempt has failed and left a checkpoint that the next one
    can go on from. Earlier attempts at another task are of no use, and removed.
    """
    attempt = Path(tempfile.mkdtemp(prefix="attempt-", dir=folder))
    earlier = [path for path in folder.glob("attempt-*") if path != attempt]
    for path in sorted(earlier, key=_age):
        if _serves(path, task) and not any(attempt.iterdir()):
            with suppress(FileNotFoundError):  # it has just ended and removed itself
                path.rename(attempt)
        shutil.rmtree(path, ignore_errors=True)
    for path in attempt.iterdir():
        if path.name not in CHECKPOINTS and not path.match("snapshot_*.h5"):
            path.unlink()
    (attempt / TASK).write_text(task)
    keep = False
    try:
        yield attempt
    except ProgramError as ended:
        keep = ended.status != REFUSED and _has_checkpoint(attempt)
        raise
    finally:
        if not keep:
            shutil.rmtree(attempt, ignore_errors=True)


def is_current(attempt: Path) -> bool:
    """Whether no later attempt has taken over."""
    return (attempt / TASK).exists()


def move_results(attempt: Path, folder: Path) -> None:
    """Move the files of an attempt that is complete, the row last.

    The checkpoint goes before that: it is of no use without all of them.
    """
    for name in (*CHECKPOINTS, TASK):
        (attempt / name).unlink(missing_ok=True)
    for file in sorted(attempt.iterdir(), key=lambda path: path.name == "run.json"):
        file.replace(folder / file.name)


def _has_checkpoint(attempt: Path) -> bool:
    return any((attempt / name).exists() for name in CHECKPOINTS)


def _serves(attempt: Path, task: str) -> bool:
    """Whether a task can go on from what an attempt has left."""
    try:
        return _has_checkpoint(attempt) and (attempt / TASK).read_text() == task
    except FileNotFoundError:
        return False


def _age(attempt: Path) -> float:
    """Sort attempts by this: those with the newest checkpoint come first."""
    times = []
    for name in CHECKPOINTS:
        with suppress(FileNotFoundError):
            times.append((attempt / name).stat().st_mtime)
    return -max(times, default=0)
