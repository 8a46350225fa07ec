"""Measured pairs, and verdicts on made-up ones with every kind of noise that a machine has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from analysis.checks.speed import (
    EQUAL_STEPS,
    Problem,
    Process,
    different_steps,
    equal_steps,
    execute,
    measure_pairs,
)
from analysis.checks.verdict import ALARM, compare, interval, middle_mean, sentence, verdict
from analysis.errors import DataError
from analysis.reading.files import STAGES
from tests.checks.noise import NOISES, Noise

ROOT = Path(__file__).parents[2]
PAIRS = 15
COUNT = 20


def verdicts(noise: Noise, change: float, trials: int, seed: int) -> np.ndarray:
    """Judge comparisons in which each stage of the second program takes `change` longer.

    Returns the verdicts, shape (trials, stages).
    """
    rng = np.random.default_rng(seed)
    logs = noise(rng, (trials, COUNT, PAIRS, 2))
    ratios = logs[..., 1] - logs[..., 0] + np.log(1 + change)

    def judged(values: np.ndarray) -> str:
        return verdict(middle_mean(values), *interval(values, ALARM / COUNT))

    return np.array([[judged(values) for values in trial] for trial in ratios])


def measured(ratio: float, rounds: int = 12) -> pd.DataFrame:
    """Rounds in which one stage takes `ratio` times as long; another is the same."""
    rng = np.random.default_rng(5)
    rows = []
    for number in range(rounds):
        for program, factor in (("base", 1.0), ("new", ratio)):
            for stage, times in (("walk", factor), ("sort", 1.0)):
                seconds = 0.5 * times * rng.normal(1, 0.002)
                rows.append((number, "nfw", program, stage, seconds))
    columns = ["round", "problem", "program", "stage", "seconds"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize("noise", NOISES)
def test_five_percent_are_found_and_a_program_is_not_slower_than_itself(noise: Noise) -> None:
    same, slower = (verdicts(noise, *given) for given in ((0.0, 40, 1), (0.05, 10, 2)))
    assert (same == "slower").any(axis=1).mean() <= 0.05
    assert (slower == "slower").mean() >= 0.9


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
    assert sentence(table.reset_index()).startswith("1 slower: nfw, walk +6.")


def test_too_few_complete_pairs_are_not_judged() -> None:
    raw = measured(1.06)
    for few in (measured(1.06, rounds=9), raw.drop(index=raw.index[3])):
        with pytest.raises(DataError, match="complete pairs were measured; at least 10"):
            compare(few)


@pytest.fixture
def small() -> Problem:
    """Return a problem that takes no time."""
    return Problem("nfw", 256, f"{EQUAL_STEPS} --steps 3", ("walk", "step"), equal_steps)


def write_steps(folder: Path, walk: list[float]) -> Process:
    """Write the seconds of the steps of a run."""
    folder.mkdir()
    with h5py.File(folder / "steps.h5", "w") as file:
        for column in (*STAGES.values(), "total"):
            file[f"Steps/{column}"] = walk
    return Process(folder, 9.0)


def test_equal_steps_count_with_their_median_different_ones_with_the_least(tmp_path: Path) -> None:
    assert equal_steps([write_steps(tmp_path / "one", [9, 1, 2, 7])])["keys"] == 2
    first, second = write_steps(tmp_path / "a", [1, 5]), write_steps(tmp_path / "b", [2, 3])
    assert different_steps([first, second])["walk"] == 1 + 3


def test_both_programs_are_measured_in_every_round(programs: Path, small: Problem) -> None:
    table = measure_pairs({"base": programs, "new": programs}, {"small": small}, "cpu", 3)
    assert len(table) == 3 * 2 * 2
    for _, rows in table.groupby(["round", "stage"]):
        assert set(rows["program"]) == {"base", "new"}
    assert (table["seconds"] > 0).all()


def test_a_program_that_does_not_know_an_option_is_told(
    tmp_path: Path, programs: Path, small: Problem
) -> None:
    old = tmp_path / "gothic"
    old.write_text("#!/bin/sh\necho 'gothic: --rebuild-interval: no such option' >&2\nexit 2\n")
    old.chmod(0o755)
    (tmp_path / "gothic-ic").symlink_to(programs / "gothic-ic")
    with pytest.raises(DataError, match="no such option; the revision may be too old"):
        measure_pairs({"base": tmp_path, "new": programs}, {"small": small}, "cpu", 1)


def test_missing_programs_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gothic: no such program"):
        measure_pairs({"base": tmp_path}, {}, "cpu", 1)


def test_waiting_is_no_processor_time() -> None:
    (seconds,) = execute([["sleep", "0.2"]])
    assert seconds < 0.1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--base", "no-such-revision"], "no-such-revision: no such revision; see git log"),
        (
            ["--base", "HEAD", "--device", "auto"],
            "--device auto: nothing is measured there; name cpu, cuda or cuda:N",
        ),
        (
            ["--base", "HEAD", "--pairs", "9"],
            "--pairs 9: too few to judge by; take at least 10",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments: list[str], message: str) -> None:
    words = [sys.executable, "-m", "analysis.checks", "speed", *arguments]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [message]
