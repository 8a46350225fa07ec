"""What the entries of a history tell together: levels, steps, and drift since the anchor."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from analysis.checks.verdict import ALARM, THRESHOLD
from analysis.errors import DataError

SAME = ("device", "compiler", "anchor")  # only entries that share these are compared
# Another layout of the same code has made a short loop 8 % slower.
SHORT_STAGES = ("keys", "sort", "build", "groups", "moments", "predict", "correct")
SHORT_BOUND = 0.1
LEAST_STEP = 0.02  # smaller ones are told where they add up to a drift
EXACT = 1e-6  # error of numbers that repeat bit by bit; only to be no division by zero
NORMAL = NormalDist()

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Quantity:
    """One number of every entry, as the logarithm of its ratio to the anchor's.

    The errors are standard deviations; `places` are those of its entries in their series.
    """

    problem: str
    stage: str
    places: np.ndarray
    logs: np.ndarray
    errors: np.ndarray

    @property
    def bound(self) -> float:
        """The drift that passes."""
        return SHORT_BOUND if self.stage in SHORT_STAGES else THRESHOLD


@dataclass(frozen=True)
class Judged:
    """How a quantity came to what it is; all are logarithms of ratios.

    `level` is that of the last entries over the anchor, `best` the lowest since the anchor, and
    `half` half the interval of their difference. `steps` are places of entries with their sizes.
    """

    quantity: Quantity
    level: float
    best: float
    half: float
    steps: list[tuple[int, float]]

    @property
    def drift(self) -> float:
        """What is lost since the best level."""
        return self.level - self.best

    @property
    def large_steps(self) -> list[tuple[int, float]]:
        """Select the steps that are told without a drift."""
        return [step for step in self.steps if abs(step[1]) > LEAST_STEP]

    @property
    def drifted(self) -> bool:
        """Whether all of its interval is beyond the bound."""
        return self.drift - self.half > math.log1p(self.quantity.bound)


def read_entries(path: Path) -> list[Entry]:
    """Read a history in the order of the commits; repeats in the order of their dates."""
    if not path.is_file():
        raise DataError(f"{path}: no such history; make record begins one")
    entries = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            entry = json.loads(line)
            entry["commits"], entry["recorded"], *map(entry.__getitem__, SAME)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{path}:{number}: is no entry ({error}); remove the line") from error
        entries.append(entry)
    return sorted(entries, key=lambda entry: (entry["commits"], entry["recorded"]))


def series_of(entries: Sequence[Entry]) -> dict[tuple[str, ...], list[Entry]]:
    """Divide entries by what only may be compared: device, compiler and anchor."""
    found: dict[tuple[str, ...], list[Entry]] = {}
    for entry in entries:
        found.setdefault(tuple(entry[name] for name in SAME), []).append(entry)
    return found


def quantities(series: Sequence[Entry]) -> list[Quantity]:
    """List all that is judged of a series: times, then errors and counts of pairs.

    Errors and pairs are over those of the anchor, or of the first entry where it has none.
    """
    times: dict[tuple[str, str], list[tuple[int, float, float]]] = {}
    numbers: dict[tuple[str, str], list[tuple[int, float, float]]] = {}
    for place, entry in enumerate(series):
        for row in entry["times"]:
            found = (place, math.log(row["ratio"]), max(row["deviation"], EXACT))
            times.setdefault((row["problem"], row["stage"]), []).append(found)
        for part in ("errors", "numbers"):
            for problem, found in entry[part].items():
                for name, value in found.items():
                    if name != "digest":
                        row = (place, math.log(value), EXACT)
                        numbers.setdefault((problem, name), []).append(row)
    result = []
    for name, rows in times.items():
        places, logs, errors = map(np.array, zip(*rows, strict=True))
        result.append(Quantity(*name, places, logs, with_scatter(logs, errors)))
    for name, rows in numbers.items():
        places, logs, errors = map(np.array, zip(*rows, strict=True))
        anchors = [series[place]["revision"] == series[place]["anchor"] for place in places]
        result.append(Quantity(*name, places, logs - logs[np.argmax(anchors)], errors))
    return result


def with_scatter(logs: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Enlarge errors that are small by chance, and all where entries scatter more than they tell.

    No error is below the median, since an interval of few pairs may be narrow by chance. The
    scatter follows from the median change from entry to entry, which a few steps do not alter.
    """
    usual = np.median(errors)
    errors = np.maximum(errors, usual)
    if len(logs) < 3:
        return errors
    scatter = np.median(np.abs(np.diff(logs))) / (math.sqrt(2) * NORMAL.inv_cdf(0.75))
    return np.sqrt(errors**2 + max(0.0, scatter**2 - usual**2))


def pieces(logs: np.ndarray, errors: np.ndarray, penalty: float) -> list[int]:
    """Find where pieces of constant level begin, by optimal partitioning (Jackson et al. 2005).

    The sum over all entries of squared differences from the level of their piece, in squares of
    errors, plus a penalty for every step is least.
    """
    weights = 1 / errors**2
    sums = [np.concatenate(([0.0], np.cumsum(weights * logs**power))) for power in range(3)]
    best = np.zeros(len(logs) + 1)
    begins = np.zeros(len(logs) + 1, int)
    for end in range(1, len(logs) + 1):
        weight, first, second = (total[end] - total[:end] for total in sums)
        costs = best[:end] + second - first**2 / weight + penalty
        begins[end] = np.argmin(costs)
        best[end] = costs[begins[end]]
    found = [int(begins[-1])]
    while found[0]:
        found.insert(0, int(begins[found[0]]))
    return found


def judge(quantity: Quantity, count: int) -> Judged:
    """Find steps and drift of one of `count` quantities.

    All intervals hold together with a chance of 1 - `ALARM` (Bonferroni), and so does the absence
    of steps. The drift counts from the anchor, or from a level below it that at least two entries
    show.
    """
    logs, errors = quantity.logs, quantity.errors
    sure = -NORMAL.inv_cdf(ALARM / 2 / count / len(logs))
    begins = pieces(logs, errors, sure**2)
    levels, deviations, sizes = [], [], []
    for begin, end in zip(begins, [*begins[1:], len(logs)], strict=True):
        weights = 1 / errors[begin:end] ** 2
        levels.append(float(np.average(logs[begin:end], weights=weights)))
        deviations.append(float(weights.sum() ** -0.5))
        sizes.append(end - begin)
    wide = -NORMAL.inv_cdf(ALARM / 2 / count)
    held = [
        (level, deviation)
        for level, deviation, size in zip(levels[:-1], deviations[:-1], sizes[:-1], strict=True)
        if size > 1 and level + wide * deviation < 0
    ]
    best, uncertain = min(held, default=(0.0, 0.0))
    half = wide * math.hypot(deviations[-1], uncertain)
    steps = zip(quantity.places[begins[1:]], np.diff(levels), strict=True)
    found = [(int(place), float(size)) for place, size in steps]
    return Judged(quantity, levels[-1], best, half, found)


def judge_all(series: Sequence[Entry]) -> list[Judged]:
    """Judge every quantity of a series."""
    found = quantities(series)
    return [judge(quantity, len(found)) for quantity in found]


def moved_numbers(series: Sequence[Entry]) -> dict[int, list[str]]:
    """Name the problems of `regress` whose numbers are not those of the entry before, by place."""
    found = {}
    for place in range(1, len(series)):
        before, now = (series[place + shift]["numbers"] for shift in (-1, 0))
        names = [n for n in now if n in before and now[n]["digest"] != before[n]["digest"]]
        if names:
            found[place] = names
    return found


def name_of(entry: Entry) -> str:
    """Name the revision of an entry in short."""
    return entry["revision"][:12]


def percent(log: float) -> str:
    """Write the logarithm of a ratio as a change."""
    return f"{100 * math.expm1(log):+.1f} %"


def in_words(steps: Iterable[tuple[int, float]], series: Sequence[Entry]) -> str:
    """Tell steps, each with its revision and size."""
    return ", ".join(f"{name_of(series[place])} {percent(size)}" for place, size in steps)


def complaints(judged: Sequence[Judged], series: Sequence[Entry]) -> Iterator[str]:
    """Tell of every quantity that has drifted: how far, and at which revisions."""
    for one in judged:
        if one.drifted:
            since = f"the anchor {series[0]['anchor'][:12]}"
            if one.best < 0:
                since = f"its best level, {percent(one.best)} from {since}"
            low, high = percent(one.drift - one.half), percent(one.drift + one.half)
            steps = in_words(one.steps, series) or "too small to be found"
            yield (
                f"{one.quantity.problem}, {one.quantity.stage}: {percent(one.drift)} "
                f"({low} to {high}) since {since}, "
                f"bound {100 * one.quantity.bound:g} %; steps: {steps}"
            )
