"""The orbit of two galaxies about each other, as that of two points of mass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gothic._gothic import InputError
from gothic.snapshot import Units

Vector = NDArray[np.float64]


class Place(NamedTuple):
    """Position and velocity of a galaxy, shape (3,) each: the arguments of ``Snapshot.shifted``."""

    position: Vector
    velocity: Vector


def kepler_orbit(
    masses: tuple[float, float],
    separation: float,
    pericentre: float,
    eccentricity: float = 1.0,
    units: Units = Units(),  # noqa: B008
) -> tuple[Place, Place]:
    """Place two galaxies on a Kepler orbit, on which they approach each other.

    The centre of mass rests at the origin. The orbit lies in the plane z = 0 and turns
    anticlockwise; the pericentre of the first galaxy, seen from the second, is on the x axis. Real
    galaxies are no points: once they overlap they leave this orbit.

    Parameters
    ----------
    masses
        Of both galaxies.
    separation
        Distance between them.
    pericentre
        Their least distance on this orbit, less than the separation.
    eccentricity
        1 for a parabola, less for an ellipse, more for a hyperbola.
    units
        Units of all numbers, which give the constant of gravity.

    Returns
    -------
    tuple
        ``(position, velocity)`` of either galaxy.

    Raises
    ------
    InputError
        If a number is out of range, or an ellipse does not reach the separation.
    """
    numbers = {"masses": sum(masses), "pericentre": pericentre, "separation": separation}
    for name, value in numbers.items():
        if not (np.isfinite(value) and value > 0):
            raise InputError(f"{name}: is {value}, not above 0; correct it")
    if min(masses) < 0:
        raise InputError("masses: one is negative; correct it")
    if not (np.isfinite(eccentricity) and eccentricity >= 0):
        raise InputError(f"eccentricity: is {eccentricity}; give 1 for a parabola, or another >= 0")
    # r = p / (1 + e cos phi), p = (1 + e) r_peri: Binney & Tremaine (2008), equation (3.24).
    parameter = (1 + eccentricity) * pericentre
    far = parameter / (1 - eccentricity) if eccentricity < 1 else np.inf
    if not pericentre <= separation <= far:
        raise InputError(
            f"separation: is {separation:g}; on this orbit it lies between {pericentre:g} and "
            f"{far:g}"
        )
    cos = (parameter / separation - 1) / eccentricity if eccentricity > 0 else 1.0
    cos = float(np.clip(cos, -1, 1))
    sin = -np.sqrt(1 - cos**2)  # before the pericentre
    speed = np.sqrt(units.gravitational_constant * sum(masses) / parameter)
    position = separation * np.array([cos, sin, 0.0])
    velocity = speed * np.array([-sin, eccentricity + cos, 0.0])
    first, second = (mass / sum(masses) for mass in masses)
    return Place(second * position, second * velocity), Place(-first * position, -first * velocity)
