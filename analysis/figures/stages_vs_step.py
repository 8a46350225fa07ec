"""Time of each function against the step (Miki & Umemura 2017, Fig. 6)."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.command import of_study
from analysis.figures.common import (
    FILLS,
    conditions,
    filled,
    legend_above,
    published_times,
    run_title,
    save,
    setting_name,
)
from analysis.paper.published import comparable, published, sentence, size
from analysis.study.step_table import SEQUENCES
from analysis.study.tables import Study, Where

# Name, colour of Okabe & Ito (2008), marker, line.
STAGES = {
    "build_s": ("tree construction", "#CC79A7", "p", "none"),
    "order_s": ("keys and sort", "#0072B2", "s", "none"),
    "moments_s": ("moments of cells", "#000000", "x", "none"),
    "groups_s": ("packing of groups", "#56B4E9", "D", "none"),
    "predict_s": ("prediction", "#009E73", "+", "none"),
    "correct_s": ("correction", "#E69F00", "^", "-"),
}
PUBLISHED = (
    "walk_fast_least",
    "walk_fast_most",
    "walk_intermediate_least",
    "walk_intermediate_most",
    "walk_slow",
    "slow_steps",
    "moments",
    "predict",
)
WALK = "#D55E00"


def stages(steps: pd.DataFrame) -> pd.DataFrame:
    """Add ``order_s``, the keys and the sort, to a table of `analysis.study.step_table`."""
    return steps.assign(order_s=steps["keys_s"] + steps["sort_s"])


def draw(table: pd.DataFrame) -> Figure:
    """Draw every stage where it was run, the walk by the kind of step, and marks of new trees."""
    figure, axes = plt.subplots(figsize=(7.2, 5.0))
    axes.set_yscale("log")
    draw_walk(axes, table)
    look = {"markersize": 3.5, "linewidth": 0.7, "markerfacecolor": "none"}
    for column, (name, color, marker, line) in STAGES.items():
        rows = table[table[column] > 0]
        look |= {"color": color, "marker": marker, "linestyle": line, "label": name}
        axes.plot(rows["number"], rows[column], **look)
    rebuilt = table.loc[table["rebuilt"] > 0, "number"]
    axes.plot(
        rebuilt,
        [1.0] * len(rebuilt),
        color="0.3",
        marker="v",
        markersize=3.5,
        linestyle="none",
        clip_on=False,
        transform=axes.get_xaxis_transform(),
        label="tree built anew",
    )
    axes.set_xlim(table["number"].min() - 1, table["number"].max() + 1)
    axes.set(xlabel="step", ylabel="time by the timers [s]")
    legend_above(figure, run_title(table), 4, axes.get_legend_handles_labels()[0])
    return figure


def draw_walk(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the time of the walk; circles tell fast, intermediate and slow steps apart."""
    axes.plot(table["number"], table["walk_s"], color=WALK, linewidth=0.7, zorder=1)
    for name in (name for name in FILLS if (table["sequence"] == name).any()):
        rows = table[table["sequence"] == name]
        label = f"walk of {name} steps"
        axes.plot(rows["number"], rows["walk_s"], label=label, **filled(name, WALK))


def ranges(table: pd.DataFrame) -> str:
    """Say how many steps each sequence has, their active particles and walk times."""
    found = {name: table[table["sequence"] == name] for name in SEQUENCES}
    return ", ".join(
        f"{len(rows)} {name} ones with {rows['active'].min()} to {rows['active'].max()} active "
        f"particles and {rows['walk_s'].min():.2g} to {rows['walk_s'].max():.2g} s of walking"
        for name, rows in found.items()
        if len(rows)
    )


def beside(table: pd.DataFrame) -> str:
    """Say what was published of such a run."""
    model = table["model"].iloc[0]
    mean = published("trace_elapsed_per_step", model)
    if mean.empty:
        return ""
    values = {name: published(f"trace_{name}", model)["value"].iloc[0] for name in PUBLISHED}
    interval = published("rebuild_interval", model)["value"].iloc[0]
    other = "" if comparable(mean, table["particles"].iloc[0]).all() else ", which is another size"
    row = mean.iloc[0]
    return (
        f"Published by {row['source']} for {row['hardware']} and {size(row['particles'])} "
        f"particles{other}: {row['value']:g} s per step on average, "
        f"{values['slow_steps']:g} slow steps of about {values['walk_slow']:g} s, intermediate "
        f"ones of {values['walk_intermediate_least']:g} to "
        f"{values['walk_intermediate_most']:g} s and fast ones of "
        f"{values['walk_fast_least']:g} to {values['walk_fast_most']:g} s, moments "
        f"{values['moments']:g} s, prediction {values['predict']:g} s, a new tree every "
        f"{interval:g} steps. "
    )


def caption(table: pd.DataFrame) -> str:
    """Describe the figure and the conditions of its measurements."""
    first = table.iloc[0]
    rebuilds = int((table["rebuilt"] > 0).sum())
    levels = int(table["level_max"].max() - table["level_min"].min() + 1)
    elapsed = sentence(published_times(table), "wall times per step, files included")
    return (
        f"Time of each function in the first {len(table)} steps of a run, by the timers of "
        f"the steps. {first['step'].capitalize()} time steps of {levels} levels, "
        f"{setting_name(first)}. Stages "
        "that a step did without are not drawn. Circles are open, half filled and filled for the "
        "walks of fast, intermediate and slow steps, told apart by their number of active "
        "particles: in its order they are divided at the two gaps, of those where "
        "neighbours differ at least by a factor of 2, that leave the least scatter of its "
        "logarithm within the parts. "
        f"There are {ranges(table)}. Triangles mark the {rebuilds} steps that built "
        f"the tree anew, one in {len(table) / max(rebuilds, 1):.1f}. The mean step takes "
        f"{table['total_s'].mean():.3g} s. {beside(table)}{elapsed}{conditions(table)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of a run."""
    table = stages(study.steps(where))
    save(draw(table), table, caption(table), stem)


if __name__ == "__main__":
    of_study("stages_vs_step", __doc__, make)
