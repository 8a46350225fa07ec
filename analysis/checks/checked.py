"""What is checked: a number, what it should be, and how far off it may be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Row:
    """A number that was measured, what theory says, and the largest difference that passes."""

    section: str
    quantity: str
    expected: float
    measured: float
    bound: float
    why: str  # what the bound is

    @property
    def passed(self) -> bool:
        """Whether the difference is within the bound."""
        return bool(abs(self.measured - self.expected) <= self.bound)


def slope(x: list[float], y: list[float]) -> float:
    """Exponent of the power law through some points, by least squares of the logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
