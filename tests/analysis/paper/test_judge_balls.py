from __future__ import annotations

import pandas as pd
import pytest

from analysis.paper.judge_balls import best_ball, com_radii, cost_of_balls, ebs_radii, geo_radii
from analysis.paper.verdicts import CONFIRMED, CONTRADICTED, PARTLY, UNDECIDED
from tests.analysis.benches import balls_table, histogram_table
from tests.analysis.paper.conftest import REPEATED, Written


@pytest.mark.parametrize(
    ("usual", "worst", "verdict"),
    [(1.05, 1.10, CONFIRMED), (1.05, 1.06, PARTLY), (1.005, 1.05, CONTRADICTED)],
)
def test_ritters_balls_are_judged_by_most_and_by_all(
    written: Written, usual: float, worst: float, verdict: str
) -> None:
    numbers = {"most_cases": usual, "worst": worst}
    found = ebs_radii(written(histogram=histogram_table()), "m31", numbers)
    assert found.verdict == verdict
    assert "all less than 8%" in found.numbers


@pytest.mark.parametrize(("usual", "verdict"), [(1.15, CONFIRMED), (1.02, CONTRADICTED)])
def test_balls_of_boxes_are_judged_by_most(written: Written, usual: float, verdict: str) -> None:
    found = geo_radii(written(histogram=histogram_table()), "m31", {"most_cases": usual})
    assert found.verdict == verdict
    assert found.numbers.startswith("80%" if usual > 1.1 else "0%")


def com_table(sparse: dict[float, int], dense: dict[float, int]) -> pd.DataFrame:
    """Ratios of balls about centres of mass, by the groups in each, at two radii."""
    rows = [
        {"ball": "com", "radius_low": radius, "radius_high": 1.2 * radius, "ratio_low": ratio}
        | {"ratio_high": ratio + 0.01, "groups": groups}
        for radius, bins in ((1.0, dense), (10.0, sparse))
        for ratio, groups in bins.items()
    ]
    return histogram_table().head(len(rows)).assign(**pd.DataFrame(rows))


@pytest.mark.parametrize(
    ("sparse", "verdict"),
    [
        ({1.5: 60, 1.1: 40}, CONFIRMED),
        ({1.5: 10, 1.2: 90}, PARTLY),
        ({1.1: 100}, CONTRADICTED),
    ],
)
def test_balls_about_centres_of_mass_are_judged_where_they_are_large(
    written: Written, sparse: dict[float, int], verdict: str
) -> None:
    evidence = written(histogram=com_table(sparse, {1.1: 900}))
    found = com_radii(evidence, "m31", {"sparse": 1.4})
    assert found.verdict == verdict
    assert "1.10 in all" in found.numbers


def costs(share: float, other: float) -> pd.DataFrame:
    """Costs of balls as a part of the walk, and a second model's over the first's."""
    one = balls_table(**REPEATED)
    one["seconds"] = share * one["walk_seconds"]
    two = one.assign(model="nfw", seconds=other * one["seconds"])
    return pd.concat([one, two], ignore_index=True)


@pytest.mark.parametrize(
    ("share", "other", "verdict"),
    [(0.01, 1.01, CONFIRMED), (0.09, 1.01, PARTLY), (0.09, 2.0, CONTRADICTED)],
)
def test_cost_of_balls_is_compared_with_the_walk_and_between_models(
    written: Written, share: float, other: float, verdict: str
) -> None:
    evidence = written(balls=costs(share, other))
    found = cost_of_balls(evidence, "m31", {"other": "nfw", "negligible": 0.05})
    assert found.verdict == verdict
    assert f"{share:.1%} (geo)" in found.numbers


def test_best_ball_takes_least_with_its_walk(written: Written) -> None:
    for best, verdict in ((["seb"], CONFIRMED), (["geo", "ebs"], CONTRADICTED)):
        found = best_ball(written(balls=balls_table(**REPEATED)), "m31", {"best": best})
        assert found.verdict == verdict
        assert "seb 1.000" in found.numbers
    once = written(balls=balls_table())
    assert best_ball(once, "m31", {"best": ["seb"]}).verdict == UNDECIDED
