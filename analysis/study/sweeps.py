"""Sweeps of runs: the longest runs of each setting, with the scatter that shorter ones tell."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.reading.files import STAGES
from analysis.study.parameters import LENGTHS
from analysis.study.runs import parameters_in, reduce_repeats

REPEATS = 3  # of a time, before its scatter is known
STEPS = 1024  # of a run, over which start-up and files are spread; as in Miki & Umemura (2017)
SECONDS = ("elapsed_per_step_s", "elapsed_per_time_s", "stages_per_step_s")
SECONDS += tuple(f"{stage}_s" for stage in STAGES)


def lengths(runs: pd.DataFrame) -> pd.Series:
    """Tell the steps of each run, or 0 where another length was asked for."""
    others = [name for name in LENGTHS if name != "steps" and name in runs]
    asked = runs[others].replace({0: np.nan, "": np.nan}).notna().any(axis=1)
    return runs["steps"].where(~asked, 0).astype(int)


def longest(runs: pd.DataFrame) -> pd.DataFrame:
    """Select the runs of the most steps of each setting, and all whose length is a time."""
    steps = lengths(runs)
    settings = [runs[name] for name in parameters_in(runs)]
    most = steps.groupby([*settings, runs["threads"], steps > 0], dropna=False).transform("max")
    return runs[steps == most]


def as_long(runs: pd.DataFrame) -> pd.DataFrame:
    """Spread what a run takes outside of its steps over `STEPS` steps."""
    steps = runs["stages_per_step_s"]
    outside = (runs["elapsed_per_step_s"] - steps) * runs["steps"].astype(float)
    wall = steps + outside / STEPS
    time = runs["simulated_time"] / runs["steps"].astype(float)
    return runs.assign(elapsed_per_step_s=wall, elapsed_per_time_s=wall / time)


def with_scatter(runs: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Reduce repeats, with the wall time of a step as in a run of `STEPS` steps.

    Settings that have too few repeats take their scatter from shorter runs.
    These are runs of the same setting or, where it has none that were repeated, of all settings.
    The column ``shorter`` tells which settings do so.

    Parameters
    ----------
    runs
        What is reduced.
    others
        All runs, the shorter ones among them.
    """
    table = reduce_repeats(as_long(runs)).copy()  # in one piece
    single = table["repeats"] < REPEATS
    alike = as_long(others[others["particles"].isin(runs["particles"])])
    known = pd.concat(
        [reduce_repeats(rows) for _, rows in alike.groupby([lengths(alike), "threads"])]
    )
    known = known[known["repeats"] >= REPEATS]
    if known.empty or not single.any():
        return table.assign(scatter=half_range(table, "stages_per_step_s"), shorter=False)
    settings = parameters_in(runs)
    for row in table.index[single]:
        same = known[settings].eq(table.loc[row, settings]) | known[settings].isna()
        own = known[same.all(axis=1)]
        shorter = known if own.empty else own
        for name in SECONDS:
            low, high = (shorter[f"{name}_{end}"] / shorter[name] for end in ("least", "greatest"))
            table.loc[row, f"{name}_least"] = table.loc[row, name] * low.min()
            table.loc[row, f"{name}_greatest"] = table.loc[row, name] * high.max()
        table.loc[row, "repeats"] = shorter["repeats"].min()
    return table.assign(scatter=half_range(table, "stages_per_step_s"), shorter=single)


def half_range(
    table: pd.DataFrame, name: str, ends: tuple[str, str] = ("least", "greatest")
) -> pd.Series:
    """Return half of the range of a time over its median."""
    low, high = (table[f"{name}_{end}"] for end in ends)
    return (high - low) / 2 / table[name]
