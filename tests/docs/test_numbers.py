"""Measured numbers in the pages are those of the tables that numbers.yaml names.

Its entries have words of a page with ``{expression | format}`` in the place of numbers. The names
of an expression are the columns of the rows that ``where`` selects, values where there is one row.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from analysis.docs.pictures import BLOCK
from analysis.reading.bench_tables import automatic_sharing
from analysis.reading.csv_tables import read_table
from analysis.study.parameters import number
from analysis.study.runs import select
from tests.conftest import ROOT

NUMBERS = yaml.safe_load(Path(__file__).with_name("numbers.yaml").read_text())
# A number with the unit of something that was measured.
MEASURED = re.compile(r"\d ?(ms|s|min|%(?! errors?\b)|[kMG]B|bytes|pairs/s)(?!\w)|\d times as")


@cache
def table(name: str) -> pd.DataFrame:
    """Read a table below analysis/measured or, with docs/, of the pages."""
    folder = ROOT if name.startswith("docs/") else ROOT / "analysis" / "measured"
    return read_table(folder / name)


def rows(name: str, **where: object) -> pd.DataFrame:
    """Select rows of a table, of which there must be some."""
    found = select(table(name), **{column: number(value) for column, value in where.items()})
    assert len(found), f"{name} has no row with {where}"
    return found


def at(found: pd.DataFrame, column: str, error: float) -> float:
    """Interpolate a column at a 99 % error, in logarithms; of repeats the median."""
    values = found.groupby("error_99")[column].median()
    return float(np.exp(np.interp(np.log(error), np.log(values.index), np.log(values))))


def ratio(found: pd.DataFrame, base: pd.DataFrame, column: str) -> float:
    """Median ratio of a column of runs to that of others with the same seed and repeat."""
    one, other = (runs.set_index(["seed", "repeat"])[column] for runs in (found, base))
    return float((one / other).median())


def rms(found: pd.DataFrame) -> str:
    """Root mean square of the errors of the energy, and millions of forces on one particle."""
    forces = (found["active_fraction"] * found["steps"] * found["particles"]).mean() / 1e6
    size = float(np.sqrt((found["energy_drift"] ** 2).mean()))
    return f"{written(size, '.1e')} ({forces:.1f})"


def above_neighbours(found: pd.DataFrame, x: str, y: str) -> float:
    """How far the highest point is above the line between its neighbours, in logarithms."""
    points = np.log(found.groupby("force_error")[["error_99", y]].median().reset_index())
    points = points.sort_values(x)
    before, here, after = (points[[x, y]].to_numpy()[i : i - 2 or None] for i in range(3))
    share = (here[:, 0] - before[:, 0]) / (after[:, 0] - before[:, 0])
    line = before[:, 1] + share * (after[:, 1] - before[:, 1])
    return float(np.exp(np.max(here[:, 1] - line)) - 1)


def constructions(model: str) -> float:
    """Trees built per step with all particles active, on the EPYC."""
    runs = rows("epyc/ranks/runs.csv", model=model, step="shared", ranks=1)
    return float((runs["rebuilds"] / runs["steps"]).median())


def measured(model: str, ranks: int) -> float:
    """Seconds of such a step, measured."""
    runs = rows("epyc/ranks/runs.csv", model=model, step="shared", ranks=ranks)
    return float(runs["stages_per_step_s"].median())


def predicted(model: str, ranks: int) -> float:
    """Seconds of such a step, predicted by the bench."""
    one = rows("epyc/ranks/bench_domains.csv", model=model, domains=ranks).iloc[0]
    return float(one["step_seconds"] + constructions(model) * one["construction_seconds"])


def efficiency(seconds: Callable[[str, int], float], model: str) -> float:
    """Seconds of one rank over twice those of two."""
    return seconds(model, 1) / seconds(model, 2) / 2


def own_lengths(device: str) -> pd.Series:
    """Walks of particles with lengths of their own over those with equal ones."""
    runs = rows(f"{device}/performance/runs.csv", model="milky_way")
    own = runs["softening"].astype(float) == 0
    walks = [
        one.groupby(["particles", "accuracy"])["force_walk_s"] for one in (runs[own], runs[~own])
    ]
    return walks[0].median() / walks[1].median()


def names(found: pd.DataFrame) -> dict[str, object]:
    """Name the columns of some rows; of one row, its values."""
    one = found.iloc[0] if len(found) == 1 else found

    def sub(**where: object) -> pd.DataFrame:
        return select(found, **where)

    functions = (sub, rows, at, ratio, constructions, measured, predicted, automatic_sharing, rms)
    functions += (efficiency, above_neighbours, own_lengths)
    known = {function.__name__: function for function in functions}
    return {name: one[name] for name in found} | known | {"np": np}


def written(value: float, spec: str) -> str:
    """Write a number as pages do: 1.2e-4, not 1.2e-04."""
    text = format(value, spec).replace("%", " %")
    return re.sub(r"e([+-])0*(\d)", lambda e: f"e{e[1].strip('+')}{e[2]}", text)


def filled(words: str, known: dict[str, object]) -> str:
    """Fill the numbers into words."""

    def value(found: re.Match) -> str:
        return written(eval(found[1], known), found[2].strip())

    return flat(re.sub(r"\{([^{}|]+)\|([^{}|]*)\}", value, words))


def flat(text: str) -> str:
    """Write a text in one line."""
    return " ".join(text.split())


def sentences(page: str) -> list[str]:
    """List the words of a page, with today's numbers of their tables."""
    found = []
    for entry in NUMBERS["tables"]:
        if entry["page"] == page:
            chosen = rows(entry["table"], **entry.get("where", {}))
            for each in entry.get("each", [{}]):
                own = {name: number(value) for name, value in each.items()}
                of_each = select(chosen, **{k: v for k, v in own.items() if k in chosen})
                known = names(of_each) | own
                found += [filled(words, known) for words in entry["words"]]
    return found


@pytest.mark.parametrize("page", NUMBERS["pages"])
def test_numbers_are_those_of_the_tables(page: str) -> None:
    text = flat((ROOT / page).read_text())
    missing = [words for words in sentences(page) if words not in text]
    assert not missing, f"{page} should say:\n" + "\n".join(missing)


@pytest.mark.parametrize("page", NUMBERS["without"])
def test_every_measured_number_has_a_table_or_says_that_it_has_none(page: str) -> None:
    text = re.sub(r"^```.*?^```|^    .*?$", "", (ROOT / page).read_text(), flags=re.M | re.S)
    text = flat(BLOCK.sub("", text))  # what the pictures write comes from tables
    for words in [*sentences(page), *map(flat, NUMBERS["without"][page])]:
        assert words in text, f"{page}: tests/docs/numbers.yaml has words that are gone: {words}"
        text = text.replace(words, "")
    left = [text[max(0, m.start() - 60) : m.end() + 20] for m in MEASURED.finditer(text)]
    assert not left, f"{page}: name their tables in tests/docs/numbers.yaml:\n" + "\n".join(left)
