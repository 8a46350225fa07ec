"""Points of other sources, of a CSV file, that are laid over a plot of a study."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from analysis.errors import DataError

Overlay = Mapping[str, str]  # file, x, y and, if given, error and label
COLUMNS = ("x", "y", "error")


def points_of(overlay: Overlay) -> pd.DataFrame:
    """Read the points: columns ``x``, ``y`` and, if it is asked for, ``error``, at least one row.

    Raises
    ------
    DataError
        If the file or a column is missing, or a value is no number.
    """
    path = Path(overlay["file"])
    try:
        table = pd.read_csv(path, comment="#", skipinitialspace=True)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; paths start from {Path.cwd()}") from error
    except ValueError as error:
        raise DataError(f"{path}: is no CSV table ({error}); correct it") from error
    asked = {name: overlay[name] for name in COLUMNS if overlay.get(name)}
    for column in asked.values():
        if column not in table:
            known = ", ".join(map(str, table.columns))
            raise DataError(f"{path}: there is no column {column}; there are {known}")
        if not pd.api.types.is_numeric_dtype(table[column]):
            raise DataError(f"{path}: column {column} has other things than numbers; correct it")
    found = pd.DataFrame({name: table[column] for name, column in asked.items()}).dropna()
    if found.empty:
        raise DataError(f"{path}: has no row with {' and '.join(asked.values())}; add one")
    return found.astype(float)


def wrong_overlays(plot: Mapping[str, object]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Find overlays of a plot that cannot be read."""
    for n, overlay in enumerate(plot.get("overlay", [])):
        try:
            points_of(overlay)
        except DataError as error:
            yield ("overlay", n), str(error)


def label_of(overlay: Overlay) -> str:
    """Name the points in a legend."""
    return overlay.get("label") or Path(overlay["file"]).stem


def digest_of(overlay: Overlay) -> str:
    """Compute the SHA-256 of the file."""
    return hashlib.sha256(Path(overlay["file"]).read_bytes()).hexdigest()


def told_of(overlay: Overlay, count: int) -> str:
    """Tell in a sentence where the points come from."""
    bars = f", bars {overlay['error']}" if overlay.get("error") else ""
    return (
        f"{label_of(overlay)}: {count} points of {overlay['file']} (SHA-256 "
        f"{digest_of(overlay)[:12]}), {overlay['y']} against {overlay['x']}{bars}."
    )
