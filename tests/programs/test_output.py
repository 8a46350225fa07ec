"""What the programs write."""

from __future__ import annotations

import re
from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.files import read_attributes
from tests.programs.gothic import Gothic
from tests.programs.snapshots import direct_sum, read_forces, sphere, write_snapshot


def read_table(path: Path, group: str) -> dict[str, np.ndarray]:
    """Read a table, whose columns must have equal length and tell what they mean."""
    with h5py.File(path) as file:
        assert all(column.attrs["Meaning"] for column in file[group].values())
        table = {name: data[()] for name, data in file[group].items()}
    assert {values.dtype for values in table.values()} == {np.dtype("i8"), np.dtype("f8")}
    assert len({values.shape for values in table.values()}) == 1
    return table


def read_steps(folder: Path) -> dict[str, np.ndarray]:
    return read_table(folder / "steps.h5", "Steps")


def read_energy(folder: Path) -> dict[str, np.ndarray]:
    return read_table(folder / "energy.h5", "Energy")


def expect_provenance(path: Path, command: str, given: dict[str, str]) -> None:
    """Expect where the file comes from and the options given, under their plain names."""
    provenance = read_attributes(path, "Provenance")
    assert provenance["program"] == f"gothic {command}"
    assert re.fullmatch(r"\d+\.\d+\.\d+", provenance["version"])
    assert re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?|unknown", provenance["revision"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", provenance["date"])
    assert f" {command} --input " in provenance["command_line"]
    for name in ("compiler", "device"):
        assert provenance[name]
    options = read_attributes(path, "Options")
    for name, value in given.items():
        assert options[name] == value or float(options[name]) == float(value)


def flags(given: dict[str, str]) -> list[str]:
    return [word for name, value in given.items() for word in (f"--{name}", value)]


class TestForces:
    """Files of gothic force and gothic direct."""

    def test_particles_come_in_the_order_of_their_ids(self, gothic: Gothic) -> None:
        arrays = sphere(512)
        order = np.argsort(arrays["ParticleIDs"])
        acceleration, potential = direct_sum(arrays, 0.05)
        given = {"input": "ic.h5", "output": "acc.h5", "accuracy": "0.001", "softening": "0.05"}
        gothic.done("force", *flags(given))
        gothic.done("direct", "--input", "ic.h5", "--output", "ref.h5")
        for name, tolerance in (("acc.h5", 1e-3), ("ref.h5", 1e-6)):
            found = read_forces(gothic.folder / name)
            assert found["ParticleIDs"].tolist() == list(range(1, 513))
            np.testing.assert_allclose(
                found["Acceleration"],
                acceleration[order],
                atol=tolerance * np.abs(acceleration).mean(),
                rtol=tolerance,
            )
            np.testing.assert_allclose(found["Potential"], potential[order], rtol=tolerance)

    def test_types_stay_apart(self, gothic: Gothic) -> None:
        dark, stars = sphere(100), sphere(50, seed=2)
        stars["ParticleIDs"] += np.uint64(100)
        path = gothic.folder / "types.h5"
        write_snapshot(path, stars, kind=4, header={"NumPart_ThisFile": [0, 100, 0, 0, 50, 0]})
        with h5py.File(path, "a") as file:
            for name, values in dark.items():
                file[f"PartType1/{name}"] = values
        gothic.done("direct", "--input", "types.h5", "--output", "ref.h5")
        together = {name: np.concatenate([dark[name], stars[name]]) for name in dark}
        acceleration, _ = direct_sum(together, 0.05)
        order = np.argsort(together["ParticleIDs"])
        found = [read_forces(gothic.folder / "ref.h5", kind) for kind in (1, 4)]
        assert [len(one["ParticleIDs"]) for one in found] == [100, 50]
        np.testing.assert_allclose(
            np.concatenate([one["Acceleration"] for one in found]), acceleration[order], rtol=1e-5
        )
        header = read_attributes(gothic.folder / "ref.h5", "Header")
        assert header["NumPart_ThisFile"].tolist() == [0, 100, 0, 0, 50, 0]

    @pytest.mark.parametrize("mac", ["acceleration", "opening"])
    def test_tree_force_tells_the_time_of_its_stages(self, gothic: Gothic, mac: str) -> None:
        given = {"input": "ic.h5", "output": "acc.h5", "mac": mac, "threads": "2"}
        gothic.done("force", *flags(given))
        timing = read_attributes(gothic.folder / "acc.h5", "Timing")
        stages = ["keys", "sort", "build", "groups", "moments", "walk"]
        assert all(timing[stage] > 0 for stage in stages)
        assert (timing["bootstrap"] > 0) == (mac == "acceleration")
        spent = sum(timing[stage] for stage in [*stages, "read", "bootstrap"])
        assert spent <= timing["total"]
        assert timing["threads"] == 2
        assert 512 < timing["interactions"] <= 512**2
        assert timing["cells_judged"] > 0
        expect_provenance(gothic.folder / "acc.h5", "force", given)

    @pytest.mark.parametrize("precision", ["double", "single"])
    def test_direct_sum_tells_its_time(self, gothic: Gothic, precision: str) -> None:
        given = {"input": "ic.h5", "output": "ref.h5", "precision": precision, "targets": "0"}
        gothic.done("direct", *flags(given))
        timing = read_attributes(gothic.folder / "ref.h5", "Timing")
        assert 0 < timing["direct"] + timing["read"] <= timing["total"]
        assert timing["interactions"] == 512**2
        assert timing["threads"] >= 1
        expect_provenance(gothic.folder / "ref.h5", "direct", given)

    @pytest.mark.parametrize("count", [1, 100, 1000])
    def test_targets_are_evenly_spread_over_the_ids(self, gothic: Gothic, count: int) -> None:
        command = ("direct", "--input", "ic.h5", "--output")
        gothic.done(*command, "ref.h5", "--targets", count)
        gothic.done(*command, "all.h5")
        some, everything = (read_forces(gothic.folder / name) for name in ("ref.h5", "all.h5"))
        chosen = some["ParticleIDs"].astype(int)
        count = min(count, 512)
        assert len(chosen) == count
        gaps = np.diff(np.append(chosen, chosen[0] + 512))
        assert set(gaps) <= {512 // count, -(-512 // count)}
        for name in ("Acceleration", "Potential"):
            np.testing.assert_array_equal(some[name], everything[name][chosen - 1])

    def test_single_precision_agrees_with_double(self, gothic: Gothic) -> None:
        command = ("direct", "--input", "ic.h5", "--output")
        gothic.done(*command, "double.h5")
        double = read_forces(gothic.folder / "double.h5")["Acceleration"]
        assert double.dtype == np.float64
        size = np.linalg.norm(double, axis=1)
        for root, worst in (("newton", 1e-5), ("estimate", 1e-3)):
            gothic.done(*command, "single.h5", "--precision", "single", "--root", root)
            single = read_forces(gothic.folder / "single.h5")["Acceleration"]
            error = np.linalg.norm(single - double, axis=1) / size
            assert 0 < error.max() < worst


class TestRun:
    """Files of gothic run."""

    def test_table_of_steps_is_complete_and_consistent(self, gothic: Gothic) -> None:
        given = {"input": "ic.h5", "output": "out", "steps": "24", "eta": "0.25", "threads": "2"}
        gothic.done("run", *flags(given))
        steps = read_steps(gothic.folder / "out")
        assert steps["step"].tolist() == list(range(1, 25))
        assert (steps["dt"] > 0).all()
        np.testing.assert_allclose(steps["time"], steps["dt"].cumsum(), rtol=1e-12)
        assert (steps["active"] >= 1).all()
        assert (steps["active"] <= 512).all()
        assert (steps["interactions"] >= steps["active"]).all()
        assert (steps["groups"] >= 1).all()
        assert (steps["level_min"] <= steps["level_max"]).all()
        stages = ["predict", "keys", "sort", "build", "groups_time", "moments", "walk", "correct"]
        assert (sum(steps[stage] for stage in stages) <= steps["total"]).all()
        assert ((steps["keys"] > 0) == (steps["rebuilt"] == 1)).all()

        timing = read_attributes(gothic.folder / "out" / "steps.h5", "Timing")
        assert timing["steps"] == 24
        assert timing["particles"] == 512
        assert timing["threads"] == 2
        assert timing["interactions_total"] == steps["interactions"].sum()
        parts = ["read", "set_up", "write"]
        assert all(timing[part] > 0 for part in [*parts, "bootstrap"])
        assert steps["total"].sum() + sum(timing[part] for part in parts) < timing["wall"]
        expect_provenance(gothic.folder / "out" / "steps.h5", "run", given)

    def test_energy_is_written_when_all_particles_are_at_one_time(self, gothic: Gothic) -> None:
        gothic.done("run", "--input", "ic.h5", "--output", "out", "--time", "0.5")
        steps, energy = read_steps(gothic.folder / "out"), read_energy(gothic.folder / "out")
        synchronised = steps["active"] == 512
        assert energy["step"].tolist() == [0, *steps["step"][synchronised]]
        assert energy["time"].tolist() == [0, *steps["time"][synchronised]]
        np.testing.assert_allclose(energy["total"], energy["kinetic"] + energy["potential"])
        expect_provenance(gothic.folder / "out" / "energy.h5", "run", {"time": "0.5"})

    def test_first_energy_is_that_of_the_input(self, gothic: Gothic) -> None:
        gothic.done("run", "--input", "ic.h5", "--output", "out", "--steps", "1")
        energy = read_energy(gothic.folder / "out")
        arrays = {name: values.astype(float) for name, values in sphere(512).items()}
        mass, position, velocity = (
            arrays[name] for name in ("Masses", "Coordinates", "Velocities")
        )
        acceleration, potential = direct_sum(arrays, 0.05)
        kinetic = 0.5 * mass @ np.square(velocity).sum(axis=1)
        virial = mass @ (position * acceleration).sum(axis=1)
        expected = {"kinetic": kinetic, "potential": 0.5 * mass @ potential}
        for name, value in expected.items():
            assert energy[name][0] == pytest.approx(value, rel=1e-3)
        assert energy["virial_ratio"][0] == pytest.approx(-2 * kinetic / virial, rel=1e-3)
        for name, vector in (
            ("momentum", mass @ velocity),
            ("angular_momentum", mass @ np.cross(position, velocity)),
            ("center", mass @ position / mass.sum()),
        ):
            found = [energy[f"{name}_{axis}"][0] for axis in "xyz"]
            np.testing.assert_allclose(found, vector, atol=1e-6)

    def test_snapshot_is_valid_input(self, gothic: Gothic) -> None:
        gothic.done("run", "--input", "ic.h5", "--output", "out", "--time", "0.5")
        gothic.done("run", "--input", "out/snapshot_000.h5", "--output", "next", "--time", "0.25")
        for folder, time in (("out", 0.5), ("next", 0.75)):
            path = gothic.folder / folder / "snapshot_000.h5"
            header = read_attributes(path, "Header")
            assert header["Time"] == time
            assert header["Softening"] == 0.05
            assert header["NumPart_ThisFile"].tolist() == [0, 512, 0, 0, 0, 0]
            found = read_forces(path)
            assert found["ParticleIDs"].tolist() == list(range(1, 513))
            np.testing.assert_array_equal(found["Masses"], np.full(512, 1 / 512, np.float32))
            acceleration, _ = direct_sum(found, 0.05)
            size = np.linalg.norm(acceleration, axis=1)
            error = np.linalg.norm(found["Acceleration"] - acceleration, axis=1) / size
            assert np.quantile(error, 0.99) < 0.02
            expect_provenance(path, "run", {"output": folder})
        energies = [read_energy(gothic.folder / folder)["total"] for folder in ("out", "next")]
        assert energies[1][0] == pytest.approx(energies[0][-1], rel=1e-4)

    def test_snapshot_can_be_left_out(self, gothic: Gothic) -> None:
        command = ("run", "--input", "ic.h5", "--output", "a/b", "--steps", "1", "--no-snapshot")
        gothic.done(*command)
        written = {path.name for path in (gothic.folder / "a" / "b").iterdir()}
        assert written == {"steps.h5", "energy.h5", "lagrange.h5"}

    @pytest.mark.parametrize("step", [["block"], ["shared"], ["shared", "--dt", "0.125"]])
    def test_time_is_reached_exactly(self, gothic: Gothic, step: list[str]) -> None:
        command = ("run", "--input", "ic.h5", "--output", "out", "--time", "0.375", "--step")
        gothic.done(*command, *step)
        steps = read_steps(gothic.folder / "out")
        assert steps["time"][-1] == 0.375
        assert steps["active"][-1] == 512
        if len(step) > 1:
            assert steps["dt"].tolist() == [0.125] * 3
