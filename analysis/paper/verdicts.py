"""Verdicts on statements of the paper, and how they follow from numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.paper.evidence import NOISE, REPEATS, repeated

CONFIRMED, PARTLY, CONTRADICTED = "confirmed", "partly", "contradicted"
DEPENDS, UNTESTABLE = "depends on hardware", "cannot be tested here"
UNDECIDED = "not decided"
VERDICTS = (CONFIRMED, PARTLY, CONTRADICTED, DEPENDS, UNTESTABLE, UNDECIDED)


class Judgement(NamedTuple):
    """Whether a statement holds, and our numbers in words."""

    verdict: str
    numbers: str


def judged(right: int, of: int) -> str:
    """Turn a number of parts that agree into a verdict."""
    return CONFIRMED if right == of else CONTRADICTED if right == 0 else PARTLY


def in_parts(*right: bool) -> str:
    """Judge a statement of several parts."""
    return judged(sum(map(bool, right)), len(right))


def by_formula(number: bool, formula: bool) -> str:
    """Judge a published number and the formula that it follows from.

    Where the formula holds and the number does not, the number is that of the hardware.
    """
    if formula:
        return CONFIRMED if number else DEPENDS
    return PARTLY if number else CONTRADICTED


def timed(verdict: str, numbers: str, *tables: pd.DataFrame) -> Judgement:
    """Give a verdict on times and tell their scatter, the median over the rows of tables.

    None on times that were not repeated or scatter by more than `NOISE`.
    """
    least = int(min(table["repeats"].min() for table in tables))
    if not all(map(repeated, tables)):
        count = {1: "one run", 2: "two runs"}[least]
        return Judgement(UNDECIDED, f"{numbers}; times of {count}, and {REPEATS} decide")
    if not all("scatter" in table for table in tables):
        return Judgement(verdict, numbers)
    scatter = max(table["scatter"].median() for table in tables)
    told = f"{numbers}; {least} repeats, times within {scatter:.1%}"
    if scatter > NOISE:
        return Judgement(UNDECIDED, f"{told}, too much to decide")
    return Judgement(verdict, told)


def agreeing(table: pd.DataFrame, name: str, least: float, most: float = np.inf) -> int:
    """Count the rows whose range of a quantity reaches a published range."""
    reaches = (table[f"{name}_least"] <= most) & (table[f"{name}_greatest"] >= least)
    return int(reaches.sum())


def span(values: pd.Series, form: str = "{:.2f}") -> str:
    """Write the ends of a range, or the only value."""
    low, high = form.format(values.min()), form.format(values.max())
    return low if low == high else f"{low} to {high}"


def scattered(table: pd.DataFrame, name: str, form: str = "{:.2f}") -> str:
    """Write the range of a quantity over the rows and, where it was repeated, of its repeats."""
    words = span(table[name], form)
    ends = pd.concat([table[f"{name}_least"], table[f"{name}_greatest"]])
    return f"{words} (repeats {span(ends, form)})" if ends.nunique() > 2 * len(table) - 1 else words
