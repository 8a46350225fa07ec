"""The unit of the accuracy of the multipole criterion, which is an acceleration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.reading.files import KILOPARSEC

if TYPE_CHECKING:
    from gothic import Units

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
