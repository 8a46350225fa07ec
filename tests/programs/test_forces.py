"""Forces by gothic force and gothic direct, compared with sums of NumPy."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from analysis.reading.files import read_attributes
from tests.programs.gothic import Gothic
from tests.programs.results import datasets, expect_provenance
from tests.programs.snapshots import (
    Arrays,
    direct_sum,
    read_both,
    read_forces,
    sphere,
    write_snapshot,
    write_two_types,
)

GALACTIC = """\
[units]
length_in_cm = 3.085678e21
mass_in_g = 1.989e43
velocity_in_cm_per_s = 1e5
"""
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
STAGES = ["keys", "sort", "build", "groups", "moments", "walk"]


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
    """Sum the forces and potentials of particles at points."""
    both = {
        "Coordinates": np.concatenate([arrays["Coordinates"], points]),
        "Masses": np.concatenate([arrays["Masses"], np.zeros(len(points))]),
    }
    acceleration, potential = direct_sum(both, 0.05)
    return acceleration[-len(points) :], potential[-len(points) :]


def expect_close(
    found: Arrays, exact: tuple[np.ndarray, np.ndarray], error: float, external: bool
) -> None:
    """Compare forces with exact ones, to which the forces of FIELD are added."""
    acceleration, potential = exact
    if external:
        of_field = field_at(found["Coordinates"])
        acceleration, potential = acceleration + of_field[0], potential + of_field[1]
    scale = np.linalg.norm(acceleration, axis=1).max()
    np.testing.assert_allclose(found["Acceleration"], acceleration, atol=error * scale)
    np.testing.assert_allclose(found["Potential"], potential, atol=error * np.abs(potential).max())


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize(
    ("command", "options", "error"),
    [
        ("force", {"accuracy": "1e-6", "root": "newton"}, 1e-4),
        ("force", {"mac": "opening", "accuracy": "0.1", "threads": "2"}, 1e-3),
        ("direct", {}, 1e-6),
        ("direct", {"precision": "single", "root": "newton"}, 1e-5),
        ("direct", {"precision": "single", "root": "estimate"}, 1e-3),
    ],
)
def test_forces_at_particles_and_at_points_are_right(
    gothic: Gothic, command: str, options: dict[str, str], error: float, external: bool
) -> None:
    arrays = write_two_types(gothic.folder / "ic.h5")
    points = (1.5 * sphere(100, seed=5)["Coordinates"]).astype(np.float32)
    with h5py.File(gothic.folder / "points.h5", "w") as file:
        file["Coordinates"] = points.astype(float)
    (gothic.folder / "field.toml").write_text(FIELD)
    given = {"input": "ic.h5", "output": "forces.h5"} | options
    if external:
        given["external"] = "field.toml"
    words = [command, *(f"--{name}={value}" for name, value in given.items())]
    path = gothic.folder / "forces.h5"

    gothic.done(*words)
    found = read_both(path)
    by_id = np.argsort(arrays["ParticleIDs"])
    assert (found["ParticleIDs"] == arrays["ParticleIDs"][by_id]).all()
    found["Coordinates"] = arrays["Coordinates"][by_id]
    acceleration, potential = direct_sum(arrays, 0.05)
    expect_close(found, (acceleration[by_id], potential[by_id]), error, external)
    assert found["Acceleration"].dtype == ("f8" if command == "direct" else "f4")
    numbers = read_attributes(path, "Header")["NumPart_ThisFile"]
    assert numbers.tolist() == [0, 400, 0, 0, 112, 0]

    expect_provenance(path, command, given)
    text = read_attributes(path, "Options").get("external.text")
    assert text == (FIELD if external else None)
    timing = read_attributes(path, "Timing")
    stages = ["direct"] if command == "direct" else STAGES
    assert all(timing[stage] > 0 for stage in stages)
    parts = [*stages, "read", *({"bootstrap"} & timing.keys())]
    assert sum(timing[part] for part in parts) <= timing["total"]
    assert timing["threads"] == int(options.get("threads", timing["threads"]))
    assert 512 < timing["interactions"] <= 512**2

    gothic.done(*words, "--at", "points.h5")
    at = {name.removeprefix("Points/"): values for name, values in datasets(path).items()}
    np.testing.assert_array_equal(at["Coordinates"], points)
    expect_close(at, at_points(arrays, points), error, external)


def test_halo_of_m200_is_200_times_as_dense_as_the_universe(gothic: Gothic) -> None:
    """Its pull at r200 is the pull of M200, where G M200 = 100 H0^2 r200^3; H0 is 70 km/s/Mpc."""
    gravity, m200, hubble = 43007.1, 150.0, 0.07
    r200 = np.cbrt(gravity * m200 / (100 * hubble**2))
    r = r200 * np.array([1e-3, 0.1, 1, 2])
    arrays = sphere(4) | {
        "Coordinates": r[:, None] * np.array([0.6, 0, 0.8]),
        "Masses": np.zeros(4),
    }
    units = {"Length_in_cm": 3.085678e21, "Mass_in_g": 1.989e43, "Velocity_in_cm_per_s": 1e5}
    header = {f"Unit{name}": value for name, value in units.items()}
    write_snapshot(gothic.folder / "tracers.h5", arrays, header=header)
    halo = f"{GALACTIC}[[potential]]\ntype = 'nfw'\nm200 = '1.5e12 Msun'\nconcentration = 8\n"
    (gothic.folder / "halo.toml").write_text(halo)
    command = ("direct", "--output", "pull.h5", "--external", "halo.toml", "--input")
    gothic.done(*command, "tracers.h5")
    found = read_forces(gothic.folder / "pull.h5")
    pull = np.linalg.norm(found["Acceleration"], axis=1)
    x = 8 * r / r200
    within = m200 * (np.log1p(x) - x / (1 + x)) / (np.log(9) - 8 / 9)
    np.testing.assert_allclose(np.sort(pull), np.sort(gravity * within / r**2), rtol=1e-5)


def test_field_and_particles_have_units_of_a_kind(gothic: Gothic) -> None:
    """Units of the field are converted; nothing is taken for what it may not be."""
    units = {"Length_in_cm": 3.085678e18, "Mass_in_g": 1.989e33, "Velocity_in_cm_per_s": 1e5}
    header = {f"Unit{name}": value for name, value in units.items()}
    arrays = sphere(64) | {"Masses": np.zeros(64)}
    write_snapshot(gothic.folder / "pc.h5", arrays, header=header)
    hernquist = "[[potential]]\ntype = 'hernquist'\nmass = {}\nscale = {}\ncenter = [0, 0, {}]\n"
    (gothic.folder / "bare.toml").write_text(hernquist.format(3, 0.5, 0.25))
    (gothic.folder / "kpc.toml").write_text(GALACTIC + hernquist.format(3e-10, 5e-4, 2.5e-4))
    gothic.done("force", "--input", "pc.h5", "--output", "f.h5", "--external", "kpc.toml")
    r = arrays["Coordinates"][np.argsort(arrays["ParticleIDs"])] - [0, 0, 0.25]
    distance = np.linalg.norm(r, axis=1)
    wanted = -4.3007e-3 * 3 * r / (distance * (distance + 0.5) ** 2)[:, None]
    found = read_forces(gothic.folder / "f.h5")["Acceleration"]
    np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=1e-6)
    command = ("run", "--steps", "1", "--output", "out", "--input")
    message = gothic.refused(*command, "pc.h5", "--external", "bare.toml")
    assert "bare.toml: names no units, but the particles have some; add [units]" in message
    message = gothic.refused(*command, "ic.h5", "--external", "kpc.toml")
    assert "kpc.toml: has units, but the particles have model units" in message


@pytest.mark.parametrize("count", [1, 100, 1000])
def test_targets_are_evenly_spread_over_the_ids(gothic: Gothic, count: int) -> None:
    command = ("direct", "--input", "ic.h5", "--output")
    gothic.done(*command, "some.h5", "--targets", count)
    gothic.done(*command, "all.h5")
    some, everything = (read_forces(gothic.folder / name) for name in ("some.h5", "all.h5"))
    chosen = some["ParticleIDs"].astype(int)
    count = min(count, 512)
    assert len(chosen) == count
    gaps = np.diff(np.append(chosen, chosen[0] + 512))
    assert set(gaps) <= {512 // count, -(-512 // count)}
    for name in ("Acceleration", "Potential"):
        np.testing.assert_array_equal(some[name], everything[name][chosen - 1])


def test_tracers_run_through_a_field(gothic: Gothic) -> None:
    (gothic.folder / "field.toml").write_text(FIELD)
    start = write_two_types(gothic.folder / "ic.h5", mass=0)
    run = ("run", "--input", "ic.h5", "--output", "out", "--time", "2")
    gothic.done(*run, "--external", "field.toml")
    end = read_both(gothic.folder / "out" / "snapshot_000.h5")
    energy = [
        field_at(state["Coordinates"])[1] + np.sum(state["Velocities"] ** 2, axis=1) / 2
        for state in (start, end)
    ]
    before, after = energy[0][np.argsort(start["ParticleIDs"])], energy[1]
    assert np.abs(after - before).max() < 0.01
    log = datasets(gothic.folder / "out" / "energy.h5")
    for name in ("total", "virial_ratio", "center_x", "momentum_x"):
        assert (log[f"Energy/{name}"] == 0).all()
    assert 0 < log["Energy/tracer_error"][-1] < log["Energy/tracer_error_max"][-1] < 0.01
    again = ("run", "--input", "out/snapshot_000.h5", "--output", "again", "--steps", "2")
    assert "/Masses" in gothic.refused(*again)
    gothic.done(*again, "--external", "field.toml")
