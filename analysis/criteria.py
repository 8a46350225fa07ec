"""Acceptance criteria, and the unit of the accuracy that is an acceleration."""

from __future__ import annotations

import tomllib
from pathlib import Path

CRITERIA = ("acceleration", "multipole", "opening")
STEP_MODES = ("block", "shared")
FIDUCIAL = {"criterion": "acceleration", "accuracy": 2.0**-7}
KILOPARSEC = 3.085678e21  # cm
MYR = 3.15576e13  # s


def acceleration_unit(model: Path) -> float:
    """Find what the accuracy of the multipole criterion is a multiple of, in the units of a model.

    The model's own unit where G = 1; kpc / (100 Myr)^2 where the units are physical, as the
    numbers of Miki & Umemura (2017) for M31 are.
    """
    units = tomllib.loads(model.read_text()).get("units", {})
    length = units.get("length_in_cm", 1.0)
    velocity = units.get("velocity_in_cm_per_s", 1.0)
    if all(value == 1.0 for value in units.values()):
        return 1.0
    return KILOPARSEC / (100 * MYR) ** 2 / (velocity**2 / length)
