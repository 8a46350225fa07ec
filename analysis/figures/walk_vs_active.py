"""Time of the walk against the number of active particles (Miki & Umemura 2017, Fig. 7)."""

from __future__ import annotations

import math
from itertools import cycle
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.command import of_study
from analysis.figures.common import (
    bench_made_by,
    bench_title,
    legend_above,
    model_name,
    plot_with_spread,
    power_of_two,
    save,
)
from analysis.reading.bench_tables import automatic_sharing, knee, on_gpu
from analysis.study.tables import Study, Where

# Colour, line and marker of groups, the largest groups first; mostly colours of Okabe & Ito (2008).
LINES = (
    ("#000000", "--", "s"),
    ("#D55E00", "-", "^"),
    ("#0072B2", ":", "D"),
    ("#CC79A7", "-.", "v"),
    ("#009E73", (0, (5, 1, 1, 1, 1, 1, 1, 1)), "P"),
    ("#8C510A", "-", "X"),
    ("#E69F00", "--", "<"),
    ("#56B4E9", ":", ">"),
)
PUBLISHED_KNEE = 1e4  # times 1 / S
GOAL = 1.05
STEEP = 3.0  # ratio beyond which its axis is logarithmic


def draw(table: pd.DataFrame) -> Figure:
    """Draw the times of all group sizes, and below what the automatic choice loses."""
    figure, (upper, lower) = plt.subplots(
        2, 1, figsize=(4.8, 6.6), sharex=True, gridspec_kw={"height_ratios": [3, 1]}
    )
    upper.set(xscale="log", yscale="log", ylabel="time of the walk [s]")
    sizes = sorted(table["group_size"].unique(), reverse=True)
    for size, look in zip(sizes, cycle(LINES), strict=False):
        draw_size(upper, table[table["group_size"] == size], *look)
    auto = automatic_sharing(table)
    ring = {"marker": "o", "markersize": 8, "markerfacecolor": "none"}
    upper.plot(auto["active"], auto["seconds"], "k", linestyle="none", label="automatic", **ring)
    upper.set_ylim(bottom=upper.get_ylim()[0] / 2)
    title = bench_title(table, int(table["active"].max()))
    legend_above(figure, title, 2, upper.get_legend_handles_labels()[0], 7)
    draw_ratio(lower, auto)
    lower.set_xlabel(r"number of active particles $N_i$")
    return figure


def draw_size(axes: Axes, table: pd.DataFrame, color: str, style: object, marker: str) -> None:
    """Draw the line of one group size, the thin one at equal accuracy, and the published knee."""
    given = table[table["choice"] == "given"].sort_values("active")
    equal = table[table["choice"] == "equal"].sort_values("active")
    if given.empty:
        return
    lanes, size = given["lanes_sharing"].iloc[0], given["group_size"].iloc[0]
    look = {"color": color, "linestyle": style}
    bars = {"elinewidth": 0.6, "capsize": 0, "label": f"$S = {lanes}$, groups of {size}"}
    bars |= {"marker": marker, "markersize": 3, "linewidth": 1.0}
    plot_with_spread(axes, given, "active", "seconds", ("min", "max"), **bars, **look)
    axes.plot(equal["active"], equal["seconds"], linewidth=0.6, **look)
    if on_gpu(table):
        place = {"transform": axes.get_xaxis_transform(), "color": color, "markersize": 5}
        axes.plot([PUBLISHED_KNEE / lanes], [0.02], marker="^", clip_on=False, **place)
        look = {"ha": "center", "va": "bottom", "fontsize": 6, "color": color}
        place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        axes.annotate(f"{lanes}", (PUBLISHED_KNEE / lanes, 0.02), (0, 4), **place, **look)


def draw_ratio(axes: Axes, auto: pd.DataFrame) -> None:
    """Draw the time of the automatic choice over the time of the best."""
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    axes.axhline(GOAL, color="0.6", linewidth=0.8, linestyle=":", zorder=0)
    axes.plot(auto["active"], auto["ratio"], color="black", marker="o", markerfacecolor="white")
    if auto["ratio"].max() > STEEP:
        axes.set_yscale("log")
    axes.set_ylim(min(0.95, auto["ratio"].min() / 1.02), max(1.1, auto["ratio"].max() * 1.02))
    axes.set_ylabel("automatic / best")


def knee_sentence(table: pd.DataFrame) -> str:
    """Tell where the times begin to grow with the number of active particles."""
    words = []
    given = table[table["choice"] == "given"]
    for (size, lanes), rows in reversed([*given.groupby(["group_size", "lanes_sharing"])]):
        if len(rows) < 3:
            continue
        active = knee(rows["active"].to_numpy(float), rows["seconds"].to_numpy())
        where = f"{active:.2g}" if active > 0 else "below the smallest number"
        where = "beyond the largest number" if math.isnan(active) else where
        words.append(f"{where} (S = {lanes}, groups of {size})")
    found = "The slope d ln t / d ln N_i passes 1/2 at " + "; ".join(words) + ". "
    if on_gpu(table):
        return (
            f"{found}Triangles at the lower edge, with S above, mark 10^4 / S, the published knee "
            "of GPUs with about 20 multiprocessors. "
        )
    return f"{found}The published knee of GPUs, 10^4 / S, is not expected on a CPU. "


def caption(table: pd.DataFrame) -> str:
    """Describe the figure and the conditions of its measurements."""
    auto = automatic_sharing(table)
    scan = (
        "whose walk is as accurate as with full groups because the other particles of a full group "
        "count in their bounds (thin lines)"
        if (table["choice"] == "equal").any()
        else "of the scan, whose smaller groups are less exact"
    )
    return (
        "Time of the walk against the number of active particles, those with the largest "
        "accelerations; medians, bars span the fastest and the slowest. Each line is a size of the "
        "groups that walk together, S the lanes that share a particle. Smaller groups are also "
        "tighter, hence their forces less exact. Rings are what the program chooses by itself; "
        f"below, its time over that of the best size {scan}: median {auto['ratio'].median():.3f}, "
        f"largest {auto['ratio'].max():.3f}; the dotted line is {GOAL}. {knee_sentence(table)}"
        f"{model_name(table['model'].iloc[0])}, N = {power_of_two(int(table['active'].max()))} "
        f"particles. {bench_made_by(table)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of a table of gothic bench sharing."""
    table = study.bench("sharing", where)
    save(draw(table), table, caption(table), stem)


if __name__ == "__main__":
    of_study("walk_vs_active", __doc__, make)
