from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scipy.integrate import quad

from analysis.checks import force_errors, motion
from analysis.checks.checked import Row
from analysis.programs import Programs
from analysis.reading.csv_tables import read_table

TABLE = Path(__file__).parents[2] / "docs" / "validation.csv"


@pytest.mark.parametrize(
    ("measured", "passed"), [(1.05, True), (1.2, False), (float("nan"), False)]
)
def test_number_passes_within_its_bound(measured: float, passed: bool) -> None:
    assert Row("Section", "quantity", 1.0, measured, 0.1, "a tenth").passed is passed


def test_table_in_the_documentation_has_passed_and_is_of_a_commit() -> None:
    table = read_table(TABLE)
    assert table["passed"].all()
    assert not table["revision"].str.endswith("-dirty").any()


@pytest.mark.parametrize("sphere", force_errors.CLOSED, ids=lambda sphere: sphere.name)
def test_smooth_sphere_obeys_poisson(sphere: force_errors.Sphere) -> None:
    # The potential is the integral of the acceleration.
    pull = quad(lambda r: sphere.mass(r) / r**2, 0.5, 2)[0]
    assert sphere.potential(2) - sphere.potential(0.5) == pytest.approx(pull, rel=1e-6)


def test_plummer_sphere_has_its_closed_form() -> None:
    plummer = force_errors.CLOSED[0]
    assert plummer.mass(1) == pytest.approx(2**-1.5, rel=1e-6)
    assert plummer.potential(1) == pytest.approx(-(2**-0.5), rel=1e-6)


@pytest.mark.parametrize("part", [force_errors.pair, force_errors.independent_sum, motion.kepler])
def test_programs_are_within_bounds(
    programs: Path, tmp_path: Path, part: Callable[[Programs], Iterator[Row]]
) -> None:
    rows = list(part(Programs(programs, tmp_path)))
    assert rows
    assert [row.quantity for row in rows if not row.passed] == []
