"""Where the tree becomes faster than direct summation.

python -m analysis.crossover --model NAME --output CROSSOVER.csv BENCH.csv...
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.cli import main
from analysis.files import DataError

COLUMNS = ("particles", "root", "tree_seconds", "direct_seconds", "threads", "device")


def crossover_table(model: str, files: list[Path]) -> pd.DataFrame:
    """Join the tables of ``gothic bench crossover``, in the order of the number of particles.

    Raises
    ------
    DataError
        If a column is missing.
    """
    tables = []
    for path in files:
        table = pd.read_csv(path)
        for column in COLUMNS:
            if column not in table:
                raise DataError(f"{path}: column {column} is missing; make it again")
        tables.append(table)
    table = pd.concat(tables, ignore_index=True).sort_values("particles", ignore_index=True)
    table.insert(0, "sample", [f"{model}_N{n}" for n in table["particles"]])
    return table


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
    faster = np.flatnonzero(ratio < 0)
    if not len(faster) or faster[-1] == len(ratio) - 1:
        return float("nan")
    pair = slice(faster[-1], faster[-1] + 2)
    particles = np.log(table["particles"].to_numpy(float)[pair])
    return float(np.exp(np.interp(0.0, ratio[pair], particles)))


def run() -> None:
    """Write the table of all numbers of particles."""
    parser = argparse.ArgumentParser(prog="python -m analysis.crossover", description=__doc__)
    parser.add_argument("--model", required=True, help="model, for the column sample")
    parser.add_argument("--output", type=Path, required=True, help="CSV file to write")
    parser.add_argument("files", type=Path, nargs="+", help="tables of gothic bench crossover")
    given = parser.parse_args()
    crossover_table(given.model, given.files).to_csv(given.output, index=False)


if __name__ == "__main__":
    main(run)
