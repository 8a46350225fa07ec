"""Which committed tables stand."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from analysis.checks.regress import TABLE
from analysis.errors import DataError
from analysis.measured.validity import (
    COLUMNS,
    PAGE,
    Kept,
    Validity,
    compare,
    current_page,
    page,
    reduced,
)
from tests.conftest import ROOT

NUMBERS = dict(zip(COLUMNS, (1.1e-3, 3.7e-3, 11001664, 287786583, 3, 1e-3, 1e-5), strict=True))
BASELINE = {
    "revision": "abcdef123456",
    "date": "2026-01-01",
    "device": "CPU",
    "problems": dict.fromkeys(TABLE["problems"], NUMBERS),
}
RECORDED = {
    "revisions": {"123": {"cpu": "a", "nvidia-h200": "a"}, "000": {}},
    "numbers": {"a": reduced(BASELINE["problems"], TABLE)},
}
TABLE_OF_CPU = Kept(
    ROOT / "analysis/measured/a/b/runs.csv", "config/b.yaml", ("CPU",), ("123",), published=True
)
TABLE_OF_GPU = replace(TABLE_OF_CPU, devices=("NVIDIA H200",))
PUBLISHED = "m31, as published, shared steps"


def changed(problem: str = "nfw", **numbers: float) -> dict:
    """Make a baseline in which numbers of one problem have moved."""
    baseline = copy.deepcopy(BASELINE)
    baseline["problems"][problem] = NUMBERS | numbers
    return baseline


def test_page_of_tables_is_that_of_tables_and_baselines() -> None:
    assert current_page() == PAGE.read_text(), "docs/tables.md is stale; run make docs, commit it"


@pytest.mark.parametrize(
    ("numbers", "stands"),
    [
        ({}, True),
        ({"error_99": 3.75e-3, "interactions": 287786590}, True),  # as between machines
        ({"error_99": 4e-3}, False),
        ({"force_interactions": 11101664}, False),
        ({"rebuilds": 4}, False),
        ({"power": 1e-4}, False),
    ],
)
def test_table_stands_until_a_number_moves(numbers: dict[str, float], stands: bool) -> None:
    reason = Validity(RECORDED, {"cpu": changed(**numbers)}).of_table(TABLE_OF_CPU)
    assert bool(reason) != stands
    if not stands:
        problems = len(TABLE["problems"])
        assert reason == f"123 1 of {problems} problems of cpu moved: nfw"


def test_numbers_of_a_gpu_concern_its_tables_alone() -> None:
    validity = Validity(RECORDED, {"cpu": BASELINE, "nvidia-h200": changed(rebuilds=9)})
    assert not validity.of_table(TABLE_OF_CPU)
    assert "of nvidia-h200 moved" in validity.of_table(TABLE_OF_GPU)


def test_published_algorithm_concerns_tables_of_studies_that_ran_it() -> None:
    validity = Validity(RECORDED, {"cpu": changed(PUBLISHED, error_99=4e-3)})
    assert validity.of_table(TABLE_OF_CPU).endswith(f"moved: {PUBLISHED}")
    assert not validity.of_table(replace(TABLE_OF_CPU, published=False))


def test_table_tells_whether_its_study_ran_the_published_algorithm() -> None:
    for study, published in (("epyc/full", True), ("epyc/errors", False)):
        tables = (ROOT / "analysis/measured" / study).glob("*.csv")
        assert {Kept.read(table).published for table in tables} == {published}


def test_problem_that_is_told_otherwise_is_compared_if_its_numbers_are_the_same() -> None:
    then = reduced({"nfw": NUMBERS, "m31": NUMBERS}, TABLE)
    now = {name: ["other", *numbers[1:]] for name, numbers in then.items()}
    assert compare(then, now) == (2, [])
    now["m31"][1] *= 2
    assert compare(then, now) == (1, [])


def test_revision_with_few_of_the_problems_tells_nothing() -> None:
    few = dict(list(BASELINE["problems"].items())[:5])
    recorded = RECORDED | {"numbers": {"a": reduced(few, TABLE)}}
    reason = Validity(recorded, {"cpu": BASELINE}).of_table(TABLE_OF_CPU)
    assert reason == f"123 has 5 of the {len(TABLE['problems'])} problems of cpu"


def test_table_without_a_study_or_a_baseline_is_to_be_measured_again() -> None:
    table = replace(TABLE_OF_CPU, study="none", revisions=("123", "000"))
    validity = Validity(RECORDED, {"cpu": BASELINE})
    assert validity.of_table(table) == "no study made it, 000 has no baseline"
    text = page(validity, [table, TABLE_OF_CPU], {"cpu": BASELINE})
    assert "1 of 2 tables stand." in text
    assert "| `a/b/runs.csv` | CPU | config/b.yaml | 123 | yes |" in text


def test_revision_that_is_not_recorded_is_told() -> None:
    table = replace(TABLE_OF_CPU, study="none", revisions=("new",))
    with pytest.raises(DataError, match="revision new is missing; run make docs"):
        Validity(RECORDED, {"cpu": BASELINE}).of_table(table)
