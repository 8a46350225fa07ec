from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.figures import findings as figure
from analysis.paper import judgements as module
from analysis.paper.judgements import CONFIRMED, CONTRADICTED, PARTLY, UNDECIDED, findings
from analysis.study.runs import table_of
from tests.analysis.benches import GPU, crossover_table, histogram_table, sharing_table
from tests.analysis.conftest import MADE_BY
from tests.analysis.rows import a_row


def trace_table(**columns: object) -> pd.DataFrame:
    """Make a run whose every eighth step is slow, with a low rate, and followed by a new tree."""
    step = np.arange(96)
    slow = step % 8 == 0
    columns = {
        "number": step,
        "sequence": np.where(slow, "slow", "fast"),
        "rebuilt": (step % 8 == 1) | (step == 0),
        "interactions": np.where(slow, 1000, 100 + step % 8),
        "interactions_per_walk_s": np.where(slow, 1e9, 2e9) + step,
        "level_min": 3,
        "level_max": 7,
        "model": "m31",
        "particles": 2**17,
        "threads": 2,
        **MADE_BY,
    } | columns
    return pd.DataFrame(columns)


def scaling_table(power: float) -> pd.DataFrame:
    particles = 2 ** np.arange(10, 22)
    rows = [a_row(particles=int(n), stages_per_step_s=1e-6 * float(n) ** power) for n in particles]
    return table_of(rows)


def test_criterion_is_fastest_in_the_part_of_the_errors_where_its_line_is_lowest(
    sweep: pd.DataFrame,
) -> None:
    # The elapsed time is 0.125 / error with every criterion, block steps 1.25 / accuracy.
    slower = sweep["criterion"] != "acceleration"
    for factor, verdict in ((2.0, CONFIRMED), (0.5, CONTRADICTED)):
        table = sweep.copy()
        table.loc[slower, "elapsed_per_step_s"] *= factor
        found = module.fastest_criterion(table)
        assert found.verdict == verdict
        assert f"{factor:.2f} to {factor:.2f} times as long" in found.numbers


def test_gain_of_block_steps_is_judged_by_its_trend() -> None:
    def timings(trend: float) -> pd.DataFrame:
        rows = []
        for exponent in range(-12, 0, 2):
            gain = 3 + trend * exponent
            for mode, seconds in (("block", 1.0), ("shared", gain)):
                times = dict.fromkeys(("elapsed_per_step_s", "stages_per_step_s"), seconds)
                rows.append(a_row(**times, model="m31", accuracy=2.0**exponent, step=mode))
        return table_of(rows)

    assert module.gain_by_accuracy(timings(0.1)).verdict == CONFIRMED
    assert module.gain_by_accuracy(timings(-0.1)).verdict == CONTRADICTED
    typical = module.gain_at_typical_accuracy(timings(0.1))
    assert typical.verdict == CONFIRMED
    assert typical.numbers == "acceleration 2.20-2.40 (whole runs 2.20-2.40)"
    assert module.gain_at_typical_accuracy(timings(0.2)).verdict == CONTRADICTED


@pytest.mark.parametrize(("after", "verdict"), [(1, CONFIRMED), (4, CONTRADICTED)])
def test_new_trees_after_slow_steps_are_no_chance(after: int, verdict: str) -> None:
    step = np.arange(96)
    found = module.rebuild_triggers(trace_table(rebuilt=step % 8 == after))
    assert found.verdict == verdict
    assert ("12 of 12" if after == 1 else "0 of 12") in found.numbers
    assert "by chance 24 %" in found.numbers


def test_knee_is_judged_on_a_gpu_alone() -> None:
    found = module.knee_by_sharing(sharing_table(device_name=GPU))
    assert found.verdict == CONFIRMED  # 10^4 / S, and less where groups cost more
    assert "(S = 1)" in found.numbers
    assert module.knee_by_sharing(sharing_table()).verdict == UNDECIDED
    far = sharing_table(device_name=GPU)
    far["active"] *= 100
    assert module.knee_by_sharing(far).verdict == PARTLY


@pytest.mark.parametrize(("power", "verdict"), [(1.0, CONFIRMED), (1.5, CONTRADICTED)])
def test_scaling_is_fitted_above_100000_particles(power: float, verdict: str) -> None:
    found = module.scaling_with_particles(scaling_table(power))
    assert found.verdict == verdict
    assert found.numbers.startswith(f"N^{power:.2f} from 131072 to 2097152 particles")
    small = scaling_table(power).head(5)
    assert module.scaling_with_particles(small).verdict == UNDECIDED


def test_balls_are_judged_by_the_share_of_groups() -> None:
    ebs, geo, com = (
        judge(histogram_table()) for judge in (module.ebs_radii, module.geo_radii, module.com_radii)
    )
    assert ebs.verdict == CONFIRMED
    assert "80 % of the balls are less than 5 % larger" in ebs.numbers
    assert geo.numbers == "80 % of the balls are"
    assert com.verdict == PARTLY
    assert com.numbers == "15.0 % of the largest tenth of the balls do, 15.0 % of all"


@pytest.mark.parametrize(
    ("where", "verdict"),
    [(3000, CONFIRMED), (100, CONFIRMED), (2e4, CONTRADICTED), (1e6, CONTRADICTED)],
)
def test_crossover_is_judged_at_ten_thousand(where: float, verdict: str) -> None:
    table = crossover_table([2**n for n in range(8, 16)], where)
    assert module.tree_against_direct(table).verdict == verdict


@pytest.mark.parametrize(
    ("judge", "columns", "verdict"),
    [
        (module.rebuild_interval, {"rebuilt": np.arange(96) % 12 == 0}, CONFIRMED),
        (module.rebuild_interval, {"rebuilt": np.arange(96) % 2 == 0}, CONTRADICTED),
        (module.step_levels, {}, CONFIRMED),
        (module.step_levels, {"model": "nfw"}, CONTRADICTED),
        (module.step_levels, {"model": "nfw", "level_max": 6}, CONFIRMED),
        (module.slow_rates, {}, CONFIRMED),
        (module.slow_rates, {"interactions_per_walk_s": np.arange(96) % 8 == 0}, CONTRADICTED),
        (module.slow_rates, {"sequence": "slow"}, UNDECIDED),
        (module.rebuild_triggers, {"sequence": "slow"}, UNDECIDED),
    ],
)
def test_steps_are_judged(judge: module.Judge, columns: dict, verdict: str) -> None:
    assert judge(trace_table(**columns)).verdict == verdict


def test_table_holds_what_the_tables_allow(sweep: pd.DataFrame) -> None:
    tables = {
        "sweep": [sweep],
        "scaling": [],
        "trace": [trace_table()],
        "sharing": [sharing_table()],
        "histogram": [histogram_table()],
    }
    table = findings(tables)
    assert len(table) == 2 + 4 + 1 + 3
    assert set(table["verdict"]) <= {CONFIRMED, PARTLY, CONTRADICTED, UNDECIDED}
    assert len(findings({"trace": [trace_table()]})) == 4
    shown = figure.shown(table)
    assert list(shown.columns) == ["published", "model", "here", "our numbers"]
    text = figure.caption(table, tables)
    counts = table["verdict"].value_counts()
    assert f"{counts[CONFIRMED]} confirmed" in text
    assert "Particles: M31 2^13, M31 2^17, NFW sphere 2^10. Device: CPU" in text
