"""Time of the walk against the number of active particles (Miki & Umemura 2017, Fig. 7)."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.benches import automatic_sharing, facts_sentence, knee, on_gpu
from analysis.figures.common import model_name, power_of_two, save
from analysis.study import Study, Where

# From the largest groups to the smallest, mostly colours of Okabe & Ito (2008).
LINES = (
    ("#000000", "--"),
    ("#D55E00", "-"),
    ("#0072B2", ":"),
    ("#CC79A7", "-."),
    ("#009E73", (0, (5, 1, 1, 1, 1, 1, 1, 1))),
    ("#8C510A", "-"),
    ("#E69F00", "--"),
    ("#56B4E9", ":"),
)
PUBLISHED_KNEE = 1e4  # times 1 / S
GOAL = 1.05
STEEP = 3.0  # ratio beyond which its axis is logarithmic


def draw(table: pd.DataFrame) -> Figure:
    """Draw the times of all group sizes, and below what the automatic choice loses."""
    figure, (upper, lower) = plt.subplots(
        2, 1, figsize=(4.8, 6.0), sharex=True, gridspec_kw={"height_ratios": [3, 1]}
    )
    upper.set_xscale("log")
    upper.set_yscale("log")
    sizes = sorted(table["group_size"].unique(), reverse=True)
    lines = {size: LINES[n % len(LINES)] for n, size in enumerate(sizes)}
    for size in sizes:
        draw_size(upper, table[table["group_size"] == size], *lines[size])
    auto = automatic_sharing(table)
    upper.plot(
        auto["active"],
        auto["seconds"],
        linestyle="none",
        marker="o",
        markersize=6,
        markerfacecolor="none",
        markeredgecolor="black",
        label="automatic",
    )
    upper.set_ylabel("time of the walk [s]")
    upper.legend(ncols=2, fontsize=7)
    draw_ratio(lower, auto)
    lower.set_xlabel(r"number of active particles $N_i$")
    return figure


def draw_size(axes: Axes, table: pd.DataFrame, color: str, style: object) -> None:
    """Draw the line of one group size, the thin one at equal accuracy, and the published knee."""
    given = table[table["choice"] == "given"].sort_values("active")
    equal = table[table["choice"] == "equal"].sort_values("active")
    if given.empty:
        return
    lanes, size = given["lanes_sharing"].iloc[0], given["group_size"].iloc[0]
    spread = [given["seconds"] - given["seconds_min"], given["seconds_max"] - given["seconds"]]
    axes.errorbar(
        given["active"],
        given["seconds"],
        yerr=spread,
        color=color,
        linestyle=style,
        elinewidth=0.6,
        capsize=0,
        label=f"$S = {lanes}$, groups of {size}",
    )
    axes.plot(equal["active"], equal["seconds"], color=color, linestyle=style, linewidth=0.6)
    if on_gpu(table):
        place = {"transform": axes.get_xaxis_transform(), "color": color, "markersize": 5}
        axes.plot([PUBLISHED_KNEE / lanes], [0.02], marker="^", clip_on=False, **place)


def draw_ratio(axes: Axes, auto: pd.DataFrame) -> None:
    """Draw the time of the automatic choice over that of the best."""
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    axes.axhline(GOAL, color="0.6", linewidth=0.8, linestyle=":", zorder=0)
    axes.plot(auto["active"], auto["ratio"], color="black", marker="o", markerfacecolor="white")
    if auto["ratio"].max() > STEEP:
        axes.set_yscale("log")
    axes.set_ylim(min(0.95, auto["ratio"].min() / 1.02), max(1.1, auto["ratio"].max() * 1.02))
    axes.set_ylabel("automatic / best")


def knees(table: pd.DataFrame) -> pd.DataFrame:
    """Find the knee of every group size: ``group_size``, ``lanes_sharing``, ``knee``."""
    given = table[table["choice"] == "given"]
    rows = []
    for size, rows_of_size in given.groupby("group_size", sort=True):
        active, seconds = (rows_of_size[name].to_numpy(float) for name in ("active", "seconds"))
        if len(active) > 2:
            lanes = rows_of_size["lanes_sharing"].iloc[0]
            found = {"group_size": size, "lanes_sharing": lanes, "knee": knee(active, seconds)}
            rows.append(found)
    return pd.DataFrame(rows, columns=["group_size", "lanes_sharing", "knee"])


def knee_sentence(table: pd.DataFrame) -> str:
    """Tell where the times begin to grow with the number of active particles."""
    words = []
    for row in knees(table).sort_values("group_size", ascending=False).itertuples():
        where = f"{row.knee:.2g}" if row.knee > 0 else "below the smallest number"
        where = "beyond the largest number" if math.isnan(row.knee) else where
        words.append(f"{where} (S = {row.lanes_sharing}, groups of {row.group_size})")
    found = "The slope d ln t / d ln N_i passes 1/2 at " + "; ".join(words) + ". "
    if on_gpu(table):
        return (
            f"{found}Triangles at the lower edge mark 10^4 / S, the published knee of GPUs with "
            "about 20 multiprocessors. "
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
        f"particles. {facts_sentence(table)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of a table of gothic bench sharing."""
    table = study.bench("sharing", where)
    save(draw(table), table, caption(table), stem)
