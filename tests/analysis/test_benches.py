from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh

from analysis.benches import (
    automatic_sharing,
    compare,
    knee,
    on_gpu,
    particles_of,
    read_bench,
    sample_of,
)
from analysis.figures import (
    ball_costs,
    enclosing_balls,
    group_extent,
    launch_configuration,
    rebuild_interval,
    tuning,
    walk_vs_active,
)
from analysis.files import DataError
from tests.analysis.benches import (
    GPU,
    balls_table,
    extent_table,
    histogram_table,
    rebuild_table,
    sharing_table,
    tune_table,
    write,
)

ROOT = Path(__file__).parents[2]
SAMPLE = "m31_N8192_s1"


@pytest.mark.parametrize(
    ("command", "sample", "particles"),
    [
        (
            "gothic bench sharing --input results/quick/m31_N131072_s1/ic.h5",
            "m31_N131072_s1",
            2**17,
        ),
        ("gothic bench walk --input milky_way_N64_s12/ic.h5 x", "milky_way_N64_s12", 64),
        ("gothic bench walk --repeats 3 --input some/where/cluster.h5", "cluster", 0),
        ("gothic bench peak", "particles", 0),
    ],
)
def test_sample_is_found_in_the_command_line(command: str, sample: str, particles: int) -> None:
    assert sample_of(command) == sample
    assert particles_of(sample) == particles


def test_table_is_read_with_its_sample(tmp_path: Path) -> None:
    table = read_bench(write(rebuild_table(), tmp_path / "bench.csv"), "rebuild")
    assert set(table["sample"]) == {SAMPLE}
    assert not on_gpu(table)
    assert on_gpu(rebuild_table(device=GPU))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda table: table.drop(columns="kind"), "column kind is missing"),
        (lambda table: table.drop(columns="device"), "column device is missing"),
        (lambda table: table[:0], "no rows"),
    ],
)
def test_foreign_table_is_refused(tmp_path: Path, change: object, complaint: str) -> None:
    path = write(change(rebuild_table()), tmp_path / "bench.csv")
    with pytest.raises(DataError, match=complaint):
        read_bench(path, "rebuild")
    with pytest.raises(DataError, match="run snakemake"):
        read_bench(tmp_path / "none.csv", "rebuild")


@pytest.mark.parametrize("constant", [300.0, 2e3, 4e4])
def test_knee_is_where_the_constant_time_equals_the_growing_one(constant: float) -> None:
    active = 2.0 ** np.arange(4, 22)
    assert knee(active[::-1], (constant + active)[::-1]) == pytest.approx(constant, rel=0.03)


def test_knee_is_not_found_where_there_is_none() -> None:
    active = 2.0 ** np.arange(4, 12)
    assert knee(active, active**0.9) == 0
    assert np.isnan(knee(active, active**0.1))


def test_rules_are_compared_with_the_best_fixed_setting() -> None:
    found = compare(rebuild_table().assign(sample=SAMPLE))
    assert list(found["rule"]) == ["pairs", "seconds"]
    assert set(found["best_fixed"]) == {"interval-8"}
    assert list(found["ratio"]) == pytest.approx([1.02, 1.2])
    assert list(found["default"]) == [True, False]
    extent = compare(extent_table().assign(sample=SAMPLE)).iloc[0]
    assert (extent["best_fixed"], extent["rule"]) == ("limit 0.5", "auto 0.6")
    for kind, missing in (("rule", "fixed"), ("fixed", "rule")):
        with pytest.raises(DataError, match=f"no row of kind {missing}"):
            compare(rebuild_table().query(f"kind == '{kind}'").assign(sample=SAMPLE))


@pytest.mark.parametrize("equal", [True, False])
def test_automatic_sharing_is_compared_at_equal_accuracy_where_that_was_measured(
    equal: bool,
) -> None:
    found = automatic_sharing(sharing_table(equal))
    assert len(found) == 14
    assert found["ratio"].to_numpy() == pytest.approx(np.full(14, 1.1))
    assert found["best_group_size"].iloc[0] == 2
    assert found["best_group_size"].iloc[-1] == 64


def test_walk_is_drawn_with_a_line_for_each_group_size_and_the_choices_as_rings() -> None:
    table = sharing_table(device=GPU, sample=f"m31_N{2**17}_s1").assign(sample="m31_N131072_s1")
    upper, lower = walk_vs_active.draw(table).axes
    lines = {bars.get_label(): bars.lines[0] for bars in upper.containers}
    assert set(lines) == {"$S = 1$, groups of 64", "$S = 4$, groups of 16", "$S = 32$, groups of 2"}
    x, y = lines["$S = 4$, groups of 16"].get_data(orig=False)
    np.testing.assert_allclose(y, 1e-6 * (2500 + 1.25 * x))
    marks = [line for line in upper.get_lines() if line.get_marker() == "^"]
    assert sorted(line.get_xdata()[0] for line in marks) == pytest.approx([312.5, 2500, 1e4])
    ratios = [line for line in lower.get_lines() if line.get_marker() == "o"]
    np.testing.assert_allclose(ratios[0].get_ydata(), 1.1)
    text = walk_vs_active.caption(table)
    assert "median 1.100, largest 1.100" in text
    assert "M31, N = 2^17 = 131072 particles. Device: NVIDIA H200;" in text
    assert "Triangles" in text


def test_walk_on_a_cpu_has_no_published_knee() -> None:
    table = sharing_table().assign(sample="m31_N131072_s1")
    upper = walk_vs_active.draw(table).axes[0]
    assert not [line for line in upper.get_lines() if line.get_marker() == "^"]
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


def test_caption_of_the_balls_tells_their_radii() -> None:
    text = enclosing_balls.caption(histogram_table(), balls_table().assign(sample=SAMPLE))
    assert "EBS 1.040, 1.040, 1.040; GEO 1.070" in text
    assert "M31, N = 2^13 = 8192 particles, 256 groups." in text


def test_costs_of_balls_stand_beside_the_published_ones() -> None:
    balls = balls_table().assign(sample=SAMPLE)
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


def test_rebuild_interval_is_drawn_with_rules_as_levels() -> None:
    table = rebuild_table().assign(sample=SAMPLE)
    (axes,) = rebuild_interval.draw(table).axes
    x, y = axes.containers[0].lines[0].get_data(orig=False)
    np.testing.assert_allclose(x, 2.0 ** np.arange(7))
    assert x[np.argmin(y)] == 8
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    expected = {"fixed", "pairs (1.020 of the best)", "seconds (1.200 of the best)"}
    assert set(names) == expected
    text = rebuild_interval.caption(table)
    assert "The best fixed setting is interval-8 with 1 s per step" in text
    assert "320 timed steps of each" in text


def test_extent_without_limit_is_drawn_beyond_the_largest() -> None:
    table = extent_table().assign(sample=SAMPLE)
    (axes,) = group_extent.draw(table).axes
    drawn = {bars.get_label(): bars.lines[0].get_data(orig=False) for bars in axes.containers}
    np.testing.assert_allclose(drawn["fixed"], [[0.25, 0.5, 1.0], [1.3, 1.0, 1.1]])
    assert drawn["no limit"][0][0] > 1
    assert drawn["no limit"][1][0] == 1.5
    assert "ended: auto 0.6)" in group_extent.caption(table)


def test_tuning_lists_every_rule_and_the_worst_choice_of_lanes() -> None:
    races = {
        "rebuild": [rebuild_table().assign(sample=SAMPLE)],
        "extent": [extent_table().assign(sample=SAMPLE)],
    }
    table = tuning.tuning(races, [sharing_table().assign(sample=SAMPLE)])
    assert list(table["ratio"]) == pytest.approx([1.02, 1.2, 1.04, 1.1, 1.1])
    assert list(table["within_goal"]) == [True, False, True, False, False]
    assert list(tuning.shown(table)["at most 1.05"]) == ["yes", "no", "yes", "no", "no"]
    assert "2 of 4 ratios of such rules are at most 1.05" in tuning.caption(table, rebuild_table())


def test_launch_configuration_shows_what_was_chosen_for_all_models() -> None:
    tune = tune_table(device=GPU)
    table = launch_configuration.configuration(tune)
    ours = table[table["hardware"] == GPU].set_index("function")
    assert ours.loc["walk", "threads_per_block"] == 512
    assert ours.loc["keys", "threads_per_block"] == 256
    titan = table[(table["hardware"] == "GTX TITAN X") & (table["function"] == "walkTree")].iloc[0]
    assert (titan["threads_per_block"], titan["sharing"], titan["registers"]) == (512, 4, 64)
    shown = launch_configuration.shown(table)
    assert list(shown["function"])[:4] == ["walk", "walkTree", "walkTree", "walkTree"]
    assert "on M31 with 2^13 particles; 7 settings" in launch_configuration.caption(table, tune)


FIGURES = {
    "walk_vs_active": {"sharing": sharing_table},
    "enclosing_balls": {"histogram": histogram_table, "balls": balls_table},
    "ball_costs": {"balls": balls_table},
    "rebuild_interval": {"rebuild": rebuild_table},
    "group_extent": {"extent": extent_table},
    "tuning": {"rebuild": rebuild_table, "sharing": sharing_table},
    "launch_configuration": {"tune": tune_table},
}


@pytest.mark.parametrize("name", FIGURES)
def test_entry_writes_table_and_caption(tmp_path: Path, name: str) -> None:
    options = []
    for option, make in FIGURES[name].items():
        options += [f"--{option}", str(write(make(), tmp_path / f"{option}.csv"))]
    command = [sys.executable, "-m", f"analysis.figures.{name}", "--stem", str(tmp_path / name)]
    subprocess.run([*command, *options], cwd=ROOT, check=True)
    assert not pd.read_csv(tmp_path / f"{name}.csv").empty
    assert "revision abc" in (tmp_path / f"{name}.txt").read_text()
    assert (tmp_path / f"{name}.png").exists() or (tmp_path / f"{name}.html").exists()
