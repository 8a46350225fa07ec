"""Elapsed time per step against the number of particles (Miki & Umemura 2017, Fig. 8)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from analysis.figures.common import LOOKS, conditions, plot_with_spread, save
from analysis.published import comparable, published, sentence
from analysis.runs import reduce_repeats
from analysis.study import Study, Where, same

CONSTRUCTION = ("keys_s", "sort_s", "build_s", "groups_s")


@dataclass(frozen=True)
class Line:
    """How a stage is drawn: colours of Okabe & Ito (2008), told apart in grey by the marker."""

    name: str
    color: str
    marker: str
    style: str


STAGES = {
    "walk_s": Line("tree walk", "#D55E00", "o", "--"),
    "moments_s": Line("moments of cells", "#0072B2", "s", ":"),
    "construction_s": Line("tree construction", "#CC79A7", "D", "-."),
    "predict_s": Line("prediction", "#009E73", "^", (0, (5, 1, 1, 1, 1, 1))),
    "correct_s": Line("correction", "#E69F00", "v", (0, (5, 1, 1, 1, 1, 1, 1, 1))),
}


def draw(table: pd.DataFrame) -> Figure:
    """Draw the total and its stages from the table of `breakdown`."""
    figure, axes = plt.subplots(figsize=(4.6, 4.6))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    table = table.sort_values("particles")
    plot_with_spread(
        axes, table, "particles", "stages_per_step_s", color="black", linewidth=1.8, label="total"
    )
    for column, line in STAGES.items():
        axes.plot(
            table["particles"],
            table[column],
            color=line.color,
            marker=line.marker,
            markersize=4,
            linestyle=line.style,
            label=line.name,
        )
    mark_published(axes, table)
    draw_guide(axes, table)
    exponents = (math.log2(table["particles"].max()) - math.log2(table["particles"].min())) / 8
    axes.xaxis.set_major_locator(LogLocator(base=2.0 ** max(1, math.ceil(exponents))))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"$2^{{{math.log2(x):.3g}}}$"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(r"number of particles $N$")
    axes.set_ylabel("elapsed time per step [s]")
    handles, labels = axes.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda n: labels[n] != "total")
    axes.legend([handles[n] for n in order], [labels[n] for n in order])
    return figure


def published_times(table: pd.DataFrame) -> pd.DataFrame:
    """Select the published elapsed times per step of the model."""
    return published("elapsed_per_step", table["model"].iloc[0])


def mark_published(axes: Axes, table: pd.DataFrame) -> None:
    """Mark the published times whose number of particles the runs reach."""
    times = published_times(table)
    times = times[comparable(times, table["particles"].to_numpy())]
    for (hardware, rows), marker in zip(
        times.groupby("hardware", sort=False), ("*", "P", "X", "p"), strict=False
    ):
        axes.plot(
            rows["particles"],
            rows["value"],
            color="0.45",
            marker=marker,
            markersize=6,
            linestyle="none",
            label=f"{hardware}, published",
        )


def draw_guide(axes: Axes, table: pd.DataFrame) -> None:
    """Draw a line proportional to N through the total of the largest run, within the limits."""
    limits = axes.get_ylim()
    last = table.iloc[-1]
    proportional = last["stages_per_step_s"] * table["particles"] / last["particles"]
    axes.plot(
        table["particles"], proportional, color="0.5", linewidth=0.6, zorder=0, label=r"$\propto N$"
    )
    axes.set_ylim(limits)


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
        "Elapsed time per step against the number of particles N: the whole step (black) and its "
        "stages, by the timers of the steps, averaged over all steps of a run, whether or not they "
        "build the tree anew; start-up and files are not included. Tree construction is keys, "
        "sorting, building of cells and packing of groups. "
        f"{last['step'].capitalize()} time steps, {LOOKS[last['criterion']].name} with "
        f"2^{math.log2(last['accuracy']):.0f}. The thin line is proportional to N. "
        f"At the largest N a step takes {last['stages_per_step_s']:.3g} s, "
        f"{last['active_fraction']:.2g} of the particles are active on average, the tree is built "
        f"anew in {last['rebuilds']:.0f} of {last['steps']:.0f} steps, and the walk sums "
        f"{rate:.2g} interactions per second{memory}. {median}"
        f"{sentence(published_times(table), 'elapsed time per step, files included')}"
        f"{conditions(table)}"
    )


def breakdown(runs: pd.DataFrame) -> pd.DataFrame:
    """Reduce repeats; add ``construction_s``, the stages that make the tree and the groups."""
    table = reduce_repeats(runs)
    construction = table[list(CONSTRUCTION)].sum(axis=1)
    return table.copy().assign(construction_s=construction)


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of runs that differ in the number of particles."""
    runs = study.runs(where)
    same(runs, ("particles",))
    table = breakdown(runs)
    save(draw(table), table, caption(table), stem)
