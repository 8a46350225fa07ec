from __future__ import annotations

import pandas as pd
import pytest

from analysis.beside import beside
from analysis.figures.beside_published import caption, shown
from tests.analysis.conftest import FACTS


def rows_of(table: pd.DataFrame, quantity: str) -> pd.DataFrame:
    return table[table["quantity"] == quantity].reset_index(drop=True)


def test_elapsed_time_and_speed_up_are_those_of_the_fiducial_runs(timings: pd.DataFrame) -> None:
    table = beside({"timings": [timings.assign(sample="m31_N1024_s1")]})
    elapsed = rows_of(table, "elapsed_per_step")
    assert elapsed.loc[0, "source"] == "this study"
    assert elapsed.loc[0, "value"] == pytest.approx(1.25 * 2**7)
    assert elapsed.loc[0, "hardware"] == FACTS["device"]
    assert set(elapsed["model"]) == {"m31"}
    assert 0.033 in set(elapsed.loc[elapsed["hardware"] == "V100", "value"])
    gains = rows_of(table, "speedup")
    assert gains.loc[0, "value"] == pytest.approx(3)
    assert list(gains["value"][1:3]) == [2, 5]
    block = timings[timings["step_mode"] == "block"]
    assert rows_of(beside({"timings": [block]}), "speedup").empty


def test_steps_are_counted() -> None:
    trace = pd.DataFrame(
        {
            "rebuilt": [1, 0, 0, 0, 1, 0, 0, 0],
            "level_min": -4,
            "level_max": [-4, -3, -4, -2, -4, -3, -4, 0],
            "sequence": ["fast"] * 7 + ["slow"],
            "interactions_per_walk_s": [1e9] * 4 + [3e9] * 4,
        }
    ).assign(sample="m31_N64_s1", particles=64, threads=2, **FACTS)
    table = beside({"trace": [trace]})
    ours = table[table["source"] == "this study"].set_index("quantity")["value"]
    assert ours.to_dict() == {
        "levels": 5,
        "rebuild_interval": 4,
        "slow_steps": 1,
        "rate_average": 2e9,
    }
    assert rows_of(table, "rebuild_interval").loc[1, "value"] == 12
    assert rows_of(table, "levels").loc[1, "value"] == 5


def test_rates_are_compared_whatever_the_model() -> None:
    errors = pd.DataFrame({"criterion": ["opening", "opening"], "accuracy": [0.5, 0.4]})
    errors = errors.assign(sample="king_N64_s1", particles=64, force_s=[2.0, 3.0], **FACTS)
    peak = pd.DataFrame({"measurement": ["direct_newton", "copy"], "sources": [1024, None]})
    peak = peak.assign(**{"interactions/s": [5e9, None]}, threads=2, **FACTS)
    table = beside({"errors": [errors], "peak": [peak]})
    passes = rows_of(table, "particles_per_second")
    assert list(passes["value"]) == [32, 6.2e7, 2.8e6]
    direct = rows_of(table, "direct_rate")
    assert list(direct["value"]) == [5e9, 2e9]
    text = shown(table)
    assert list(text["N"]) == ["2^10", "", "2^6", "67000000", ""]
    assert text.loc[0, "value"] == "5e+09 interactions/s"
    assert "Device: CPU" in caption(table)
