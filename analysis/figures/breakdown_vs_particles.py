"""Time per step against the number of particles (Miki & Umemura 2017, Fig. 8)."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.clocks import CLOCKS
from analysis.figures.command import of_study
from analysis.figures.common import (
    conditions,
    legend_above,
    mark_powers,
    plot_with_spread,
    published_look,
    published_times,
    run_title,
    save,
    setting_name,
)
from analysis.paper.published import comparable, sentence
from analysis.study.runs import reduce_repeats
from analysis.study.tables import Study, Where, same

CONSTRUCTION = ["keys_s", "sort_s", "build_s", "groups_s"]
TOTAL = CLOCKS["steps"].column
# Name, colour of Okabe & Ito (2008), marker, line.
STAGES = {
    "walk_s": ("tree walk", "#D55E00", "o", "--"),
    "moments_s": ("moments of cells", "#0072B2", "s", ":"),
    "construction_s": ("tree construction", "#CC79A7", "D", "-."),
    "predict_s": ("prediction", "#009E73", "^", (0, (5, 1, 1, 1, 1, 1))),
    "correct_s": ("correction", "#E69F00", "v", (0, (5, 1, 1, 1, 1, 1, 1, 1))),
}


def draw(table: pd.DataFrame) -> Figure:
    """Draw the total, its stages and a line proportional to N from the table of `breakdown`."""
    figure, axes = plt.subplots(figsize=(4.8, 5.6))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    table = table.sort_values("particles")
    number = table["particles"]
    mark_powers(axes.xaxis, number)
    look = {"color": "black", "linewidth": 1.8, "marker": "h", "label": "total"}
    total = plot_with_spread(axes, table, "particles", TOTAL, **look)
    for column, (name, color, marker, line) in STAGES.items():
        look = {"color": color, "marker": marker, "markersize": 4, "linestyle": line}
        axes.plot(number, table[column], label=name, **look)
    mark_published(axes, table)
    limits = axes.get_ylim()
    proportional = (table[TOTAL] / number).min() * number
    axes.plot(number, proportional, color="0.5", linewidth=0.6, zorder=0, label=r"$\propto N$")
    axes.set(ylim=limits, xlabel=r"number of particles $N$", ylabel=CLOCKS["steps"].label)
    lines = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
    legend_above(figure, run_title(table), 2, [total, *lines])
    return figure


def mark_published(axes: Axes, table: pd.DataFrame) -> None:
    """Mark the published times whose number of particles the runs reach."""
    times = published_times(table)
    times = times[comparable(times, table["particles"].to_numpy())]
    for name, rows in times.groupby("hardware", sort=False):
        label = f"{name}, published, wall time"
        axes.plot(rows["particles"], rows["value"], label=label, **published_look(name))


def caption(table: pd.DataFrame) -> str:
    """Describe the figure and the conditions of its measurements."""
    last = table.loc[table["particles"].idxmax()]
    rate = last["interactions"] / (last["steps"] * last["walk_s"])
    median = "Stages are medians, too. " if table["repeats"].max() > 1 else ""
    memory = (
        ""
        if math.isnan(last["memory_bytes"])
        else f", {last['memory_bytes'] / last['particles']:.0f} bytes of device memory per particle"
    )
    return (
        "Time per step against the number of particles N: the whole step (black) and its "
        "stages, by the timers of the steps, averaged over all steps of a run, whether or not they "
        "build the tree anew; start-up and files are not included. Tree construction is keys, "
        "sorting, building of cells and packing of groups. "
        f"{last['step'].capitalize()} time steps, {setting_name(last)}. "
        "The thin line is proportional to N and touches the total where a particle takes the least "
        "time. "
        f"At the largest N a step takes {last[TOTAL]:.3g} s, "
        f"{last['active_fraction']:.2g} of the particles are active on average, the tree is built "
        f"anew in {last['rebuilds']:.0f} of {last['steps']:.0f} steps, and the walk sums "
        f"{rate:.2g} interactions per second{memory}. {median}"
        f"{sentence(published_times(table), 'wall times per step, files included')}"
        f"{conditions(table)}"
    )


def breakdown(runs: pd.DataFrame) -> pd.DataFrame:
    """Reduce repeats; add ``construction_s``, the stages that make the tree and the groups."""
    table = reduce_repeats(runs)
    return table.copy().assign(construction_s=table[CONSTRUCTION].sum(axis=1))


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of runs that differ in the number of particles."""
    runs = study.runs(where)
    same(runs, "particles")
    table = breakdown(runs)
    save(draw(table), table, caption(table), stem)


if __name__ == "__main__":
    of_study("breakdown_vs_particles", __doc__, make)
