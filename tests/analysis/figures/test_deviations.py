from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.figures.deviations import compared, shown
from analysis.study.runs import table_of
from tests.analysis.rows import a_row

PARTS = {"none": (1.0, 1.0), "sizes": (2.0, 1.0), "points": (1.0, 4.0), "steps": (3.0, 1.0)}


ALL = {"all": (12.0, 4.0), "points,steps": (6.0, 4.0), "sizes,steps": (9.0, 1.0)}


def runs(parts: Mapping[str, tuple[float, float]] = PARTS) -> pd.DataFrame:
    """Runs whose seconds go as the error to the -1/2, with the cost and the error of each part."""
    rows = [
        a_row(
            model=model,
            as_published=part,
            accuracy=accuracy,
            repeat=repeat,
            simulated_time=4.0,
            steps=8,
            particles=256,
            error_99=error * accuracy,
            stages_per_step_s=cost * accuracy**-0.5 * (repeat if part == "steps" else 1),
            interactions=1000 * cost / accuracy,
            active_fraction=0.5 * cost,
            energy_drift_max=-1e-4 * error,
        )
        for model, (part, (cost, error)), accuracy, repeat in itertools.product(
            ("nfw", "m31"), parts.items(), (2.0**-11, 2.0**-9, 2.0**-7, 2.0**-5), (1, 2, 3)
        )
    ]
    return table_of(rows)


def test_parts_are_compared_at_equal_error() -> None:
    table = compared(runs()).set_index(["model", "part"])
    assert len(table) == 2 * len(PARTS)
    own = table.loc[("nfw", "none")]
    np.testing.assert_allclose(own[["seconds", "pairs", "updates", "error_99"]], 1)
    assert own["at_error_99"] == 2.0**-7
    np.testing.assert_allclose(table.loc[("m31", "sizes"), ["seconds", "updates"]], 2)
    points = table.loc[("nfw", "points")]
    # Four times the error: the same error costs the square root of four more seconds.
    np.testing.assert_allclose(points[["seconds", "pairs", "error_99"]], [2, 4, 4])
    np.testing.assert_allclose(points["energy_error"], 4)


def test_repeats_are_compared_one_by_one_and_span_a_range() -> None:
    table = compared(runs())
    steps = table[(table["part"] == "steps") & (table["model"] == "nfw")].iloc[0]
    assert list(steps[["seconds_least", "seconds", "seconds_greatest"]]) == pytest.approx([3, 6, 9])
    assert steps["repeats"] == 3
    words = shown(table)
    assert "none" not in set(words["part"])
    assert words.loc[words["part"] == "steps", "time at equal error"].iloc[0] == "6.00 (3.00-9.00)"


def test_the_published_algorithm_is_compared_with_itself_but_for_one_part() -> None:
    table = compared(runs(PARTS | ALL))
    assert set(table["part"]) == {*PARTS, "all"}
    of_nfw = table[table["model"] == "nfw"].set_index("part")
    # Errors that are four times as large cost the square root of four more seconds.
    assert of_nfw.loc["sizes", "seconds_within"] == pytest.approx(12 / 6)
    assert of_nfw.loc["points", "seconds_within"] == pytest.approx(2 * 12 / 9)
    words = shown(table).set_index(["model", "part"])["time, the others as published"]
    assert words["NFW sphere", "sizes"] == "2.00"
    assert words["NFW sphere", "steps"] == "-"
    assert words["NFW sphere", "all"] == "-"
    assert "time, the others as published" not in shown(compared(runs()))


def test_what_is_not_reached_is_told_and_ours_is_needed() -> None:
    table = runs()
    far = table["as_published"] == "points"
    words = shown(compared(table.assign(error_99=table["error_99"] * np.where(far, 1e3, 1))))
    assert set(words.loc[words["part"] == "points", "time at equal error"]) == {"not reached"}
    with pytest.raises(DataError, match="none"):
        compared(table[table["as_published"] != "none"])
