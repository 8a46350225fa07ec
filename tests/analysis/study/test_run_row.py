from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gothic
import h5py
import numpy as np
import pytest

from analysis.errors import DataError
from analysis.reading.files import STAGES
from analysis.study.measure import quantities_with_units
from analysis.study.run_row import (
    ERRORS,
    PAIRS,
    columns_of_forces,
    columns_of_run,
    is_measured,
    of_component,
    relative_errors,
    summarise,
)


def forces_on(ids: list[int], acceleration: np.ndarray) -> gothic.Forces:
    """Make the content of a file of forces."""
    return gothic.Forces(acceleration, np.zeros(len(ids)), {}, "CPU", ids=np.array(ids))


def test_errors_are_found_whatever_the_order_of_particles() -> None:
    rng = np.random.default_rng(3)
    ids = np.arange(1, 1001)
    exact = rng.normal(size=(1000, 3)) * 10.0 ** rng.uniform(-3, 3, size=(1000, 1))
    across = np.cross(exact, rng.normal(size=(1000, 3)))
    across *= np.linalg.norm(exact, axis=1, keepdims=True) / np.linalg.norm(
        across, axis=1, keepdims=True
    )
    disturbed = exact + across * (ids / 1e6)[:, np.newaxis]
    order, some = rng.permutation(1000), slice(None, None, 7)
    errors = relative_errors(
        forces_on(ids[some], exact[some]), forces_on(ids[order], disturbed[order])
    )
    np.testing.assert_allclose(errors, ids[some] / 1e6, rtol=1e-9)


def test_percentiles_agree_with_order_statistics() -> None:
    errors = np.random.default_rng(5).permutation(np.arange(1001.0))
    assert summarise(errors) == {
        "error_50": 500.0,
        "error_90": 900.0,
        "error_99": 990.0,
        "error_max": 1000.0,
    }


@pytest.mark.parametrize(
    ("reference", "ids", "problem"),
    [
        ([2, 4, 9], [1, 2, 3, 5], r"2 of 3 reference particles are missing.*ID 4"),
        ([1], [1, 3, 3], "ID 3 occurs twice"),
        ([1, 2], [2, 1], "particle 2 is zero"),
    ],
)
def test_forces_that_cannot_be_compared_are_refused(
    reference: list[int], ids: list[int], problem: str
) -> None:
    exact = np.ones((len(reference), 3))
    exact[1:2] = 0
    with pytest.raises(DataError, match=problem):
        relative_errors(forces_on(reference, exact), forces_on(ids, np.ones((len(ids), 3))))


def test_force_evaluation_is_reduced_to_its_errors(
    tmp_path: Path, write_forces: Callable[..., Path]
) -> None:
    ids = np.arange(1, 102)
    exact = np.random.default_rng(1).normal(size=(101, 3))
    reference = write_forces(tmp_path / "reference.h5", {1: (ids[::2], exact[::2])})
    forces = write_forces(tmp_path / "force.h5", {1: (ids, exact * (1 + ids / 1e4)[:, None])})
    row = columns_of_forces(forces, reference)
    assert row["error_50"] == pytest.approx(51e-4)
    assert row["error_max"] == pytest.approx(101e-4)
    assert row["compared"] == 51
    assert row["force_s"] == sum(0.5**n for n in range(6))
    assert (row["force_keys_s"], row["force_walk_s"]) == (1, 0.5**5)
    pairs = [row[f"force_{name}"] for name in PAIRS]
    assert pairs == [1000, 100, 10]
    assert (row["particles"], row["threads"], row["device_name"]) == (101, 2, "CPU")
    assert columns_of_forces(forces, None).keys() == row.keys() - {*ERRORS}
    with pytest.raises(DataError, match=r"reference\.h5 against .*force\.h5: 50 of 101"):
        columns_of_forces(reference, forces)


def test_run_is_reduced_to_the_measured_columns(write_run: Callable[..., Path]) -> None:
    row = columns_of_run(write_run("run", wall=8.0, dt=0.5).parent)
    assert all(is_measured(name) for name in row.keys() - {"particles"})
    assert (row["particles"], row["snapshots"]) == (100, 0)
    assert (row["steps"], row["simulated_time"]) == (4, 2.0)
    assert (row["wall_s"], row["read_s"], row["bootstrap_s"], row["write_s"]) == (8, 0.1, 0.2, 0.3)
    assert (row["elapsed_per_step_s"], row["elapsed_per_time_s"]) == (2.0, 4.0)
    assert row["stages_per_step_s"] == 0.5
    assert row["slowest_walk_s"] == pytest.approx(6 * 3 * 8 / 1000)
    assert (row["active_fraction"], row["rebuilds"]) == (0.5, 2)
    assert (row["interactions"], row["cells_judged"]) == (6, 12)
    assert (row["energy_drift"], row["energy_drift_max"]) == (-0.25, 0.5)
    assert row["angular_momentum_change"] == 1.25
    assert row["accuracy_found"] == 0.125
    assert (row["sampled_error_99"], row["error_power"]) == (2e-3, -2e-5)
    assert (row["threads"], row["device_name"], row["revision"]) == (2, "CPU", "abc")
    order = ("predict", "keys", "sort", "build", "groups", "moments", "walk", "correct")
    assert set(order) == set(STAGES)
    for n, stage in enumerate(order):
        assert row[f"{stage}_s"] == pytest.approx(n * 1.5 * 8 / 1000)


def test_row_has_the_last_radii_of_each_component_and_their_changes(
    write_run: Callable[..., Path],
) -> None:
    row = columns_of_run(write_run("run", wall=8.0, dt=0.5).parent)
    found = {name: value for name, value in row.items() if of_component(name)[0]}
    assert found == {  # a component without a name has its number
        **{"0_r_10": 5, "0_r_50": 25, "0_r_90": 45},
        **{"disc_r_10": 30, "disc_r_50": 150, "disc_r_90": 270},
        **{f"0_r_{percent}_change": -0.5 for percent in (10, 50, 90)},
        **{f"disc_r_{percent}_change": 0.5 for percent in (10, 50, 90)},
    }


def test_row_has_the_thickness_of_each_component_and_its_change(
    write_run: Callable[..., Path],
) -> None:
    folder = write_run("run", wall=8.0, dt=0.5).parent
    rng = np.random.default_rng(7)
    position, velocity = rng.normal([[5, 0, 70]], size=(2, 20001, 3))
    table = [gothic.Component("disc")]
    for state, (thicker, hotter) in enumerate([(1, 1), (9, 9), (1.5, 0.75)]):
        at, moving = position * [1, 1, thicker], velocity * [1, 1, hotter]
        mass = np.ones(len(at))
        held = gothic.Snapshot(at, mass, moving, component_table=table)
        held.write(folder / f"snapshot_{state:03}.h5")
    row = columns_of_run(folder)
    assert row["disc_z_50"] == pytest.approx(1.5 * 0.6745, rel=0.02)  # of a normal distribution
    assert row["disc_sigma_z"] == pytest.approx(0.75, rel=0.02)
    assert row["disc_z_50_change"] == pytest.approx(0.5, rel=1e-4)
    assert row["disc_sigma_z_change"] == pytest.approx(-0.25, rel=1e-4)


def test_row_has_what_the_run_made_of_lengths_and_times(write_run: Callable[..., Path]) -> None:
    options = {"softening": "0.02", "dt-max": "0.25", "group-extent": "auto"}
    log = write_run("run", wall=8.0, dt=0.5, **options)
    given = {"dt_max": "1 Myr", "group_extent": "auto", "softening": 0, "external": "field.toml"}
    assert sorted(quantities_with_units(given)) == ["dt_max", "group_extent"]
    row = columns_of_run(log.parent, quantities_with_units(given))
    found = {name: value for name, value in row.items() if name.endswith("_used")}
    assert found == {"softening_used": 0.02, "dt_max_used": 0.25}


def test_row_has_the_softening_of_each_component(write_run: Callable[..., Path]) -> None:
    row = columns_of_run(write_run("run", wall=8.0, dt=0.5, softening="halo=0.5,disc=0.1").parent)
    found = {name: value for name, value in row.items() if name.endswith("_used")}
    assert found == {
        "softening_used": 0.1,
        "halo_softening_used": 0.5,
        "disc_softening_used": 0.1,
    }


def test_log_cut_short_is_refused(write_run: Callable[..., Path]) -> None:
    path = write_run("run", wall=8.0, dt=0.5)
    with h5py.File(path, "a") as file:
        file["Timing"].attrs["steps"] = 5
    with pytest.raises(DataError, match="4 steps are logged"):
        columns_of_run(path.parent)
