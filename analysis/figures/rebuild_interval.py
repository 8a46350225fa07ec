"""Time of a step against the interval at which the tree is built anew.

Usage: python -m analysis.figures.rebuild_interval --rebuild R.csv --stem STEM
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from analysis.cli import main
from analysis.figures.race import (
    draw_fixed,
    draw_goal,
    draw_rules,
    race_sentence,
    rules_sentence,
    run_race,
)


def draw(table: pd.DataFrame) -> Figure:
    """Draw fixed intervals as symbols and rules as levels, marked at their mean interval."""
    fixed, rules = table[table["kind"] == "fixed"], table[table["kind"] == "rule"]
    figure, axes = plt.subplots(figsize=(4.8, 4.0))
    axes.set_xscale("log", base=2)
    draw_goal(axes, fixed)
    fixed = fixed.assign(interval=fixed["setting"].str.removeprefix("interval-").astype(int))
    draw_fixed(axes, fixed.sort_values("interval"), "interval", marker="o", label="fixed")
    draw_rules(axes, rules, rules["mean_interval"])
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("interval of tree construction [steps]")
    axes.set_ylabel("time per step [s]")
    axes.legend()
    return figure


def caption(table: pd.DataFrame) -> str:
    """Describe the figure and the conditions of its measurements."""
    rules = table[table["kind"] == "rule"]
    means = ", ".join(f"{rule.setting} {rule.mean_interval:.3g}" for rule in rules.itertuples())
    return (
        "Time of a block step against the number of steps that one tree serves: fixed intervals "
        "(circles), and the rules that choose it from what the walks cost (levels; diamonds at "
        f"their mean intervals: {means}; the published mean interval is about 12 for M31 with 2^23 "
        "particles on a K20X); the first is what the program follows unless told otherwise. "
        f"{rules_sentence(table)}{race_sentence(table)}"
    )


def run() -> None:
    """Draw the figure from a table of gothic bench rebuild."""
    run_race("rebuild_interval", "rebuild", __doc__, draw, caption)


if __name__ == "__main__":
    main(run)
