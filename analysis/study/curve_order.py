"""What the order of the particles along a curve is worth."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.errors import DataError
from analysis.reading.csv_tables import MADE

CURVES = ("hilbert", "morton")
# Columns of the result by what they are called in the tables of gothic bench.
TREE = ("keys", "sort", "build")
WALK = {
    "groups_seconds": "groups_s",
    "moments_seconds": "moments_s",
    "walk_seconds": "walk_s",
    "interactions": "interactions",
    "cells_judged": "cells_judged",
    "particles": "particles",
}
QUANTILES = {"radius_median": 0.5, "radius_p95": 0.95}


def radius_quantile(histogram: pd.DataFrame, fraction: float) -> float:
    """Find the radius that a fraction of the smallest enclosing balls of groups does not exceed.

    Parameters
    ----------
    histogram
        Table of ``gothic bench balls --histogram``. Within a bin the logarithm of the radius is
        taken for evenly spread.
    fraction
        Between 0 and 1.
    """
    one = histogram[histogram["ball"] == histogram["ball"].iloc[0]]
    bins = one.groupby(["radius_low", "radius_high"])["groups"].sum().reset_index()
    counted = bins["groups"].cumsum().to_numpy(float)
    wanted = fraction * counted[-1]
    n = int(np.searchsorted(counted, wanted))
    low, high = np.log(bins.loc[n, ["radius_low", "radius_high"]].to_numpy(float))
    below = counted[n - 1] if n else 0.0
    return float(np.exp(low + (high - low) * (wanted - below) / (counted[n] - below)))


def order_row(tree: pd.DataFrame, walk: pd.DataFrame) -> dict[str, float | int | str]:
    """Reduce tables of ``gothic bench tree`` and ``walk`` with one curve to a row.

    It has the seconds of stages, ``<stage>_s``, counts, and the provenance.
    """
    stages, counts = tree.set_index("stage"), walk.iloc[0]
    row = {f"{stage}_s": stages.loc[stage, "seconds"] for stage in TREE}
    row |= {column: counts[name] for name, column in WALK.items()}
    return row | {"cells": tree["cells"].iloc[0]} | {fact: counts[fact] for fact in MADE}


def radii(histogram: pd.DataFrame) -> dict[str, float]:
    """Find ``radius_median`` and ``radius_p95`` of the smallest balls around groups."""
    return {name: radius_quantile(histogram, q) for name, q in QUANTILES.items()}


def ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the curves, one row per model and quantity.

    ``hilbert`` and ``morton`` are medians over the rounds; ``ratio``, ``ratio_min`` and
    ``ratio_max`` the median, least and greatest of Morton over Hilbert in one round. The quantity
    ``whole_s`` is the sum of all seconds.

    Parameters
    ----------
    table
        Rows of `order_row` with ``model``, ``curve`` and ``round``.
    """
    stages = [f"{stage}_s" for stage in (*TREE, "groups", "moments", "walk")]
    rows = []
    for model, rounds in table.groupby("model", sort=False):
        mine = rounds.assign(whole_s=rounds[stages].sum(axis=1))
        counts = ["cells", "cells_judged", "interactions"]
        for column in [*stages, "whole_s", *counts, *(name for name in QUANTILES if name in mine)]:
            sides = mine.pivot_table(index="round", columns="curve", values=column)
            if set(CURVES) - set(sides.columns):
                raise DataError(f"{model}: both curves are needed in the same rounds")
            ratio = (sides["morton"] / sides["hilbert"]).dropna()
            rows.append(
                {
                    "model": model,
                    "quantity": column,
                    "hilbert": sides["hilbert"].median(),
                    "morton": sides["morton"].median(),
                    "ratio": ratio.median(),
                    "ratio_min": ratio.min(),
                    "ratio_max": ratio.max(),
                    "rounds": len(ratio),
                    **{fact: mine[fact].iloc[0] for fact in ("particles", *MADE)},
                }
            )
    return pd.DataFrame(rows)
