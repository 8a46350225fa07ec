"""Interactions, and their rate, against the step (Miki & Umemura 2017, Fig. 9)."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.figures.command import of_study
from analysis.figures.common import (
    COLORS,
    FILLS,
    conditions,
    filled,
    legend_above,
    model_name,
    model_names,
    published_look,
    run_title,
    save,
    setting_name,
)
from analysis.paper.published import comparable, published, sentence
from analysis.study.tables import Study, Where

ROWS = {"interactions": "interactions", "interactions_per_walk_s": "interactions / s"}


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
            middle = rows["number"].median()
            column[1].plot(middle, rate.value, **published_look(rate.hardware))
        column[0].set_title(model_name(model), fontsize=10)
        column[1].set_xlabel("step")
    for axes, name in zip(panels[:, 0], ROWS.values(), strict=True):
        axes.set_ylabel(name)
    published_of = pd.concat([rates(rows) for _, rows in table.groupby("model")])
    handles = [
        Line2D([], [], label=f"{name} step", **filled(name, COLORS[0]))
        for name in FILLS
        if (table["sequence"] == name).any()
    ]
    handles += [
        Line2D([], [], label=f"{name}, published mean", **published_look(name))
        for name in published_of["hardware"].unique()
    ]
    legend_above(figure, run_title(table, model_names(table)), 3, handles)
    return figure


def draw_panel(axes: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """Draw one quantity of one run; circles tell fast, intermediate and slow steps apart."""
    axes.set_yscale("log")
    axes.plot(rows["number"], rows[quantity], color=COLORS[0], linewidth=0.6)
    for name, steps in rows.groupby("sequence"):
        axes.plot(steps["number"], steps[quantity], **filled(name, COLORS[0], 3.5))
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
        f"{first['step']} time steps. Circles are open, half filled and filled for fast, "
        "intermediate and slow steps, told apart by their number of active particles as in the "
        "figure of the time of each function. Grey symbols are published means over the steps of a "
        "run. Interactions are counted in the run that is timed. "
        f"{words}{beside}{conditions(table, names)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of one run of each model."""
    table = study.steps(where)
    save(draw(table), table, caption(table), stem)


if __name__ == "__main__":
    of_study("interactions_vs_step", __doc__, make)
