"""The verdict on each stage: slower, faster, same or unclear."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pandas as pd

from analysis.errors import DataError

THRESHOLD = 0.03  # a change of the time that matters
# Chance that any of the intervals of a comparison misses the truth, as they tell it. Those that a
# bootstrap finds from fifteen pairs are too narrow: they miss two to three times as often.
ALARM = 0.02
ONE_DEVIATION = 0.3173  # chance that a normal variable is farther off than its standard deviation
RESAMPLES = 20000
FEWEST_PAIRS = 10
LONG_STAGES = ("step", "walk")  # the others may be too short for a layout of code not to matter
VERDICTS = ("slower", "faster", "unclear", "same")


def middle_mean(values: np.ndarray) -> float:
    """Mean of the middle third.

    A third of the pairs may be disturbed to either side without consequence; of undisturbed ones it
    scatters less than the median does.
    """
    cut = len(values) // 3
    return float(np.sort(values)[cut : len(values) - cut].mean())


def log_ratios(raw: pd.DataFrame) -> pd.DataFrame:
    """Logarithm of the new time over the old: a row per round, a column per problem and stage."""
    raw = raw.sort_values("problem", kind="stable")  # they were measured in random order
    table = raw.pivot_table(
        index="round", columns=["program", "problem", "stage"], values="seconds", sort=False
    )
    return np.log(table["new"]) - np.log(table["base"])


def compare(raw: pd.DataFrame) -> pd.DataFrame:
    """Judge every stage of every problem.

    A stage is slower or faster if the interval of its ratio lies on one side of 1 and the ratio is
    off by more than the threshold; it is the same if the whole interval is within the threshold.
    The intervals are so wide that all of them hold together (Bonferroni).

    Parameters
    ----------
    raw
        Table of `analysis.checks.speed.measure_pairs`.

    Returns
    -------
    pandas.DataFrame
        One row per problem and stage: ``problem``, ``stage``, ``base_s`` and ``new_s`` (medians),
        ``ratio``, ``low`` and ``high``, ``deviation`` (standard deviation of the logarithm of the
        ratio), ``verdict``.
    """
    ratios = log_ratios(raw)
    if len(ratios) < FEWEST_PAIRS or ratios.isna().any(axis=None):
        raise DataError(
            f"{len(ratios)} complete pairs were measured; at least {FEWEST_PAIRS} are needed"
        )
    seconds = raw.groupby(["program", "problem", "stage"], sort=False)["seconds"].median()
    rows = []
    for problem, stage in ratios.columns:
        values = ratios[problem, stage].to_numpy()
        low, high = interval(values, ALARM / ratios.shape[1])
        usual = interval(values, ONE_DEVIATION)  # the wider one has the few far resamples as well
        estimate = middle_mean(values)
        rows.append(
            {
                "problem": problem,
                "stage": stage,
                "base_s": seconds["base", problem, stage],
                "new_s": seconds["new", problem, stage],
                "ratio": math.exp(estimate),
                "low": math.exp(low),
                "high": math.exp(high),
                "deviation": (usual[1] - usual[0]) / 2,
                "verdict": verdict(estimate, low, high),
            }
        )
    return pd.DataFrame(rows)


def interval(values: np.ndarray, miss: float) -> tuple[float, float]:
    """Find the bootstrap interval of `middle_mean` that misses with a chance of `miss`."""
    means = np.sort(values)[middle_places(len(values))].mean(axis=1)
    low, high = np.quantile(means, [miss / 2, 1 - miss / 2])
    return float(low), float(high)


@cache
def middle_places(size: int) -> np.ndarray:
    """Draw resamples of ordered values: the places of the middle third of each, one row each.

    They are always the same, so that the same measurements give the same verdict.
    """
    rng = np.random.default_rng(0)
    places = np.sort(rng.integers(0, size, (RESAMPLES, size)), axis=1)
    cut = size // 3
    return places[:, cut : size - cut]


def verdict(estimate: float, low: float, high: float) -> str:
    """Judge a log-ratio by its estimate and interval."""
    threshold = math.log(1 + THRESHOLD)
    if low > 0 and estimate > threshold:
        return "slower"
    if high < 0 and estimate < -threshold:
        return "faster"
    return "same" if -threshold < low and high < threshold else "unclear"


def beyond(table: pd.DataFrame, ratio: float) -> pd.DataFrame:
    """Select steps and walks in a table of `compare` whose whole interval is beyond a ratio."""
    return table[table["stage"].isin(LONG_STAGES) & (table["low"] > ratio)]


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Write a table of `compare` as readers see it."""
    milliseconds = {f"{name} [ms]": 1e3 * table[f"{name}_s"] for name in ("base", "new")}
    changes = {"change": "ratio", "from": "low", "to": "high"}
    return pd.DataFrame(
        {"problem": table["problem"], "stage": table["stage"]}
        | {name: values.map("{:.3g}".format) for name, values in milliseconds.items()}
        | {name: table[column].map(percent) for name, column in changes.items()}
        | {"verdict": table["verdict"]}
    )


def percent(ratio: float) -> str:
    """Write a ratio as a change."""
    return f"{100 * (ratio - 1):+.1f} %"


def sentence(table: pd.DataFrame) -> str:
    """Sum the verdicts up in a line."""
    parts = []
    for name in VERDICTS:
        rows = list(table[table["verdict"] == name].itertuples())
        stages = "; ".join(f"{row.problem}, {row.stage} {percent(row.ratio)}" for row in rows)
        if rows:
            told = f": {stages}" if name in ("slower", "faster") else ""
            parts.append(f"{len(rows)} {name}{told}")
    return ", ".join(parts)
