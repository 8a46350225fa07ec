"""How the command-line entries end: 0, or 2 and one line for input that cannot be used."""

from __future__ import annotations

import sys
from collections.abc import Callable

from analysis.files import DataError


def main(entry: Callable[[], None]) -> None:
    """Call an entry point; turn a `DataError` into one line and exit status 2."""
    try:
        entry()
    except DataError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
