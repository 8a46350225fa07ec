"""Draws how the time of every stage changed from revision to revision.

python -m analysis.speed.trend [HISTORY.jsonl...] --output FOLDER

One figure for each device, driver and compiler: times are never compared across them.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from analysis.cli import main
from analysis.figures.common import COLORS, save, use_style
from analysis.files import DataError
from analysis.speed.history import HISTORY, KEY, read

MARKERS = "osD^v<>Ph"


def chains(history: pd.DataFrame) -> pd.DataFrame:
    """Follow the time of every stage through the revisions.

    A revision gets the time of the one that it was compared with times the ratio that was measured
    then, since ratios of programs that took turns are exact where seconds of different days are
    not. A base that nothing was compared with before begins with its own seconds. Sources with
    uncommitted changes are left out.

    Parameters
    ----------
    history
        Table of `analysis.speed.history.read`.

    Returns
    -------
    pandas.DataFrame
        The columns of `KEY`, ``problem``, ``stage``, ``revision`` and ``seconds``, in the order in
        which the revisions appeared.
    """
    committed = ~(history["base"].str.endswith("-dirty") | history["new"].str.endswith("-dirty"))
    rows = []
    for name, lines in history[committed].groupby([*KEY, "problem", "stage"], sort=False):
        seconds: dict[str, float] = {}
        for line in lines.itertuples():
            seconds.setdefault(line.base, line.base_s)
            if line.new != line.base:
                seconds[line.new] = seconds[line.base] * line.ratio
        rows += [(*name, *item) for item in seconds.items()]
    return pd.DataFrame(rows, columns=[*KEY, "problem", "stage", "revision", "seconds"])


def draw(chain: pd.DataFrame) -> Figure:
    """Draw the chains of one key, a panel for each problem."""
    problems = list(dict.fromkeys(chain["problem"]))
    revisions = list(dict.fromkeys(chain["revision"]))
    stages = list(dict.fromkeys(chain["stage"]))
    figure, panels = plt.subplots(
        len(problems), 1, figsize=(6, 1 + 1.7 * len(problems)), sharex=True, squeeze=False
    )
    for axes, problem in zip(panels[:, 0], problems, strict=True):
        for stage, rows in chain[chain["problem"] == problem].groupby("stage", sort=False):
            number = stages.index(stage)
            axes.plot(
                [revisions.index(revision) for revision in rows["revision"]],
                100 * (rows["seconds"] / rows["seconds"].iloc[0] - 1),
                color=COLORS[number % len(COLORS)],
                marker=MARKERS[number % len(MARKERS)],
                linestyle="-" if number < len(COLORS) else "--",
                label=stage,
            )
        axes.set_title(problem, fontsize=9)
        axes.set_ylabel("change [%]")
        axes.legend(fontsize=6.5, ncols=3)
    axes.set_xticks(range(len(revisions)), [revision[:7] for revision in revisions], rotation=60)
    return figure


def caption(chain: pd.DataFrame) -> str:
    """Say what the figure shows."""
    first = chain.iloc[0]
    return (
        "Time of each stage relative to the first revision, chained by the ratios of revisions "
        f"that were measured in turn. Device: {first['device']}, {first['driver']}; "
        f"{first['compiler']}."
    )


def run() -> None:
    """Draw the figures of all keys."""
    parser = argparse.ArgumentParser(prog="python -m analysis.speed.trend", description=__doc__)
    parser.add_argument(
        "histories", type=Path, nargs="*", default=[HISTORY], help=f"default: {HISTORY}"
    )
    parser.add_argument("--output", type=Path, default=HISTORY.parent, help="folder to write")
    given = parser.parse_args()
    chain = chains(read(given.histories))
    if chain.empty:
        raise DataError(f"{given.histories[0]}: only uncommitted sources; commit, measure again")
    use_style()
    for number, (key, rows) in enumerate(chain.groupby(KEY, sort=False), 1):
        device = re.sub(r"\W+", "_", key[0]).strip("_").lower()
        stem = given.output / f"trend_{number}_{device}"
        save(draw(rows), rows, caption(rows), stem)
        print(f"{stem}.pdf: {'; '.join(key)}")


if __name__ == "__main__":
    main(run)
