"""Tables of the timed runs.

python -m analysis.tables --sample NAME --output TIMINGS.csv STEPS.h5...
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.cli import main
from analysis.files import PROVENANCE, DataError, pick, read_log
from analysis.step_log import ELAPSED, summarise_log
from analysis.sweep import Run

# Of what `analysis.step_log` tells.
LOGGED = (
    *(f"{name}_s" for name in ELAPSED),
    "simulated_time",
    "elapsed_per_step_s",
    "stages_per_step_s",
    "elapsed_per_time_s",
    "active_fraction",
    "rebuilds",
    "interactions",
)
KEYS = ["criterion", "accuracy", "step_mode"]
MEASURES = ["elapsed_per_step_s", "stages_per_step_s", "elapsed_per_time_s"]
SPEED_UPS = {
    "per_step": "elapsed_per_step_s",
    "per_time": "elapsed_per_time_s",
    "per_step_stages": "stages_per_step_s",
}
FACTS = ["sample", "particles", "steps", "eta", "threads", *PROVENANCE]


def read_steps(path: Path) -> pd.DataFrame:
    """Read the step log of ``gothic run``: one row per step, seconds per stage included."""
    return read_log(path)


def read_energy(path: Path) -> pd.DataFrame:
    """Read the conserved quantities that ``gothic run`` logs, with ``drift`` added.

    ``drift`` is the change of the total energy relative to the first row.
    """
    table = read_log(path)
    return table.assign(drift=table["total"] / table["total"].iloc[0] - 1)


def read_lagrange(path: Path) -> pd.DataFrame:
    """Read the Lagrangian radii that ``gothic run`` logs, with ``name`` of the component added."""
    table = read_log(path)
    names = table.attrs.get("ComponentNames", {})
    return table.assign(name=[names.get(str(n), str(n)) for n in table["component"]])


def summarise_run(sample: str, path: Path) -> dict[str, float | int | str]:
    """Reduce a run to one row of the timing table.

    Raises
    ------
    DataError
        If the log is damaged, was cut short of the steps that the path promises, or is of a run
        that was stopped and went on.
    """
    run = Run.from_path(path)
    log = summarise_log(path)
    if log["steps"] != run.steps:
        raise DataError(
            f"{path}: {log['steps']} steps are logged, but {run.steps} were asked for; delete it "
            "and run snakemake again"
        )
    if log["parts"] > 1:
        raise DataError(
            f"{path}: the run was made in {log['parts']} parts, so that its times are none of a "
            "whole one; delete it and run snakemake again"
        )
    return {
        "sample": sample,
        "criterion": run.setting.criterion,
        "accuracy": run.setting.accuracy,
        "step_mode": run.mode,
        "repeat": run.repeat,
        "particles": log["particles"],
        "steps": run.steps,
        "eta": float(pick(path, "Options", ("eta",))["eta"]),
        "threads": log["threads"],
        **{name: log[name] for name in LOGGED},
        **pick(path, "Provenance", PROVENANCE),
    }


def timing_table(sample: str, files: list[Path]) -> pd.DataFrame:
    """Tabulate runs, one row per step log."""
    return pd.DataFrame([summarise_run(sample, path) for path in files])


def aggregate(timings: pd.DataFrame) -> pd.DataFrame:
    """Reduce the repeats of each run to their median, minimum and maximum.

    Returns
    -------
    pandas.DataFrame
        One row per criterion, accuracy and step mode. Each of `MEASURES` holds the median and has
        companions ``_min`` and ``_max``; facts shared by the repeats are kept.
    """
    rows = []
    for key, group in timings.groupby(KEYS, sort=True):
        row = dict(zip(KEYS, key, strict=True)) | {"repeats": len(group)}
        for measure in MEASURES:
            row[measure] = group[measure].median()
            row[f"{measure}_min"] = group[measure].min()
            row[f"{measure}_max"] = group[measure].max()
        row["simulated_time"] = group["simulated_time"].median()
        row |= {fact: _common(group[fact]) for fact in FACTS}
        rows.append(row)
    return pd.DataFrame(rows)


def elapsed_versus_error(errors: pd.DataFrame, timings: pd.DataFrame) -> pd.DataFrame:
    """Join force errors and elapsed times, one row per criterion, accuracy and step mode.

    Raises
    ------
    DataError
        If a run has no force error beside it.
    """
    columns = ["error_50", "error_90", "error_99", "error_max"]
    measured = errors[["criterion", "accuracy", "compared", *columns]]
    table = aggregate(timings).merge(measured, on=["criterion", "accuracy"], how="left")
    missing = table["error_99"].isna()
    if missing.any():
        first = table[missing].iloc[0]
        raise DataError(
            f"no force error for criterion {first['criterion']}, accuracy {first['accuracy']}; "
            "both tables must come from one sweep"
        )
    return table


def speed_up(timings: pd.DataFrame) -> pd.DataFrame:
    """Speed-up of block over shared steps, one row per criterion and accuracy.

    ``per_step`` is the elapsed time per step with shared steps over that with block steps (Miki &
    Umemura 2017, Fig. 5); ``per_time`` is the same ratio of elapsed times per unit of simulated
    time. ``per_step_stages`` is ``per_step`` from the timers of the steps alone. All are ratios of
    medians; ``_min`` and ``_max`` are ratios of the opposite extremes.

    Raises
    ------
    DataError
        If no setting was run with both step modes.
    """
    table = aggregate(timings).set_index(["criterion", "accuracy"])
    modes = {mode: table[table["step_mode"] == mode] for mode in ("block", "shared")}
    block, shared = modes["block"].align(modes["shared"], join="inner", axis=0)
    if block.empty:
        raise DataError("no setting was run with both block and shared steps")
    result = block[["repeats"]].copy()
    for name, measure in SPEED_UPS.items():
        result[name] = shared[measure] / block[measure]
        result[f"{name}_min"] = shared[f"{measure}_min"] / block[f"{measure}_max"]
        result[f"{name}_max"] = shared[f"{measure}_max"] / block[f"{measure}_min"]
    result["simulated_time_block"] = block["simulated_time"]
    result["simulated_time_shared"] = shared["simulated_time"]
    return result.join(block[FACTS]).reset_index()


def _common(values: pd.Series) -> object:
    """Return the value shared by all rows, or the distinct ones joined."""
    unique = values.unique()
    return unique[0] if len(unique) == 1 else "; ".join(map(str, np.sort(unique)))


def run() -> None:
    """Write the table of timed runs."""
    parser = argparse.ArgumentParser(prog="python -m analysis.tables", description=__doc__)
    parser.add_argument("--sample", required=True, help="name for the first column")
    parser.add_argument("--output", type=Path, required=True, help="CSV file to write")
    parser.add_argument("files", type=Path, nargs="+", help="steps.h5 of every run")
    given = parser.parse_args()
    table = timing_table(given.sample, given.files)
    table.to_csv(given.output, index=False)


if __name__ == "__main__":
    main(run)
