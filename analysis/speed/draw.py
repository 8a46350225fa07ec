"""The figure of a comparison."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.speed.verdict import THRESHOLD, VERDICTS

LOOKS = dict(
    zip(
        VERDICTS,
        (("#D55E00", "^"), ("#0072B2", "v"), ("0.45", "o"), ("#009E73", "s")),
        strict=True,
    )
)


def draw(table: pd.DataFrame) -> Figure:
    """Draw the ratio of each stage with its interval, and the counted instructions.

    Parameters
    ----------
    table
        Of `analysis.speed.verdict.compare`, with ``instructions``.
    """
    figure, axes = plt.subplots(figsize=(6, 1.2 + 0.22 * len(table)))
    limit = 100 * THRESHOLD
    axes.axvspan(-limit, limit, color="0.93", zorder=0)
    axes.axvline(0, color="0.6", linewidth=0.8)
    places = np.arange(len(table))
    change = 100 * (table[["ratio", "low", "high", "instructions"]] - 1)
    for verdict, (color, marker) in LOOKS.items():
        rows = (table["verdict"] == verdict).to_numpy()
        if not rows.any():
            continue
        axes.errorbar(
            change["ratio"][rows],
            places[rows],
            xerr=[
                (change["ratio"] - change["low"])[rows],
                (change["high"] - change["ratio"])[rows],
            ],
            linestyle="none",
            color=color,
            marker=marker,
            label=verdict,
        )
    if change["instructions"].notna().any():
        axes.plot(change["instructions"], places, "k|", markersize=8, label="instructions")
    names = table["problem"] + ": " + table["stage"]
    axes.set_yticks(places, names, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("change of the time [%]")
    figure.legend(loc="outside upper center", ncols=len(VERDICTS) + 1, fontsize=7)
    return figure
