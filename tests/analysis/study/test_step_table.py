from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.figures import interactions_vs_step, stages_vs_step
from analysis.figures.performance import caption, performance, published_performance, shown
from analysis.study.step_table import sequences, steps_of
from tests.analysis.conftest import MADE_BY
from tests.analysis.rows import a_row

LEVELS = [100, 1000, 100, 30000, 110, 1010, 100, 64000]


@pytest.fixture
def steps() -> pd.DataFrame:
    """Eight steps of four levels. Walks sum 1e9 interactions a second, the last one half of it."""
    active = np.array(LEVELS)
    table = pd.DataFrame({"number": range(1, 9), "active": active})
    table = table.assign(
        interactions=1000 * active,
        walk_s=1e-6 * active * np.where(active == 64000, 2, 1),
        rebuilt=[1, 0, 0, 0, 1, 0, 0, 0],
        sequence=sequences(active),
        level_min=-3,
        level_max=[-3, -2, -3, -1, -3, -2, -3, 0],
        total_s=1e-5 * active,
    )
    for stage in ("keys", "sort", "build"):
        table[f"{stage}_s"] = 1e-3 * table["rebuilt"]
    for stage in ("predict", "groups", "moments", "correct"):
        table[f"{stage}_s"] = 1e-4
    return table.assign(
        interactions_per_walk_s=table["interactions"] / table["walk_s"],
        root="auto",
        model="m31",
        criterion="acceleration",
        accuracy=2.0**-7,
        step="block",
        particles=65536,
        steps=8,
        eta=0.5,
        threads=2,
        **MADE_BY,
    )


@pytest.fixture
def peak() -> pd.DataFrame:
    """Rates of direct summation."""
    names = ["direct_newton", "direct_estimate", "direct_double", "copy"]
    rates = [1e9, 2e9, 5e8, np.nan]
    return pd.DataFrame({"measurement": names, "interactions/s": rates, "device_name": "CPU"})


USUAL = [400] * 50 + [3100] * 25 + [9000] * 12 + [27000] * 6 + [90000] * 6


@pytest.mark.parametrize(
    ("active", "names"),
    [
        (LEVELS, "fifsfifs"),
        (USUAL, "f" * 50 + "i" * 37 + "s" * 12),
        ([*USUAL, 20], "f" * 50 + "i" * 37 + "s" * 12 + "f"),
        ([5, 5, 5], "sss"),
        ([100, 150, 199], "sss"),
        ([1000, 100, 1050, 101], "sfsf"),
    ],
)
def test_steps_are_divided_at_the_gaps_that_leave_the_least_scatter(
    active: list[int], names: str
) -> None:
    assert "".join(name[0] for name in sequences(np.array(active))) == names


def test_table_has_a_row_per_step(write_run: Callable[..., Path]) -> None:
    path = write_run("run", wall=8.0, dt=0.5)
    with h5py.File(path, "a") as file:
        del file["Steps/walk"], file["Steps/cells_judged"]
        for name in ("level_min", "level_max", "cells_judged", "walk", "sharing", "group_extent"):
            file["Steps"][name] = np.full(4, 2.0)
    with pytest.raises(DataError, match="dataset time of /Steps is missing"):
        steps_of(a_row(path=str(path.parent)))
    with h5py.File(path, "a") as file:
        file["Steps/time"] = np.arange(4)
    rows = steps_of(a_row(path=str(path.parent)))
    assert list(rows["interactions"]) == [0, 1, 2, 3]
    assert list(rows["interactions_per_walk_s"]) == [0, 0.5, 1, 1.5]
    assert list(rows["sharing"]) == [2] * 4
    assert set(rows["accuracy"]) == {2.0**-7}
    assert set(rows["root"]) == {"auto"}


def test_stages_are_drawn_where_they_were_run(steps: pd.DataFrame) -> None:
    figure = stages_vs_step.draw(stages_vs_step.stages(steps))
    (axes,) = figure.axes
    found = {line.get_label(): line for line in axes.get_lines()}
    assert list(found["tree construction"].get_xdata()) == [1, 5]
    np.testing.assert_allclose(found["keys and sort"].get_ydata(), 2e-3)
    assert list(found["tree built anew"].get_xdata()) == [1, 5]
    np.testing.assert_allclose(axes.get_lines()[0].get_ydata(), steps["walk_s"])
    for kind, rows in steps.groupby("sequence"):
        np.testing.assert_allclose(found[f"walk of {kind} steps"].get_ydata(), rows["walk_s"])


def test_caption_of_the_stages_tells_sequences_and_what_was_published(steps: pd.DataFrame) -> None:
    text = stages_vs_step.caption(stages_vs_step.stages(steps))
    for told in (
        "Block time steps of 4 levels, acceleration MAC with 2^-7",
        "4 fast ones with 100 to 110 active particles",
        "the 2 steps that built the tree anew, one in 4.0",
        "for K20X and 2^23 particles, which is another size: 0.33 s",
    ):
        assert told in text
    other = stages_vs_step.caption(stages_vs_step.stages(steps.assign(model="king")))
    assert "ublished" not in other


def test_interactions_are_drawn_by_model_with_published_rates_at_their_size(
    steps: pd.DataFrame,
) -> None:
    nfw = steps.assign(model="nfw")
    figure = interactions_vs_step.draw(pd.concat([nfw, steps], ignore_index=True))
    assert len(figure.axes) == 4
    assert [axes.get_title() for axes in figure.axes[:2]] == ["NFW sphere", "M31"]
    line = figure.axes[3].get_lines()[0]
    np.testing.assert_allclose(line.get_ydata(), [1e9] * 7 + [5e8])
    large = interactions_vs_step.draw(steps.assign(particles=2**23))
    here = interactions_vs_step.draw(steps)
    assert len(large.axes[1].get_lines()) == len(here.axes[1].get_lines()) + 3
    text = interactions_vs_step.caption(steps)
    assert "9.38e+08 interactions per second on average" in text
    assert "5e+08 in the step with the most interactions, 6.4e+07" in text
    assert "7.8e+10 interactions/s (GTX TITAN X) with 2^23 particles" in text


def test_performance_is_reduced_over_the_steps(steps: pd.DataFrame, peak: pd.DataFrame) -> None:
    (row,) = performance(steps, peak).itertuples()
    assert row.rate_average == pytest.approx(7.5e9 / 8)
    assert (row.rate_maximum, row.rate_minimum) == pytest.approx((1e9, 5e8))
    walk = sum(LEVELS) + 64000
    assert row.rate_overall == pytest.approx(1e9 * sum(LEVELS) / walk)
    assert row.share_of_direct_maximum == pytest.approx(0.5)
    assert np.isnan(row.gflops_average)
    newton = performance(steps.assign(root="newton"), peak)
    assert newton["share_of_direct_maximum"].iloc[0] == pytest.approx(1)


def test_operations_are_counted_for_known_devices(steps: pd.DataFrame, peak: pd.DataFrame) -> None:
    name = {"device_name": "NVIDIA H200"}
    (row,) = performance(steps.assign(**name), peak.assign(**name)).itertuples()
    assert row.flops_per_interaction == 28
    assert row.gflops_maximum == pytest.approx(28)
    assert row.share_of_peak_maximum == pytest.approx(28e9 / 66.9e12)
    known = performance(steps.assign(**name), peak.assign(**name))
    assert "counts for 28 operations" in caption(known, steps)
    assert "is 66900 GFlop/s" in caption(known, steps)
    unknown = caption(performance(steps, peak), steps)
    assert "operations are not counted" in unknown
    assert "22% of the peak of a V100" in unknown
    assert "M31, N = 2^16 = 65536 particles, 8 steps per run" in unknown


def test_performance_of_several_devices_is_refused(steps: pd.DataFrame, peak: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="several devices"):
        performance(steps, peak.assign(device_name="GPU"))


def test_published_performance_is_that_of_the_paper(
    steps: pd.DataFrame, peak: pd.DataFrame
) -> None:
    rows = published_performance("m31").set_index("hardware")
    assert rows.loc["GTX TITAN X", "share_of_peak_average"] == pytest.approx(0.283, abs=1e-3)
    for hardware, row in rows.iterrows():
        gflops = row["rate_average"] * row["flops_per_interaction"] / 1e9
        assert gflops == pytest.approx(row["gflops_average"], rel=5e-3), hardware
    both = pd.concat([performance(steps, peak), published_performance("m31")])
    text = shown(both)
    assert list(text["hardware"]) == ["CPU", "M2090", "K20X", "GTX TITAN X"]
    assert list(text["GFlop/s, average"]) == ["", "336", "349", "1871"]
