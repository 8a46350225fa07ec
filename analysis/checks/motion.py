"""Orbits, conserved quantities, equilibrium and repeatability."""

from __future__ import annotations

from collections.abc import Iterator

import h5py
import numpy as np

from analysis.checks.checked import Row, slope
from analysis.checks.particles import PUBLISHED, columns, read, write
from analysis.programs import Programs
from analysis.reading.drift import dynamical_time
from analysis.reading.profiles import lagrangian_scatter
from analysis.reading.snapshots import read_snapshot

PARTICLES = 1 << 15
ACCURATE = ("--eta", 0.25, "--accuracy", 2.0**-10)
EXACT = ("--accuracy", 2.0**-20, "--root", "newton", "--rebuild-interval", 1)


def run(programs: Programs, ic: str, *options: object) -> dict[str, np.ndarray]:
    """Run to the folder ``run`` and read energy.h5."""
    programs.run("run", "--input", ic, *options)
    return columns(programs.path("run/energy.h5"), "Energy")


def drift(energy: dict[str, np.ndarray]) -> float:
    """Largest change of the energy, relative to the first."""
    return float(np.abs(energy["total"] / energy["total"][0] - 1).max())


def kepler(programs: Programs) -> Iterator[Row]:
    """Two bodies on an ellipse of eccentricity 0.5, with fixed steps.

    Their energy is taken from the positions and velocities at the apocentre: in energy.h5 the term
    m / softening, which cancels out of the potential, leaves its rounding error.
    """
    section = "Kepler orbit"
    eccentricity, softening = 0.5, 1e-4
    fast = np.sqrt((1 + eccentricity) / (1 - eccentricity))
    position = np.array([[1, 0, 0], [-1, 0, 0]]) * (1 - eccentricity) / 2
    velocity = np.array([[0, 1, 0], [0, -1, 0]]) * fast / 2
    write(programs.path("two.h5"), position, velocity, np.array([0.5, 0.5]), softening)
    steps = [256, 512, 1024, 2048]
    energies, places, spins = [], [], []
    for number in steps:
        options = ("--step", "shared", "--dt", 2 * np.pi / number, "--root", "newton")
        run(programs, "two.h5", *options, "--steps", number // 2)
        apocentre = read(programs.path("run/snapshot_000.h5"))
        energies.append(abs(two_body_energy(apocentre) / -0.125 - 1))
        energy = run(programs, "two.h5", *options, "--steps", number)
        spins.append(float(np.ptp(energy["angular_momentum_z"]) / energy["angular_momentum_z"][0]))
        end = read(programs.path("run/snapshot_000.h5"))["Coordinates"]
        places.append(float(np.abs(end - position).max()))
    for what, found in (
        ("energy at the apocentre", energies),
        ("place after one period", places),
    ):
        quantity = f"error of the {what}, exponent of dt"
        why = "second order; 256 to 2048 steps a period"
        yield Row(section, quantity, 2, slope([1 / number for number in steps], found), 0.1, why)
    quantity = "energy at the apocentre, 2048 steps a period"
    yield Row(section, quantity, 0, energies[-1], 1e-4, "1e-4")
    quantity = "change of the angular momentum"
    yield Row(section, quantity, 0, max(spins), 1e-5, "rounding of 2048 steps, single")


def two_body_energy(particles: dict[str, np.ndarray]) -> float:
    """Total energy of two point masses."""
    mass, velocity = particles["Masses"], particles["Velocities"]
    distance = np.linalg.norm(np.diff(particles["Coordinates"], axis=0))
    return float((mass * (velocity**2).sum(axis=1)).sum() / 2 - mass.prod() / distance)


def order(programs: Programs) -> Iterator[Row]:
    """Energy of a Plummer sphere against the step."""
    section = "Energy against the step"
    programs.draw("plummer", 4096, "plummer.h5")
    given = ("--softening", 0.125, *EXACT)
    steps = [1 / 4, 1 / 8, 1 / 16]
    errors = []
    for dt in steps:
        options = ("--step", "shared", "--dt", dt, "--time", 4, *given)
        errors.append(drift(run(programs, "plummer.h5", *options)))
    quantity = "shared fixed steps 1/4 to 1/16, exponent of dt"
    why = "second order; then rounding takes over"
    yield Row(section, quantity, 2, slope(steps, errors), 0.3, why)
    last = 0.0
    for eta in (1.0, 0.5, 0.25):
        error = drift(run(programs, "plummer.h5", "--eta", eta, "--time", 4, *given))
        bound = 0.7 * last if last else 1e-2
        why = "0.7 of that of the eta above" if last else "1e-2"
        yield Row(section, f"block steps, eta {eta:g}", 0, error, bound, why)
        last = error


def equilibrium(programs: Programs) -> Iterator[Row]:
    """Spheres in equilibrium over five dynamical times."""
    section = "Equilibrium"
    for model in ("plummer", "king", "hernquist", "nfw"):
        programs.draw(model, PARTICLES)
        start = read_snapshot(programs.path("ic.h5"))
        time = 5 * dynamical_time(start)
        energy = run(programs, "ic.h5", "--time", repr(time), *PUBLISHED, *ACCURATE)
        end = read(programs.path("run/snapshot_000.h5"))
        noise = virial_noise(end)
        worst = float(np.abs(energy["virial_ratio"] - 1).max())
        why = f"5 sigma of the sampling, {noise:.1e}"
        yield Row(section, f"{model}: virial ratio - 1, largest", 0, worst, 5 * noise, why)
        yield Row(section, f"{model}: energy, relative", 0, drift(energy), 1e-3, "1e-3")
        moved = shift(energy, end)
        yield Row(section, f"{model}: momentum over sum m v", 0, moved, 2e-3, "tree forces")
        yield half_mass(section, model, start.joined().position, end["Coordinates"])


def virial_noise(particles: dict[str, np.ndarray]) -> float:
    """Tell the sampling scatter of 2 K over -sum m r.a of some particles."""
    mass, place = particles["Masses"], particles["Coordinates"]
    kinetic = mass * (particles["Velocities"] ** 2).sum(axis=1)
    virial = -mass * (place * particles["Acceleration"]).sum(axis=1)
    ratio = kinetic.sum() / virial.sum()
    return float(np.sqrt(((kinetic - ratio * virial) ** 2).sum()) / virial.sum())


def shift(energy: dict[str, np.ndarray], end: dict[str, np.ndarray]) -> float:
    """Largest change of the momentum over the sum of the particles' momenta."""
    momentum = np.stack([energy[f"momentum_{axis}"] for axis in "xyz"], axis=1)
    lengths = (end["Masses"] * np.linalg.norm(end["Velocities"], axis=1)).sum()
    return float(np.linalg.norm(momentum - momentum[0], axis=1).max() / lengths)


def half_mass(section: str, text: str, before: np.ndarray, after: np.ndarray) -> Row:
    """Compare the half-mass radius at the end with that at the start."""
    radii = [np.linalg.norm(position, axis=1) for position in (before, after)]
    first, last = map(np.median, radii)  # the particles have equal masses
    (noise,) = lagrangian_scatter(radii[0], (0.5,))
    why = f"4 sigma of the difference of two samples, {noise:.1e} each"
    ratio = float(last / first)
    return Row(section, f"{text}: half-mass radius over the first", 1, ratio, 5.7 * noise, why)


def repeatable(programs: Programs) -> Iterator[Row]:
    """Files of two runs that must be equal, bit by bit."""
    for threads in (1, 2):
        programs.draw("m31", PARTICLES, f"m31_{threads}.h5", "--threads", threads)
    for name, threads in (("one", 1), ("two", 2), ("again", 2)):
        options = ("--threads", threads, "--device", "cpu", "--steps", 100)
        programs.run(name, "--input", "m31_1.h5", *options)
    for quantity, one, other in (
        ("drawn by 1 and 2 threads", "m31_1.h5", "m31_2.h5"),
        ("100 block steps on a CPU, 1 and 2 threads", "one/snapshot_000.h5", "two/snapshot_000.h5"),
        ("100 block steps on a CPU, twice", "two/snapshot_000.h5", "again/snapshot_000.h5"),
    ):
        text = f"m31, {quantity}: differing numbers"
        yield Row("Repeatability", text, 0, differing(programs, one, other), 0, "")


def differing(programs: Programs, one: str, other: str) -> int:
    """Count the numbers of the particles that are not equal in two snapshots."""
    count = 0
    with h5py.File(programs.path(one)) as first, h5py.File(programs.path(other)) as second:
        for group in (name for name in first if name.startswith("PartType")):
            for name, data in first[group].items():
                count += int(np.count_nonzero(data[()] != second[group][name][()]))
    return count
