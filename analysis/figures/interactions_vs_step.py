"""Interactions, and their rate, against the step (Miki & Umemura 2017, Fig. 9)."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from analysis.figures.command import of_study
from analysis.figures.common import (
    COLORS,
    conditions,
    model_name,
    model_names,
    save,
    setting_name,
)
from analysis.paper.published import comparable, published, sentence
from analysis.study.tables import Study, Where

ROWS = {"interactions": "interactions", "interactions_per_walk_s": "interactions / s"}
SLOW = "#f6c3a6"
HARDWARE_LINES = {"M2090": ":", "K20X": "--", "GTX TITAN X": "-."}


def draw(table: pd.DataFrame) -> Figure:
    """Draw a column of panels for each model: interactions above, interactions per second below."""
    models = list(table["model"].unique())
    figure, panels = plt.subplots(
        2,
        len(models),
        figsize=(1.0 + 3.3 * len(models), 5.0),
        sharex="col",
        sharey="row",
        squeeze=False,
    )
    for column, model in zip(panels.T, models, strict=True):
        rows = table[table["model"] == model]
        for axes, quantity in zip(column, ROWS, strict=True):
            draw_panel(axes, rows, quantity)
        for rate in rates(rows).itertuples():
            line = HARDWARE_LINES[rate.hardware]
            column[1].axhline(rate.value, color="0.4", linestyle=line, linewidth=0.9)
        column[0].set_title(model_name(model), fontsize=10)
        column[1].set_xlabel("step")
    for axes, name in zip(panels[:, 0], ROWS.values(), strict=True):
        axes.set_ylabel(name)
    marked = {name for _, rows in table.groupby("model") for name in rates(rows)["hardware"]}
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
    for step in rows.loc[rows["sequence"] == "slow", "number"]:
        axes.axvspan(step - 0.5, step + 0.5, color=SLOW, alpha=0.6, linewidth=0, zorder=0)
    look = {"color": COLORS[0], "marker": "o", "markersize": 2.5, "linewidth": 0.6}
    axes.plot(rows["number"], rows[quantity], **look)
    axes.set_xlim(rows["number"].min() - 1, rows["number"].max() + 1)


def rates(rows: pd.DataFrame) -> pd.DataFrame:
    """Select the published mean rates of the model of a run, if their sizes are comparable."""
    found = published("rate_average", rows["model"].iloc[0])
    return found[comparable(found, rows["particles"].iloc[0])]


def summary(rows: pd.DataFrame) -> str:
    """Say in words when the walk of a run was fastest and slowest."""
    rate = rows["interactions_per_walk_s"]
    slow = rows["sequence"] == "slow"
    most = rows["interactions"].idxmax()
    return (
        f"{model_name(rows['model'].iloc[0])}: {rate.mean():.3g} interactions per second on "
        f"average over the steps, at most {rate.max():.3g}, at least {rate.min():.3g}, "
        f"{rate[slow].mean():.3g} in the {int(slow.sum())} slow steps, {rate[most]:.3g} in the "
        f"step with the most interactions, {rows['interactions'][most]:.3g}. "
    )


def caption(table: pd.DataFrame) -> str:
    """Describe the figure and the conditions of its measurements."""
    first, names = table.iloc[0], model_names(table)
    words = "".join(summary(rows) for _, rows in table.groupby("model", sort=False))
    beside = "".join(
        sentence(published("rate_average", model), f"mean rates of {model_name(model)}")
        for model in table["model"].unique()
    )
    return (
        "Interactions in each step (upper panels) and interactions per second of the walk (lower "
        f"panels): {names}, {setting_name(first)}, "
        f"{first['step']} time steps. Vertical bands are the slow steps, those with the most "
        "active particles, told apart as in the figure of the time of each function. Interactions "
        "are counted in the run that is timed. "
        f"{words}{beside}{conditions(table, names)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of one run of each model."""
    table = study.steps(where)
    save(draw(table), table, caption(table), stem)


if __name__ == "__main__":
    of_study("interactions_vs_step", __doc__, make)
