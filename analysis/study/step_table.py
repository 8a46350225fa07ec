"""Runs step by step: one table of the steps of some runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.errors import DataError
from analysis.reading.csv_tables import MADE
from analysis.reading.files import STAGES, read_log

KEPT = ("time", "dt", "active", "groups", "interactions", "cells_judged", "rebuilt", "level_min")
KEPT += ("level_max", "sharing", "group_extent")
FACTS = ("path", "model", "criterion", "accuracy", "step", "particles", "steps", "eta", *MADE)
SECONDS = STAGES | {"total": "total"}
SEQUENCES = ("fast", "intermediate", "slow")
LEAST_GAP = 2.0


def sequences(active: np.ndarray) -> np.ndarray:
    """Name the sequence of every step by the number of its active particles.

    Miki & Umemura (2017, Fig. 6) tell fast, intermediate and slow steps apart by their walk times.
    Here the steps, in the order of their numbers of active particles, are divided at two of the
    gaps where neighbours differ at least by a factor of `LEAST_GAP`: the two that leave the least
    scatter, the sum of squared deviations of the logarithm from its mean, within the parts. With
    one such gap steps are fast or slow, without any all of them are slow.

    Parameters
    ----------
    active
        Number of active particles in each step, positive, shape (steps,).

    Returns
    -------
    numpy.ndarray
        One of `SEQUENCES` for each step, shape (steps,).
    """
    ordered = np.sort(active).astype(float)
    logarithm = np.log(ordered)
    gaps = np.flatnonzero(ordered[1:] >= LEAST_GAP * ordered[:-1]) + 1
    count = min(len(gaps), len(SEQUENCES) - 1)

    def scatter(cuts: tuple[int, ...]) -> float:
        return sum(len(part) * np.var(part) for part in np.split(logarithm, cuts))

    cuts = min(combinations(gaps, count), key=scatter)
    names = {0: ("slow",), 1: ("fast", "slow"), 2: SEQUENCES}[count]
    return np.array(names)[np.searchsorted(ordered[list(cuts)], active, side="right")]


def steps_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Tabulate the steps of runs, where a run is repeated of its first repeat; see `steps_of`."""
    return of_each(runs, steps_of)


def of_each(
    runs: pd.DataFrame, of_run: Callable[[dict[str, object]], pd.DataFrame]
) -> pd.DataFrame:
    """Join tables of the first repeats of runs; a run that has none is named and left out."""
    tables = [pd.DataFrame(columns=["path"])]
    for row in runs[runs["repeat"] == 1].to_dict("records"):
        try:
            tables.append(of_run(row))
        except DataError as error:
            print(error, file=sys.stderr)
    return pd.concat(tables[1:] or tables, ignore_index=True)


def steps_of(row: dict[str, object]) -> pd.DataFrame:
    """Tabulate the steps of the run of a row.

    The columns are the ``number`` of the step, the columns `KEPT`, ``<stage>_s`` for every stage of
    `SECONDS`, ``sequence`` (see `sequences`), ``interactions_per_walk_s``, and what was run.
    """
    path = Path(row["path"]) / "steps.h5"
    steps = read_log(path)
    for column in ("step", *KEPT, *SECONDS.values()):
        if column not in steps:
            raise DataError(f"{path}: dataset {column} of /Steps is missing")
    seconds = {f"{stage}_s": steps[column] for stage, column in SECONDS.items()}
    table = steps[list(KEPT)].assign(**seconds)
    table.insert(0, "number", steps["step"])
    table["sequence"] = sequences(steps["active"].to_numpy())
    table["interactions_per_walk_s"] = steps["interactions"] / steps["walk"]
    facts = {name: row[name] for name in FACTS}
    return table.assign(root=row.get("root", "auto"), **facts)
