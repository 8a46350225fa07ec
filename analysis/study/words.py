"""What parameters of runs stand for, in words of legends and captions and as numbers of axes."""

from __future__ import annotations

from functools import partial

import pandas as pd

from analysis.study.parameters import number
from analysis.study.run_row import USED
from analysis.study.schema import run_defaults, varied_options

SOFTENING = "softening"


def is_left_out(name: str, value: object) -> bool:
    """Whether a value stands for leaving out an option that has no default."""
    option = varied_options().get(name)
    if option is None or option.default is not None or name not in run_defaults():
        return False
    return number(value) == run_defaults()[name]


def in_words(table: pd.DataFrame, name: str, value: object) -> str:
    """Say what some of the runs of a table have.

    A softening that is left out is that of the model, of which the table knows the lengths.
    """
    if pd.isna(value):
        return f"{name} not set"
    if not is_left_out(name, value):
        return f"{name} {show(value)}"
    if name != SOFTENING:
        return f"without {name}"
    return ", ".join(filter(None, ["softening of the model", lengths_of_models(table)]))


def lengths_of_models(table: pd.DataFrame) -> str:
    """Write the range of softening lengths of the runs that were given none."""
    if f"{SOFTENING}{USED}" not in table:
        return ""
    given_none = table[SOFTENING].map(partial(is_left_out, SOFTENING)).astype(bool)
    lengths = table.loc[given_none, f"{SOFTENING}{USED}"].dropna()
    ends = [f"{end:.3g}" for end in (lengths.min(), lengths.max())] if len(lengths) else []
    return " to ".join(dict.fromkeys(ends))


def show(value: object) -> str:
    """Write a value."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def as_numbers(table: pd.DataFrame, name: str) -> pd.Series:
    """Read a column as numbers in the units of the particles, where all of its values are such.

    An option that is left out is empty, or the number that the run has taken; so is a value with a
    unit.
    """
    column = table[name]
    used = table[f"{name}{USED}"] if f"{name}{USED}" in table else pd.Series(None, table.index)
    left_out = column.map(partial(is_left_out, name)).astype(bool)
    numbers = pd.to_numeric(column, errors="coerce").mask(left_out).astype(float)
    numbers = used.astype(float).fillna(numbers)
    are_words = numbers.isna() & column.notna() & ~left_out
    return column if are_words.any() else numbers
