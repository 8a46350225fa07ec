"""Acceptance criteria, and the unit of the accuracy that is an acceleration."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gothic import Units

CRITERIA = ("acceleration", "multipole", "opening")
STEP_MODES = ("block", "shared")
FIDUCIAL = {"criterion": "acceleration", "accuracy": 2.0**-7}
KILOPARSEC = 3.085678e21  # cm
MYR = 3.15576e13  # s


def acceleration_unit(units: Units) -> float:
    """Find what the accuracy of the multipole criterion is a multiple of, in some units.

    The unit itself where G = 1; kpc / (100 Myr)^2 where the units are physical, as the numbers of
    Miki & Umemura (2017) for M31 are.
    """
    if not units.physical:
        return 1.0
    acceleration = units.velocity_in_cm_per_s**2 / units.length_in_cm
    return KILOPARSEC / (100 * MYR) ** 2 / acceleration
