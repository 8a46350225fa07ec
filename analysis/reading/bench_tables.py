"""Tables of ``gothic bench``: reading them, and what they tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from analysis.errors import DataError
from analysis.reading.csv_tables import MADE, read_table

COLUMNS = {
    "sharing": ("active", "choice", "group_size", "lanes_sharing", "seconds", "seconds_over_best"),
    "balls": ("ball", "groups", "seconds", "walk_seconds", "interactions"),
    "histogram": ("ball", "radius_low", "radius_high", "ratio_low", "ratio_high", "groups"),
    "crossover": ("particles", "root", "tree_seconds", "direct_seconds"),
    "order": ("curve", "round", "walk_s", "interactions", "cells_judged"),
    "peak": ("measurement", "sources", "interactions/s"),
}


def read_bench(path: Path, word: str) -> pd.DataFrame:
    """Read the table of a key of `COLUMNS`; ``histogram`` is the second table of ``balls``.

    Raises
    ------
    DataError
        If the file is missing, empty, no such table, or lacks a column.
    """
    try:
        table = read_table(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}; run snakemake to make it") from error
    if table.empty:
        raise DataError(f"{path}: no rows; delete it and run snakemake again")
    for column in (*COLUMNS[word], *MADE):
        if column not in table:
            raise DataError(f"{path}: column {column} is missing; delete it and run snakemake")
    return table


def on_gpu(table: pd.DataFrame) -> bool:
    """Whether a table was measured on a GPU."""
    return str(table["device_name"].iloc[0]).startswith("NVIDIA")


def automatic_sharing(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the automatic choice of lanes per particle with the best of an exhaustive scan.

    Parameters
    ----------
    table
        Table of ``gothic bench sharing``. The scan is that at equal accuracy where it is there.

    Returns
    -------
    pandas.DataFrame
        One row per number of active particles: ``active``, ``group_size`` and ``seconds`` of the
        automatic choice, ``best_group_size``, ``best_seconds`` and ``ratio``.
    """
    scanned = "equal" if (table["choice"] == "equal").any() else "given"
    scan = table[table["choice"] == scanned]
    best = scan.loc[scan.groupby("active")["seconds"].idxmin()].set_index("active")
    auto = table[table["choice"] == "auto"].set_index("active").sort_index()
    if auto.empty:
        raise DataError(f"{table['model'].iloc[0]}: no automatic choice; measure it again")
    columns = ["group_size", "seconds"]
    found = auto[columns].join(best[columns].add_prefix("best_"))
    return found.assign(ratio=found["seconds"] / found["best_seconds"]).reset_index()


def last_rise(x: np.ndarray, y: np.ndarray, level: float) -> float:
    """Interpolate where y rises above a level for good.

    Returns
    -------
    float
        Minus infinity if y is never below, NaN if it is at the end.
    """
    below = np.flatnonzero(y < level)
    if not len(below):
        return -np.inf
    if below[-1] == len(y) - 1:
        return np.nan
    pair = slice(below[-1], below[-1] + 2)
    return float(np.interp(level, y[pair], x[pair]))


def knee(active: np.ndarray, seconds: np.ndarray) -> float:
    """Find from where on the time grows with the number of active particles.

    A constant time has the logarithmic slope 0, a proportional one 1. The knee lies where the slope
    between neighbouring measurements, interpolated in the logarithm, reaches 1/2 for good: for
    t = t0 + a n at n = t0 / a.

    Parameters
    ----------
    active
        Numbers of active particles, in any order, at least three.
    seconds
        Time for each.

    Returns
    -------
    float
        0 if the slope is steeper than 1/2 everywhere, NaN if it is not at the end.
    """
    order = np.argsort(active)
    x, y = (np.log(np.asarray(values, float)[order]) for values in (active, seconds))
    slope = np.diff(y) / np.diff(x)
    return float(np.exp(last_rise((x[1:] + x[:-1]) / 2, slope, 0.5)))


def crossing(table: pd.DataFrame) -> float:
    """Find the number of particles at which tree and direct summation take equally long.

    The ratio of the times is interpolated, as a power of the number of particles, between the
    largest run in which direct summation is faster and the next.

    Returns
    -------
    float
        NaN if one of the two is faster in all runs, or direct summation in the largest.
    """
    table = table.sort_values("particles")
    ratio = np.log((table["direct_seconds"] / table["tree_seconds"]).to_numpy())
    place = last_rise(np.log(table["particles"].to_numpy(float)), ratio, 0.0)
    return float(np.exp(place)) if np.isfinite(place) else np.nan
