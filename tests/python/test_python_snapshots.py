"""Snapshots in memory are checked, converted and written as files are."""

from __future__ import annotations

import gc
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
        assert repr(snapshot) == "<Snapshot of 100 particles at time 0: halo, stars>"
        with pytest.raises(KeyError, match="no component 'gas'; there are halo, stars"):
            snapshot.component("gas")


NAN = np.where(np.arange(100) == 7, np.nan, MASSES)


class TestRefusals:
    """What no file may hold no array may, and the message names it."""

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

    def test_missing_file_and_folder_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(gothic.InputError, match=r"none\.h5: input: there is no such file"):
            gothic.read(tmp_path / "none.h5")
        with pytest.raises(gothic.InputError, match="none"):
            gothic.Snapshot(POSITIONS, MASSES).write(tmp_path / "none" / "snapshot.h5")


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
