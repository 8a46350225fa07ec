from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from analysis.figures.hilbert_vs_morton import caption, shown
from analysis.files import DataError
from analysis.order import order_table, radius_quantile, ratios

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


def histogram(shift: float) -> pd.DataFrame:
    """Tabulate a hundred groups in two bins of a decade each, of two balls."""
    bins = pd.DataFrame({"radius_low": [1.0, 10.0, 10.0], "radius_high": [10.0, 100.0, 100.0]})
    bins = bins.assign(ratio_low=[1.0, 1.0, 1.1], groups=[40, 50, 10])
    bins[["radius_low", "radius_high"]] *= shift
    return pd.concat([bins.assign(ball=ball) for ball in ("geo", "seb")])


@pytest.mark.parametrize(
    ("fraction", "radius"), [(0.2, 10**0.5), (0.4, 10), (0.7, 10**1.5), (1, 100)]
)
def test_quantiles_of_radii_are_interpolated(fraction: float, radius: float) -> None:
    assert radius_quantile(histogram(1), fraction) == pytest.approx(radius)


def test_radii_of_groups_are_compared_where_they_were_counted(benches: list[Path]) -> None:
    files = []
    for curve, shift in (("hilbert", 1.0), ("morton", 3.0)):
        files.append(benches[0].with_name(f"{curve}_histogram.csv"))
        histogram(shift).to_csv(files[-1], index=False)
    found = ratios(order_table("nfw_N4096_s1", benches + files)).set_index("quantity")
    assert found.loc["radius_p95", "ratio"] == pytest.approx(3)
    assert found.loc["radius_median", "hilbert"] == pytest.approx(10 ** (1 + 1 / 6))
    without = ratios(order_table("nfw_N4096_s1", benches))
    assert not without["quantity"].str.startswith("radius").any()


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
