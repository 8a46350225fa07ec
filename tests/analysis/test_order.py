from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from analysis.figures.hilbert_vs_morton import caption, shown
from analysis.files import DataError
from analysis.order import order_table, ratios

FACTS = {"threads": 2, "device": "CPU", "revision": "abc", "version": "1", "compiler": "GNU"}


@pytest.fixture
def benches(tmp_path: Path) -> list[Path]:
    """Write two rounds in which Morton walks 1.5 and 2 times as long and sorts in the same time."""
    files = []
    for number, slower in ((1, 1.5), (2, 2.0)):
        for curve in ("hilbert", "morton"):
            factor = slower if curve == "morton" else 1.0
            tree = pd.DataFrame({"stage": ["keys", "sort", "build"], "seconds": [0.1, 0.2, 0.3]})
            tree.loc[0, "seconds"] /= factor
            walk = {"particles": 4096, "groups_seconds": 0.01, "moments_seconds": 0.02}
            walk |= {"walk_seconds": factor, "interactions": 1e6 * factor, "cells_judged": 100}
            for word, table in (("tree", tree), ("walk", pd.DataFrame([walk]))):
                files.append(tmp_path / f"{curve}_{word}_{number}.csv")
                table.assign(cells=50, **FACTS).to_csv(files[-1], index=False)
    return files


def test_curves_are_compared_in_the_rounds_that_both_have(benches: list[Path]) -> None:
    table = order_table("nfw_N4096_s1", benches)
    assert list(table["curve"]) == ["hilbert", "morton"] * 2
    found = ratios(table).set_index("quantity")
    walk = found.loc["walk_s"]
    assert (walk["ratio"], walk["ratio_min"], walk["ratio_max"]) == (1.75, 1.5, 2.0)
    assert (walk["hilbert"], walk["morton"]) == (1.0, 1.75)
    assert found.loc["keys_s", "ratio_min"] == pytest.approx(0.5)
    assert found.loc["sort_s", "ratio"] == 1
    assert found.loc["cells", "ratio"] == 1
    assert found.loc["interactions", "ratio"] == 1.75
    whole = [0.1 / 1.5 + 0.5 + 0.03 + 1.5, 0.1 / 2 + 0.5 + 0.03 + 2]
    assert found.loc["whole_s", "morton"] == pytest.approx(sum(whole) / 2)


def test_table_is_written_in_words(benches: list[Path]) -> None:
    table = ratios(order_table("nfw_N4096_s1", benches))
    text = shown(table).set_index("quantity")
    assert text.loc["walk [s]", "Morton / Hilbert"] == "1.75"
    assert text.loc["walk [s]", "least to greatest"] == "1.50 to 2.00"
    assert set(text["model"]) == {"NFW sphere"}
    assert "N = 2^12 particles" in caption(table)
    assert "in 2 rounds" in caption(table)


def test_missing_table_is_named(benches: list[Path]) -> None:
    with pytest.raises(DataError, match=r"no table morton_walk_2\.csv"):
        order_table("nfw_N4096_s1", [path for path in benches if path.name != "morton_walk_2.csv"])
    with pytest.raises(DataError, match="the name is not one such as"):
        order_table("nfw_N4096_s1", [Path("walk.csv")])
