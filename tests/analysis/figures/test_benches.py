from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh

from analysis.figures import (
    ball_costs,
    crossover,
    enclosing_balls,
    walk_vs_active,
)
from tests.analysis.benches import (
    GPU,
    balls_table,
    crossover_table,
    histogram_table,
    sharing_table,
)


def test_crossover_marks_both_crossings() -> None:
    table = crossover_table([256, 1024, 4096, 16384], 3000)
    (axes,) = crossover.draw(table).axes
    found = {line.get_label(): line for line in axes.get_lines()}
    assert found["equal at 3000"].get_xdata()[0] == pytest.approx(3000)
    text = crossover.caption(table)
    assert "equally long at 3e+03 particles" in text
    assert "At 16384 the tree is 5.46 times as fast" in text
    assert "Neither overtakes" in crossover.caption(crossover_table([256], 10))


def knees(axes: Axes) -> list[float]:
    """Find where published knees are marked: triangles of one point."""
    lines = (line for line in axes.get_lines() if line.get_marker() == "^")
    return sorted(line.get_xdata()[0] for line in lines if len(line.get_xdata()) == 1)


def test_walk_is_drawn_with_a_line_for_each_group_size_and_the_choices_as_rings() -> None:
    table = sharing_table(device_name=GPU)
    upper, lower = walk_vs_active.draw(table).axes
    lines = {bars.get_label(): bars.lines[0] for bars in upper.containers}
    assert set(lines) == {"$S = 1$, groups of 64", "$S = 4$, groups of 16", "$S = 32$, groups of 2"}
    x, y = lines["$S = 4$, groups of 16"].get_data(orig=False)
    np.testing.assert_allclose(y, 1e-6 * (2500 + 1.25 * x))
    assert knees(upper) == pytest.approx([312.5, 2500, 1e4])
    assert sorted(text.get_text() for text in upper.texts) == ["1", "32", "4"]
    ratios = [line for line in lower.get_lines() if line.get_marker() == "o"]
    np.testing.assert_allclose(ratios[0].get_ydata(), 1.1)
    text = walk_vs_active.caption(table)
    assert "median 1.100, largest 1.100" in text
    assert "M31, N = 2^17 = 131072 particles. Device: NVIDIA H200;" in text
    assert "Triangles" in text


def test_walk_on_a_cpu_has_no_published_knee() -> None:
    table = sharing_table()
    upper = walk_vs_active.draw(table).axes[0]
    assert knees(upper) == []
    assert "not expected on a CPU" in walk_vs_active.caption(table)


def test_histogram_of_balls_has_a_panel_for_each_kind_but_the_smallest() -> None:
    figure = enclosing_balls.draw(histogram_table())
    panels = figure.axes[:4]
    assert [axes.get_title()[:3] for axes in panels] == ["EBS", "GEO", "COM", "CMP"]
    meshes = [next(c for c in axes.collections if isinstance(c, QuadMesh)) for axes in panels]
    for mesh in meshes:
        assert mesh.get_array().sum() == pytest.approx(1)
    geo = panels[1].get_lines()[0].get_ydata()
    np.testing.assert_allclose(geo, 1.04)  # half of the groups lie in the first bin
    text = enclosing_balls.caption(histogram_table(), balls_table())
    assert "EBS 1.040, 1.040, 1.040; GEO 1.070" in text


def test_costs_of_balls_stand_beside_the_published_ones() -> None:
    balls = balls_table()
    table = ball_costs.costs(balls)
    ours = table[(table["quantity"] == "seconds") & (table["hardware"] == "CPU")].iloc[0]
    assert (ours["seb"], ours["seb_min"]) == pytest.approx((9e-4, 8.1e-4))
    titan = table[table["hardware"] == "GTX TITAN X"].iloc[0]
    assert (titan["ebs"], titan["geo"]) == (2.00e-3, 5.09e-6)
    assert set(table[table["quantity"] == "walk_seconds"]["hardware"]) == {"CPU"}
    shown = ball_costs.shown(table)
    assert list(shown["N"])[:2] == ["2^13", "2^23"]
    assert shown["SEB"].iloc[0] == "0.0009 (0.00081-0.00108)"
    assert "M31 SEB 0.960, EBS 0.980" in ball_costs.caption(table, balls)
