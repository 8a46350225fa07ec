"""Time per step against force error (Miki & Umemura 2017, Figs. 3 and 4)."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from analysis.errors import DataError
from analysis.figures.clocks import CLOCKS
from analysis.figures.command import of_study
from analysis.figures.common import (
    LOOKS,
    MULTIPOLE_UNIT,
    conditions,
    legend_above,
    plot_with_spread,
    published_look,
    published_times,
    run_title,
    save,
)
from analysis.paper.criteria import CRITERIA, FIDUCIAL, STEP_MODES
from analysis.paper.published import sentence
from analysis.study.runs import select
from analysis.study.tables import Study, Where

PANELS = {"error_99": "99% error", "error_50": "median error"}
LINES = {"block": "-", "shared": ":"}
RING = {
    "linestyle": "none",
    "color": LOOKS[FIDUCIAL["criterion"]].color,
    "marker": "o",
    "markerfacecolor": "none",
}


def draw(table: pd.DataFrame, clock: str = "steps") -> Figure:
    """Draw both panels from the table of `analysis.study.runs.reduce_repeats`.

    Parameters
    ----------
    clock
        The time of a step, one of `analysis.figures.clocks.CLOCKS`.
    """
    figure, panels = plt.subplots(2, 1, figsize=(4.6, 7.6), sharey=True)
    for axes, (error, name) in zip(panels, PANELS.items(), strict=True):
        draw_panel(axes, table, error, CLOCKS[clock].column)
        axes.set_xlabel(
            rf"{name} of $|\mathbf{{a}}^\mathrm{{tree}} - \mathbf{{a}}^\mathrm{{direct}}|"
            r" \, / \, |\mathbf{a}^\mathrm{direct}|$"
        )
        axes.set_ylabel(CLOCKS[clock].label)
    legend_above(figure, run_title(table), 2, legend_handles(table))
    return figure


def draw_panel(axes: Axes, table: pd.DataFrame, error: str, measure: str) -> None:
    """Draw one line per criterion and step mode against the error of the named column."""
    axes.set(xscale="log", yscale="log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    for criterion in CRITERIA:
        for mode in STEP_MODES:
            rows = table[(table["criterion"] == criterion) & (table["step"] == mode)]
            if rows.empty:
                continue
            look = LOOKS[criterion]
            plot_with_spread(
                axes,
                rows.sort_values(error),
                error,
                measure,
                color=look.color,
                marker=look.marker,
                markerfacecolor=look.color if mode == "block" else "white",
                linestyle=LINES[mode],
                label=f"{criterion} {mode}",
            )
    mark = fiducial(table)
    axes.plot(mark[error], mark[measure], markersize=12, label="fiducial", **RING)
    for row in drawn_times(table).itertuples():
        look = published_look(row.hardware)
        axes.plot(mark[error], [row.value], label=f"{row.hardware}, published", **look)


def drawn_times(table: pd.DataFrame) -> pd.DataFrame:
    """Select the published times that are drawn: of as many particles, with the fiducial accuracy.

    They stand at the error of the fiducial run, so there are none without that run.
    """
    times = published_times(table)
    alike = times["particles"] == table["particles"].iloc[0]
    alike &= times["accuracy"].astype(float) == FIDUCIAL["accuracy"]
    return times[alike & (not fiducial(table).empty)]


def fiducial(table: pd.DataFrame) -> pd.DataFrame:
    """Select the fiducial run: block steps, acceleration MAC, 2^-7 (no row if it was not made)."""
    return select(table, step="block", **FIDUCIAL)


def legend_handles(table: pd.DataFrame) -> list[Line2D]:
    """Explain colours, line styles and the ring, for what the table holds."""
    handles = [
        Line2D([], [], color=look.color, marker=look.marker, label=look.name)
        for criterion, look in LOOKS.items()
        if (table["criterion"] == criterion).any()
    ]
    handles += [
        Line2D([], [], color="0.4", linestyle=LINES[mode], label=f"{mode} time step")
        for mode in STEP_MODES
        if (table["step"] == mode).any()
    ]
    if not fiducial(table).empty:
        label = rf"fiducial, ${LOOKS['acceleration'].symbol} = 2^{{-7}}$"
        handles.append(Line2D([], [], markersize=10, label=label, **RING))
    handles += [
        Line2D([], [], label=f"{name}, published, wall time", **published_look(name))
        for name in drawn_times(table)["hardware"]
    ]
    return handles


def caption(table: pd.DataFrame, clock: str = "steps") -> str:
    """Describe the figure and the conditions of its measurements."""
    sweeps = "; ".join(
        f"{LOOKS[criterion].name} {swept(rows, criterion)}"
        for criterion, rows in table.groupby("criterion")
    )
    least, most = table["simulated_time"].min(), table["simulated_time"].max()
    times = "Runs of as many steps span different simulated times. " if most > 1.01 * least else ""
    return (
        "Time per step against the 99 % (upper panel) and median (lower panel) relative "
        "error of the acceleration in the initial state, measured against direct summation for "
        f"{int(table['compared'].iloc[0])} particles. Solid lines with filled symbols are block "
        f"time steps, dotted lines with open symbols shared ones. {CLOCKS[clock].words} "
        f"{times}The ring marks the fiducial run. Accuracy parameters from right to left: "
        f"{sweeps}. {MULTIPOLE_UNIT}{published_sentence(table)}{conditions(table)}"
    )


def published_sentence(table: pd.DataFrame) -> str:
    """Tell the published times of the model and which of them are drawn."""
    drawn = drawn_times(table)
    symbols = (
        "Grey symbols are those of as many particles with 2^-7. Their errors are not published: "
        "they stand at the errors that this accuracy has here. "
    )
    what = (
        "wall times per step, files included, with block steps, and with 2^-7 where the accuracy "
        "is told"
    )
    return sentence(published_times(table), what) + ("" if drawn.empty else symbols)


def swept(rows: pd.DataFrame, criterion: str) -> str:
    """Tell the range of the accuracies of a criterion, or of the errors that were asked for."""
    asked = rows.get("force_error", pd.Series(dtype=float))
    asked = asked[asked > 0]
    told = [] if asked.empty else [f"found for errors of {asked.max():g} to {asked.min():g}"]
    given = rows.loc[rows["accuracy"] > 0, "accuracy"]
    return " and ".join([*([] if given.empty else [accuracies(given, criterion)]), *told])


def accuracies(accuracy: pd.Series, criterion: str) -> str:
    """Tell the range of the accuracies of a criterion."""
    ends = accuracy.max(), accuracy.min()
    if criterion == "opening":
        return f"{ends[0]:g} to {ends[1]:g}"
    return f"2^{math.log2(ends[0]):.0f} to 2^{math.log2(ends[1]):.0f}"


def make(study: Study, where: Where, stem: Path, clock: str = "steps") -> None:
    """Draw the figure of a sweep with one of the times in `analysis.figures.clocks.CLOCKS`."""
    table = study.sweep(where).dropna(subset=["error_99"])
    if table.empty:
        raise DataError("no run has force errors; add reference: {} to the study")
    save(draw(table, clock), table, caption(table, clock), stem)


if __name__ == "__main__":
    of_study("elapsed_vs_error", __doc__, make)
