"""Errors that a user can mend, and how the commands end: 0, or 2 and one line."""

from __future__ import annotations

import sys
from collections.abc import Callable


class DataError(ValueError):
    """A file is missing, damaged, or does not fit the others; the message names the remedy."""


def main(entry: Callable[[], None]) -> None:
    """Call an entry point; turn a `DataError` into one line and exit status 2."""
    try:
        entry()
    except DataError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
