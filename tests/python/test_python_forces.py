"""Forces from Python equal the forces of the programs, bit by bit."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.reading.files import read_attributes
from tests.programs.gothic import Gothic
from tests.programs.snapshots import direct_sum, read_forces, sphere
from tests.python.conftest import flags

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)

FUNCTIONS = {"force": gothic.tree_forces, "direct": gothic.direct_forces}
FIELD = '[[potential]]\ntype = "hernquist"\nmass = 2\nscale = 0.5\n'


def expect_same(forces: gothic.Forces, path: Path, order: np.ndarray) -> None:
    """Expect the forces of a file, whose particles have this order here."""
    file = read_forces(path)
    np.testing.assert_array_equal(forces.acceleration[order], file["Acceleration"])
    np.testing.assert_array_equal(forces.potential[order], file["Potential"])


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("force", {}),
        ("force", {"mac": "opening", "accuracy": 0.5, "root": "newton"}),
        ("force", {"curve": "morton", "leaf_capacity": 8, "group_size": 16, "softening": 0.1}),
        ("force", {"group_extent": 0.3, "ball": "seb", "list_capacity": 64, "threads": 1}),
        ("force", {"external": "field.toml"}),
        ("direct", {}),
        ("direct", {"precision": "single", "root": "estimate", "threads": 1}),
    ],
)
def test_forces_equal_those_of_the_program(
    program: Gothic,
    ball: gothic.Snapshot,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    options: dict[str, object],
) -> None:
    monkeypatch.chdir(program.folder)
    Path("field.toml").write_text(FIELD)
    program.done(command, "--input", "ic.h5", "--output", "forces.h5", *flags(options))
    forces = FUNCTIONS[command](ball, **options)
    expect_same(forces, program.folder / "forces.h5", np.argsort(ball.ids))
    np.testing.assert_array_equal(forces.targets, np.arange(512))
    timing = read_attributes(program.folder / "forces.h5", "Timing")
    of_process = {"read", "total", "launches", "waits", "copied_bytes", "allocations"}
    assert set(timing) - set(forces.timing) == of_process
    for name in {"interactions", "cells_judged", "groups_count", "threads"} & set(timing):
        assert forces.timing[name] == timing[name]


@pytest.mark.parametrize("command", FUNCTIONS)
def test_forces_at_points_equal_those_of_the_program(
    program: Gothic, ball: gothic.Snapshot, command: str
) -> None:
    points = np.random.default_rng(2).normal(size=(50, 3))
    with h5py.File(program.folder / "points.h5", "w") as file:
        file["Coordinates"] = points
    program.done(command, "--input", "ic.h5", "--at", "points.h5", "--output", "forces.h5")
    forces = FUNCTIONS[command](ball, at=points)
    assert forces.targets is None
    with h5py.File(program.folder / "forces.h5") as file:
        np.testing.assert_array_equal(forces.acceleration, file["Points/Acceleration"])
        np.testing.assert_array_equal(forces.potential, file["Points/Potential"])


def test_spread_targets_are_those_of_the_program(program: Gothic, ball: gothic.Snapshot) -> None:
    program.done("direct", "--input", "ic.h5", "--output", "direct.h5", "--targets", 37)
    forces = gothic.direct_forces(ball, targets=37)
    expect_same(forces, program.folder / "direct.h5", np.arange(37))
    ids = read_forces(program.folder / "direct.h5")["ParticleIDs"]
    np.testing.assert_array_equal(ball.ids[forces.targets], ids)


def test_chosen_targets_come_in_their_order(ball: gothic.Snapshot) -> None:
    every = gothic.direct_forces(ball)
    some = gothic.direct_forces(ball, targets=[5, 2, 300])
    np.testing.assert_array_equal(some.acceleration, every.acceleration[[5, 2, 300]])
    mask = ball.positions[:, 0] > 0
    half = gothic.direct_forces(ball, targets=mask)
    np.testing.assert_array_equal(half.potential, every.potential[mask])


def test_arrays_do_as_well_as_snapshots() -> None:
    arrays = sphere(64)
    positions = arrays["Coordinates"].astype(np.float64)
    forces = gothic.direct_forces(positions, arrays["Masses"], softening=0.05)
    acceleration, potential = direct_sum(arrays, 0.05)
    np.testing.assert_allclose(forces.acceleration, acceleration, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(forces.potential, potential, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"accuracy": np.nan}, "^accuracy: nan is no number above 0"),
        ({"mac": "opening", "accuracy": 2}, "^accuracy: an opening angle above 1"),
        ({"threads": 1.5}, "^threads: 1.5 is no integer"),
        ({"device": "gpu"}, "^device gpu: no such device"),
        ({"softening": 1e30}, "^softening: 1e.?30 is out of the range"),
        ({"external": "none.toml"}, "none.toml"),
        ({"external": "huge.toml"}, "^external potential: scale: 1e.?30 is out of the range"),
        ({"at": np.zeros((0, 3))}, "^at: "),
        ({"at": np.zeros(3)}, "^at: "),
        ({"at": [[0, 0, np.nan]]}, "^at: "),
        ({"at": [["a", "b", "c"]]}, "^at: "),
    ],
)
def test_wrong_values_are_refused(
    ball: gothic.Snapshot,
    options: dict[str, object],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("huge.toml").write_text(FIELD.replace("0.5", "1e30"))
    with pytest.raises(gothic.InputError, match=message):
        gothic.tree_forces(ball, **options)


@pytest.mark.parametrize("targets", [[], [512], [-1], [0.5], [[1, 2]], "all", [True, False], -1])
def test_wrong_targets_are_refused(ball: gothic.Snapshot, targets: object) -> None:
    with pytest.raises(gothic.InputError, match="targets: "):
        gothic.direct_forces(ball, targets=targets)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"presision": "single"}, "no option presision; did you mean precision"),
        ({"output": "file"}, "no option output; there are softening"),
        ({"softening": [0.1]}, "softening must be a number or a string, not list"),
        ({"masses": 1}, "has its own masses"),
        ({"targets": 3, "at": [[0, 0, 0]]}, "give one of them"),
    ],
)
def test_wrong_arguments_are_type_errors(
    ball: gothic.Snapshot, options: dict[str, object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        gothic.direct_forces(ball, **options)


def test_arrays_need_masses_and_a_softening(ball: gothic.Snapshot) -> None:
    with pytest.raises(TypeError, match="need masses"):
        gothic.tree_forces(ball.positions, softening=0.1)
    with pytest.raises(gothic.InputError, match="no softening is given"):
        gothic.tree_forces(ball.positions, ball.masses)


def test_units_of_arrays_give_the_constant_of_gravity(ball: gothic.Snapshot) -> None:
    arrays = (ball.positions, ball.masses)
    for forces in (gothic.tree_forces, gothic.direct_forces):
        model = forces(*arrays, softening=0.1)
        galactic = forces(*arrays, softening=0.1, units=gothic.GALACTIC)
        constant = gothic.GALACTIC.gravitational_constant
        np.testing.assert_allclose(galactic.potential, constant * model.potential, rtol=1e-3)
        with pytest.raises(TypeError, match="a snapshot has its own units"):
            forces(ball, units=gothic.GALACTIC)


def test_unknown_options_are_named_before_missing_arguments(ball: gothic.Snapshot) -> None:
    for forces in (gothic.tree_forces, gothic.direct_forces):
        with pytest.raises(TypeError, match="no option sofening; did you mean softening"):
            forces(ball.positions, sofening=0.1)


def test_tracers_alone_need_a_field(tmp_path: Path) -> None:
    (tmp_path / "field.toml").write_text(FIELD)
    tracers = gothic.Snapshot([[1, 0, 0]], 0, softening=0.1)
    with pytest.raises(gothic.InputError, match=r"all masses are zero.* an external potential"):
        gothic.tree_forces(tracers)
    (found,) = gothic.tree_forces(tracers, external=tmp_path / "field.toml").acceleration
    assert found == pytest.approx([-2 / 1.5**2, 0, 0], rel=1e-6)


def test_forces_have_the_error_that_is_asked_for() -> None:
    galaxy = gothic.make_model("config/models/plummer.toml", particles=16384)
    exact = gothic.direct_forces(galaxy, device="cpu").acceleration
    for asked in (3e-3, 3e-4):
        forces = gothic.tree_forces(galaxy, force_error=asked, device="cpu")
        miss = np.linalg.norm(forces.acceleration - exact, axis=1)
        error = np.quantile(miss / np.linalg.norm(exact, axis=1), 0.99)
        assert 0.7 < error / asked < 1.1
        assert forces.timing["error_99"] == pytest.approx(error, rel=0.15)
        assert forces.timing["accuracy"] > 0
    with pytest.raises(gothic.InputError, match="force_error excludes accuracy"):
        gothic.tree_forces(galaxy, force_error=1e-3, accuracy=0.01)
