"""Speed-up of block over shared steps against accuracy (Miki & Umemura 2017, Fig. 5).

Usage: python -m analysis.figures.speedup --timings T.csv --stem STEM
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.cli import main
from analysis.figures.common import (
    LOOKS,
    MULTIPOLE_UNIT,
    conditions,
    plot_with_spread,
    save,
    select,
    use_style,
)
from analysis.sweep import FIDUCIAL
from analysis.tables import speed_up

QUANTITIES = {"per_step": "per step", "per_time": "per simulated time"}
PANELS = (("acceleration", "multipole"), ("opening",))


def draw(table: pd.DataFrame) -> Figure:
    """Draw the four panels from the table of `analysis.tables.speed_up`."""
    figure, panels = plt.subplots(
        2,
        2,
        figsize=(7.2, 5.6),
        sharex="col",
        sharey=True,
        gridspec_kw={"width_ratios": [3, 2]},
    )
    for row, (quantity, name) in zip(panels, QUANTITIES.items(), strict=True):
        for axes, criteria in zip(row, PANELS, strict=True):
            draw_panel(axes, table, quantity, criteria)
        row[0].set_ylabel(f"speed-up {name}")
    for axes, criteria in zip(panels[-1], PANELS, strict=True):
        axes.set_xlabel(f"${', '.join(LOOKS[criterion].symbol for criterion in criteria)}$")
    panels[0, 0].set_xscale("log", base=2)
    highest = table[[f"{quantity}_max" for quantity in QUANTITIES]].to_numpy().max()
    panels[0, 0].set_ylim(0.0, 1.15 * max(highest, 1.0))
    figure.legend(handles=legend_handles(table), loc="outside upper center", ncols=3)
    return figure


def draw_panel(axes: Axes, table: pd.DataFrame, quantity: str, criteria: tuple[str, ...]) -> None:
    """Draw one line per criterion through the named column, and the level of no gain."""
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0, label="no gain")
    for criterion in criteria:
        rows = table[table["criterion"] == criterion].sort_values("accuracy")
        if rows.empty:
            continue
        look = LOOKS[criterion]
        plot_with_spread(
            axes, rows, "accuracy", quantity, color=look.color, marker=look.marker, label=criterion
        )


def legend_handles(table: pd.DataFrame) -> list[Line2D]:
    """Explain the colours and markers of the criteria that the table holds."""
    return [
        Line2D([], [], color=look.color, marker=look.marker, label=look.name)
        for criterion, look in LOOKS.items()
        if (table["criterion"] == criterion).any()
    ]


def caption(table: pd.DataFrame) -> str:
    """Describe the figure, define its quantities and tell the conditions of the measurements."""
    ratio = (table["simulated_time_block"] / table["simulated_time_shared"]).median()
    return (
        "Speed-up of block over shared time steps against the accuracy parameter; acceleration and "
        "multipole MAC left, opening angle right. Upper panels: elapsed time per step with shared "
        "steps over that with block steps, where elapsed time is the wall time of the whole run, "
        "start-up, files and tuning included. Lower panels: the same ratio of elapsed time per "
        "unit of simulated time, that is, wall time over the time by which the run advanced the "
        "system. The grey line marks no gain. At equal step count the block runs "
        f"advanced it {ratio:.3g} times as far (median). {fiducial_sentence(table)}"
        f"{MULTIPOLE_UNIT}{conditions(table)}"
    )


def fiducial_sentence(table: pd.DataFrame) -> str:
    """Tell the speed-ups of the fiducial setting in numbers, or nothing if it was not run."""
    rows = select(table, FIDUCIAL)
    if rows.empty:
        return ""
    row = rows.iloc[0]
    return (
        f"At the fiducial accuracy, acceleration MAC with 2^-7, it is {row['per_step']:.2f} per "
        f"step ({row['per_step_stages']:.2f} by the timers of the steps alone, without start-up "
        f"and files) and {row['per_time']:.2f} per unit of simulated time. "
    )


def run() -> None:
    """Draw the figure from the table of timings."""
    parser = argparse.ArgumentParser(prog="python -m analysis.figures.speedup", description=__doc__)
    parser.add_argument("--timings", type=Path, required=True, help="table of analysis.tables")
    parser.add_argument("--stem", type=Path, required=True, help="output path without suffix")
    given = parser.parse_args()
    use_style()
    table = speed_up(pd.read_csv(given.timings))
    save(draw(table), table, caption(table), given.stem)


if __name__ == "__main__":
    main(run)
