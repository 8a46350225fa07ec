"""Table of the runs that differ in the number of particles.

python -m analysis.scaling --output SCALING.csv STEPS.h5...
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import pandas as pd

from analysis import files
from analysis.cli import main
from analysis.files import PROVENANCE, read_attributes
from analysis.step_log import summarise_log
from analysis.tables import summarise_run

STAGES = files.STAGES | {"total": "total"}
CONSTRUCTION = ("keys", "sort", "build", "groups")
RUN = ("sample", "criterion", "accuracy", "step_mode", "particles", "steps", "eta", "threads")
COUNTS = ("active_fraction", "rebuilds", "interactions")


def summarise_stages(path: Path) -> dict[str, float | int | str]:
    """Reduce a run to the mean seconds per step of its stages, over all of its steps.

    Parameters
    ----------
    path
        Step log of ``gothic run``, at SAMPLE/run/MODE_STEPS/SETTING/REPEAT/steps.h5.

    Returns
    -------
    dict
        What was run; ``<stage>_s`` for every stage of `STAGES`; ``elapsed_per_step_s``, the wall
        time of the whole run over its steps; ``interactions_per_walk_s``; ``memory_bytes``, in use
        on the device at the end, NaN if the log does not tell; the provenance.

    Raises
    ------
    DataError
        If the log is damaged, cut short, or lacks a stage.
    """
    row = summarise_run(path.parents[4].name, path)
    log = summarise_log(path)
    memory = float(read_attributes(path, "Timing").get("memory", math.nan))
    return {
        **{name: row[name] for name in RUN},
        **{f"{stage}_s": log[f"{stage}_s"] for stage in files.STAGES},
        "total_s": log["stages_per_step_s"],
        "elapsed_per_step_s": row["elapsed_per_step_s"],
        **{name: row[name] for name in COUNTS},
        "interactions_per_walk_s": log["interactions"] / (log["steps"] * log["walk_s"]),
        "memory_bytes": memory,
        "bytes_per_particle": memory / row["particles"],
        **{name: row[name] for name in PROVENANCE},
    }


def scaling_table(files: list[Path]) -> pd.DataFrame:
    """Tabulate runs, one row per number of particles.

    Of repeated runs the row is the one with the median total (the lower of two), so that its stages
    add up; ``total_s_min`` and ``total_s_max`` are the extremes of all ``repeats``.
    """
    runs = pd.DataFrame([summarise_stages(path) for path in files])
    rows = []
    for _, group in runs.groupby("particles", sort=True):
        ordered = group.sort_values("total_s", kind="stable")
        total = ordered["total_s"]
        median = ordered.iloc[[(len(ordered) - 1) // 2]]
        rows.append(
            median.assign(
                repeats=len(ordered), total_s_min=total.iloc[0], total_s_max=total.iloc[-1]
            )
        )
    table = pd.concat(rows, ignore_index=True)
    provenance = list(PROVENANCE)
    return table[[name for name in table if name not in provenance] + provenance]


def breakdown(scaling: pd.DataFrame) -> pd.DataFrame:
    """Add ``construction_s``, the stages that make the tree and the groups, to a scaling table."""
    stages = [f"{stage}_s" for stage in CONSTRUCTION]
    return scaling.assign(construction_s=scaling[stages].sum(axis=1))


def run() -> None:
    """Write the table of runs that differ in the number of particles."""
    parser = argparse.ArgumentParser(prog="python -m analysis.scaling", description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="CSV file to write")
    parser.add_argument("files", type=Path, nargs="+", help="steps.h5 of every run")
    given = parser.parse_args()
    scaling_table(given.files).to_csv(given.output, index=False)


if __name__ == "__main__":
    main(run)
