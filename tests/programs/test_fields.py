"""Static potentials, particles without mass, and forces at points."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.files import read_attributes
from tests.programs.gothic import Gothic
from tests.programs.snapshots import (
    Arrays,
    direct_sum,
    read_forces,
    sphere,
    write_snapshot,
)

FIELD = """
[[potential]]
type = "hernquist"
mass = 3
scale = 0.5
center = [0.25, 0, -0.5]

[[potential]]
type = "logarithmic"
speed = 2
scale = 0.75
flattening = 0.5
"""
SOFTENING = 0.05
COMMANDS = {
    "run": ("run", "--input", "ic.h5", "--output", "out", "--steps", "2"),
    "force": ("force", "--input", "ic.h5", "--output", "out.h5"),
    "direct": ("direct", "--input", "ic.h5", "--output", "out.h5"),
}
AT = ("--input", "ic.h5", "--output", "out.h5", "--at", "points.h5")


def field_at(position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return accelerations and potentials of FIELD, with G = 1."""
    apart = position.astype(float) - (0.25, 0, -0.5)
    r = np.linalg.norm(apart, axis=1)
    acceleration = -3 * apart / (r * (r + 0.5) ** 2)[:, None]
    potential = -3 / (r + 0.5)
    stretched = position * (1, 1, 4)
    square = 0.75**2 + np.sum(position * stretched, axis=1)
    acceleration -= 4 * stretched / square[:, None]
    return acceleration, potential + 2 * np.log(square / 0.75**2)


def at_points(arrays: Arrays, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sum the forces of the particles at points."""
    both = {
        "Coordinates": np.concatenate([arrays["Coordinates"], points]),
        "Masses": np.concatenate([arrays["Masses"], np.zeros(len(points))]),
    }
    acceleration, potential = direct_sum(both, SOFTENING)
    return acceleration[-len(points) :], potential[-len(points) :]


def read_points(path: Path) -> Arrays:
    with h5py.File(path) as file:
        return {name: data[()] for name, data in file["Points"].items()}


def compare(found: Arrays, acceleration: np.ndarray, potential: np.ndarray, error: float) -> None:
    scale = np.linalg.norm(acceleration, axis=1).max()
    np.testing.assert_allclose(found["Acceleration"], acceleration, atol=error * scale)
    np.testing.assert_allclose(found["Potential"], potential, atol=error * np.abs(potential).max())


@pytest.fixture
def in_field(gothic: Gothic) -> Gothic:
    """Put the potentials into field.toml and 100 places into points.h5."""
    (gothic.folder / "field.toml").write_text(FIELD)
    with h5py.File(gothic.folder / "points.h5", "w") as file:
        file["Coordinates"] = sphere(100, seed=5)["Coordinates"].astype(float) * 1.5
    return gothic


@pytest.mark.parametrize(("command", "error"), [("force", 1e-4), ("direct", 1e-6)])
class TestForces:
    """What trees and sums say, compared with sums of NumPy."""

    def options(self, command: str) -> tuple[str, ...]:
        return ("--accuracy", "1e-6", "--root", "newton") if command == "force" else ()

    @pytest.mark.parametrize("external", [(), ("--external", "field.toml")])
    def test_points_feel_particles_and_field(
        self, in_field: Gothic, command: str, error: float, external: tuple[str, ...]
    ) -> None:
        in_field.done(command, *AT, *external, *self.options(command))
        found = read_points(in_field.folder / "out.h5")
        with h5py.File(in_field.folder / "points.h5") as file:
            points = file["Coordinates"][()].astype(np.float32)
        np.testing.assert_array_equal(found["Coordinates"], points)
        acceleration, potential = at_points(sphere(512), points)
        if external:
            of_field = field_at(points)
            acceleration, potential = acceleration + of_field[0], potential + of_field[1]
        compare(found, acceleration, potential, error)

    @pytest.mark.parametrize("massive", [True, False])
    def test_particles_feel_the_field(
        self, in_field: Gothic, command: str, error: float, massive: bool
    ) -> None:
        arrays = sphere(512)
        arrays["Masses"] *= massive
        write_snapshot(in_field.folder / "ic.h5", arrays)
        in_field.done(*COMMANDS[command], "--external", "field.toml", *self.options(command))
        order = np.argsort(arrays["ParticleIDs"])
        own, of_field = direct_sum(arrays, SOFTENING), field_at(arrays["Coordinates"])
        acceleration, potential = (
            (one + other)[order] for one, other in zip(own, of_field, strict=True)
        )
        compare(read_forces(in_field.folder / "out.h5"), acceleration, potential, error)


@pytest.mark.parametrize("step", [("block",), ("shared", "--dt", "0.015625")])
def test_particles_in_a_field_keep_their_energy(in_field: Gothic, step: tuple[str, ...]) -> None:
    run = ("run", "--input", "ic.h5", "--output", "out", "--time", "2", "--eta", "0.125")
    in_field.done(*run, "--external", "field.toml", "--step", *step)
    with h5py.File(in_field.folder / "out" / "energy.h5") as file:
        energy = {name: column[()] for name, column in file["Energy"].items()}
    assert np.ptp(energy["total"]) < 2e-3 * energy["kinetic"].max()
    arrays = sphere(512)
    own = direct_sum(arrays, SOFTENING)[1] @ arrays["Masses"] / 2
    of_field = field_at(arrays["Coordinates"])[1] @ arrays["Masses"]
    np.testing.assert_allclose(energy["potential"][0], own + of_field, rtol=1e-3)


def test_tracers_run_through_a_field(in_field: Gothic) -> None:
    arrays = sphere(64)
    arrays["Masses"][:] = 0
    write_snapshot(in_field.folder / "ic.h5", arrays)
    run = ("run", "--input", "ic.h5", "--output", "out", "--time", "2", "--eta", "0.125")
    in_field.done(*run, "--external", "field.toml")
    order = np.argsort(arrays["ParticleIDs"])
    found = read_forces(in_field.folder / "out" / "snapshot_000.h5")
    before = field_at(arrays["Coordinates"])[1] + np.sum(arrays["Velocities"] ** 2, axis=1) / 2
    after = field_at(found["Coordinates"])[1] + np.sum(found["Velocities"] ** 2, axis=1) / 2
    assert np.abs(after - before[order]).max() < 0.02
    with h5py.File(in_field.folder / "out" / "energy.h5") as file:
        for name in ("total", "virial_ratio", "center_x", "momentum_x"):
            assert (file[f"Energy/{name}"][()] == 0).all()
    # the snapshot is input again
    again = ("run", "--input", "out/snapshot_000.h5", "--output", "again", "--steps", "2")
    assert "/Masses" in in_field.refused(*again)
    in_field.done(*again, "--external", "field.toml")


def test_configuration_may_name_the_field(in_field: Gothic) -> None:
    (in_field.folder / "run.toml").write_text('external = "field.toml"\n')
    in_field.done("force", *AT, "--config", "run.toml")
    options = read_attributes(in_field.folder / "out.h5", "Options")
    assert options["external"] == "field.toml"
    assert options["external.text"] == FIELD
    assert options["at"] == "points.h5"
    with h5py.File(in_field.folder / "out.h5") as file:
        assert set(file) == {"Options", "Points", "Provenance", "Timing", "Units"}


@pytest.mark.parametrize("command", COMMANDS)
def test_bad_field_is_refused(gothic: Gothic, command: str) -> None:
    (gothic.folder / "field.toml").write_text(FIELD.replace("hernquist", "hernquits"))
    message = gothic.refused(*COMMANDS[command], "--external", "field.toml")
    for complaint in (":3: ", "potential.type", "'hernquits'", "did you mean 'hernquist'?"):
        assert complaint in message


def test_field_beyond_single_precision_is_refused(gothic: Gothic) -> None:
    (gothic.folder / "field.toml").write_text(FIELD.replace("mass = 3", "mass = 1e40"))
    message = gothic.refused(*COMMANDS["force"], "--external", "field.toml")
    for complaint in ("--external", "G mass", "single precision", "choose other units"):
        assert complaint in message


@pytest.mark.parametrize("command", ["force", "direct"])
def test_bad_points_are_refused(gothic: Gothic, command: str) -> None:
    with h5py.File(gothic.folder / "points.h5", "w") as file:
        file["Coordinates"] = np.full((2, 3), np.nan)
    message = gothic.refused(command, *AT)
    for complaint in ("points.h5: ", "/Coordinates", "row 0", "NaN"):
        assert complaint in message


def test_what_is_read_is_not_overwritten(in_field: Gothic) -> None:
    command = ("direct", "--input", "ic.h5", "--external", "field.toml", "--at", "points.h5")
    for name, what in {"ic.h5": "input", "points.h5": "--at", "field.toml": "--external"}.items():
        before = (in_field.folder / name).read_bytes()
        message = in_field.refused(*command, "--output", name)
        assert f"--output {name}: " in message
        assert what in message
        assert (in_field.folder / name).read_bytes() == before


def test_points_exclude_targets_and_runs(in_field: Gothic) -> None:
    assert "--targets" in in_field.refused("direct", *AT, "--targets", "3")
    in_field.refused(*COMMANDS["run"], "--at", "points.h5")
