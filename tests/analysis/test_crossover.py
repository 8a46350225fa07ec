from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.crossover import crossing, crossover_table
from analysis.figures import crossover
from analysis.files import DataError

FACTS = {"threads": 2, "device": "CPU", "revision": "abc", "version": "1", "compiler": "GNU"}


def times(particles: list[int], equal: float) -> pd.DataFrame:
    """Make times of a tree, proportional to N, and of direct summation, to N^2, equal at some N."""
    sizes = np.array(particles, float)
    table = pd.DataFrame({"particles": particles, "root": "estimate"})
    parts = {"sort": 0.25e-6 * sizes, "walk": 0.75e-6 * sizes, "tree": 1e-6 * sizes}
    parts["direct"] = 1e-6 * sizes**2 / equal
    for name, seconds in parts.items():
        table[f"{name}_seconds"] = seconds
        table[f"{name}_seconds_min"] = 0.9 * seconds
        table[f"{name}_seconds_max"] = 1.2 * seconds
    table["direct_over_tree"] = table["direct_seconds"] / table["tree_seconds"]
    return table.assign(**FACTS)


def test_crossing_of_powers_is_found_exactly() -> None:
    assert crossing(times([256, 1024, 4096, 16384], 3000)) == pytest.approx(3000)
    assert crossing(times([16384, 256, 4096, 1024], 700)) == pytest.approx(700)


@pytest.mark.parametrize("equal", [10, 1e6])
def test_without_crossing_there_is_none(equal: float) -> None:
    assert math.isnan(crossing(times([256, 1024, 4096], equal)))


def test_tables_are_joined_by_size(tmp_path: Path) -> None:
    files = []
    for size in (1024, 256):
        files.append(tmp_path / f"{size}.csv")
        times([size], 3000).to_csv(files[-1], index=False)
    table = crossover_table("nfw", files)
    assert list(table["particles"]) == [256, 1024]
    assert list(table["sample"]) == ["nfw_N256", "nfw_N1024"]
    pd.DataFrame({"particles": [1]}).to_csv(files[0], index=False)
    with pytest.raises(DataError, match="column root is missing"):
        crossover_table("nfw", files)


def test_figure_marks_both_crossings() -> None:
    table = times([256, 1024, 4096, 16384], 3000).assign(sample="nfw_N1")
    (axes,) = crossover.draw(table).axes
    found = {line.get_label(): line for line in axes.get_lines()}
    assert found["equal at 3000"].get_xdata()[0] == pytest.approx(3000)
    assert found["published, ~$10^4$"].get_xdata() == [1e4, 1e4]
    assert len(axes.containers) == 4
    text = crossover.caption(table)
    assert "equally long at 3e+03 particles" in text
    assert "At 16384 the tree is 5.46 times as fast" in text
    assert "0.00097 s for 4096, 0.0019 s for 8192 particles" in text
    assert "Neither overtakes" in crossover.caption(times([256], 10).assign(sample="nfw_N1"))
