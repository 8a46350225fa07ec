"""Forces from Python are those of the programs, bit by bit."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.files import read_attributes
from tests.programs.gothic import Gothic
from tests.programs.snapshots import direct_sum, read_forces, sphere

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)

OPTIONS = [
    {},
    {"mac": "multipole", "accuracy": 0.01},
    {"mac": "opening", "accuracy": 0.5, "root": "newton"},
    {"curve": "morton", "leaf_capacity": 8, "group_size": 16, "softening": 0.1, "threads": 1},
    {"group_extent": 0.3, "ball": "seb", "list_capacity": 64},
]
FIELD = '[[potential]]\ntype = "hernquist"\nmass = 2\nscale = 0.5\n'


def flags(options: dict[str, object]) -> list[str]:
    """Write options as on a command line."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


def expect_same(forces: gothic.Forces, path: Path, order: np.ndarray) -> None:
    """Expect the forces of a file, whose particles have this order here."""
    file = read_forces(path)
    np.testing.assert_array_equal(forces.acceleration[order], file["Acceleration"])
    np.testing.assert_array_equal(forces.potential[order], file["Potential"])


class TestTree:
    """Tree forces."""

    @pytest.mark.parametrize("options", OPTIONS)
    def test_forces_equal_those_of_the_program(
        self, program: Gothic, ball: gothic.Snapshot, options: dict[str, object]
    ) -> None:
        program.done("force", "--input", "ic.h5", "--output", "tree.h5", *flags(options))
        forces = gothic.tree_forces(ball, **options)
        assert forces.acceleration.dtype == np.float32
        expect_same(forces, program.folder / "tree.h5", np.argsort(ball.ids))
        timing = read_attributes(program.folder / "tree.h5", "Timing")
        assert set(timing) - set(forces.timing) == {"read", "total"}
        for name in ("interactions", "cells_judged", "groups_count", "threads"):
            assert forces.timing[name] == timing[name]

    def test_arrays_do_as_well_as_snapshots(self, ball: gothic.Snapshot) -> None:
        of_arrays = gothic.tree_forces(
            ball.positions.astype(np.float64), ball.masses, softening=0.05
        )
        of_snapshot = gothic.tree_forces(ball)
        np.testing.assert_array_equal(of_arrays.acceleration, of_snapshot.acceleration)

    def test_threads_do_not_matter(self, ball: gothic.Snapshot) -> None:
        one, three = (gothic.tree_forces(ball, threads=threads) for threads in (1, 3))
        assert (one.timing["threads"], three.timing["threads"]) == (1, 3)
        np.testing.assert_array_equal(one.acceleration, three.acceleration)

    def test_forces_at_points_equal_those_of_the_program(
        self, program: Gothic, ball: gothic.Snapshot
    ) -> None:
        points = np.random.default_rng(2).normal(size=(50, 3))
        with h5py.File(program.folder / "points.h5", "w") as file:
            file["Coordinates"] = points
        for command, function in (
            ("force", gothic.tree_forces),
            ("direct", gothic.direct_forces),
        ):
            output = f"{command}.h5"
            program.done(command, "--input", "ic.h5", "--at", "points.h5", "--output", output)
            forces = function(ball, at=points)
            assert forces.targets is None
            with h5py.File(program.folder / output) as file:
                np.testing.assert_array_equal(forces.acceleration, file["Points/Acceleration"])
                np.testing.assert_array_equal(forces.potential, file["Points/Potential"])

    def test_external_fields_equal_those_of_the_program(
        self, program: Gothic, ball: gothic.Snapshot
    ) -> None:
        field = program.folder / "field.toml"
        field.write_text(FIELD)
        program.done("force", "--input", "ic.h5", "--output", "tree.h5", "--external", field)
        forces = gothic.tree_forces(ball, external=field)
        expect_same(forces, program.folder / "tree.h5", np.argsort(ball.ids))

    def test_tracers_alone_need_a_field(self, tmp_path: Path) -> None:
        (tmp_path / "field.toml").write_text(FIELD)
        tracers = gothic.Snapshot([[1, 0, 0]], 0, softening=0.1)
        with pytest.raises(gothic.InputError, match="all masses are zero"):
            gothic.tree_forces(tracers)
        (acceleration,) = gothic.tree_forces(
            tracers, external=str(tmp_path / "field.toml")
        ).acceleration
        assert acceleration == pytest.approx([-2 / 1.5**2, 0, 0], rel=1e-6)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"accuracy": 0}, "^accuracy: 0 is no number above 0"),
            ({"accuracy": np.nan}, "^accuracy: nan is no number"),
            ({"mac": "any"}, "^mac: any is none of"),
            ({"mac": "opening", "accuracy": 2}, "^accuracy: an opening angle above 1"),
            ({"threads": -1}, "^threads: -1 is no integer from 0 to 4096"),
            ({"threads": 1.5}, "^threads: 1.5 is no integer"),
            ({"device": "gpu"}, "^device gpu: no such device"),
            ({"softening": 1e30}, "^softening: 1e.?30 is out of the range"),
            ({"external": "none.toml"}, "none.toml"),
        ],
    )
    def test_options_are_checked_as_the_program_does(
        self, ball: gothic.Snapshot, options: dict[str, object], message: str
    ) -> None:
        with pytest.raises(gothic.InputError, match=message):
            gothic.tree_forces(ball, **options)

    def test_unknown_options_are_refused(self, ball: gothic.Snapshot) -> None:
        with pytest.raises(TypeError, match="no option acuracy; did you mean accuracy"):
            gothic.tree_forces(ball, acuracy=0.1)
        with pytest.raises(TypeError, match="no option output; there are softening"):
            gothic.tree_forces(ball, output="file")
        with pytest.raises(TypeError, match="accuracy must be a number or a string, not list"):
            gothic.tree_forces(ball, accuracy=[0.1])

    def test_arrays_need_masses_and_a_softening(self, ball: gothic.Snapshot) -> None:
        with pytest.raises(TypeError, match="need masses"):
            gothic.tree_forces(ball.positions, softening=0.1)
        with pytest.raises(gothic.InputError, match="no softening is given"):
            gothic.tree_forces(ball.positions, ball.masses)
        with pytest.raises(TypeError, match="has its own masses"):
            gothic.tree_forces(ball, ball.masses)

    @pytest.mark.parametrize(
        "points", [np.zeros((0, 3)), np.zeros(3), [[0, 0, np.nan]], [["a", "b", "c"]], 1]
    )
    def test_points_are_checked(self, ball: gothic.Snapshot, points: object) -> None:
        for function in (gothic.tree_forces, gothic.direct_forces):
            with pytest.raises(gothic.InputError, match=r"^at: "):
                function(ball, at=points)


class TestDirect:
    """Direct sums."""

    @pytest.mark.parametrize(
        "options",
        [{}, {"precision": "single"}, {"precision": "single", "root": "estimate"}, {"threads": 1}],
    )
    def test_forces_equal_those_of_the_program(
        self, program: Gothic, ball: gothic.Snapshot, options: dict[str, object]
    ) -> None:
        program.done("direct", "--input", "ic.h5", "--output", "direct.h5", *flags(options))
        forces = gothic.direct_forces(ball, **options)
        expect_same(forces, program.folder / "direct.h5", np.argsort(ball.ids))
        np.testing.assert_array_equal(forces.targets, np.arange(512))

    def test_spread_targets_are_those_of_the_program(
        self, program: Gothic, ball: gothic.Snapshot
    ) -> None:
        program.done("direct", "--input", "ic.h5", "--output", "direct.h5", "--targets", 37)
        forces = gothic.direct_forces(ball, targets=37)
        expect_same(forces, program.folder / "direct.h5", np.arange(37))
        ids = read_forces(program.folder / "direct.h5")["ParticleIDs"]
        np.testing.assert_array_equal(ball.ids[forces.targets], ids)

    def test_chosen_targets_come_in_their_order(self, ball: gothic.Snapshot) -> None:
        every = gothic.direct_forces(ball)
        some = gothic.direct_forces(ball, targets=[5, 2, 300])
        np.testing.assert_array_equal(some.acceleration, every.acceleration[[5, 2, 300]])
        mask = ball.positions[:, 0] > 0
        half = gothic.direct_forces(ball, targets=mask)
        np.testing.assert_array_equal(half.potential, every.potential[mask])

    @pytest.mark.parametrize("targets", [[], [512], [-1], [0.5], [[1, 2]], "all", [True, False]])
    def test_targets_are_checked(self, ball: gothic.Snapshot, targets: object) -> None:
        with pytest.raises(gothic.InputError, match="targets: "):
            gothic.direct_forces(ball, targets=targets)

    def test_targets_or_points(self, ball: gothic.Snapshot) -> None:
        with pytest.raises(TypeError, match="give one of them"):
            gothic.direct_forces(ball, targets=3, at=[[0, 0, 0]])

    def test_sum_is_right(self) -> None:
        arrays = sphere(64)
        forces = gothic.direct_forces(arrays["Coordinates"], arrays["Masses"], softening=0.05)
        acceleration, potential = direct_sum(arrays, 0.05)
        np.testing.assert_allclose(forces.acceleration, acceleration, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(forces.potential, potential, rtol=1e-12)
