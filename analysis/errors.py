"""Errors that a user can mend, and how the commands end: 0, or 2 (else 1) and one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn


class DataError(ValueError):
    """A file is missing, damaged, or does not fit the others; the message names the remedy."""


def keep_files(read: Iterable[Path], written: Iterable[Path]) -> None:
    """Refuse to write over a file that is read, whatever it is called."""
    kept = {path.resolve() for path in read}
    for path in written:
        if path.resolve() in kept or any(path.exists() and path.samefile(one) for one in kept):
            raise DataError(f"{path}: is read, and would be written over; choose another output")


class Parser(argparse.ArgumentParser):
    """A command line, of which a mistake is one line."""

    def error(self, message: str) -> NoReturn:
        """Raise the `DataError` about a mistake."""
        raise DataError(f"{self.prog}: {message}; see --help")


def main(entry: Callable[[], None]) -> None:
    """Call an entry point; a `DataError` is one line and exit status 2, a full disk or so 1."""
    try:
        entry()
    except DataError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}" if error.filename else error, file=sys.stderr)
        sys.exit(1)
