"""Table of a run step by step, and what it achieves.

python -m analysis.trace --sample NAME --output TRACE.csv STEPS.h5
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.cli import main
from analysis.files import PROVENANCE, DataError, read_attributes
from analysis.scaling import STAGES
from analysis.tables import read_steps, summarise_run

COUNTS = ("active", "groups", "interactions", "cells_judged", "rebuilt", "level_min", "level_max")
LATER = ("sharing", "group_extent")  # columns that not every log has
FACTS = ("sample", "criterion", "accuracy", "step_mode", "particles", "steps", "eta", "threads")
SEQUENCES = ("fast", "intermediate", "slow")
LEAST_GAP = 2.0


def sequences(active: np.ndarray) -> np.ndarray:
    """Name the sequence of every step by the number of its active particles.

    Miki & Umemura (2017, Fig. 6) tell fast, intermediate and slow steps apart by their walk times.
    Here the steps, in the order of their numbers of active particles, are divided at two of the
    gaps where neighbours differ at least by a factor of `LEAST_GAP`: those that leave the least
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


def trace_table(sample: str, path: Path) -> pd.DataFrame:
    """Tabulate a run, one row per step.

    Returns
    -------
    pandas.DataFrame
        ``step``, ``time``, ``dt``, counts, ``<stage>_s`` for every stage of
        `analysis.scaling.STAGES`, ``sequence`` (see `sequences`), ``interactions_per_walk_s``,
        ``root`` as the option was given, and what was run.

    Raises
    ------
    DataError
        If the log is damaged, cut short, or lacks a column.
    """
    row = summarise_run(sample, path)
    steps = read_steps(path)
    for column in ("step", "time", "dt", *COUNTS, *STAGES.values()):
        if column not in steps:
            raise DataError(f"{path}: dataset {column} of /Steps is missing")
    later = [column for column in LATER if column in steps]
    table = steps[["step", "time", "dt", *COUNTS, *later]].assign(
        **{f"{stage}_s": steps[column] for stage, column in STAGES.items()}
    )
    table["sequence"] = sequences(steps["active"].to_numpy())
    table["interactions_per_walk_s"] = steps["interactions"] / steps["walk"]
    root = str(read_attributes(path, "Options").get("root", "auto"))
    names = [name for name in (*FACTS, *PROVENANCE) if name in row]
    return table.assign(root=root, **{name: row[name] for name in names})


def run() -> None:
    """Write the table of the steps of a run."""
    parser = argparse.ArgumentParser(prog="python -m analysis.trace", description=__doc__)
    parser.add_argument("--sample", required=True, help="name for the column sample")
    parser.add_argument("--output", type=Path, required=True, help="CSV file to write")
    parser.add_argument("file", type=Path, help="steps.h5 of the run")
    given = parser.parse_args()
    trace_table(given.sample, given.file).to_csv(given.output, index=False)


if __name__ == "__main__":
    main(run)
