from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.checks import regress
from analysis.checks.regress import BASELINES, TABLE, Measured, holds, measure, moved
from analysis.errors import DataError
from analysis.programs import Programs

ORIGIN = {
    "device": "Intel(R) Xeon(R)",
    "compiler": "GNU 12, 512-bit vectors",
    "revision": "abc",
    "date": "2026-01-01",
}
NUMBERS = {
    "initial_conditions": "0123456789abcdef",
    "forces": "123456789abcdef0",
    "final_state": "23456789abcdef01",
    "error_50": 1.1e-3,
    "error_90": 2.3e-3,
    "error_99": 3.7e-3,
    "error_max": 1.7e-2,
    "force_interactions": 11001664,
    "steps": 4,
    "simulated_time": 0.25,
    "interactions": 287786583,
    "cells_judged": 3077472,
    "rebuilds": 3,
    "energy_drift": -1.002e-3,
    "energy_drift_max": 1.003e-3,
    "power": 1.3e-5,
    "active": [8192, 30, 512, 29],
    "launches": 1200,
    "waits": 300,
    "copied_bytes": 123456789,
    "allocations": 80,
    "written_bytes": 700000,
}
BASELINE = Measured(ORIGIN, {"nfw": NUMBERS, "m31": NUMBERS})


def changed(column: str, value: object) -> Measured:
    return Measured(ORIGIN, {"nfw": NUMBERS, "m31": NUMBERS | {column: value}})


@pytest.mark.parametrize("column", TABLE["bounds"])
def test_least_change_is_found_where_numbers_are_exact(column: str) -> None:
    value = NUMBERS[column]
    if column.startswith(("error_", "power")):  # the order of NumPy's sums depends on the processor
        value *= 1 + 1.01e-9
    elif column == "written_bytes":  # names of folders and machines are in files
        value = int(1.051 * value)
    elif isinstance(value, str):
        value = value[::-1]
    elif isinstance(value, list):
        value = [*value[:-1], value[-1] + 1]
    else:
        value = value + 1 if isinstance(value, int) else math.nextafter(value, 1)
    (line,) = moved(BASELINE, changed(column, value), exact=True)
    assert line.startswith(f"m31: {column}")


@pytest.mark.parametrize(
    ("bound", "now", "kept"),
    [
        ({"relative": 0.03}, [1.029, -2.0], True),
        ({"relative": 0.03}, [1.031, -2.0], False),
        ({"relative": 0.03}, [1.0, -1.939], False),
        ({"absolute": 0.5}, [1.0, -2.5], True),
        ({"absolute": 0.5}, [1.51, -2.0], False),
        ({"absolute": 0.5}, [1.0], False),
        ({"absolute": 0.5}, [float("nan"), -2.0], False),
        ({"absolute": 0.5}, None, False),
        ({"why": "last bits"}, [7.0], True),
    ],
)
def test_numbers_of_other_machines_keep_within_their_bounds(
    bound: dict, now: object, kept: bool
) -> None:
    assert holds(bound, [1.0, -2.0], now) is kept


def test_line_tells_both_numbers_and_the_bound() -> None:
    (line,) = moved(BASELINE, changed("error_99", 5e-3), exact=False)
    assert line == "m31: error_99: baseline 0.0037, now 0.005, bound within 3 %"
    (line,) = moved(BASELINE, changed("active", [8192, 30, 500, 29]), exact=True)
    assert line == "m31: active of step 2: baseline 512, now 500, bound exact"


def test_missing_and_additional_problems_are_told() -> None:
    now = Measured(ORIGIN, {"nfw": NUMBERS, "king": NUMBERS})
    assert sorted(moved(BASELINE, now, exact=True)) == [
        "king: not in the baseline",
        "m31: in the baseline, but was not run",
    ]


@pytest.mark.parametrize(
    ("change", "exact"),
    [
        ({"revision": "def", "device": "13th Gen Intel(R) Core(TM)"}, True),
        ({"device": "AMD EPYC 9654"}, False),
        ({"compiler": "GNU 13, 512-bit vectors"}, False),
    ],
)
def test_numbers_are_exact_for_one_compiler_and_make_of_processor(
    change: dict[str, str], exact: bool
) -> None:
    assert (Measured(ORIGIN | change, {}).exact_among == BASELINE.exact_among) is exact


def test_baseline_keeps_every_bit(tmp_path: Path) -> None:
    numbers = NUMBERS | {"error_50": 0.1 + 0.2, "energy_drift": -1e-05, "error_max": 1e-320}
    now = Measured(ORIGIN, {"nfw": numbers})
    with pytest.raises(DataError, match="WHY"):
        regress.write_baseline(now, " ", tmp_path)
    regress.write_baseline(now, "a reason: with a colon", tmp_path)
    read = regress.read_baseline(now, tmp_path)
    assert read.origin["why"] == "a reason: with a colon"
    assert not list(moved(read, now, exact=True))


@pytest.mark.parametrize("path", sorted(BASELINES.glob("*.yaml")), ids=lambda path: path.stem)
def test_baselines_hold_the_problems_of_the_table(path: Path) -> None:
    device = "NVIDIA H200" if path.stem == "nvidia-h200" else "CPU"
    read = regress.read_baseline(Measured(ORIGIN | {"device": device}, {}))
    # No GPU has measured the newest problems, those of the published algorithm.
    new = {name for name in TABLE["problems"] if "as published" in name}
    missing = new if path.stem == "nvidia-h200" else set()
    assert list(read.problems) == [name for name in TABLE["problems"] if name not in missing]


@pytest.fixture
def runs(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Measured]:
    """Run one small problem, with changed options."""

    def run(force: dict[str, object] | None = None, **options: object) -> Measured:
        small = {"particles": 2048, "run": {"steps": 8} | options, "force": force or {}}
        monkeypatch.setitem(TABLE, "problems", {"nfw": small})
        return measure(Programs(programs, tmp_path), "cpu")

    return run


@pytest.mark.parametrize(
    ("force", "options", "columns"),
    [
        ({}, {}, set()),
        ({"threads": 2}, {}, set()),
        ({"accuracy": 0.99 * 2**-7}, {}, {"error_50", "interactions", "forces"}),
        ({"leaf-capacity": 16}, {}, {"error_50", "force_interactions", "cells_judged"}),
        ({}, {"eta": 0.49}, {"active"}),
        ({}, {"rebuild-interval": 1}, {"rebuilds", "final_state"}),
    ],
)
def test_change_of_what_the_program_does_is_found(
    runs: Callable[..., Measured],
    force: dict[str, object],
    options: dict[str, object],
    columns: set[str],
) -> None:
    lines = list(moved(runs(), runs(force, **options), exact=True))
    found = {line.split(": ")[1].split(" of step")[0] for line in lines}
    assert found >= columns if columns else not found
