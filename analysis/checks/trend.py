"""Figure and table of a history."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.checks.history import (
    LEAST_STEP,
    SHORT_BOUND,
    SHORT_STAGES,
    Entry,
    Judged,
    Quantity,
    in_words,
    judge_all,
    name_of,
    percent,
    series_of,
)
from analysis.checks.verdict import THRESHOLD
from analysis.figures.common import COLORS, save, use_style

MOST_LABELS = 40
AT_ACCURACY = re.compile(r"\w+ 2\^\d+, 2\^-\d+")  # as record.points names forces
LOOKS = tuple(product("-:", zip("osD^v<", COLORS, strict=True)))


def at_accuracy(quantity: Quantity) -> bool:
    """Whether a quantity is of a force at a fixed accuracy."""
    return bool(AT_ACCURACY.fullmatch(quantity.problem))


PANELS: dict[str, Callable[[Quantity], bool]] = {
    "time of a step": lambda one: one.stage == "step",
    "time of the walk": lambda one: one.stage == "walk",
    "time of a process": lambda one: one.stage == "process" and not at_accuracy(one),
    "time at accuracy": lambda one: one.stage in ("process", "force") and at_accuracy(one),
    "99 % error": lambda one: one.stage == "error_99" and at_accuracy(one),
    "pairs": lambda one: one.stage == "pairs",
}


def table_of(judged: Sequence[Judged], series: Sequence[Entry]) -> pd.DataFrame:
    """Tabulate all ratios to the anchor, one row for each quantity and entry."""
    rows = [
        {
            "revision": series[place]["revision"],
            "committed": series[place]["committed"],
            "recorded": series[place]["recorded"],
            "problem": one.quantity.problem,
            "stage": one.quantity.stage,
            "ratio": np.exp(log),
            "deviation": error,
            "step": any(place == begin for begin, _ in one.large_steps),
        }
        for one in judged
        for place, log, error in zip(
            one.quantity.places, one.quantity.logs, one.quantity.errors, strict=True
        )
    ]
    return pd.DataFrame(rows)


def readable(judged: Sequence[Judged], series: Sequence[Entry]) -> pd.DataFrame:
    """Write the present level of each quantity, and the steps to it, as readers see them."""
    return pd.DataFrame(
        {
            "problem": one.quantity.problem,
            "stage": one.quantity.stage,
            "over the anchor": f"{np.exp(one.level):.3f}",
            "best": f"{np.exp(one.best):.3f}",
            "lost": percent(one.drift),
            "from": percent(one.drift - one.half),
            "to": percent(one.drift + one.half),
            "steps": in_words(one.large_steps, series),
            "verdict": "drifted" if one.drifted else "",
        }
        for one in judged
    )


def draw_panel(axes: Axes, judged: Sequence[Judged], heading: str) -> None:
    """Draw some quantities over the places of their entries, their steps as vertical lines."""
    for one, (dash, (marker, color)) in zip(judged, cycle(LOOKS), strict=False):
        found = one.quantity
        label = found.problem
        ratio = np.exp(found.logs)
        look = {"marker": marker, "color": color, "linestyle": dash, "markersize": 3}
        axes.errorbar(
            found.places, ratio, yerr=ratio * found.errors, label=label, linewidth=0.8, **look
        )
        for place, _ in one.large_steps:
            axes.axvline(place - 0.5, color="0.6", linewidth=0.8, linestyle="--", zorder=1)
    axes.axhspan(1 - THRESHOLD, 1 + THRESHOLD, color="0.93", zorder=0)
    axes.set_ylabel(f"{heading}\n/ anchor", fontsize=8)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.03), fontsize=6, handlelength=2)


def draw(judged: Sequence[Judged], series: Sequence[Entry]) -> Figure:
    """Draw a series, a panel for each kind of quantity."""
    figure, panels = plt.subplots(len(PANELS), 1, figsize=(7.1, 9.4), sharex=True)
    for axes, (heading, shown) in zip(panels, PANELS.items(), strict=True):
        draw_panel(axes, [one for one in judged if shown(one.quantity)], heading)
    every = -(-len(series) // MOST_LABELS)
    places = range(0, len(series), every)
    names = [name_of(series[place])[:7] for place in places]
    panels[-1].set_xticks(places, names, rotation=90, fontsize=6)
    panels[-1].set_xlabel("revision, in the order of commits")
    return figure


def caption(series: Sequence[Entry]) -> str:
    """Say what the figure shows."""
    last = series[-1]
    machine = last["provenance"].get("machine", "")
    return (
        f"Numbers of {len(series)} recordings over those of the anchor, revision "
        f"{last['anchor'][:12]}. Times were measured in pairs with the anchor; bars are standard "
        "deviations. Errors and pairs are those of forces at the accuracy that is named. The band "
        f"is {100 * THRESHOLD:g} % to either side. A drift beyond it fails; for the stages "
        f"{', '.join(SHORT_STAGES)} one beyond {100 * SHORT_BOUND:g} %. Dashed lines are steps of "
        f"more than {100 * LEAST_STEP:g} %. Device: {last['device']}; {last['compiler']}"
        f"{'; ' * bool(machine)}{machine}; {series[0]['recorded'][:10]} to "
        f"{max(entry['recorded'] for entry in series)[:10]}."
    )


def write_all(
    entries: Sequence[Entry], output: Path
) -> Iterator[tuple[Path, list[Judged], list[Entry]]]:
    """Write every series of a history; yields the path of its figure, what is judged, and it."""
    for number, series in enumerate(series_of(entries).values(), 1):
        judged = judge_all(series)
        yield write(judged, series, output, number), judged, series


def write(judged: Sequence[Judged], series: Sequence[Entry], output: Path, number: int) -> Path:
    """Write the figure and the table of a series; returns the path of the figure."""
    use_style()
    device = re.sub(r"\W+", "_", series[0]["device"]).strip("_").lower()
    stem = output / f"history_{number}_{device}"
    figure = draw(judged, series)
    rows = table_of(judged, series)
    save(figure, rows, caption(series), stem)
    plt.close(figure)
    save(readable(judged, series), rows, caption(series), stem.with_name(f"{stem.name}_table"))
    return stem.with_name(f"{stem.name}.pdf")
