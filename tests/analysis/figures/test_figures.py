from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from analysis.errors import DataError
from analysis.figures import breakdown_vs_particles, elapsed_vs_error, speedup
from analysis.figures.common import run_title
from analysis.paper.speed_up import speed_up
from analysis.study.runs import reduce_repeats
from analysis.study.sweeps import with_scatter


def lines(axes: Axes) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Find the data of every labelled line of a panel."""
    found = {line.get_label(): line for line in axes.get_lines()}
    found |= {container.get_label(): container.lines[0] for container in axes.containers}
    return {
        str(label): (line.get_xdata(orig=False), line.get_ydata(orig=False))
        for label, line in found.items()
        if not str(label).startswith("_")
    }


@pytest.mark.parametrize(("panel", "factor"), [(0, 0.1), (1, 0.01)])
def test_elapsed_time_is_drawn_against_99_percent_above_and_median_below(
    sweep: pd.DataFrame, panel: int, factor: float
) -> None:
    table = reduce_repeats(sweep)
    figure = elapsed_vs_error.draw(table)
    assert figure.axes[panel].get_ylabel() == "time per step by the timers [s]"
    found = lines(figure.axes[panel])
    criteria = ("acceleration", "multipole", "opening")
    expected = {f"{criterion} {mode}" for criterion in criteria for mode in ("block", "shared")}
    assert set(found) == expected | {"fiducial"}
    accuracy = np.array([2.0**-12, 2.0**-7, 2.0**-2])
    np.testing.assert_allclose(found["acceleration block"], [factor * accuracy, 1.125 / accuracy])
    angles = np.array([0.4, 0.8])
    np.testing.assert_allclose(found["opening shared"], [factor * angles, 3.375 / angles])
    x, y = found["fiducial"]
    np.testing.assert_allclose([x[0], y[0]], [factor * 2.0**-7, 1.125 * 2.0**7])


def test_wall_time_is_a_choice_that_axis_and_caption_name(sweep: pd.DataFrame) -> None:
    table = reduce_repeats(sweep)
    axes = elapsed_vs_error.draw(table, "wall").axes[0]
    assert axes.get_ylabel() == "wall time per step, with start-up and files [s]"
    np.testing.assert_allclose(lines(axes)["opening shared"][1], 3.75 / np.array([0.4, 0.8]))
    assert "by the timers" not in elapsed_vs_error.caption(table, "wall")
    assert "Time is the wall time of a step in a run of 1024" in elapsed_vs_error.caption(
        table, "wall"
    )
    assert "Time is that of the timers" in elapsed_vs_error.caption(table)


def test_speed_up_is_drawn_by_the_timers_above_and_in_pairs_below(sweep: pd.DataFrame) -> None:
    sweep = sweep.assign(interactions=np.where(sweep["step"] == "shared", 12.0, 8.0))
    panels = [lines(axes) for axes in speedup.draw(speed_up(reduce_repeats(sweep))).axes]
    names = ("acceleration", "multipole", "opening")
    assert [set(panel) for panel in panels] == 2 * [{name, "no gain"} for name in names]
    np.testing.assert_allclose(panels[0]["acceleration"], [[2.0**-12, 2.0**-7, 2.0**-2], [3.0] * 3])
    np.testing.assert_allclose(panels[2]["opening"], [[0.4, 0.8], [3.0, 3.0]])
    np.testing.assert_allclose(panels[4]["multipole"][1], 1.5)


def test_single_runs_with_the_scatter_of_shorter_ones_are_told_so(sweep: pd.DataFrame) -> None:
    once = sweep[sweep["repeat"] == 1]
    long, short = once.assign(steps=64), pd.concat([sweep, once.assign(repeat=3)])
    table = speed_up(with_scatter(long, pd.concat([long, short])))
    assert "made once: its bar is that of 3 shorter runs" in speedup.caption(table)
    assert "single runs; bars: 3 shorter runs" in run_title(table)
    rare = long["accuracy"] < 2.0**-7
    often = short["accuracy"] >= 2.0**-7
    some = speed_up(with_scatter(pd.concat([long[rare], short[often]]), short))
    assert "A run that was made once has the bar of shorter runs" in speedup.caption(some)
    assert "medians of 3 runs" in run_title(some)


def test_speed_up_spans_opposite_extremes(sweep: pd.DataFrame) -> None:
    table = speed_up(reduce_repeats(sweep))
    assert len(table) == 7
    np.testing.assert_allclose(table["per_step_least"], 2.0)
    np.testing.assert_allclose(table["per_step_greatest"], 4.5)
    with pytest.raises(DataError, match="both block and shared"):
        speed_up(reduce_repeats(sweep[sweep["step"] == "block"]))


def test_published_values_stand_beside_those_of_the_same_model_and_size(
    sweep: pd.DataFrame, scaling: pd.DataFrame
) -> None:
    m31 = speedup.draw(speed_up(reduce_repeats(sweep.assign(model="m31"))))
    frames = [[patch.get_bbox().extents for patch in axes.patches] for axes in m31.axes]
    np.testing.assert_allclose(frames[0], [[2.0**-8, 2, 2.0**-6, 5]])
    assert not any(axes.patches for axes in speedup.draw(speed_up(reduce_repeats(sweep))).axes)
    for particles, times in (
        (1024, {}),
        (2**23, {"M2090": 0.58, "K20X": 0.38, "GTX TITAN X": 0.21}),
    ):
        table = reduce_repeats(sweep.assign(particles=particles))
        found = lines(elapsed_vs_error.draw(table).axes[0])
        points = {name: found[name] for name in found if name.endswith(", published")}
        assert set(points) == {f"{name}, published" for name in times}
        for name, time in times.items():
            np.testing.assert_allclose(points[f"{name}, published"], [[0.1 * 2.0**-7], [time]])
        text = elapsed_vs_error.caption(table)
        assert "0.21 s (GTX TITAN X) with 2^23 particles" in text
        assert ("they stand at the errors that this accuracy has here" in text) == bool(times)
    fast = reduce_repeats(sweep[sweep["accuracy"] > 2.0**-7].assign(particles=2**23))
    assert not any("published" in name for name in lines(elapsed_vs_error.draw(fast).axes[0]))
    large = scaling.assign(particles=scaling["particles"] * 2**4)
    found = lines(breakdown_vs_particles.draw(breakdown_vs_particles.breakdown(large)).axes[0])
    titan = found["GTX TITAN X, published, wall time"]
    np.testing.assert_allclose(titan, [[2**23, 2**24], [0.21, 0.44]])


def test_stages_and_their_total_are_drawn_against_the_number_of_particles(
    scaling: pd.DataFrame,
) -> None:
    table = breakdown_vs_particles.breakdown(scaling)
    (axes,) = breakdown_vs_particles.draw(table).axes
    parts = {"prediction": 1, "moments of cells": 6, "tree walk": 7, "correction": 8}
    parts |= {"tree construction": 14, "total": 36, r"$\propto N$": 36}
    found = lines(axes)
    assert set(found) == set(parts)
    for name, part in parts.items():
        np.testing.assert_allclose(found[name][0], [1024, 8192, 1048576])
        np.testing.assert_allclose(found[name][1], 1e-6 * part * found[name][0])
    (bars,) = axes.containers[0].lines[2]
    np.testing.assert_allclose(bars.get_segments()[0][:, 1], [27e-6 * 1024, 45e-6 * 1024])
    text = breakdown_vs_particles.caption(table)
    for words in (
        "Block time steps, acceleration MAC with 2^-7",
        "N = 2^10 = 1024 to 2^20 = 1048576 particles, 24 steps per run",
        "anew in 6 of 24 steps",
        "sums 1e+06 interactions per second, 200 bytes of device memory per particle. ",
        "medians of 3 runs",
    ):
        assert words in text


def test_captions_tell_the_conditions(sweep: pd.DataFrame) -> None:
    once = sweep[sweep["repeat"] == 1]
    for text in (
        elapsed_vs_error.caption(reduce_repeats(sweep)),
        speedup.caption(speed_up(reduce_repeats(sweep))),
    ):
        assert "NFW sphere, N = 2^10 = 1024 particles, 8 steps per run" in text
        assert "Device: CPU, 2 CPU thread(s); GNU 12; gothic 1.2.3, revision abc" in text
        assert "medians of 2 runs" in text
    text = speedup.caption(speed_up(reduce_repeats(once)))
    for words in (
        "made once",
        "0.5 times as long as",
        "is 3.00 by the timers and 1.00 in pairs",
        "and 1.50 per",
    ):
        assert words in text
    changed = sweep.copy()
    changed.insert(1, "halo.scale", 5.5)
    told = elapsed_vs_error.caption(reduce_repeats(changed))
    assert "NFW sphere with halo.scale 5.5, N = 2^10" in told
    assert "fiducial" not in speedup.caption(
        speed_up(reduce_repeats(once[once["criterion"] == "opening"]))
    )
    assert "acceleration MAC 2^-2 to 2^-12" in elapsed_vs_error.caption(reduce_repeats(once))
