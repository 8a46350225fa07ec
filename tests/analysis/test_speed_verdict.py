"""Verdicts on made-up measurements with every kind of noise that a machine has."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from analysis.files import DataError
from analysis.speed.verdict import ALARM, compare, interval, middle_mean, verdict

PAIRS = 15
STAGES = 20
Noise = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def heavy_tails(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Most measurements are exact to 1 %, a few are far off."""
    return 0.01 * np.abs(rng.standard_t(2, shape))


def drift(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """The machine becomes slower from round to round; the programs of a round notice it alike."""
    rounds = np.cumsum(rng.normal(0.02, 0.02, shape[:-1]), axis=-1)
    return rounds[..., None] + rng.normal(0, 0.01, shape)


def bursts(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """One measurement in thirty takes up to twice as long."""
    return rng.normal(0, 0.01, shape) + (rng.random(shape) < 1 / 30) * rng.uniform(0, 0.7, shape)


def two_speeds(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Rounds are 30 % slower with a chance of one half, and some change within the round."""
    slow = rng.random(shape[:-1]) < 0.5
    changes = rng.random(shape) < 0.03
    return 0.3 * (slow[..., None] ^ changes) + rng.normal(0, 0.01, shape)


KINDS = pytest.mark.parametrize("noise", [heavy_tails, drift, bursts, two_speeds])


def verdicts(noise: Noise, change: float, trials: int, seed: int) -> np.ndarray:
    """Judge comparisons in which each stage of the second program takes `change` longer.

    Returns the verdicts, shape (trials, stages).
    """
    rng = np.random.default_rng(seed)
    logs = noise(rng, (trials, STAGES, PAIRS, 2))
    ratios = logs[..., 1] - logs[..., 0] + np.log(1 + change)

    def judged(values: np.ndarray) -> str:
        return verdict(middle_mean(values), *interval(values, ALARM / STAGES))

    return np.array([[judged(values) for values in trial] for trial in ratios])


def measured(ratio: float, rounds: int = 12) -> pd.DataFrame:
    """Rounds in which one stage takes `ratio` times as long; another is the same."""
    rng = np.random.default_rng(5)
    rows = []
    for number in range(rounds):
        for program, factor in (("base", 1.0), ("new", ratio)):
            for stage, times in (("walk", factor), ("sort", 1.0)):
                seconds = 0.5 * times * rng.normal(1, 0.002)
                rows.append((number, "nfw", 0, program, stage, seconds))
    columns = ["round", "problem", "place", "program", "stage", "seconds"]
    return pd.DataFrame(rows, columns=columns)


@KINDS
def test_a_program_is_not_slower_than_itself(noise: Noise) -> None:
    found = verdicts(noise, 0.0, trials=40, seed=1)
    assert (found == "slower").any(axis=1).mean() <= 0.05


@KINDS
def test_five_percent_are_found(noise: Noise) -> None:
    found = verdicts(noise, 0.05, trials=10, seed=2)
    assert (found == "slower").mean() >= 0.9


def test_intervals_of_a_comparison_hold_together() -> None:
    rng = np.random.default_rng(4)

    def alarm() -> bool:
        families = rng.normal(size=(STAGES, PAIRS))
        return any(interval(values, ALARM / STAGES)[0] > 0 for values in families)

    assert np.mean([alarm() for _ in range(60)]) <= 0.06


def test_a_third_of_wild_pairs_on_either_side_changes_nothing() -> None:
    values = np.linspace(-0.01, 0.01, 15)
    wild = values.copy()
    wild[:5] -= 5
    wild[-5:] += 9
    assert middle_mean(wild) == middle_mean(values)


@pytest.mark.parametrize(
    ("estimate", "low", "high", "expected"),
    [
        (0.05, 0.01, 0.09, "slower"),
        (-0.05, -0.09, -0.01, "faster"),
        (0.0, -0.02, 0.02, "same"),
        (0.02, 0.015, 0.025, "same"),  # certain, but too little to matter
        (0.05, -0.01, 0.11, "unclear"),
        (0.02, 0.01, 0.04, "unclear"),
    ],
)
def test_verdicts_follow_from_estimate_and_interval(
    estimate: float, low: float, high: float, expected: str
) -> None:
    assert verdict(estimate, low, high) == expected


def test_stages_are_judged_one_by_one() -> None:
    table = compare(measured(1.06)).set_index("stage")
    assert table["verdict"].to_dict() == {"walk": "slower", "sort": "same"}
    assert table["ratio"]["walk"] == pytest.approx(1.06, rel=0.003)
    assert table["new_s"]["walk"] == pytest.approx(0.53, rel=0.01)


def test_the_order_of_the_rounds_does_not_matter() -> None:
    raw = measured(1.06)
    backwards = raw.sort_values("round", ascending=False, kind="stable")
    pd.testing.assert_frame_equal(compare(raw), compare(backwards))


def test_swapped_programs_turn_slower_into_faster() -> None:
    table = compare(measured(1.06), "new", "base").set_index("stage")
    assert table["verdict"]["walk"] == "faster"


def test_too_few_pairs_are_not_judged() -> None:
    with pytest.raises(DataError, match="9 complete pairs were measured; at least 10"):
        compare(measured(1.06, rounds=9))


def test_a_missing_measurement_is_no_zero() -> None:
    raw = measured(1.0)
    with pytest.raises(DataError, match="complete pairs"):
        compare(raw.drop(index=raw.index[3]))
