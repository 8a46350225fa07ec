from __future__ import annotations

import pytest

from analysis.paper.evidence import EvidenceError
from tests.analysis.benches import crossover_table
from tests.analysis.paper.conftest import (
    REPEATED,
    Written,
    seconds,
    size_rows,
    sweep_rows,
    trace,
    trace_rows,
)


def test_sweep_is_the_largest_set_that_differs_in_its_settings_alone(written: Written) -> None:
    rows = sweep_rows(lambda *_: {"wall": 2.0})
    others = size_rows([2**10, 2**12], lambda _: seconds(1.0))
    table = written([*rows, *others]).sweep("m31", both=True)
    assert len(table) == 2 * 17
    assert set(table["particles"]) == {2**20}
    assert (table["repeats"] == 3).all()
    assert list(written([*rows, *others]).sizes("m31")["particles"]) == [2**10, 2**12, 2**20]


def test_time_outside_of_steps_is_spread_over_1024(written: Written) -> None:
    rows = sweep_rows(lambda *_: {}, steps=64, stages_per_step_s=1.0, elapsed_per_step_s=17.0)
    table = written(rows).sweep("m31")
    assert table["elapsed_per_step_s"].to_numpy() == pytest.approx(2.0)


def test_single_runs_take_their_scatter_from_repeated_shorter_ones(written: Written) -> None:
    single = sweep_rows(lambda *_: {}, repeats=1)
    short = [row for row in sweep_rows(lambda *_: {}, steps=64) if row["accuracy"] == 2.0**-7]
    assert (written(single).sweep("m31")["repeats"] == 1).all()
    table = written([*single, *short]).sweep("m31")
    assert (table["repeats"] == 3).all()
    half = 0.01 / 1.01
    assert table["walk_s_least"].to_numpy() == pytest.approx(1 - half)
    assert table["scatter"].to_numpy() == pytest.approx(half)


def test_steps_of_longer_runs_come_first(written: Written) -> None:
    rows = sweep_rows(lambda *_: {}, walk_s=1.0)
    shared = [row | {"steps": 32} for row in rows if row["step"] == "shared"]
    block = [row for row in rows if row["step"] == "block"]
    short = sweep_rows(lambda *_: {}, steps=16, walk_s=5.0)
    table = written([*shared, *block, *short]).sweep("m31", both=True)
    assert len(table) == 2 * 17
    assert set(table["walk_s"]) == {1.0}
    assert dict(table.groupby("step")["steps"].first()) == {"block": 1024, "shared": 32}


def test_scatter_is_that_of_shorter_runs_of_the_same_setting(written: Written) -> None:
    single = sweep_rows(lambda *_: {}, repeats=1)
    short = sweep_rows(lambda *_: {}, steps=64)
    for row in short:
        if row["criterion"] == "opening" and row["repeat"] == 3:
            row["stages_per_step_s"] *= 2
    table = written([*single, *short]).sweep("m31")
    of_opening = table["criterion"] == "opening"
    assert table[~of_opening]["scatter"].to_numpy() == pytest.approx(0.01 / 1.01)
    assert table[of_opening]["scatter"].to_numpy() == pytest.approx(1.04 / 2 / 1.01)


def test_runs_of_the_published_algorithm_come_first(written: Written) -> None:
    ours = sweep_rows(lambda *_: {}, as_published="none")
    part = sweep_rows(lambda *_: {}, as_published="step", walk_s=3.0)
    published = sweep_rows(lambda *_: {}, as_published="all", walk_s=2.0)
    assert written([*ours, *part]).sweep("m31")["walk_s"].max() == pytest.approx(1.01)
    assert set(written([*ours, *part, *published]).sweep("m31")["walk_s"]) == {2.0}


def test_runs_in_parts_or_on_other_threads_or_ranks_are_left_out(written: Written) -> None:
    rows = sweep_rows(lambda *_: {})
    ranks = sweep_rows(lambda *_: {}, ranks=2, walk_s=9.0)
    for row in rows:
        if row["step"] == "shared" and row["criterion"] == "opening":
            row["parts"] = 2
        if row["criterion"] == "multipole":
            row["threads"] = 1
    table = written([*(row | {"ranks": 1} for row in rows), *ranks]).sweep("m31", both=True)
    assert set(table["criterion"]) == {"acceleration", "opening"}
    assert table["walk_s"].max() < 2
    assert set(table[table["criterion"] == "opening"]["step"]) == {"block"}


def test_steps_know_how_often_their_run_was_made(written: Written) -> None:
    for repeats in (1, 3):
        steps = written(trace_rows(repeats), trace()).trace("m31")
        assert set(steps["repeats"]) == {repeats}


def test_repeats_of_a_bench_are_those_of_its_command(written: Written) -> None:
    table = crossover_table([256, 1024], 700)
    assert set(written(crossover=table).bench("crossover", "nfw")["repeats"]) == {1}
    table = crossover_table([256, 1024], 700, **REPEATED)
    found = written(crossover=table).bench("crossover", "nfw")
    assert set(found["repeats"]) == {3}
    assert found["scatter"].to_numpy() == pytest.approx(0.15)


def test_what_is_missing_is_named(written: Written) -> None:
    evidence = written(sweep_rows(lambda *_: {}))
    for ask, words in (
        (lambda: evidence.sweep("king"), "no run of the model King sphere"),
        (lambda: evidence.sizes("m31"), "differ in particles alone"),
        (lambda: evidence.trace("m31"), "no run was kept step by step"),
        (lambda: evidence.bench("sharing", "m31"), "no table bench_sharing.csv"),
    ):
        with pytest.raises(EvidenceError, match=words):
            ask()
    block = [row for row in sweep_rows(lambda *_: {}) if row["step"] == "block"]
    with pytest.raises(EvidenceError, match="both kinds of steps"):
        written(block).sweep("m31", both=True)
