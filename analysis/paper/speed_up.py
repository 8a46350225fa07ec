"""How much faster block steps are than shared ones."""

from __future__ import annotations

import pandas as pd

from analysis.errors import DataError

SPEED_UPS = {
    "per_step": "elapsed_per_step_s",
    "per_time": "elapsed_per_time_s",
    "per_step_stages": "stages_per_step_s",
    "per_step_walk": "walk_s",
}
FACTS = ["model", "particles", "steps", "eta", "threads", "device_name", "version", "revision"]
FACTS += ["compiler", "repeats"]


def speed_up(runs: pd.DataFrame) -> pd.DataFrame:
    """Speed-up of block over shared steps, one row per criterion and accuracy.

    ``per_step`` is the elapsed time per step with shared steps over that with block steps (Miki &
    Umemura 2017, Fig. 5); ``per_time`` is the same ratio of elapsed times per unit of simulated
    time. ``per_step_stages`` is ``per_step`` from the timers of the steps alone, ``per_step_walk``
    from those of the walk, ``per_step_pairs`` from the interactions. All are ratios of medians;
    ``_least`` and ``_greatest`` are ratios of the opposite extremes. ``shorter`` tells where an
    extreme is that of shorter runs.

    The repeats of the runs are reduced, and they differ in criterion, accuracy and kind of step. A
    `DataError` if no setting was run with both kinds of steps.
    """
    table = runs.set_index(["criterion", "accuracy"])
    kinds = {kind: table[table["step"] == kind] for kind in ("block", "shared")}
    block, shared = kinds["block"].align(kinds["shared"], join="inner", axis=0)
    if block.empty:
        raise DataError("no setting was run with both block and shared steps")
    result = block[FACTS].copy()
    if "shorter" in block:
        result["shorter"] = block["shorter"] | shared["shorter"]
    result["repeats"] = block["repeats"].where(
        block["repeats"] < shared["repeats"], shared["repeats"]
    )
    for name, measure in SPEED_UPS.items():
        result[name] = shared[measure] / block[measure]
        result[f"{name}_least"] = shared[f"{measure}_least"] / block[f"{measure}_greatest"]
        result[f"{name}_greatest"] = shared[f"{measure}_greatest"] / block[f"{measure}_least"]
    pairs = (shared["interactions"] / shared["steps"]) / (block["interactions"] / block["steps"])
    names = ("per_step_pairs", "per_step_pairs_least", "per_step_pairs_greatest")
    result = result.assign(**dict.fromkeys(names, pairs))
    result["steps_shared"] = shared["steps"]
    for kind, runs in {"block": block, "shared": shared}.items():
        result[f"step_{kind}"] = runs["simulated_time"] / runs["steps"]
    return result.reset_index()
