"""Tree against direct summation by the number of particles (Miki & Umemura 2017, discussion)."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.command import of_study
from analysis.figures.common import (
    legend_above,
    made_by,
    mark_powers,
    model_name,
    plot_with_spread,
    save,
)
from analysis.paper.published import published
from analysis.reading.bench_tables import crossing
from analysis.study.tables import Study, Where

# Name, colour of Okabe & Ito (2008), marker, its size, line.
LINES = {
    "tree_seconds": ("tree: keys to walk", "#D55E00", "o", 5, "-"),
    "walk_seconds": ("groups, moments and walk", "#E69F00", "^", 3.5, "--"),
    "sort_seconds": ("keys, sort and construction", "#0072B2", "s", 3.5, ":"),
    "direct_seconds": ("direct summation", "#000000", "D", 5, "-"),
}


def draw(table: pd.DataFrame) -> Figure:
    """Draw the times against the number of particles, with ours and the published crossing."""
    figure, axes = plt.subplots(figsize=(4.8, 5.2))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    mark_powers(axes.xaxis, table["particles"])
    for column, (name, color, marker, size, line) in LINES.items():
        look = {"color": color, "marker": marker, "markersize": size, "linestyle": line}
        plot_with_spread(axes, table, "particles", column, ("min", "max"), label=name, **look)
    ours, others = crossing(table), published("crossover")["value"].iloc[0]
    if not math.isnan(ours):
        axes.axvline(ours, color="#D55E00", linewidth=0.8, label=f"equal at {ours:.0f}")
    axes.axvline(others, color="0.5", linestyle="-.", linewidth=0.9, label="published, ~$10^4$")
    axes.set_xlabel(r"number of particles $N$")
    axes.set_ylabel("elapsed time of a force on all particles [s]")
    first = table.iloc[0]
    title = f"{model_name(first['model'])}, {first['device_name']}; medians, bars: the extremes"
    legend_above(figure, title, 2, axes.get_legend_handles_labels()[0])
    return figure


def caption(table: pd.DataFrame) -> str:
    """Describe the figure and the conditions of its measurements."""
    first, last = table.iloc[0], table.iloc[-1]
    ours = crossing(table)
    low, high = table["particles"].min(), table["particles"].max()
    found = (
        f"Neither overtakes the other between {low} and {high} particles: at the largest number "
        f"the ratio of direct summation to the tree is {last['direct_over_tree']:.3g}."
        if math.isnan(ours)
        else f"They take equally long at {ours:.3g} particles, by interpolation. At {high} the "
        f"tree is {last['direct_over_tree']:.3g} times as fast."
    )
    other = published("crossover").iloc[0]
    direct = ", ".join(
        f"{row.value:g} s for {row.particles:.0f}"
        for row in published("direct_seconds").itertuples()
    )
    return (
        "Elapsed time of the acceleration and potential of all particles, from unsorted positions: "
        "with the tree (keys, sort, construction, groups, moments, walk) and by direct summation "
        f"of all pairs with the same reciprocal square root ({first['root']}), in one run in turn; "
        "symbols are medians, bars span the fastest and the slowest. "
        f"{model_name(first['model'])}, acceleration MAC with 2^-7. {found} "
        f"Published by {other['source']}: about {other['value']:g} on {other['hardware']}; "
        f"direct summation on M2090 took {direct} particles. {made_by(first)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of a table of gothic bench crossover."""
    table = study.bench("crossover", where).sort_values("particles", ignore_index=True)
    save(draw(table), table, caption(table), stem)


if __name__ == "__main__":
    of_study("crossover", __doc__, make)
