"""The programs in a folder of their own, and the sum of what was done to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.tally import TALLY, Tally
from tests.programs.gothic import Gothic
from tests.programs.snapshots import sphere, write_snapshot


@pytest.fixture
def gothic(programs: Path, tmp_path: Path) -> Gothic:
    """Run the programs in a folder of their own, where ic.h5 holds 64 particles."""
    write_snapshot(tmp_path / "ic.h5", sphere(64))
    return Gothic(programs, tmp_path)


@pytest.fixture
def tally() -> Tally:
    return TALLY


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count the tests of this folder that failed: each lost something."""
    if report.failed and "tests/faults/" in report.nodeid:
        TALLY.lost += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if TALLY.inputs:
        terminalreporter.write_line(TALLY.line())
