"""Forces against closed forms and direct sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import h5py
import numpy as np
from scipy.integrate import quad
from scipy.special import erfc

from analysis.checks.checked import Row
from analysis.checks.particles import PUBLISHED, Table, errors, read, write
from analysis.programs import Programs

PARTICLES = 1 << 15
SOFTENING = 1e-3  # of the sums that are compared with spheres that have none
SHELLS = ((0.3, 1.0), (1.0, 3.0), (3.0, 5.0))
CRITERIA = {
    "acceleration": (2.0**-4, 2.0**-7, 2.0**-10),
    "multipole": (2.0**-4, 2.0**-7),
    "opening": (0.6, 0.3),
}
SPHERES = ("plummer", "king", "hernquist", "nfw")


def pair(programs: Programs) -> Iterator[Row]:
    """Two particles: m d / (d^2 + softening^2)^1.5."""
    for command, options, bound, why in (
        ("direct", (), 1e-14, "rounding, double"),
        ("force", ("--root", "newton"), 5e-7, "rounding, single"),
        ("force", (), 1e-3, "a root of 12 bits or more, cubed"),
    ):
        worst = max(pair_error(programs, 2.0**power, command, options) for power in range(-8, 5))
        text = " ".join([command, *options])
        yield Row("Two particles", f"`{text}`: acceleration", 0, worst, bound, why)


def pair_error(
    programs: Programs, distance: float, command: str, options: tuple[str, ...]
) -> float:
    """Measure the relative error of the accelerations of two particles."""
    softening = 0.0625
    position = np.array([[0, 0, 0], [distance, 0, 0]])
    write(programs.path("pair.h5"), position, np.zeros((2, 3)), np.array([1.0, 1.0]), softening)
    given = ("--input", "pair.h5", "--output", "out.h5")
    programs.call("gothic", command, *given, *options)
    expected = distance / (distance**2 + softening**2) ** 1.5
    found = read(programs.path("out.h5"))["Acceleration"][:, 0]
    return float(np.abs(found / expected - np.array([1, -1])).max())


def independent_sum(programs: Programs) -> Iterator[Row]:
    """Direct sums against the same with NumPy."""
    section = "Direct summation"
    programs.draw("plummer", 1024)
    given = ("--input", "ic.h5", "--output", "direct.h5")
    programs.call("gothic", "direct", *given, *PUBLISHED)
    start, found = read(programs.path("ic.h5")), read(programs.path("direct.h5"))
    apart = start["Coordinates"][None] - start["Coordinates"][:, None]
    inverse = (np.square(apart).sum(axis=2) + 0.015625**2) ** -0.5
    summed = np.einsum("j,ij,ijk->ik", start["Masses"], inverse**3, apart)
    np.fill_diagonal(inverse, 0)
    yield Row(section, "accelerations", 0, errors(found, summed).max(), 1e-11, "rounding, double")
    potential = -inverse @ start["Masses"]
    error = float(np.abs(found["Potential"] / potential - 1).max())
    yield Row(section, "potentials", 0, error, 1e-12, "rounding, double")


@dataclass(frozen=True)
class Sphere:
    """A spherical density, x = r / scale, with the cutoff of a model; the mass is 1."""

    name: str
    inner: float  # the density goes as x^-inner (1 + x^bend)^-outer
    bend: float
    outer: float
    cutoff: float
    width: float

    def shell(self, r: float) -> float:
        """Mass per radius, not normalised."""
        density = r**-self.inner * (1 + r**self.bend) ** -self.outer
        if self.cutoff:
            density *= erfc((r - self.cutoff) / (2 * self.width)) / 2
        return r**2 * density

    def end(self) -> float:
        """Radius beyond which next to nothing lies."""
        return self.cutoff + 12 * self.width if self.cutoff else 1e6

    def integral(self, low: float, high: float, power: int) -> float:
        """Integrate shell(r) r^power."""
        edges = np.unique(np.clip([low, 0.01, 0.1, 1, 10, 100, 1e3, high], low, high))
        return sum(
            quad(lambda r: self.shell(r) * r**power, *part, epsabs=0, epsrel=1e-10)[0]
            for part in pairwise(edges)
        )

    def mass(self, r: float) -> float:
        """Mass within r."""
        return self.integral(0, r, 0) / self.integral(0, self.end(), 0)

    def potential(self, r: float) -> float:
        """Potential at r."""
        outside = self.integral(r, self.end(), -1) / self.integral(0, self.end(), 0)
        return -(self.mass(r) / r + outside)


CLOSED = (
    Sphere("plummer", 0, 2, 2.5, 0, 0),
    Sphere("hernquist", 1, 1, 3, 100, 10),
    Sphere("nfw", 1, 1, 2, 5, 0.5),
)


def spheres(programs: Programs) -> Iterator[Row]:
    """Mean accelerations and potentials in shells against the smooth model."""
    for sphere in CLOSED:
        programs.draw(sphere.name, PARTICLES)
        options = ("--input", "ic.h5", "--softening", SOFTENING)
        programs.call("gothic", "direct", *options, "--output", "direct.h5")
        start, found = read(programs.path("ic.h5")), read(programs.path("direct.h5"))
        yield from compare(sphere, start["Coordinates"], found)


def compare(sphere: Sphere, position: np.ndarray, found: Table) -> Iterator[Row]:
    """Compare the forces on the particles of a sphere with its own, shell by shell.

    The noise of the mass within r is sqrt(q (1 - q) / N) of q = M(r). The noise of the potential
    follows from the scatter of 1 / max(r, r_j) over the particles. The rest is the noise of the
    mean of the particles in the shell.
    """
    section = "Spheres against the smooth model"
    radius = np.linalg.norm(position, axis=1)
    inward = -(found["Acceleration"] * position).sum(axis=1) / radius
    for low, high in SHELLS:
        inside = (radius >= low) & (radius < high)
        r, count = radius[inside], int(inside.sum())
        middle = float(np.median(r))
        sample = np.linspace(low, high, 65)
        mass = np.interp(r, sample, [sphere.mass(x) for x in sample])
        potential = np.interp(r, sample, [sphere.potential(x) for x in sample])
        q = sphere.mass(middle)
        of_forces = inward[inside] * r**2 / mass
        noise = np.hypot(np.sqrt((1 - q) / (q * len(radius))), of_forces.std() / np.sqrt(count))
        what = f"{sphere.name}, {low:g} to {high:g} scale radii"
        why = "4 sigma of the sampling"
        ratio = float(of_forces.mean())
        yield Row(section, f"{what}: acceleration, over the model's", 1, ratio, 4 * noise, why)
        of_potentials = found["Potential"][inside] / potential
        smooth = np.std(1 / np.maximum(radius, middle)) / np.sqrt(len(radius))
        smooth /= abs(sphere.potential(middle))
        noise = np.hypot(smooth, of_potentials.std() / np.sqrt(count))
        ratio = float(of_potentials.mean())
        yield Row(section, f"{what}: potential, over the model's", 1, ratio, 4 * noise, why)


def tree(programs: Programs) -> Iterator[Row]:
    """Tree forces against direct sums for every criterion."""
    for model in (*SPHERES, "m31"):
        programs.draw(model, PARTICLES)
        given = ("--input", "ic.h5", *PUBLISHED)
        programs.call("gothic", "direct", *given, "--output", "direct.h5")
        exact = read(programs.path("direct.h5"))["Acceleration"]
        for criterion, accuracies in CRITERIA.items():
            if criterion == "multipole" and model == "m31":
                continue  # its parameter is an acceleration, here in (km/s)^2 / kpc
            for accuracy in accuracies:
                options = ("--mac", criterion, "--accuracy", accuracy)
                programs.call("gothic", "force", *given, "--output", "force.h5", *options)
                found = read(programs.path("force.h5"))
                yield from of_criterion(model, criterion, accuracy, found, exact)
        yield momentum(programs, model)


def of_criterion(
    model: str, criterion: str, accuracy: float, found: Table, exact: np.ndarray
) -> Iterator[Row]:
    """Set errors against what the criterion bounds."""
    section = "Tree against direct summation"
    error = errors(found, exact)
    text = f"{model}, {criterion} {in_words(accuracy)}"
    if criterion == "multipole":
        last = float(np.quantile(error * np.linalg.norm(exact, axis=1), 0.99))
        yield Row(section, f"{text}: 99 % error, absolute", 0, last, accuracy, "Delta_mul")
        return
    middle, last = (float(x) for x in np.quantile(error, [0.5, 0.99]))
    if criterion == "opening":
        yield Row(section, f"{text}: 99 % error", 0, last, accuracy**3, "theta^3")
        return
    yield Row(section, f"{text}: median error", 0, middle, accuracy, "Delta_acc")
    yield Row(section, f"{text}: 99 % error", 0, last, 5 * accuracy, "5 Delta_acc")


def in_words(accuracy: float) -> str:
    """Write an accuracy parameter as a power of two, if it is one."""
    power = np.log2(accuracy)
    return f"2^{power:.0f}" if power == np.round(power) else f"{accuracy:g}"


def momentum(programs: Programs, model: str) -> Row:
    """Sum of all tree forces, by the default criterion, over the sum of their lengths."""
    given = ("--input", "ic.h5", "--output", "force.h5")
    programs.call("gothic", "force", *given, *PUBLISHED)
    mass = read(programs.path("ic.h5"))["Masses"][:, None]
    acceleration = read(programs.path("force.h5"))["Acceleration"]
    total = np.linalg.norm((mass * acceleration).sum(axis=0))
    lengths = (mass[:, 0] * np.linalg.norm(acceleration, axis=1)).sum()
    text = f"{model}, acceleration 2^-7: sum of all forces over sum of their lengths"
    why = "tree forces are not quite equal and opposite"
    return Row("Tree against direct summation", text, 0, float(total / lengths), 1e-3, why)


def facts(programs: Programs) -> dict[str, str]:
    """Tell what made the last forces."""
    with h5py.File(programs.path("force.h5")) as file:
        origin = file["Provenance"].attrs
        names = ("version", "revision", "compiler", "device")
        return {name: origin[name].decode() for name in names}
