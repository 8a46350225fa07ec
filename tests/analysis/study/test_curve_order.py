from __future__ import annotations

import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.figures.hilbert_vs_morton import caption, shown
from analysis.study.curve_order import order_row, radii, radius_quantile, ratios

FACTS = {
    "threads": 2,
    "device_name": "CPU",
    "machine": "node=n",
    "revision": "abc",
    "version": "1",
    "compiler": "GNU",
}


@pytest.fixture
def table() -> pd.DataFrame:
    """Make two rounds in which Morton walks 1.5 and 2 times as long and sorts in the same time."""
    rows = []
    for number, slower in ((1, 1.5), (2, 2.0)):
        for curve in ("hilbert", "morton"):
            factor = slower if curve == "morton" else 1.0
            tree = pd.DataFrame({"stage": ["keys", "sort", "build"], "seconds": [0.1, 0.2, 0.3]})
            tree.loc[0, "seconds"] /= factor
            walk = {"particles": 4096, "groups_seconds": 0.01, "moments_seconds": 0.02}
            walk |= {"walk_seconds": factor, "interactions": 1e6 * factor, "cells_judged": 100}
            row = order_row(tree.assign(cells=50), pd.DataFrame([walk | FACTS]))
            rows.append({"model": "nfw", "curve": curve, "round": number} | row)
    return pd.DataFrame(rows)


def test_curves_are_compared_in_the_rounds_that_both_have(table: pd.DataFrame) -> None:
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


def test_radii_of_groups_are_compared_where_they_were_counted(table: pd.DataFrame) -> None:
    found = {curve: radii(histogram(shift)) for curve, shift in (("hilbert", 1), ("morton", 3))}
    counted = pd.DataFrame([row | found[row["curve"]] for row in table.to_dict("records")])
    quantities = ratios(counted).set_index("quantity")
    assert quantities.loc["radius_p95", "ratio"] == pytest.approx(3)
    assert quantities.loc["radius_median", "hilbert"] == pytest.approx(10 ** (1 + 1 / 6))
    assert not ratios(table)["quantity"].str.startswith("radius").any()


def test_table_is_written_in_words(table: pd.DataFrame) -> None:
    table = ratios(table)
    text = shown(table).set_index("quantity")
    assert text.loc["walk [s]", "Morton / Hilbert"] == "1.75"
    assert text.loc["walk [s]", "least to greatest"] == "1.50 to 2.00"
    assert set(text["model"]) == {"NFW sphere"}
    assert "N = 2^12 particles" in caption(table)
    assert "in 2 rounds" in caption(table)


def test_curve_alone_is_refused(table: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="nfw: both curves are needed"):
        ratios(table[table["curve"] == "morton"])
