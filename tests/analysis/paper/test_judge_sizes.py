from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.paper.evidence import EvidenceError
from analysis.paper.judge_sizes import (
    elapsed_seconds,
    floor_of_moments,
    knee_by_sharing,
    scaling_with_particles,
    steep_end,
    times_as_fast,
    tree_against_direct,
    walk_dominates,
)
from analysis.paper.verdicts import CONFIRMED, CONTRADICTED, DEPENDS, PARTLY, UNDECIDED
from tests.analysis.benches import GPU, crossover_table, spread, with_facts
from tests.analysis.paper.conftest import REPEATED, Written, seconds, size_rows

ACTIVE = 2.0 ** np.arange(4, 21)


def sharing(power: float, constant: float, end: float = 1.0, end_32: float = 1.0) -> pd.DataFrame:
    """Walks that take (knee + n) microseconds, with the knee at a constant times a power of S.

    With all particles active the time is larger by a factor.
    """
    tables = []
    for lanes in (1, 4, 32):
        times = 1e-6 * (constant * lanes**power + ACTIVE)
        times[-1] *= end_32 if lanes == 32 else end
        columns = {"active": ACTIVE, "group_size": 32 // lanes, "lanes_sharing": lanes}
        columns |= {"choice": "given", "seconds_over_best": 1.0}
        tables.append(pd.DataFrame(columns | spread("seconds", times)))
    return with_facts(pd.concat(tables), device_name=GPU, particles=2**20, **REPEATED)


@pytest.mark.parametrize(
    ("power", "constant", "verdict"),
    [
        (-1, 1e4, CONFIRMED),
        (-1, 2e5, DEPENDS),
        (-0.4, 4e3, PARTLY),
        (-0.4, 2e5, CONTRADICTED),
    ],
)
def test_knee_is_compared_with_its_formula(
    written: Written, power: float, constant: float, verdict: str
) -> None:
    evidence = written(sharing=sharing(power, constant))
    found = knee_by_sharing(evidence, "m31", {"product": 1e4})
    assert found.verdict == verdict
    assert f"as S^{power:.1f}" in found.numbers


def test_knee_is_that_of_a_gpu_with_repeats(written: Written) -> None:
    table = sharing(-1, 1e4)
    once = written(sharing=table.assign(command_line="gothic bench sharing --repeats 1"))
    assert knee_by_sharing(once, "m31", {"product": 1e4}).verdict == UNDECIDED
    evidence = written(sharing=table.assign(device_name="CPU"))
    with pytest.raises(EvidenceError, match="measure on a GPU"):
        knee_by_sharing(evidence, "m31", {"product": 1e4})


@pytest.mark.parametrize(
    ("end", "end_32", "verdict"),
    [(1.5, 1.0, CONFIRMED), (1.5, 1.5, PARTLY), (1.0, 1.0, CONTRADICTED)],
)
def test_steep_end_is_sought(written: Written, end: float, end_32: float, verdict: str) -> None:
    evidence = written(sharing=sharing(-1, 100, end, end_32))
    assert steep_end(evidence, "m31", {}).verdict == verdict


def power_of_n(power: float) -> object:
    return lambda particles: seconds(1e-6 * float(particles) ** power)


@pytest.mark.parametrize(("power", "verdict"), [(1.0, CONFIRMED), (1.5, CONTRADICTED)])
def test_scaling_is_fitted_above_100000_particles(
    written: Written, power: float, verdict: str
) -> None:
    sizes = 2 ** np.arange(10, 22)
    found = scaling_with_particles(written(size_rows(sizes, power_of_n(power))), "m31", {})
    assert found.verdict == verdict
    assert found.numbers.startswith(f"N^{power:.2f} (standard error 0.00) from 2^17 to 2^21")
    once = written(size_rows(sizes, power_of_n(power), repeats=1))
    assert scaling_with_particles(once, "m31", {}).verdict == UNDECIDED


@pytest.mark.parametrize("largest", [13, 17, 18])
def test_scaling_needs_three_numbers_above_100000(written: Written, largest: int) -> None:
    rows = size_rows(2 ** np.arange(10, largest + 1), power_of_n(1.0))
    with pytest.raises(EvidenceError, match="fewer than three numbers"):
        scaling_with_particles(written(rows), "m31", {})


def test_scaling_that_is_reached_by_more_particles_depends_on_hardware(written: Written) -> None:
    rows = size_rows(2 ** np.arange(16, 28), lambda n: seconds(1e-9 * (n + 2**22)))
    found = scaling_with_particles(written(rows), "m31", {})
    assert found.verdict == DEPENDS
    assert "proportional from 2^24 to 2^27" in found.numbers
    assert "beyond the paper's range N^0.9" in found.numbers


def test_scaling_that_grows_on_is_contradicted(written: Written) -> None:
    rows = size_rows(2 ** np.arange(17, 28), lambda n: seconds(1e-9 * (2**20 + n + n * n / 2**23)))
    found = scaling_with_particles(written(rows), "m31", {})
    assert found.verdict == CONTRADICTED
    assert "; proportional from" in found.numbers


@pytest.mark.parametrize(
    ("moments", "walk", "verdict"),
    [
        (lambda n: 1e-5 + 1e-10 * n, lambda n: 1e-9 * n, CONFIRMED),
        (lambda _: 1e-5, lambda n: 1e-3 / n, PARTLY),
        (lambda n: 1e-8 * n, lambda _: 1e-4, CONTRADICTED),
    ],
)
def test_floor_of_moments_is_sought(
    written: Written, moments: object, walk: object, verdict: str
) -> None:
    def times(n: int) -> dict[str, float]:
        return {"moments_s": moments(n), "walk_s": walk(n)}

    rows = size_rows(2 ** np.arange(10, 20), times, device_name=GPU)
    assert floor_of_moments(written(rows), "m31", {}).verdict == verdict
    with pytest.raises(EvidenceError, match="measure on a GPU"):
        floor_of_moments(written(size_rows(2 ** np.arange(10, 20), times)), "m31", {})


@pytest.mark.parametrize(
    ("walk", "sort", "verdict"),
    [(1.0, 0.01, CONFIRMED), (1.0, 0.5, PARTLY), (0.01, 0.5, PARTLY)],
)
def test_parts_of_a_step_are_compared(
    written: Written, walk: float, sort: float, verdict: str
) -> None:
    small = dict.fromkeys(("moments_s", "keys_s", "build_s", "groups_s"), 1e-3)
    small |= dict.fromkeys(("predict_s", "correct_s"), 1e-3)
    rows = size_rows([2**10, 2**12, 2**14], lambda _: small | {"walk_s": walk, "sort_s": sort})
    assert walk_dominates(written(rows), "m31", {}).verdict == verdict


def test_walk_that_is_short_everywhere_is_contradicted(written: Written) -> None:
    equal = dict.fromkeys(("moments_s", "keys_s", "build_s", "groups_s", "sort_s"), 1e-3)
    equal |= dict.fromkeys(("predict_s", "correct_s"), 1e-3) | {"walk_s": 1e-3}
    rows = size_rows([2**10, 2**12, 2**14], lambda _: equal)
    assert walk_dominates(written(rows), "m31", {}).verdict == CONTRADICTED


@pytest.mark.parametrize(
    ("where", "verdict"),
    [(10000, CONFIRMED), (4000, CONFIRMED), (25000, CONFIRMED), (2000, DEPENDS), (1e5, DEPENDS)],
)
def test_crossover_is_judged_about_ten_thousand(
    written: Written, where: float, verdict: str
) -> None:
    table = crossover_table([2**n for n in range(8, 19)], where, **REPEATED)
    found = tree_against_direct(written(crossover=table), "nfw", {"particles": 1e4})
    assert found.verdict == verdict
    assert f"faster above {where:.0f} (repeats " in found.numbers


@pytest.mark.parametrize(
    ("sizes", "where", "verdict"),
    [(range(8, 16), 100, DEPENDS), (range(8, 19), 1e7, CONTRADICTED)],
)
def test_crossover_beyond_all_measurements_is_told(
    written: Written, sizes: range, where: float, verdict: str
) -> None:
    table = crossover_table([2**n for n in sizes], where, **REPEATED)
    found = tree_against_direct(written(crossover=table), "nfw", {"particles": 1e4})
    assert found.verdict == verdict


@pytest.mark.parametrize(("sizes", "where"), [(range(12, 16), 100), (range(8, 14), 1e7)])
def test_crossover_that_may_lie_beyond_is_not_judged(
    written: Written, sizes: range, where: float
) -> None:
    evidence = written(crossover=crossover_table([2**n for n in sizes], where, **REPEATED))
    with pytest.raises(EvidenceError, match="10\\^4"):
        tree_against_direct(evidence, "nfw", {"particles": 1e4})


@pytest.mark.parametrize(
    ("m31", "nfw", "verdict"),
    [
        (0.3, 0.44, CONFIRMED),
        (0.01, 0.015, DEPENDS),
        (0.36, 0.36, PARTLY),
        (0.01, 0.03, CONTRADICTED),
    ],
)
def test_seconds_depend_on_hardware_where_their_ratio_does_not(
    written: Written, m31: float, nfw: float, verdict: str
) -> None:
    numbers = {"particles": 2**24, "seconds": {"m31": 0.3, "nfw": 0.44}}
    sizes = [2**23, 2**24]
    rows = size_rows(sizes, lambda _: seconds(m31))
    rows += size_rows(sizes, lambda _: seconds(nfw), model="nfw")
    found = elapsed_seconds(written(rows), "m31", numbers)
    assert found.verdict == verdict
    assert f"{nfw / m31:.2f} times as long" in found.numbers
    with pytest.raises(EvidenceError, match="no run of the model"):
        elapsed_seconds(written(rows[:6]), "m31", numbers)
    with pytest.raises(EvidenceError, match=r"no run of M31 with 2\^25"):
        elapsed_seconds(written(rows), "m31", numbers | {"particles": 2**25})


@pytest.mark.parametrize(
    ("ours", "repeats", "verdict"),
    [(0.1, 3, CONFIRMED), (1.0, 3, CONTRADICTED), (0.1, 1, UNDECIDED)],
)
def test_another_code_is_slower_by_a_factor(
    written: Written, ours: float, repeats: int, verdict: str
) -> None:
    rows = size_rows([2**23, 2**24], lambda _: seconds(ours), repeats, model="nfw")
    numbers = {"particles": 2**24, "seconds": 5, "least": 10}
    found = times_as_fast(written(rows), "nfw", numbers)
    assert found.verdict == verdict
    assert f"{5 / ours:.3g} times as fast" in found.numbers
