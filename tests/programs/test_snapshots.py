"""Snapshots at requested times, and the radii of components."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.files import read_attributes
from tests.conftest import ROOT
from tests.programs.gothic import Gothic
from tests.programs.snapshots import direct_sum, read_forces, sphere, write_snapshot
from tests.programs.test_output import expect_provenance, read_energy, read_steps, read_table

RUN = ("run", "--input", "ic.h5", "--output", "out")
FRACTIONS = {f"r_{percent:02d}": percent for percent in (1, 5, 10, 25, 50, 75, 90, 99)}


def snapshots(folder: Path) -> list[Path]:
    return sorted(folder.glob("snapshot_*.h5"))


def times(folder: Path) -> list[float]:
    return [read_attributes(path, "Header")["Time"] for path in snapshots(folder)]


def read_lagrange(folder: Path) -> dict[str, np.ndarray]:
    return read_table(folder / "lagrange.h5", "Lagrange")


class TestTimes:
    """When snapshots are written."""

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            (("--snapshot-interval", "0.1"), [0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.45]),
            (("--snapshot-interval", "0.2", "--no-snapshot"), [0, 0.2, 0.4]),
            (("--snapshot-times", "0.3,0.1234"), [0, 0.1234, 0.3, 0.45]),
            (("--step", "shared", "--dt", "0.05", "--snapshot-times", "0.2"), [0, 0.2, 0.45]),
            ((), [0.45]),
        ],
    )
    def test_are_those_requested(
        self, gothic: Gothic, options: tuple[str, ...], expected: list[float]
    ) -> None:
        gothic.done(*RUN, "--time", "0.45", *options)
        assert times(gothic.folder / "out") == expected

    def test_count_from_the_time_of_the_input(self, gothic: Gothic) -> None:
        write_snapshot(gothic.folder / "ic.h5", sphere(64), header={"Time": 7.0})
        gothic.done(*RUN, "--time", "0.5", "--snapshot-interval", "0.2")
        assert times(gothic.folder / "out") == [7, 7.2, 7.4, 7.5]
        gothic.done(*RUN[:-1], "next", "--time", "0.5", "--snapshot-times", "7.25")
        assert times(gothic.folder / "next") == [7, 7.25, 7.5]

    @pytest.mark.parametrize(
        ("options", "complaint"),
        [
            (("--snapshot-times", "2"), "--snapshot-times: 2 is after the end of the run, 1"),
            (("--snapshot-interval", "1e-9"), "--snapshot-interval: more than 1e+06 snapshots"),
            (
                ("--snapshot-times", "0.3", "--step", "shared", "--dt", "0.25"),
                "--snapshot-times: 0.3: is no multiple of --dt",
            ),
        ],
    )
    def test_that_do_not_fit_are_refused(
        self, gothic: Gothic, options: tuple[str, ...], complaint: str
    ) -> None:
        assert complaint in gothic.refused(*RUN, "--time", "1", *options)

    def test_do_not_depend_on_how_far_the_run_goes(self, gothic: Gothic) -> None:
        gothic.done(*RUN, "--steps", "40", "--snapshot-interval", "0.0625")
        reached = read_steps(gothic.folder / "out")["time"][-1]
        expected = [0, *np.arange(0.0625, reached, 0.0625), reached]
        assert times(gothic.folder / "out") == expected


@pytest.fixture(scope="module")
def whole(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Gothic:
    """Make a run with snapshots, and the same run with compressed ones."""
    gothic = Gothic(programs, tmp_path_factory.mktemp("state"))
    write_snapshot(gothic.folder / "ic.h5", sphere(512))
    given = ("--time", "0.5", "--snapshot-times", "0.1,0.37", "--threads", "1")
    given += ("--accuracy", "0.0009765625")
    gothic.done(*RUN, *given)
    gothic.done(*RUN[:-1], "small", *given, "--compression", "9")
    return gothic


@pytest.fixture(scope="module")
def folder(whole: Gothic) -> Path:
    return whole.folder / "out"


class TestState:
    """What snapshots hold."""

    def test_all_particles_are_at_that_time(self, folder: Path) -> None:
        """Energies of positions and velocities are those of the log, which is of that time."""
        energy = read_energy(folder)
        for path in snapshots(folder):
            found = read_forces(path)
            mass = found["Masses"].astype(float)
            acceleration, potential = direct_sum(found, 0.05)
            kinetic = 0.5 * mass @ np.square(found["Velocities"].astype(float)).sum(axis=1)
            row = list(energy["time"]).index(read_attributes(path, "Header")["Time"])
            assert energy["kinetic"][row] == pytest.approx(kinetic, rel=1e-6)
            assert energy["potential"][row] == pytest.approx(0.5 * mass @ potential, rel=1e-3)
            size = np.linalg.norm(acceleration, axis=1)
            error = np.linalg.norm(found["Acceleration"] - acceleration, axis=1) / size
            assert np.quantile(error, 0.99) < 0.01

    def test_keeps_what_particles_are(self, whole: Gothic, folder: Path) -> None:
        before = read_forces(whole.folder / "ic.h5")
        order = np.argsort(before["ParticleIDs"])
        for path in snapshots(folder):
            found = read_forces(path)
            same = ["ParticleIDs", "Masses"]
            same += ["Coordinates", "Velocities"] if path == snapshots(folder)[0] else []
            for name in same:
                np.testing.assert_array_equal(found[name], before[name][order])
            expect_provenance(path, "run", {"output": "out", "snapshot-times": "0.1,0.37"})

    def test_is_input_of_another_run(self, whole: Gothic) -> None:
        # the compressed one of the time 0.1
        whole.done("run", "--input", "small/snapshot_001.h5", "--output", "next", "--time", "0.1")
        assert times(whole.folder / "next") == [pytest.approx(0.2)]
        energies = [read_energy(whole.folder / name) for name in ("out", "next")]
        row = list(energies[0]["time"]).index(0.1)
        assert energies[1]["total"][0] == pytest.approx(energies[0]["total"][row], rel=1e-3)

    def test_compression_changes_nothing_but_the_size(self, whole: Gothic, folder: Path) -> None:
        for path, small in zip(snapshots(folder), snapshots(whole.folder / "small"), strict=True):
            plain, packed = read_forces(path), read_forces(small)
            assert set(plain) == set(packed)
            for name, values in plain.items():
                np.testing.assert_array_equal(values, packed[name])
            with h5py.File(small) as file:
                data = file["PartType1/Coordinates"]
                assert (data.compression, data.compression_opts, data.shuffle) == ("gzip", 9, True)


class TestLagrange:
    """Radii that hold fractions of the mass."""

    def test_are_those_of_the_snapshots(self, gothic: Gothic) -> None:
        model = ROOT / "config" / "models" / "milky_way.toml"
        gothic.make(model, "--particles", "4096", "--output", "galaxy.h5")
        run = ("run", "--input", "galaxy.h5", "--output", "out", "--time", "0.002")
        gothic.done(*run, "--snapshot-interval", "0.001")
        table = read_lagrange(gothic.folder / "out")
        names = read_attributes(gothic.folder / "out" / "lagrange.h5", "ComponentNames")
        for number, path in enumerate(snapshots(gothic.folder / "out")):
            with h5py.File(path) as file:
                types = [file[name] for name in file if name.startswith("PartType")]
                position, mass, component = (
                    np.concatenate([group[name][()] for group in types]).astype(float)
                    for name in ("Coordinates", "Masses", "Component")
                )
                assert list(names.values()) == [n.decode() for n in file["Components/Name"][()]]
                rows = table["time"] == file["Header"].attrs["Time"]
            assert rows.sum() == len(names) > 2
            for row in np.flatnonzero(rows):
                inside = component == table["component"][row]
                center = [table[f"center_{axis}"][row] for axis in "xyz"]
                radius = np.sort(np.linalg.norm(position[inside] - center, axis=1))
                assert table["mass"][row] == pytest.approx(mass[inside].sum(), rel=1e-5)
                for name, percent in FRACTIONS.items():
                    count = int(np.ceil(percent / 100 * inside.sum() - 1e-6))
                    assert table[name][row] == pytest.approx(radius[count - 1], rel=1e-6), number
