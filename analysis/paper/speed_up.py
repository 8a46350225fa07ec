"""How much faster block steps are than shared ones."""

from __future__ import annotations

import pandas as pd

from analysis.errors import DataError
from analysis.study.runs import reduce_repeats

SPEED_UPS = {
    "per_step": "elapsed_per_step_s",
    "per_time": "elapsed_per_time_s",
    "per_step_stages": "stages_per_step_s",
}
FACTS = ["model", "particles", "steps", "eta", "threads", "device_name", "version", "revision"]
FACTS += ["compiler", "repeats"]


def speed_up(runs: pd.DataFrame) -> pd.DataFrame:
    """Speed-up of block over shared steps, one row per criterion and accuracy.

    ``per_step`` is the elapsed time per step with shared steps over that with block steps (Miki &
    Umemura 2017, Fig. 5); ``per_time`` is the same ratio of elapsed times per unit of simulated
    time. ``per_step_stages`` is ``per_step`` from the timers of the steps alone. All are ratios of
    medians; ``_least`` and ``_greatest`` are ratios of the opposite extremes.

    The runs differ in criterion, accuracy, kind of step and repeat. A `DataError` if no setting was
    run with both kinds of steps.
    """
    table = reduce_repeats(runs).set_index(["criterion", "accuracy"])
    kinds = {kind: table[table["step"] == kind] for kind in ("block", "shared")}
    block, shared = kinds["block"].align(kinds["shared"], join="inner", axis=0)
    if block.empty:
        raise DataError("no setting was run with both block and shared steps")
    result = block[FACTS].copy()
    for name, measure in SPEED_UPS.items():
        result[name] = shared[measure] / block[measure]
        result[f"{name}_least"] = shared[f"{measure}_least"] / block[f"{measure}_greatest"]
        result[f"{name}_greatest"] = shared[f"{measure}_greatest"] / block[f"{measure}_least"]
    result["simulated_time_block"] = block["simulated_time"]
    result["simulated_time_shared"] = shared["simulated_time"]
    return result.reset_index()
