"""Snapshots in memory are checked, converted and written as files are."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.programs.snapshots import sphere

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)

BALL = sphere(100)
POSITIONS, VELOCITIES, MASSES = (BALL[name] for name in ("Coordinates", "Velocities", "Masses"))


def same(one: gothic.Snapshot, other: gothic.Snapshot) -> bool:
    """Whether two snapshots hold the same numbers and units."""
    names = ("positions", "velocities", "masses", "ids", "types", "components")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names) and (
        one.time,
        one.softening,
        one.units,
        one.component_table,
    ) == (other.time, other.softening, other.units, other.component_table)


class TestArrays:
    """Snapshots of arrays."""

    def test_what_is_left_out_has_a_default(self) -> None:
        snapshot = gothic.Snapshot(POSITIONS, 0.5)
        assert len(snapshot) == 100
        assert (snapshot.masses == 0.5).all()
        assert (snapshot.velocities == 0).all()
        assert snapshot.ids.tolist() == list(range(1, 101))
        assert (snapshot.types == 1).all()
        assert (snapshot.components == 1).all()
        assert snapshot.units == gothic.Units()
        assert snapshot.accelerations is None
        assert snapshot.potentials is None

    @pytest.mark.parametrize("dtype", ["f4", "f8", ">f8", "f2", "i8"])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_any_kind_of_number_in_any_order(self, dtype: str, order: str) -> None:
        given = np.array(10 * POSITIONS, dtype=dtype, order=order)
        snapshot = gothic.Snapshot(given, MASSES.astype(dtype if dtype != "i8" else "f4"))
        np.testing.assert_array_equal(snapshot.positions, given.astype(np.float32))

    def test_slices_and_lists(self) -> None:
        wide = np.zeros((200, 6))
        wide[::2, ::2] = POSITIONS
        from_slices = gothic.Snapshot(wide[::2, ::2], MASSES[::-1][::-1])
        from_lists = gothic.Snapshot(POSITIONS.tolist(), MASSES.tolist())
        assert same(from_slices, from_lists)

    def test_arrays_are_views_that_keep_the_snapshot(self) -> None:
        positions = gothic.Snapshot(POSITIONS, MASSES).positions
        gc.collect()
        np.testing.assert_array_equal(positions, POSITIONS)
        snapshot = gothic.Snapshot(POSITIONS, MASSES)
        snapshot.positions[:] += 1
        np.testing.assert_array_equal(snapshot.positions, POSITIONS + 1)
        assert np.shares_memory(snapshot.positions, snapshot.positions)

    def test_components_have_names(self) -> None:
        table = (gothic.Component("halo", 1, 0.1), gothic.Component("stars", 4))
        kind = np.arange(100) % 2
        snapshot = gothic.Snapshot(
            POSITIONS, MASSES, types=np.where(kind, 4, 1), components=kind, component_table=table
        )
        assert snapshot.component_table == table
        assert np.array_equal(snapshot.component("stars"), kind == 1)
        assert (
            repr(snapshot)
            == "<Snapshot of 100 particles at time 0 in model units, G = 1: halo, stars>"
        )
        with pytest.raises(KeyError, match="no component 'gas'; there are halo, stars"):
            snapshot.component("gas")


NAN = np.where(np.arange(100) == 7, np.nan, MASSES)


class TestRefusals:
    """Arrays may not hold what files may not hold; the message names the array."""

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            ({"positions": POSITIONS[:, :2]}, r"positions: have the shape \(100, 2\), not \(N, 3"),
            ({"positions": np.zeros((0, 3)), "masses": 1}, "positions: there are no particles"),
            (
                {"positions": POSITIONS.astype(float) * 1e39},
                "positions: a value of the particle with ID 1 is",
            ),
            ({"positions": POSITIONS + 1j}, "positions: are not numbers"),
            ({"masses": MASSES[1:]}, r"masses: have the shape \(99,\), not \(100,\)"),
            ({"masses": NAN}, "masses: a value of the particle with ID 8 is NaN"),
            ({"masses": -MASSES}, "masses: the mass of the particle with ID 1 is negative"),
            ({"ids": np.ones(100, int)}, "ids: the ID 1 occurs more than once"),
            ({"ids": -np.arange(100)}, "ids: a value is beyond uint64"),
            ({"ids": np.arange(100.0)}, "ids: are not integers"),
            ({"types": np.full(100, 6)}, "types: one is 6; give 0 to 5"),
            ({"components": 2, "component_table": [gothic.Component("a")]}, "components: is 2"),
            ({"component_table": [gothic.Component("a", 9)]}, "component_table: the type of a"),
            ({"component_table": [gothic.Component("a", 1, -1)]}, "component_table: the softening"),
            ({"softening": -1}, "softening: is negative"),
            ({"time": np.inf}, "time: is not finite"),
            ({"units": gothic.Units(1, 0, 1)}, "units: mass_in_g is not positive"),
        ],
    )
    def test_wrong_arrays(self, arrays: dict[str, object], message: str) -> None:
        with pytest.raises(gothic.InputError, match=message):
            gothic.Snapshot(**({"positions": POSITIONS, "masses": MASSES} | arrays))

    def test_damage_done_later_is_seen(self, tmp_path: Path) -> None:
        snapshot = gothic.Snapshot(POSITIONS, MASSES, softening=0.1)
        snapshot.positions[3, 1] = np.nan
        for use in (
            gothic.tree_forces,
            gothic.direct_forces,
            gothic.Simulation,
            lambda s: s.write(tmp_path / "bad.h5"),
        ):
            with pytest.raises(gothic.InputError, match="positions: a value of the particle with"):
                use(snapshot)
        assert list(tmp_path.iterdir()) == []


class TestFiles:
    """Reading and writing."""

    def test_what_is_written_is_read(self, tmp_path: Path) -> None:
        snapshot = gothic.Snapshot(
            POSITIONS,
            MASSES,
            VELOCITIES,
            ids=np.arange(7, 107),
            types=4,
            components=0,
            units=gothic.GALACTIC,
            time=3,
            softening=0.25,
            component_table=[gothic.Component("bulge", 4, 0.25)],
        )
        np.testing.assert_array_equal(snapshot.velocities, VELOCITIES)
        np.testing.assert_array_equal(snapshot.ids, np.arange(7, 107))
        snapshot.write(tmp_path / "snapshot.h5")
        assert same(gothic.read(str(tmp_path / "snapshot.h5")), snapshot)

    def test_compression_changes_nothing_but_the_size(self, tmp_path: Path) -> None:
        snapshot = gothic.Snapshot(np.zeros((4096, 3)) + POSITIONS[0], 1.0)
        for level in (0, 9):
            snapshot.write(tmp_path / f"{level}.h5", compression=level)
            assert same(gothic.read(tmp_path / f"{level}.h5"), snapshot)
        assert (tmp_path / "9.h5").stat().st_size < (tmp_path / "0.h5").stat().st_size / 4
        with pytest.raises(gothic.InputError, match="compression: is 10; give 0 to 9"):
            snapshot.write(tmp_path / "10.h5", compression=10)
        assert not (tmp_path / "10.h5").exists()

    def test_file_tells_where_it_comes_from(self, tmp_path: Path) -> None:
        gothic.Snapshot(POSITIONS, MASSES).write(tmp_path / "snapshot.h5")
        with h5py.File(tmp_path / "snapshot.h5") as file:
            origin = file["Provenance"].attrs
            assert origin["program"] == b"gothic.Snapshot"
            assert origin["version"].decode() == gothic.__version__
            assert origin["revision"].decode() == gothic.__revision__

    def test_missing_file_is_refused_and_missing_folder_made(self, tmp_path: Path) -> None:
        with pytest.raises(gothic.InputError, match=r"none\.h5: input: there is no such file"):
            gothic.read(tmp_path / "none.h5")
        path = tmp_path / "none" / "snapshot.h5"
        gothic.Snapshot(POSITIONS, MASSES).write(path)
        with pytest.raises(gothic.InputError, match="the folder cannot be made"):
            gothic.Snapshot(POSITIONS, MASSES).write(path / "snapshot.h5")

    def test_file_that_was_read_may_be_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "snapshot.h5"
        gothic.Snapshot(POSITIONS, MASSES).write(path)
        gothic.read(path)[:1].write(path)
        assert len(gothic.read(path)) == 1


def galaxy(name: str = "halo", count: int = 50, **values: object) -> gothic.Snapshot:
    """Make a galaxy in physical units, with a component of this name and a component of stars."""
    random = np.random.default_rng(count)
    kind = np.arange(count) % 2
    description = {
        "units": gothic.GALACTIC,
        "time": 2.0,
        "softening": 0.1,
        "component_table": [gothic.Component(name, 1, 0.1), gothic.Component("stars", 4, 0.05)],
        "components": kind,
        "types": np.where(kind, 4, 1),
        "ids": random.permutation(count) + 1,
    }
    places, speeds = random.normal(size=(2, count, 3))
    return gothic.Snapshot(places, random.uniform(size=count), speeds, **(description | values))


@pytest.fixture
def moved() -> gothic.Snapshot:
    """Make the state of a simulation after a step, with its forces."""
    simulation = gothic.Simulation(galaxy(), step="shared", eta=0.1)
    simulation.step()
    return simulation.snapshot()


ARRAYS = ("positions", "velocities", "masses", "ids", "types", "components")
FORCES = ("accelerations", "potentials")
UNMOVED = ("masses", "ids", "types", "components", "potentials")
ABOUT = ("time", "softening", "units", "component_table")


def options(snapshot: gothic.Snapshot, folder: Path) -> dict[str, str]:
    """Read what a file of the snapshot tells of its origin."""
    snapshot.write(folder / "origin.h5")
    with h5py.File(folder / "origin.h5") as file:
        return {name: text.decode() for name, text in file["Options"].attrs.items()}


class TestSelection:
    """Parts of a snapshot are parts of its arrays."""

    @pytest.mark.parametrize(
        "chosen",
        [slice(None), slice(40, 3, -7), np.arange(50) % 3 == 0, [4, -1, 0], np.array([7], "u1")],
    )
    def test_every_array_is_chosen_from(self, moved: gothic.Snapshot, chosen: object) -> None:
        part = moved[chosen]
        for name in (*ARRAYS, *FORCES):
            np.testing.assert_array_equal(getattr(part, name), getattr(moved, name)[chosen])
            assert not np.shares_memory(getattr(part, name), getattr(moved, name))
        for name in ABOUT:
            assert getattr(part, name) == getattr(moved, name)

    @pytest.mark.parametrize("chosen", [3, "stars", [0.5], (slice(None), 0), None])
    def test_what_chooses_no_particles_is_a_type_error(self, chosen: object) -> None:
        with pytest.raises(TypeError, match="give a mask, a slice or a list of indices"):
            galaxy()[chosen]

    def test_nothing_and_a_particle_twice_are_refused(self) -> None:
        with pytest.raises(gothic.InputError, match="positions: there are no particles"):
            galaxy()[:0]
        with pytest.raises(gothic.InputError, match=r"ids: the ID [0-9]+ occurs more than once"):
            galaxy()[[2, 2]]
        with pytest.raises(IndexError):
            galaxy()[[50]]


class TestMotion:
    """Snapshots are moved and turned as vectors are."""

    def test_shift_adds_position_velocity_and_time(self, moved: gothic.Snapshot) -> None:
        by, boost = np.array([10, -20, 3.5]), np.array([0.1, 0.2, -300])
        shifted = moved.shifted(by, velocity=boost, time=-moved.time)
        np.testing.assert_array_equal(shifted.positions, np.float32(moved.positions + by))
        np.testing.assert_array_equal(shifted.velocities, np.float32(moved.velocities + boost))
        for name in (*UNMOVED, "accelerations"):
            np.testing.assert_array_equal(getattr(shifted, name), getattr(moved, name))
        assert shifted.time == 0

    def test_rotation_is_that_of_scipy_and_of_its_matrix(self, moved: gothic.Snapshot) -> None:
        transform = pytest.importorskip("scipy.spatial.transform")
        rotation = transform.Rotation.from_euler("zxz", [30, 60, -45], degrees=True)
        turned = moved.rotated(rotation)
        for name in ("positions", "velocities", "accelerations"):
            expected = rotation.apply(getattr(moved, name))
            np.testing.assert_allclose(getattr(turned, name), expected, rtol=1e-6, atol=1e-6)
        for name in UNMOVED:
            np.testing.assert_array_equal(getattr(turned, name), getattr(moved, name))
        assert same(moved.rotated(rotation.as_matrix()), turned)

    def test_turned_galaxy_has_turned_forces(self) -> None:
        quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
        forces = gothic.direct_forces(galaxy()).acceleration
        turned = gothic.direct_forces(galaxy().rotated(quarter)).acceleration
        np.testing.assert_allclose(turned, forces @ quarter.T, rtol=1e-9)

    @pytest.mark.parametrize(
        ("move", "message"),
        [
            (lambda s: s.rotated(-np.eye(3)), "rotation: is not one"),
            (lambda s: s.rotated(2 * np.eye(3)), "rotation: is not one"),
            (lambda s: s.rotated(np.full((3, 3), np.nan)), "rotation: is not one"),
            (lambda s: s.rotated([1, 0, 0]), r"rotation: has the shape \(3,\)"),
            (lambda s: s.shifted([1, 2]), "position: is .* give three finite numbers"),
            (lambda s: s.shifted(velocity=[1, 2, np.inf]), "velocity: is .* three finite numbers"),
            (lambda s: s.shifted(time=np.nan), "time: is not finite"),
            (lambda s: s.shifted([1e39, 0, 0]), "positions: a value of the particle"),
        ],
    )
    def test_wrong_moves_are_refused(
        self, move: Callable[[gothic.Snapshot], object], message: str
    ) -> None:
        with pytest.raises(gothic.InputError, match=message):
            move(galaxy())


PARSEC = gothic.Units(3.085678e18, 1.989e33, 1e2)  # pc, solar masses, m/s


class TestUnits:
    """Units are told, and numbers converted with them."""

    def test_they_are_told(self) -> None:
        assert str(gothic.Units()) == "model units, G = 1"
        assert str(gothic.GALACTIC) == "units of 1 kpc, 1e+10 solar masses, 1 km/s"
        assert f"in {gothic.GALACTIC}: halo, stars" in repr(galaxy())

    def test_conversion_changes_numbers_and_no_physics(self, moved: gothic.Snapshot) -> None:
        other = moved.in_units(PARSEC)
        expected = {
            "positions": 1e3 * moved.positions,
            "velocities": 1e3 * moved.velocities,
            "masses": 1e10 * moved.masses,
            "potentials": 1e6 * moved.potentials,
            "accelerations": 1e3 * moved.accelerations,
        }
        for name, values in expected.items():
            np.testing.assert_allclose(getattr(other, name), values, rtol=1e-6)
        assert other.softening == pytest.approx(100)
        assert other.time == pytest.approx(moved.time)
        assert [row.softening for row in other.component_table] == pytest.approx([100, 50])
        ours, theirs = (gothic.direct_forces(one).potential for one in (moved, other))
        np.testing.assert_allclose(theirs, 1e6 * ours, rtol=1e-6)

    def test_model_units_have_no_size(self) -> None:
        with pytest.raises(gothic.InputError, match="model units, G = 1 cannot become units of 1"):
            gothic.Snapshot(POSITIONS, MASSES).in_units(gothic.GALACTIC)


class TestJoining:
    """a + b holds the particles of both, and names what it cannot take from both."""

    def test_particles_of_the_first_come_first(self) -> None:
        a, b = galaxy("halo", 50), galaxy("dark", 31, ids=np.arange(100, 131))
        joined = a + b
        for name in ("positions", "velocities", "masses", "types", "ids"):
            expected = np.concatenate([getattr(a, name), getattr(b, name)])
            np.testing.assert_array_equal(getattr(joined, name), expected)
        assert (joined.time, joined.units, joined.softening) == (2, gothic.GALACTIC, 0.1)

    def test_joined_forces_are_those_of_both(self) -> None:
        a = galaxy("halo", 50)
        b = galaxy("dark", 31).shifted([5, 0, 0])
        at = np.random.default_rng(1).normal(size=(20, 3))
        parts = [gothic.direct_forces(one, at=at).acceleration for one in (a, b)]
        forces = gothic.direct_forces(a + b, at=at).acceleration
        np.testing.assert_allclose(forces, sum(parts), rtol=1e-9)

    def test_clashing_ids_of_the_second_follow_the_first(self) -> None:
        a, b = galaxy("halo", 50), galaxy("dark", 31, ids=np.arange(31) * 2)
        joined = a + b
        np.testing.assert_array_equal(joined.ids[:50], a.ids)
        np.testing.assert_array_equal(joined.ids[50:], np.arange(31) * 2 + 51)
        near_the_end = galaxy("dark", 31, ids=np.arange(31, dtype="u8") + np.uint64(2**64 - 31))
        with pytest.raises(gothic.InputError, match="IDs are in both, and too large"):
            near_the_end + near_the_end

    def test_components_of_a_name_become_one(self) -> None:
        a, b = galaxy("halo", 50), galaxy("dark", 31)
        joined = a + b
        assert [row.name for row in joined.component_table] == ["halo", "stars", "dark"]
        for name, counts in (("halo", (25, 0)), ("stars", (25, 15)), ("dark", (0, 16))):
            mask = joined.component(name)
            assert (mask[:50].sum(), mask[50:].sum()) == counts
        np.testing.assert_array_equal(joined.types == 4, joined.component("stars"))

    def test_unnamed_components_get_names_beside_named_ones(self) -> None:
        unnamed = gothic.Snapshot(
            POSITIONS, MASSES, units=gothic.GALACTIC, time=2, components=np.arange(100) % 2 + 7
        )
        joined = galaxy() + unnamed
        names = ["halo", "stars", "component 7", "component 8"]
        assert [row.name for row in joined.component_table] == names
        np.testing.assert_array_equal(joined.component("component 8")[50:], np.arange(100) % 2)
        both = unnamed + unnamed
        assert both.component_table == ()
        np.testing.assert_array_equal(both.components, np.tile(unnamed.components, 2))

    def test_softening_that_differs_must_be_given(self) -> None:
        table = [gothic.Component("halo", 1, 0.2), gothic.Component("stars", 4, 0.05)]
        joined = galaxy() + galaxy(softening=0.2, component_table=table)
        assert joined.softening == 0
        assert [row.softening for row in joined.component_table] == [0, 0.05]
        with pytest.raises(gothic.InputError, match="no softening is given"):
            gothic.Simulation(joined)

    def test_physical_units_become_those_of_the_first(self) -> None:
        a, b = galaxy("halo", 50), galaxy("dark", 31)
        joined = a + b.in_units(PARSEC)
        assert joined.units == gothic.GALACTIC
        assert joined.softening == 0.1
        for name in ("positions", "velocities", "masses"):
            np.testing.assert_allclose(getattr(joined, name), getattr(a + b, name), rtol=1e-6)

    def test_forces_of_each_alone_are_dropped(self, moved: gothic.Snapshot) -> None:
        assert (moved + moved).accelerations is None
        assert (moved + moved).potentials is None

    @pytest.mark.parametrize(
        ("other", "message"),
        [
            ({"time": 2.1}, r"a \+ b: the times are 2 and 2\.1; .*shifted\(time="),
            ({"units": gothic.Units()}, "units: model units, G = 1 cannot become"),
            (
                {"component_table": [gothic.Component("stars"), gothic.Component("halo")]},
                "the component stars has type 4 in one and 1 in the other",
            ),
        ],
    )
    def test_what_does_not_fit_is_refused(self, other: dict[str, object], message: str) -> None:
        with pytest.raises(gothic.InputError, match=message):
            galaxy() + galaxy(**other)

    def test_only_snapshots_are_joined(self) -> None:
        with pytest.raises(TypeError, match="unsupported operand"):
            galaxy() + 1


def test_files_tell_every_origin_and_change(tmp_path: Path) -> None:
    sphere = {"name": "ball", "profile": "plummer", "mass": 1, "scale": 1}
    ball = gothic.make_model({"softening": 0.1, "component": [sphere]}, particles=100, seed=7)
    ball.write(tmp_path / "ball.h5")
    other = gothic.read(tmp_path / "ball.h5").shifted([9, 0, 0]).rotated(np.eye(3))
    told = options((ball[:60] + other)[::2], tmp_path)
    assert told["a.program"] == "gothic.make_model"
    assert (told["a.seed"], told["a.changes"]) == ("7", "60 of 100 particles")
    assert (told["b.program"], told["b.input"]) == ("gothic.read", str(tmp_path / "ball.h5"))
    assert told["b.changes"].startswith("shifted by [9.0, 0.0, 0.0], [0.0, 0.0, 0.0], 0.0; rotated")
    assert told["changes"] == "80 of 160 particles"


def test_units_give_the_constant_of_gravity_and_time() -> None:
    model, galactic = gothic.Units(), gothic.GALACTIC
    assert (model.gravitational_constant, model.physical) == (1, False)
    assert galactic.gravitational_constant == pytest.approx(43007.1, rel=1e-6)
    assert 1 / galactic.myr == pytest.approx(977.8, rel=1e-4)
    assert np.isnan(model.myr)


def test_densest_point_is_the_middle_of_a_cluster_in_a_crowd() -> None:
    random = np.random.default_rng(4)
    cluster = random.normal([1, -2, 3], 0.3, size=(20000, 3))
    crowd = random.uniform(-40, 60, size=(5000, 3))
    found = gothic.densest_point(np.concatenate([cluster, crowd]))
    np.testing.assert_allclose(found, [1, -2, 3], atol=0.1)


def test_lagrangian_radius_counts_mass_and_not_particles() -> None:
    radii, masses = [3.0, 1.0, 2.0], [1.0, 6.0, 1.0]
    np.testing.assert_allclose(gothic.lagrangian_radii(radii, masses, [3 / 8, 7 / 8, 1]), [1, 2, 3])


@pytest.mark.parametrize(
    ("radii", "fractions", "message"),
    [
        ([], [0.5], "at least one"),
        ([1.0], [0.5, 0.1], "ascending"),
        ([1.0], [2], "between 0 and 1"),
    ],
)
def test_what_has_no_radius_is_refused(
    radii: list[float], fractions: list[float], message: str
) -> None:
    with pytest.raises(gothic.InputError, match=message):
        gothic.lagrangian_radii(radii, 1.0, fractions)
