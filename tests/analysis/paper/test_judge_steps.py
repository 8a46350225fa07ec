from __future__ import annotations

import numpy as np
import pytest

from analysis.paper.device_peaks import PEAKS
from analysis.paper.evidence import EvidenceError
from analysis.paper.judge_steps import (
    first_steps,
    growth_of,
    moments_constant,
    orbit_integration,
    rebuild_interval,
    rebuild_triggers,
    share_of_peak,
    slow_rates,
    sort_limits,
    step_levels,
)
from analysis.paper.verdicts import CONFIRMED, CONTRADICTED, DEPENDS, PARTLY, UNDECIDED
from tests.analysis.benches import GPU
from tests.analysis.paper.conftest import Written, trace, trace_rows

STEP = np.arange(101)


@pytest.mark.parametrize(
    ("levels", "verdict"), [(5, CONFIRMED), (4, CONTRADICTED), (7, CONTRADICTED)]
)
def test_levels_are_counted(written: Written, levels: int, verdict: str) -> None:
    steps = trace(level_max=3 + levels - 1)
    found = step_levels(written(trace_rows(1), steps), "m31", {"levels": {"m31": 5}})
    assert found == (verdict, f"{levels} levels in 101 steps")


def aging(every: int, growth: float) -> dict[str, np.ndarray]:
    """Let the walk grow by a fraction of its time with each step of a tree's age, and scatter."""
    scatter = 1 + 1e-4 * np.cos(1.7 * STEP**2)
    walk = trace()["walk_s"] * np.exp(growth * (STEP % every)) * scatter
    return {"rebuilt": STEP % every == 0, "walk_s": walk}


def test_growth_of_the_walk_is_found(written: Written) -> None:
    steps = written(trace_rows(), trace(**aging(9, 0.02))).trace("m31")
    growth, error = growth_of(steps)
    assert growth == pytest.approx(0.02, abs=3 * error)
    assert error < 0.001


def interval_of(every: int, growth: float, construction: float) -> dict:
    parts = {f"{name}_s": construction / 4 for name in ("keys", "sort", "build", "groups")}
    return aging(every, growth) | parts


@pytest.mark.parametrize(
    ("every", "factor", "verdict"),
    [(12, 1.0, CONFIRMED), (3, 1.0, DEPENDS), (12, 9.0, PARTLY), (3, 9.0, CONTRADICTED)],
)
def test_interval_between_trees_is_compared_with_its_formula(
    written: Written, every: int, factor: float, verdict: str
) -> None:
    growth = 0.02
    walk = aging(every, growth)["walk_s"].mean()
    construction = (factor * every) ** 2 * growth * walk / 2
    steps = trace(**interval_of(every, growth, construction))
    found = rebuild_interval(written(trace_rows(), steps), "m31", {"interval": 12})
    assert found.verdict == verdict
    once = rebuild_interval(written(trace_rows(1), steps), "m31", {"interval": 12})
    assert once.verdict == UNDECIDED


def test_interval_is_not_judged_without_growth(written: Written) -> None:
    steps = trace(**interval_of(9, 0.0, 1.0))
    found = rebuild_interval(written(trace_rows(), steps), "m31", {"interval": 12})
    assert found.verdict == UNDECIDED
    for rebuilt, words in ((STEP < 0, "no tree was built"), (STEP >= 0, "too young")):
        steps = written(trace_rows(), trace(rebuilt=rebuilt))
        with pytest.raises(EvidenceError, match=words):
            rebuild_interval(steps, "m31", {"interval": 12})


@pytest.mark.parametrize(("after", "verdict"), [(1, CONFIRMED), (4, CONTRADICTED)])
def test_new_trees_after_slow_steps_are_no_chance(
    written: Written, after: int, verdict: str
) -> None:
    evidence = written(trace_rows(1), trace(rebuilt=np.isin(STEP % 8, after)))
    found = rebuild_triggers(evidence, "m31", {})
    assert found.verdict == verdict
    assert ("13 of 13" if after == 1 else "0 of 13") in found.numbers
    assert "by chance 25% would" in found.numbers
    alike = written(trace_rows(1), trace(sequence="slow"))
    assert rebuild_triggers(alike, "m31", {}).verdict == UNDECIDED


def test_few_more_new_trees_than_by_chance_decide_nothing(written: Written) -> None:
    steps = trace(rebuilt=np.isin(STEP, [1, 20, 22]))
    assert rebuild_triggers(written(trace_rows(1), steps), "m31", {}).verdict == UNDECIDED


def rates(kind: str) -> np.ndarray:
    """Sum slowest in steps of a kind."""
    steps = trace()
    return steps["interactions"] / np.where(steps["sequence"] == kind, 1e8, 1e9)


@pytest.mark.parametrize(
    ("kind", "repeats", "verdict"),
    [("slow", 3, CONFIRMED), ("fast", 3, CONTRADICTED), ("slow", 1, UNDECIDED)],
)
def test_lowest_rate_is_sought_in_slow_steps(
    written: Written, kind: str, repeats: int, verdict: str
) -> None:
    evidence = written(trace_rows(repeats), trace(walk_s=rates(kind)))
    assert slow_rates(evidence, "m31", {}).verdict == verdict


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [((0.05, 0.25, 0.4), CONFIRMED), ((0.5, 0.6, 0.7), CONTRADICTED), ((0.15, 0.2, 0.3), PARTLY)],
)
def test_rates_are_compared_with_the_peak(
    written: Written, shares: tuple[float, ...], verdict: str
) -> None:
    peak = PEAKS[GPU].flops / PEAKS[GPU].flops_per_interaction
    share = np.array(shares)[STEP % 3]
    steps = trace(walk_s=trace()["interactions"] / (share * peak), device_name=GPU)
    numbers = {"average": [0.1, 0.3], "maximum": [0.2, 0.55], "minimum": 0.1}
    found = share_of_peak(written(trace_rows(device_name=GPU), steps), "m31", numbers)
    assert found.verdict == verdict
    assert f"{shares[2]:.0%} at most" in found.numbers
    with pytest.raises(EvidenceError, match="the peak of CPU is not known"):
        share_of_peak(written(trace_rows(), trace()), "m31", numbers)


@pytest.mark.parametrize(
    ("moments", "verdict"),
    [
        (np.full(101, 2e-3), CONFIRMED),
        (np.full(101, 1e-4), PARTLY),
        (np.linspace(1e-5, 1e-4, 101), CONTRADICTED),
    ],
)
def test_moments_are_constant_and_sometimes_longest(
    written: Written, moments: np.ndarray, verdict: str
) -> None:
    evidence = written(trace_rows(), trace(moments_s=moments))
    assert moments_constant(evidence, "m31", {}).verdict == verdict


@pytest.mark.parametrize(
    ("predict", "correct", "verdict"),
    [
        (np.ones(101), {"fast": 1, "intermediate": 2, "slow": 3}, CONFIRMED),
        (np.ones(101), {"fast": 1, "intermediate": 1, "slow": 3}, PARTLY),
        (1.0 + STEP, {"fast": 3, "intermediate": 2, "slow": 1}, CONTRADICTED),
    ],
)
def test_corrections_fall_in_three_sequences(
    written: Written, predict: np.ndarray, correct: dict[str, int], verdict: str
) -> None:
    steps = trace(predict_s=predict, correct_s=trace()["sequence"].map(correct).astype(float))
    assert orbit_integration(written(trace_rows(), steps), "m31", {}).verdict == verdict


@pytest.mark.parametrize(("sort", "verdict"), [(2e-3, CONFIRMED), (5e-4, CONTRADICTED)])
def test_longest_part_of_a_construction_is_sought(
    written: Written, sort: float, verdict: str
) -> None:
    evidence = written(trace_rows(), trace(sort_s=sort))
    assert sort_limits(evidence, "m31", {}).verdict == verdict


FIGURE = {"steps": 101, "slow": 13, "ratio": [0.1, 0.3], "rebuild": 9}


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        ({}, CONFIRMED),
        ({"slow": 30}, PARTLY),
        ({"slow": 30, "ratio": [2, 3], "rebuild": 26}, PARTLY),
    ],
)
def test_first_steps_are_compared_in_parts(written: Written, numbers: dict, verdict: str) -> None:
    found = first_steps(written(trace_rows(), trace()), "m31", FIGURE | numbers)
    assert found.verdict == verdict
    assert "13 slow steps of 101, 3 ranges" in found.numbers
    assert "first reconstruction in step 9" in found.numbers


def test_first_steps_that_differ_in_all_parts_are_contradicted(written: Written) -> None:
    steps = trace(sequence=np.where(STEP % 2 == 0, "slow", "fast"))
    numbers = {"ratio": [50, 60], "rebuild": 26}
    found = first_steps(written(trace_rows(), steps), "m31", FIGURE | numbers)
    assert found.verdict == CONTRADICTED
    with pytest.raises(EvidenceError, match="only 60 steps"):
        first_steps(written(trace_rows(), trace().head(60)), "m31", FIGURE)
