"""Interactions, and their rate, against the step (Miki & Umemura 2017, Fig. 9).

Usage: python -m analysis.figures.interactions_vs_step --traces T.csv... --stem STEM
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from analysis.cli import main
from analysis.figures.common import (
    COLORS,
    conditions,
    model_name,
    save,
    setting_name,
    use_style,
)
from analysis.published import comparable, published, sentence
from analysis.sweep import model_of

ROWS = {"interactions": "interactions", "interactions_per_walk_s": "interactions / s"}
SLOW = "#f6c3a6"
HARDWARE_LINES = {"M2090": ":", "K20X": "--", "GTX TITAN X": "-."}


def draw(table: pd.DataFrame) -> Figure:
    """Draw a column of panels for each model: interactions above, interactions per second below."""
    samples = list(table["sample"].unique())
    figure, panels = plt.subplots(
        2,
        len(samples),
        figsize=(1.0 + 3.3 * len(samples), 5.0),
        sharex="col",
        sharey="row",
        squeeze=False,
    )
    marked: set[str] = set()
    for column, sample in zip(panels.T, samples, strict=True):
        rows = table[table["sample"] == sample]
        for axes, quantity in zip(column, ROWS, strict=True):
            draw_panel(axes, rows, quantity)
        marked |= mark_published(column[1], rows)
        column[0].set_title(model_name(sample), fontsize=10)
        column[1].set_xlabel("step")
    for axes, name in zip(panels[:, 0], ROWS.values(), strict=True):
        axes.set_ylabel(name)
    handles = [
        Line2D([], [], color=COLORS[0], marker="o", markersize=3, label="a step"),
        Patch(color=SLOW, alpha=0.6, label="slow step"),
    ]
    handles += [
        Line2D([], [], color="0.4", linestyle=line, linewidth=0.9, label=f"{name}, published mean")
        for name, line in HARDWARE_LINES.items()
        if name in marked
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure


def draw_panel(axes: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """Draw one quantity of one run, with the slow steps as vertical bands."""
    axes.set_yscale("log")
    for step in rows.loc[rows["sequence"] == "slow", "step"]:
        axes.axvspan(step - 0.5, step + 0.5, color=SLOW, alpha=0.6, linewidth=0, zorder=0)
    axes.plot(
        rows["step"],
        rows[quantity],
        color=COLORS[0],
        marker="o",
        markersize=2.5,
        linewidth=0.6,
        label=quantity,
    )
    axes.set_xlim(rows["step"].min() - 1, rows["step"].max() + 1)


def mark_published(axes: Axes, rows: pd.DataFrame) -> set[str]:
    """Draw the published mean rates of the model, if their sizes are comparable; tell which."""
    rates = published("rate_average", model_of(rows["sample"].iloc[0]))
    rates = rates[comparable(rates, rows["particles"].iloc[0])]
    for rate in rates.itertuples():
        axes.axhline(
            rate.value, color="0.4", linestyle=HARDWARE_LINES[rate.hardware], linewidth=0.9
        )
    return set(rates["hardware"])


def summary(rows: pd.DataFrame) -> str:
    """Say in words when the walk of a run was fastest and slowest."""
    rate = rows["interactions_per_walk_s"]
    slow = rows["sequence"] == "slow"
    most = rows["interactions"].idxmax()
    return (
        f"{model_name(rows['sample'].iloc[0])}: {rate.mean():.3g} interactions per second on "
        f"average over the steps, at most {rate.max():.3g}, at least {rate.min():.3g}, "
        f"{rate[slow].mean():.3g} in the {int(slow.sum())} slow steps, {rate[most]:.3g} in the "
        f"step with the most interactions, {rows['interactions'][most]:.3g}. "
    )


def caption(table: pd.DataFrame) -> str:
    """Describe the figure and the conditions of its measurements."""
    first = table.iloc[0]
    words = "".join(summary(rows) for _, rows in table.groupby("sample", sort=False))
    beside = "".join(
        sentence(
            published("rate_average", model_of(sample)),
            f"mean rates of {model_name(sample)}",
        )
        for sample in table["sample"].unique()
    )
    names = " and ".join(model_name(sample) for sample in table["sample"].unique())
    return (
        "Interactions in each step (upper panels) and interactions per second of the walk (lower "
        f"panels): {names}, {setting_name(first)}, "
        f"{first['step_mode']} time steps. Vertical bands are the slow steps, those with the most "
        "active particles, told apart as in the figure of the time of each function. Interactions "
        "are counted in the run that is timed. "
        f"{words}{beside}{conditions(table.assign(repeats=1), names)}"
    )


def run() -> None:
    """Draw the figure from the tables of the steps of one run per model."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.figures.interactions_vs_step", description=__doc__
    )
    parser.add_argument(
        "--traces", type=Path, nargs="+", required=True, help="tables of analysis.trace"
    )
    parser.add_argument("--stem", type=Path, required=True, help="output path without suffix")
    given = parser.parse_args()
    use_style()
    table = pd.concat([pd.read_csv(path) for path in given.traces], ignore_index=True)
    save(draw(table), table, caption(table), given.stem)


if __name__ == "__main__":
    main(run)
