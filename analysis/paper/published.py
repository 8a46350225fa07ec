"""Numbers that others have published, to stand beside the numbers of the study."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

FILE = Path(__file__).with_name("published.csv")
NEAR = 2.0


def published(quantity: str, model: str | None = None) -> pd.DataFrame:
    """Select the rows of published.csv with a quantity, of one model or of all."""
    table = pd.read_csv(FILE, dtype={"accuracy": str})
    chosen = (table["quantity"] == quantity) & (model is None or table["model"] == model)
    return table[chosen].reset_index(drop=True)


def by_hardware(quantities: Mapping[str, str], model: str | None = None) -> pd.DataFrame:
    """Set published quantities side by side.

    Parameters
    ----------
    quantities
        Quantities by the names of their columns.
    model
        As for `published`.

    Returns
    -------
    pandas.DataFrame
        One row per hardware: ``hardware``, ``particles``, ``source``, and the named columns.
    """
    rows: dict[str, dict[str, object]] = {}
    for column, quantity in quantities.items():
        for found in published(quantity, model).to_dict("records"):
            start = {name: found[name] for name in ("hardware", "particles", "source")}
            rows.setdefault(found["hardware"], start)[column] = found["value"]
    return pd.DataFrame(list(rows.values()))


def comparable(table: pd.DataFrame, particles: np.ndarray | float) -> np.ndarray:
    """Tell which rows of `published` are of sizes like the number or numbers of a study.

    Sizes are alike between the least and the greatest number, and up to a factor of `NEAR` beyond.
    """
    sizes = np.atleast_1d(particles)
    given = table["particles"].to_numpy(float)
    return (given > sizes.min() / NEAR) & (given < sizes.max() * NEAR)


def accuracies(text: str) -> tuple[float, float]:
    """Read a range of accuracy parameters such as ``2^-8 to 2^-6`` or ``0.5 to 0.7``."""
    low, high = (
        2.0 ** float(end[2:]) if end.startswith("2^") else float(end) for end in text.split(" to ")
    )
    return low, high


def sentence(table: pd.DataFrame, what: str, digits: int = 3) -> str:
    """Say rows of `published` in words for a caption, or nothing if there are none."""
    if table.empty:
        return ""
    words = []
    for (particles, source), rows in table.groupby(["particles", "source"], sort=False):
        values = ", ".join(
            f"{row.value:.{digits}g} {row.unit} ({row.hardware})" for row in rows.itertuples()
        )
        words.append(f"{values} with {size(particles)} particles, {source}")
    return f"Published {what}: {'; '.join(words)}. "


def size(particles: float) -> str:
    """Write a number of particles, powers of two as such and multiples of 2^20 as 25 * 2^20."""
    number = int(particles)
    if number & (number - 1) == 0:
        return f"2^{number.bit_length() - 1}"
    if number % 2**20 == 0:
        return f"{number // 2**20} * 2^20"
    return str(number)
