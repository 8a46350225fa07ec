"""What figures of fixed settings beside automatic rules share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.benches import facts_sentence, particles_of, read_bench, setting_names
from analysis.figures.common import COLORS, model_name, power_of_two, save, use_style

SECONDS = "seconds_per_step"
GOAL = 1.05
RULE_STYLES = ("-", "--", "-.", ":")


def draw_fixed(axes: Axes, fixed: pd.DataFrame, x: str, **look: object) -> None:
    """Draw the times of fixed settings, with bars from the fastest to the slowest."""
    spread = [fixed[SECONDS] - fixed[f"{SECONDS}_min"], fixed[f"{SECONDS}_max"] - fixed[SECONDS]]
    axes.errorbar(fixed[x], fixed[SECONDS], yerr=spread, color="black", elinewidth=0.8, **look)


def draw_rules(axes: Axes, rules: pd.DataFrame, x: pd.Series) -> None:
    """Draw the time of every rule as a level, with its ratio to the best fixed setting.

    Diamonds at the places `x` carry bars from the fastest to the slowest.
    """
    for n, (rule, place) in enumerate(zip(rules.itertuples(), x, strict=True)):
        color = COLORS[n % len(COLORS)]
        label = f"{rule.setting} ({rule.seconds_over_best:.3f} of the best)"
        style = RULE_STYLES[n % len(RULE_STYLES)]
        axes.axhline(rule.seconds_per_step, label=label, color=color, linestyle=style)
        time = rule.seconds_per_step
        spread = [[time - rule.seconds_per_step_min], [rule.seconds_per_step_max - time]]
        axes.errorbar([place], [time], yerr=spread, color=color, marker="D", elinewidth=0.8)


def draw_goal(axes: Axes, fixed: pd.DataFrame) -> None:
    """Draw what is within five per cent of the best fixed setting."""
    best = fixed[SECONDS].min()
    axes.axhspan(best, GOAL * best, color="0.85", linewidth=0, zorder=0)


def rules_sentence(table: pd.DataFrame) -> str:
    """Tell the best fixed setting and what the rules achieve."""
    table = table.assign(setting=setting_names(table))
    fixed, rules = table[table["kind"] == "fixed"], table[table["kind"] == "rule"]
    best = fixed.loc[fixed["seconds_over_best"].idxmin()]
    words = [
        f"{rule.setting} {rule.seconds_per_step:.3g} s per step, {rule.seconds_over_best:.3f} of it"
        for rule in rules.itertuples()
    ]
    return (
        f"The best fixed setting is {best['setting']} with {best[SECONDS]:.3g} s per step; "
        f"{'; '.join(words)}. "
    )


def race_sentence(table: pd.DataFrame) -> str:
    """Tell how the settings were measured."""
    sample = str(table["sample"].iloc[0])
    number = particles_of(sample)
    size = f"N = {power_of_two(number)} particles, " if number else ""
    return (
        "All settings advance the same particles, some steps of each in turn; symbols are medians "
        "over the rounds, bars span the fastest and the slowest, ratios are of medians. "
        "The first round, in which rules tune themselves, does not count; fixed settings that take "
        "over three times as long as the fastest in it are left out. The grey band ends 5 % "
        f"above the best fixed setting. {model_name(sample)}, {size}"
        f"{table['steps'].iloc[0]} timed steps of each. {facts_sentence(table)}"
    )


def run_race(
    module: str,
    word: str,
    description: str,
    draw: Callable[[pd.DataFrame], Figure],
    caption: Callable[[pd.DataFrame], str],
) -> None:
    """Draw the figure of a module from a table of ``gothic bench WORD``, as its options say."""
    parser = argparse.ArgumentParser(
        prog=f"python -m analysis.figures.{module}", description=description
    )
    parser.add_argument(f"--{word}", type=Path, required=True, help=f"table of bench {word}")
    parser.add_argument("--stem", type=Path, required=True, help="output path without suffix")
    given = parser.parse_args()
    use_style()
    table = read_bench(vars(given)[word], word)
    save(draw(table), table, caption(table), given.stem)
