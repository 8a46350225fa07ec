from __future__ import annotations

import math

import pytest

from analysis.paper.evidence import EvidenceError
from analysis.paper.judge_gains import (
    fastest_criterion,
    gain_between,
    gain_by_accuracy,
    mean_rate,
    multipole_share,
)
from analysis.paper.verdicts import CONFIRMED, CONTRADICTED, PARTLY, UNDECIDED
from tests.analysis.paper.conftest import Written, sweep_rows, trace, trace_rows

QUANTITIES = ("pairs", "walk", "stages", "wall")


def falling(criterion: str, accuracy: float) -> dict[str, float]:
    gain = 4 + 0.2 * math.log2(accuracy) if criterion != "opening" else 2 + accuracy
    return dict.fromkeys(QUANTITIES, gain)


def rising(criterion: str, accuracy: float) -> dict[str, float]:
    return {name: 10 - gain for name, gain in falling(criterion, accuracy).items()}


def test_gain_falls_in_each_quantity_apart(written: Written) -> None:
    found = gain_by_accuracy(written(sweep_rows(falling)), "m31", {})
    assert found.verdict == CONFIRMED
    assert "acceleration 1.60 to 3.60 (+1.00)" in found.numbers
    assert "falls in 12 of 12" in found.numbers
    assert gain_by_accuracy(written(sweep_rows(rising)), "m31", {}).verdict == CONTRADICTED

    def pairs_alone(criterion: str, accuracy: float) -> dict[str, float]:
        return rising(criterion, accuracy) | {"pairs": falling(criterion, accuracy)["pairs"]}

    found = gain_by_accuracy(written(sweep_rows(pairs_alone)), "m31", {})
    assert found.verdict == PARTLY
    assert "falls in 3 of 12" in found.numbers


def test_gain_of_single_runs_is_judged_by_their_pairs(written: Written) -> None:
    found = gain_by_accuracy(written(sweep_rows(falling, repeats=1)), "m31", {})
    assert found.verdict == CONFIRMED
    assert "falls in 3 of 3" in found.numbers


def test_change_of_the_gain_within_the_scatter_is_no_fall(written: Written) -> None:
    def slightly(criterion: str, accuracy: float) -> dict[str, float]:
        gain = 2 + 0.001 * falling(criterion, accuracy)["wall"]
        return dict.fromkeys(("walk", "stages", "wall"), gain)

    assert gain_by_accuracy(written(sweep_rows(slightly)), "m31", {}).verdict == CONTRADICTED


@pytest.mark.parametrize(
    ("wall", "settings", "verdict"),
    [
        (3.0, "typical", CONFIRMED),
        (1.97, "typical", CONFIRMED),  # within the scatter of 2 % of each kind
        (1.9, "typical", CONTRADICTED),
        (6.0, "typical", CONTRADICTED),
        (3.0, "fiducial", CONFIRMED),
        (3.0, "all", CONFIRMED),
        (9.0, "fiducial", CONTRADICTED),
    ],
)
def test_gain_is_compared_by_the_wall_time(
    written: Written, wall: float, settings: str, verdict: str
) -> None:
    rows = sweep_rows(lambda *_: {"pairs": 20.0, "walk": 10.0, "stages": 8.0, "wall": wall})
    numbers = {"settings": settings, "least": 2, "most": 5}
    found = gain_between(written(rows), "m31", numbers)
    assert found.verdict == verdict
    for words in ("pairs 20.00", "walk 10.00", "timers of the steps 8.00", f"steps {wall:.2f}"):
        assert words in found.numbers


def test_some_settings_agree_in_part(written: Written) -> None:
    rows = sweep_rows(lambda criterion, _: {"wall": 3.0 if criterion == "opening" else 1.5})
    found = gain_between(written(rows), "m31", {"settings": "all", "least": 2})
    assert found.verdict == PARTLY
    assert "5 of 17 settings agree" in found.numbers


def test_gain_of_single_runs_decides_nothing(written: Written) -> None:
    rows = sweep_rows(lambda *_: {"wall": 3.0}, repeats=1)
    found = gain_between(written(rows), "m31", {"settings": "all", "least": 2})
    assert found.verdict == UNDECIDED
    assert "one run, and 3 decide" in found.numbers
    few = [row for row in sweep_rows(lambda *_: {}) if row["accuracy"] == 2.0**-7]
    with pytest.raises(EvidenceError, match="1 settings"):
        gain_between(written(few), "m31", {"settings": "all", "least": 2})


def with_times(rows: list[dict], **factors: float) -> list[dict]:
    """Let times fall with the square root of the error, a factor apart for each criterion."""
    for row in rows:
        row["elapsed_per_step_s"] *= factors[row["criterion"]] / math.sqrt(row["error_99"])
    return rows


@pytest.mark.parametrize(("factor", "verdict"), [(2.0, CONFIRMED), (0.5, CONTRADICTED)])
def test_criterion_is_fastest_at_equal_errors(
    written: Written, factor: float, verdict: str
) -> None:
    rows = sweep_rows(lambda *_: {"wall": 3.0})
    rows = with_times(rows, acceleration=1.0, multipole=factor, opening=2 * factor)
    found = fastest_criterion(written(rows), "m31", {})
    assert found.verdict == verdict
    assert "at equal median error" in found.numbers
    assert "at equal 99 % error" in found.numbers


def test_criterion_that_is_nowhere_fastest_is_contradicted(written: Written) -> None:
    rows = sweep_rows(lambda *_: {"wall": 3.0})
    rows = with_times(rows, acceleration=9.0, multipole=1.0, opening=1.0)
    for row in rows:  # the opening angles span all errors
        if row["criterion"] == "opening":
            row["error_99"] = {0.3: 1e-6, 0.9: 1.0}.get(row["accuracy"], row["error_99"])
            row["error_50"] = 0.1 * row["error_99"]
            row["elapsed_per_step_s"] = 1 / math.sqrt(row["error_99"])
    assert fastest_criterion(written(rows), "m31", {}).verdict == CONTRADICTED


def test_errors_and_criteria_are_needed(written: Written) -> None:
    rows = sweep_rows(lambda *_: {})
    alone = [row for row in rows if row["criterion"] == "acceleration"]
    with pytest.raises(EvidenceError, match="not all criteria"):
        fastest_criterion(written(alone), "m31", {})
    blind = [row | {"error_99": math.nan} for row in rows]
    with pytest.raises(EvidenceError, match="no errors"):
        fastest_criterion(written(blind), "m31", {})


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.5, 1.0, CONFIRMED), (2.0, 1.0, PARTLY), (0.5, 3.0, PARTLY), (2.0, 3.0, CONTRADICTED)],
)
def test_multipole_is_compared_at_low_and_at_high_accuracy(
    written: Written, low: float, high: float, verdict: str
) -> None:
    rows = sweep_rows(lambda *_: {"wall": 3.0})
    for row in rows:
        exponent = math.log2(row["accuracy"])
        if row["criterion"] == "opening":  # in the same range as the others
            exponent = -2 - 10 * (0.9 - row["accuracy"]) / 0.6
            row["error_99"] = 0.01 * 2**exponent
            row["error_50"] = 0.1 * row["error_99"]
        row["elapsed_per_step_s"] *= 1 / math.sqrt(row["error_99"])
        if row["criterion"] == "multipole":
            row["elapsed_per_step_s"] *= low if exponent > -5 else high
    assert multipole_share(written(rows), "m31", {}).verdict == verdict


@pytest.mark.parametrize(
    ("pairs", "walk", "verdict"), [(2.0, 4.0, CONFIRMED), (4.0, 2.0, CONTRADICTED)]
)
def test_mean_rate_is_compared_with_that_of_shared_steps(
    written: Written, pairs: float, walk: float, verdict: str
) -> None:
    rows = sweep_rows(lambda *_: {"pairs": pairs, "walk": walk})
    found = mean_rate(written(rows), "m31", {})
    assert found.verdict == verdict
    assert f"shared steps {walk / pairs:.2f}" in found.numbers
    once = sweep_rows(lambda *_: {"pairs": pairs, "walk": walk}, repeats=1)
    assert mean_rate(written(once), "m31", {}).verdict == UNDECIDED


@pytest.mark.parametrize(("slow", "verdict"), [(5e8, CONFIRMED), (2e9, CONTRADICTED)])
def test_mean_rate_without_seconds_of_walks_is_that_of_steps(
    written: Written, slow: float, verdict: str
) -> None:
    steps = trace(particles=100000)
    slow_ones = steps["sequence"] == "slow"
    steps.loc[slow_ones, "walk_s"] = steps["interactions"] / slow
    steps["interactions_per_walk_s"] = steps["interactions"] / steps["walk_s"]
    found = mean_rate(written(trace_rows(particles=100000), steps), "m31", {})
    assert "13 steps that move nine tenths" in found.numbers
    # All pairs over all seconds are nearly those of slow steps.
    assert found.verdict == verdict


def test_times_that_scatter_too_much_decide_nothing(written: Written) -> None:
    rows = sweep_rows(lambda *_: {"wall": 3.0, "walk": 3.0, "stages": 3.0})
    for row in rows:
        if row["repeat"] == 3:
            for name in ("elapsed_per_step_s", "stages_per_step_s", "walk_s"):
                row[name] *= 4
    evidence = written(rows)
    found = gain_between(evidence, "m31", {"settings": "all", "least": 2})
    assert found.verdict == UNDECIDED
    assert "17 scatter too much to count" in found.numbers
    assert mean_rate(evidence, "m31", {}).verdict == UNDECIDED
    assert fastest_criterion(evidence, "m31", {}).verdict == UNDECIDED
    assert "too much scatter, not counted" in gain_by_accuracy(evidence, "m31", {}).numbers


def test_one_setting_that_scatters_too_much_does_not_count(written: Written) -> None:
    rows = sweep_rows(lambda *_: {"wall": 3.0})
    noisy = next(row for row in rows if row["repeat"] == 3)
    noisy["elapsed_per_step_s"] *= 9
    found = gain_between(written(rows), "m31", {"settings": "all", "least": 2})
    assert found.verdict == CONFIRMED
    assert "16 of 16 settings agree" in found.numbers
