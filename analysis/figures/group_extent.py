"""Time of a step against the extent that groups may have.

Usage: python -m analysis.figures.group_extent --extent E.csv --stem STEM
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

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
    """Draw fixed extents as symbols, that of no limit at the right, and rules as levels."""
    fixed, rules = table[table["kind"] == "fixed"], table[table["kind"] == "rule"]
    limited = fixed[fixed["group_extent"] > 0].sort_values("group_extent")
    figure, axes = plt.subplots(figsize=(4.8, 4.0))
    axes.set_xscale("log")
    draw_goal(axes, fixed)
    draw_fixed(axes, limited, "group_extent", marker="o", label="fixed")
    beyond = 3 * max(limited["group_extent"].max(), rules["group_extent"].max())
    free = fixed[fixed["group_extent"] == 0].assign(group_extent=beyond)
    draw_fixed(axes, free, "group_extent", marker="s", linestyle="none", label="no limit")
    draw_rules(axes, rules, rules["group_extent"].replace(0, beyond))
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(r"largest extent of a group $r_\mathrm{crit}$")
    axes.set_ylabel("time per step [s]")
    axes.legend()
    return figure


def caption(table: pd.DataFrame) -> str:
    """Describe the figure and the conditions of its measurements."""
    rules = table[table["kind"] == "rule"]
    ends = ", ".join(
        f"{rule.setting} {f'{rule.group_extent:.3g}' if rule.group_extent else 'without limit'}"
        for rule in rules.itertuples()
    )
    return (
        "Time of a block step against r_crit, the extent beyond which particles do not walk "
        "together, in units of the model: fixed extents (circles), none (square), and the rule "
        "that seeks the best from the measured times (level; diamond where it ended: "
        f"{ends}). {rules_sentence(table)}{race_sentence(table)}"
    )


def run() -> None:
    """Draw the figure from a table of gothic bench extent."""
    run_race("group_extent", "extent", __doc__, draw, caption)


if __name__ == "__main__":
    main(run)
