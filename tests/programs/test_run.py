"""What gothic run writes: logs and snapshots."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.reading.files import read_attributes
from tests.programs.gothic import Gothic
from tests.programs.results import LOGS, datasets, expect_provenance, group_of, read_log
from tests.programs.snapshots import (
    Arrays,
    direct_sum,
    read_both,
    read_forces,
    sphere,
    write_snapshot,
    write_two_types,
)

GIVEN = {"input": "ic.h5", "time": "0.5", "snapshot-times": "0.1,0.37", "threads": "2"}
GIVEN |= {"eta": "0.25", "accuracy": "0.0009765625"}
NAMES = ("ParticleIDs", "Masses", "Coordinates", "Velocities")


def flags(given: dict[str, str]) -> list[str]:
    return [f"--{name}={value}" for name, value in given.items()]


def snapshots(folder: Path) -> list[Path]:
    return sorted(folder.glob("snapshot_*.h5"))


def time_of(path: Path) -> float:
    return read_attributes(path, "Header")["Time"]


def read_input(gothic: Gothic) -> Arrays:
    """Read the input in double precision, in the order of the IDs."""
    state = read_both(gothic.folder / "ic.h5")
    order = np.argsort(state["ParticleIDs"])
    return {name: values[order].astype(float) for name, values in state.items()}


@pytest.fixture(scope="module")
def whole(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Gothic:
    """Make a run of two types with snapshots, and the same run with compressed ones."""
    gothic = Gothic(programs, tmp_path_factory.mktemp("run"))
    write_two_types(gothic.folder / "ic.h5")
    gothic.done("run", *flags(GIVEN), "--output", "out")
    gothic.done("run", *flags(GIVEN), "--output", "small", "--compression", "9")
    return gothic


@pytest.fixture(scope="module")
def out(whole: Gothic) -> Path:
    return whole.folder / "out"


class TestLogs:
    """The tables beside the snapshots."""

    @pytest.mark.parametrize("name", LOGS)
    def test_columns_have_meanings_and_one_length(self, out: Path, name: str) -> None:
        with h5py.File(out / f"{name}.h5") as file:
            columns = file[group_of(name)].values()
            assert all(column.attrs["Meaning"] for column in columns)
            assert {column.dtype for column in columns} == {np.dtype("i8"), np.dtype("f8")}
            assert len({column.shape for column in columns}) == 1
        expect_provenance(out / f"{name}.h5", "run", GIVEN)

    def test_steps_add_up(self, out: Path) -> None:
        steps = read_log(out, "steps")
        assert steps["step"].tolist() == list(range(1, len(steps["step"]) + 1))
        assert (steps["dt"] > 0).all()
        np.testing.assert_allclose(steps["time"], steps["dt"].cumsum(), rtol=1e-11)
        assert ((steps["active"] >= 1) & (steps["active"] <= 512)).all()
        assert (steps["interactions"] >= steps["active"]).all()
        assert (steps["groups"] >= 1).all()
        assert (steps["level_min"] <= steps["level_max"]).all()
        stages = ["predict", "keys", "sort", "build", "groups_time", "moments", "walk", "correct"]
        assert (sum(steps[stage] for stage in stages) <= steps["total"]).all()
        assert ((steps["keys"] > 0) == (steps["rebuilt"] == 1)).all()

        timing = read_attributes(out / "steps.h5", "Timing")
        assert timing["steps"] == len(steps["step"])
        assert (timing["particles"], timing["threads"], timing["parts"]) == (512, 2, 1)
        assert timing["interactions_total"] == steps["interactions"].sum()
        parts = ["read", "set_up", "write"]
        assert all(timing[part] > 0 for part in [*parts, "bootstrap"])
        assert steps["total"].sum() + sum(timing[part] for part in parts) < timing["wall"]

    def test_energy_is_that_of_the_input_at_first(self, whole: Gothic, out: Path) -> None:
        energy = read_log(out, "energy")
        state = read_input(whole)
        mass, position, velocity = (state[name] for name in NAMES[1:])
        acceleration, potential = direct_sum(state, 0.05)
        kinetic = 0.5 * mass @ np.square(velocity).sum(axis=1)
        inner = [vector - mass @ vector / mass.sum() for vector in (position, velocity)]
        virial = mass @ (inner[0] * acceleration).sum(axis=1)
        expected = {"kinetic": kinetic, "potential": 0.5 * mass @ potential}
        expected["virial_ratio"] = -mass @ np.square(inner[1]).sum(axis=1) / virial
        for name, value in expected.items():
            assert energy[name][0] == pytest.approx(value, rel=1e-3)
        for name, vector in (
            ("momentum", mass @ velocity),
            ("angular_momentum", mass @ np.cross(position, velocity)),
            ("center", mass @ position / mass.sum()),
        ):
            found = [energy[f"{name}_{axis}"][0] for axis in "xyz"]
            np.testing.assert_allclose(found, vector, atol=1e-6)

    def test_energy_is_written_when_all_particles_are_at_one_time(self, out: Path) -> None:
        steps, energy = read_log(out, "steps"), read_log(out, "energy")
        synchronised = steps["active"] == 512
        assert 0 < synchronised.sum() < len(synchronised)
        assert energy["step"].tolist() == [0, *steps["step"][synchronised]]
        assert energy["time"].tolist() == [0, *steps["time"][synchronised]]
        np.testing.assert_allclose(energy["total"], energy["kinetic"] + energy["potential"])

    def test_lagrangian_radii_are_those_of_the_snapshots(self, out: Path) -> None:
        table = read_log(out, "lagrange")
        assert sorted(set(table["time"])) == [time_of(path) for path in snapshots(out)]
        for path in snapshots(out):
            for kind in (1, 4):  # nameless components have the numbers of their types
                at = (table["time"] == time_of(path)) & (table["component"] == kind)
                row = {name: values[at].item() for name, values in table.items()}
                state = read_forces(path, kind)
                center = [row[f"center_{axis}"] for axis in "xyz"]
                radius = np.sort(np.linalg.norm(state["Coordinates"] - center, axis=1))
                assert row["mass"] == pytest.approx(state["Masses"].sum(), rel=1e-5)
                for percent in (1, 5, 10, 25, 50, 75, 90, 99):
                    last = int(np.ceil(percent / 100 * len(radius) - 1e-6)) - 1
                    assert row[f"r_{percent:02d}"] == pytest.approx(radius[last], rel=1e-6)


class TestSnapshots:
    """States on the way and at the end."""

    def test_all_particles_are_at_the_time_of_the_snapshot(self, out: Path) -> None:
        """The energies of positions and velocities equal the log's energies at this time."""
        energy = read_log(out, "energy")
        for path in snapshots(out):
            state = read_both(path)
            mass = state["Masses"].astype(float)
            acceleration, potential = direct_sum(state, 0.05)
            kinetic = 0.5 * mass @ np.square(state["Velocities"].astype(float)).sum(axis=1)
            row = list(energy["time"]).index(time_of(path))
            assert energy["kinetic"][row] == pytest.approx(kinetic, rel=1e-6)
            assert energy["potential"][row] == pytest.approx(0.5 * mass @ potential, rel=1e-3)
            size = np.linalg.norm(acceleration, axis=1)
            error = np.linalg.norm(state["Acceleration"] - acceleration, axis=1) / size
            assert np.quantile(error, 0.99) < 0.01

    def test_particles_stay_what_they_are(self, whole: Gothic, out: Path) -> None:
        before = read_input(whole)
        for number, path in enumerate(snapshots(out)):
            state = read_both(path)
            for name in NAMES if number == 0 else NAMES[:2]:
                np.testing.assert_array_equal(state[name], before[name])
            header = read_attributes(path, "Header")
            assert header["NumPart_ThisFile"].tolist() == [0, 400, 0, 0, 112, 0]
            assert header["Softening"] == 0.05
            expect_provenance(path, "run", GIVEN | {"output": "out"})

    def test_compression_changes_nothing_but_the_size(self, whole: Gothic, out: Path) -> None:
        for path in snapshots(out):
            small = whole.folder / "small" / path.name
            packed = datasets(small)
            for name, values in datasets(path).items():
                np.testing.assert_array_equal(values, packed[name])
            with h5py.File(small) as file:
                data = file["PartType1/Coordinates"]
                assert (data.compression, data.compression_opts, data.shuffle) == ("gzip", 9, True)

    def test_snapshot_is_input_of_another_run(self, whole: Gothic, out: Path) -> None:
        run = ("run", "--input", "small/snapshot_001.h5", "--output", "next", "--time", "0.1")
        whole.done(*run)
        folder = whole.folder / "next"
        assert list(map(time_of, snapshots(folder))) == [pytest.approx(0.2)]
        energy = read_log(out, "energy")
        row = list(energy["time"]).index(0.1)
        first = read_log(folder, "energy")["total"][0]
        assert first == pytest.approx(energy["total"][row], rel=1e-3)


@pytest.mark.parametrize(
    ("options", "times"),
    [
        ("--snapshot-interval=0.1", [0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.45]),
        ("--snapshot-interval=0.2 --no-snapshot", [0, 0.2, 0.4]),
        ("--snapshot-times=0.3,0.1234", [0, 0.1234, 0.3, 0.45]),
        ("--step=shared --dt=0.05 --snapshot-times=0.2", [0, 0.2, 0.45]),
        ("--no-snapshot", []),
        ("", [0.45]),
    ],
)
def test_snapshots_are_of_the_times_requested(
    gothic: Gothic, options: str, times: list[float]
) -> None:
    run = ("run", "--input=ic.h5", "--output=a/b", "--time=0.45", *options.split())
    gothic.done(*run)
    folder = gothic.folder / "a" / "b"
    assert [time_of(path) for path in snapshots(folder)] == times
    logs = {path.name for path in folder.iterdir()} - {path.name for path in snapshots(folder)}
    assert logs == {*(f"{name}.h5" for name in LOGS), "checkpoint.h5"}


def test_times_count_from_that_of_the_input(gothic: Gothic) -> None:
    write_snapshot(gothic.folder / "ic.h5", sphere(64), header={"Time": 7.0})
    gothic.done("run", "--input=ic.h5", "--output=out", "--time=0.5", "--snapshot-interval=0.2")
    assert [time_of(path) for path in snapshots(gothic.folder / "out")] == [7, 7.2, 7.4, 7.5]


def test_run_of_steps_has_snapshots_as_far_as_it_comes(gothic: Gothic) -> None:
    gothic.done(
        "run",
        "--input=ic.h5",
        "--output=out",
        "--steps=40",
        "--snapshot-interval=0.0625",
        "--energy-bound=0",
    )
    reached = read_log(gothic.folder / "out", "steps")["time"][-1]
    times = [time_of(path) for path in snapshots(gothic.folder / "out")]
    assert times == [0, *np.arange(0.0625, reached, 0.0625), reached]
