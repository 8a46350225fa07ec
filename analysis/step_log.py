"""Reduces the step log of a run to its means and totals."""

from __future__ import annotations

from pathlib import Path

from analysis.files import STAGES, DataError, pick, read_attributes, read_log

ELAPSED = ("wall", "read", "bootstrap", "write")
NEEDED = ("dt", "active", "rebuilt", "interactions", "cells_judged", "total", *STAGES.values())


def summarise_log(path: Path) -> dict[str, float | int]:
    """Reduce the file ``steps.h5`` of ``gothic run`` to numbers.

    Elapsed times count the wall time of the whole run, start-up, files and tuning included (Miki &
    Umemura 2017, section 4.2); those of stages are the timers' means over its steps, and
    ``stages_per_step_s`` that of all stages together. ``parts`` is how many times the run was
    started: more than once if it was stopped and went on, in which case elapsed times count every
    start, but not what was done in vain since the last checkpoint.

    Raises
    ------
    DataError
        If the log is damaged, cut short, or lacks a column.
    """
    steps = read_log(path)
    missing = [column for column in NEEDED if column not in steps]
    if missing:
        raise DataError(f"{path}: dataset {missing[0]} of /Steps is missing")
    timing = pick(path, "Timing", (*ELAPSED, "steps", "particles", "threads"))
    count, simulated_time = len(steps["dt"]), float(steps["dt"].sum())
    if count != timing["steps"]:
        raise DataError(
            f"{path}: {count} steps are logged, but /Timing tells {timing['steps']}; delete it and "
            "run snakemake again"
        )
    return {
        "particles": timing["particles"],
        "steps": count,
        "threads": timing["threads"],
        **{f"{name}_s": timing[name] for name in ELAPSED},
        "parts": read_attributes(path, "Timing").get("parts", 1),
        "simulated_time": simulated_time,
        "elapsed_per_step_s": timing["wall"] / count,
        "stages_per_step_s": float(steps["total"].mean()),
        "elapsed_per_time_s": timing["wall"] / simulated_time,
        **{f"{stage}_s": float(steps[column].mean()) for stage, column in STAGES.items()},
        "active_fraction": float(steps["active"].mean() / timing["particles"]),
        "rebuilds": int(steps["rebuilt"].sum()),
        "interactions": int(steps["interactions"].sum()),
        "cells_judged": int(steps["cells_judged"].sum()),
    }
