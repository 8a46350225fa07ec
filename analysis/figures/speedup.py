"""Speed-up of block over shared steps against accuracy (Miki & Umemura 2017, Fig. 5)."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from analysis.figures.command import of_study
from analysis.figures.common import (
    LOOKS,
    MULTIPOLE_UNIT,
    conditions,
    legend_above,
    mark_powers,
    plot_with_spread,
    run_title,
    save,
    span,
)
from analysis.paper.criteria import CRITERIA, FIDUCIAL
from analysis.paper.published import accuracies, published, size
from analysis.paper.speed_up import speed_up
from analysis.study.runs import select
from analysis.study.sweeps import STEPS
from analysis.study.tables import Study, Where

QUANTITIES = {
    "per_step_stages": "in time per step\nby the timers",
    "per_step_pairs": "in pairs per step",
}
NO_GAIN = {"color": "0.6", "linewidth": 0.8}


def draw(table: pd.DataFrame) -> Figure:
    """Draw a column of panels for each criterion from the table of `speed_up`."""
    criteria = [name for name in CRITERIA if (table["criterion"] == name).any()]
    figure, panels = plt.subplots(
        2,
        len(criteria),
        figsize=(1.2 + 2.4 * len(criteria), 5.2),
        sharex="col",
        sharey=True,
        squeeze=False,
    )
    for row, (quantity, name) in zip(panels, QUANTITIES.items(), strict=True):
        for axes, criterion in zip(row, criteria, strict=True):
            draw_panel(axes, table, quantity, criterion)
        row[0].set_ylabel(f"speed-up {name}")
    for column, criterion in zip(panels.T, criteria, strict=True):
        column[0].set_title(LOOKS[criterion].name, fontsize=10)
        column[1].set_xlabel(f"${LOOKS[criterion].symbol}$")
        if criterion != "opening":
            column[0].set_xscale("log", base=2)
            mark_powers(column[0].xaxis, table.loc[table["criterion"] == criterion, "accuracy"])
        mark_published(column[0], table, criterion)
    highest = [table[f"{quantity}_greatest"].max() for quantity in QUANTITIES]
    highest += [patch.get_bbox().y1 for axes in panels.flat for patch in axes.patches]
    panels[0, 0].set_ylim(0.0, 1.15 * max(*highest, 1.0))
    handles = [*panels[0, 0].patches, Line2D([], [], label="no gain", **NO_GAIN)]
    legend_above(figure, run_title(table), 2, handles)
    return figure


def mark_published(axes: Axes, table: pd.DataFrame, criterion: str) -> None:
    """Frame the published speed-ups per step and the accuracies for which they are given."""
    for row in published_range(table, criterion).itertuples():
        left, right = accuracies(row.accuracy)
        number = size(row.particles).removeprefix("2^")
        label = f"published, wall time, $2^{{{number}}}$ particles"
        look = {"fill": False, "edgecolor": "0.4", "linestyle": "-.", "label": label}
        axes.add_patch(Rectangle((left, row.least), right - left, row.most - row.least, **look))


def published_range(table: pd.DataFrame, criterion: str) -> pd.DataFrame:
    """Select what was published of the model, with columns ``least`` and ``most``, if anything."""
    model = table["model"].iloc[0]
    least, most = (published(f"speedup_{end}_{criterion}", model) for end in ("least", "most"))
    return least.assign(least=least["value"], most=most["value"])


def draw_panel(axes: Axes, table: pd.DataFrame, quantity: str, criterion: str) -> None:
    """Draw the line of a criterion through the named column, and the level of no gain."""
    axes.axhline(1.0, zorder=0, label="no gain", **NO_GAIN)
    rows = table[table["criterion"] == criterion].sort_values("accuracy")
    look = LOOKS[criterion]
    plot_with_spread(
        axes, rows, "accuracy", quantity, color=look.color, marker=look.marker, label=criterion
    )


def caption(table: pd.DataFrame) -> str:
    """Describe the figure, define its quantities and tell the conditions of the measurements."""
    ratio = (table["step_block"] / table["step_shared"]).median()
    unlike = (table["steps"] != table["steps_shared"]).any()
    shared = f"Runs with shared steps have {span(table['steps_shared'])} steps. " if unlike else ""
    far = "as long as" if abs(ratio - 1) < 0.005 else f"{ratio:.3g} times as long as"
    return (
        "Speed-up of block over shared time steps against the accuracy parameter, one column for "
        "each acceptance criterion. Upper panels: time per step with shared steps over that with "
        "block steps, by the timers of the steps. Lower panels: the same ratio of the interactions "
        "that were summed, which no fixed cost of a step lowers. The grey line marks no gain. A "
        f"mean block step is {far} a shared one (median). {shared}"
        f"{fiducial_sentence(table)}"
        f"{published_sentence(table)}"
        f"{MULTIPOLE_UNIT}{conditions(table)}"
    )


def published_sentence(table: pd.DataFrame) -> str:
    """Tell what was published of the model, or nothing."""
    return "".join(
        "The frames are the speed-ups per step in wall time at typical accuracies published by "
        f"{row.source}, about {row.least:g} to {row.most:g} for "
        f"{size(row.particles)} particles on {row.hardware}. "
        for row in published_range(table, "acceleration").itertuples()
    )


def fiducial_sentence(table: pd.DataFrame) -> str:
    """Tell the speed-ups of the fiducial setting in numbers, or nothing if it was not run."""
    rows = select(table, **FIDUCIAL)
    if rows.empty:
        return ""
    row = rows.iloc[0]
    return (
        "At the fiducial accuracy, acceleration MAC with 2^-7, the speed-up is "
        f"{row['per_step_stages']:.2f} by the timers and {row['per_step_pairs']:.2f} in pairs. In "
        f"the wall time of {STEPS} steps, start-up and files included, it is "
        f"{row['per_step']:.2f} per step and {row['per_time']:.2f} per unit of simulated time. "
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of a sweep."""
    table = speed_up(study.sweep(where))
    save(draw(table), table, caption(table), stem)


if __name__ == "__main__":
    of_study("speedup", __doc__, make)
