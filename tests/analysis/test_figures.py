from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from analysis.figures import breakdown_vs_particles, common, elapsed_vs_error, speedup
from analysis.scaling import breakdown
from analysis.tables import elapsed_versus_error, speed_up


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
    timings: pd.DataFrame, errors: pd.DataFrame, panel: int, factor: float
) -> None:
    figure = elapsed_vs_error.draw(elapsed_versus_error(errors, timings))
    assert len(figure.axes) == 2
    axes = figure.axes[panel]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    found = lines(axes)
    criteria = ("acceleration", "multipole", "opening")
    expected = {f"{criterion} {mode}" for criterion in criteria for mode in ("block", "shared")}
    assert set(found) == expected | {"fiducial"}
    accuracy = np.array([2.0**-12, 2.0**-7, 2.0**-2])
    x, y = found["acceleration block"]
    np.testing.assert_allclose(x, factor * accuracy)
    np.testing.assert_allclose(y, 1.25 / accuracy)
    x, y = found["opening shared"]
    np.testing.assert_allclose(x, factor * np.array([0.4, 0.8]))
    np.testing.assert_allclose(y, 3.75 / np.array([0.4, 0.8]))
    x, y = found["fiducial"]
    np.testing.assert_allclose([x[0], y[0]], [factor * 2.0**-7, 1.25 * 2.0**7])


def test_criteria_differ_in_colour_and_marker_and_modes_in_line(
    timings: pd.DataFrame, errors: pd.DataFrame
) -> None:
    axes = elapsed_vs_error.draw(elapsed_versus_error(errors, timings)).axes[0]
    drawn = {container.get_label(): container.lines[0] for container in axes.containers}
    block = [line for label, line in drawn.items() if label.endswith("block")]
    shared = [line for label, line in drawn.items() if label.endswith("shared")]
    assert {line.get_linestyle() for line in block} == {"-"}
    assert {line.get_linestyle() for line in shared} == {":"}
    assert len({line.get_color() for line in block}) == 3
    assert len({line.get_marker() for line in block}) == 3


def test_figure_without_the_fiducial_run_has_no_ring(
    timings: pd.DataFrame, errors: pd.DataFrame
) -> None:
    table = elapsed_versus_error(errors, timings[timings["criterion"] == "opening"])
    figure = elapsed_vs_error.draw(table)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["opening angle", "block time step", "shared time step"]
    assert len(lines(figure.axes[0])["fiducial"][0]) == 0


def test_speed_up_is_drawn_per_step_above_and_per_time_below(timings: pd.DataFrame) -> None:
    figure = speedup.draw(speed_up(timings))
    panels = [lines(axes) for axes in figure.axes]
    names = ("acceleration", "multipole", "opening")
    assert [set(panel) for panel in panels] == 2 * [{name, "no gain"} for name in names]
    np.testing.assert_allclose(panels[0]["acceleration"][0], [2.0**-12, 2.0**-7, 2.0**-2])
    np.testing.assert_allclose(panels[0]["acceleration"][1], 3.0)
    np.testing.assert_allclose(panels[2]["opening"], [[0.4, 0.8], [3.0, 3.0]])
    np.testing.assert_allclose(panels[4]["multipole"][1], 1.5)
    assert [axes.get_xscale() for axes in figure.axes[:3]] == ["log", "log", "linear"]


def test_published_speed_ups_are_framed_per_step_for_m31_alone(timings: pd.DataFrame) -> None:
    figure = speedup.draw(speed_up(timings.assign(sample="m31_N1024_s1")))
    frames = [[patch.get_bbox().extents for patch in axes.patches] for axes in figure.axes]
    np.testing.assert_allclose(frames[0], [[2.0**-8, 2, 2.0**-6, 5]])
    np.testing.assert_allclose(frames[1], [[2.0**-5, 2, 2.0**-2, 5]])
    np.testing.assert_allclose(frames[2], [[0.5, 2, 0.7, 5]])
    assert frames[3:] == [[], [], []]
    assert not any(axes.patches for axes in speedup.draw(speed_up(timings)).axes)
    assert "about 2 to 5 for 2^23 particles on M2090, K20X, GTX TITAN X" in speedup.caption(
        speed_up(timings.assign(sample="m31_N1024_s1"))
    )


def test_published_times_are_marked_where_the_number_of_particles_is_the_same(
    timings: pd.DataFrame, errors: pd.DataFrame
) -> None:
    small = elapsed_versus_error(errors, timings)
    large = elapsed_versus_error(errors, timings.assign(particles=2**23))
    marks = [
        [text.get_text() for text in elapsed_vs_error.draw(t).axes[0].texts] for t in (small, large)
    ]
    assert marks[0] == []
    assert marks[1] == [f"{name}, published" for name in ("M2090", "K20X", "GTX TITAN X")]
    for table in (small, large):
        assert "0.21 s (GTX TITAN X) with 2^23 particles" in elapsed_vs_error.caption(table)


def test_published_times_are_marked_where_the_sizes_reach(scaling: pd.DataFrame) -> None:
    table = breakdown(scaling.assign(particles=[2**20, 2**22, 2**24]))
    found = lines(breakdown_vs_particles.draw(table).axes[0])
    np.testing.assert_allclose(found["GTX TITAN X, published"], [[2**23, 2**24], [0.21, 0.44]])
    assert "K20X, published" in found
    assert "0.58 s (M2090)" in breakdown_vs_particles.caption(breakdown(scaling))


def test_bars_span_the_extremes_only_where_runs_were_repeated(timings: pd.DataFrame) -> None:
    repeated = speedup.draw(speed_up(timings)).axes[0].containers[0]
    (bars,) = repeated.lines[2]
    np.testing.assert_allclose(bars.get_segments()[0][:, 1], [2.0, 4.5])
    once = speedup.draw(speed_up(timings[timings["repeat"] == 1])).axes[0].containers[0]
    assert once.lines[2] == ()


def test_stages_and_their_total_are_drawn_against_the_number_of_particles(
    scaling: pd.DataFrame,
) -> None:
    figure = breakdown_vs_particles.draw(breakdown(scaling.sample(frac=1, random_state=1)))
    (axes,) = figure.axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    parts = {"prediction": 1, "moments of cells": 6, "tree walk": 7, "correction": 8}
    parts |= {"tree construction": 14, "total": 36, r"$\propto N$": 36}
    found = lines(axes)
    assert set(found) == set(parts)
    for name, part in parts.items():
        np.testing.assert_allclose(found[name][0], [1024, 8192, 1048576])
        np.testing.assert_allclose(found[name][1], 1e-6 * part * found[name][0])
    (bars,) = axes.containers[0].lines[2]
    np.testing.assert_allclose(bars.get_segments()[0][:, 1], [3e-5 * 1024, 4e-5 * 1024])
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names[0] == "total"
    assert set(names) == set(parts)


def test_stages_differ_in_colour_and_marker(scaling: pd.DataFrame) -> None:
    axes = breakdown_vs_particles.draw(breakdown(scaling)).axes[0]
    drawn = [line for line in axes.get_lines() if line.get_marker() not in ("None", "_")]
    assert len(drawn) == 5
    assert len({line.get_color() for line in drawn}) == 5
    assert len({line.get_marker() for line in drawn}) == 5


def test_caption_of_the_breakdown_tells_sizes_memory_and_spread(scaling: pd.DataFrame) -> None:
    text = breakdown_vs_particles.caption(breakdown(scaling))
    assert "Block time steps, acceleration MAC with 2^-7" in text
    assert "N = 2^10 = 1024 to 2^20 = 1048576 particles, 24 steps per run" in text
    assert "anew in 6 of 24 steps" in text
    assert "sums 1e+12 interactions per second, 200 bytes of device memory per particle. " in text
    assert "run with the median total" in text
    assert "medians of 3 runs" in text
    once = scaling.assign(repeats=1, memory_bytes=np.nan, bytes_per_particle=np.nan)
    text = breakdown_vs_particles.caption(breakdown(once))
    assert "made once" in text
    assert "bytes" not in text
    assert "median" not in text


def test_captions_tell_the_conditions(timings: pd.DataFrame, errors: pd.DataFrame) -> None:
    once = timings[timings["repeat"] == 1]
    for text in (
        elapsed_vs_error.caption(elapsed_versus_error(errors, timings)),
        speedup.caption(speed_up(timings)),
    ):
        assert "NFW sphere, N = 2^10 = 1024 particles, 8 steps per run" in text
        assert "Device: CPU" in text
        assert "revision abc" in text
        assert "medians of 2 runs" in text
    assert "made once" in speedup.caption(speed_up(once))
    assert "0.5 times as far" in speedup.caption(speed_up(once))
    assert "it is 3.00 per step (3.00 by" in speedup.caption(speed_up(once))
    assert "and 1.50 per unit of simulated time" in speedup.caption(speed_up(once))
    opening = once[once["criterion"] == "opening"]
    assert "fiducial" not in speedup.caption(speed_up(opening))
    assert "acceleration MAC 2^-2 to 2^-12" in elapsed_vs_error.caption(
        elapsed_versus_error(errors, once)
    )


def test_files_are_identical_when_drawn_again(timings: pd.DataFrame, tmp_path: Path) -> None:
    table = speed_up(timings)
    for folder in ("one", "two"):
        common.save(speedup.draw(table), table, "caption", tmp_path / folder / "s_0.5")
    for suffix in (".pdf", ".png", ".csv", ".txt"):
        one, two = (tmp_path / folder / f"s_0.5{suffix}" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    assert b"CreationDate" not in (tmp_path / "one" / "s_0.5.pdf").read_bytes()
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "one" / "s_0.5.csv"), table)
