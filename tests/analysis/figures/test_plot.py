from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.axes import Axes

from analysis.errors import DataError
from analysis.figures.command import condition
from analysis.figures.plot import Shown, caption, draw_runs, plot
from analysis.study.runs import select, table_of
from tests.analysis.rows import a_row, some_runs


def drawn(x: str, y: str, colour: str | None = None, **where: object) -> Axes:
    _, axes = plt.subplots()
    plot(select(some_runs(), rebuild_interval=0, **where), Shown(x, y, colour), axes)
    return axes


def lines(axes: Axes) -> list[tuple[list[float], list[float]]]:
    return [
        (list(container.lines[0].get_xdata()), list(container.lines[0].get_ydata()))
        for container in axes.containers
    ]


def legend(axes: Axes) -> list[str]:
    return [text.get_text() for found in axes.figure.legends for text in found.get_texts()]


def test_line_joins_the_runs_that_differ_in_x_alone() -> None:
    axes = drawn("particles", "wall_s", "step", accuracy=2.0**-5)
    assert lines(axes) == [
        ([256, 512], [256 * 32 * 1.5, 512 * 32 * 1.5]),
        ([256, 512], [256 * 32 * 3, 512 * 32 * 3]),
    ]
    assert legend(axes) == ["step block", "step shared"]


def test_line_against_a_measured_column_follows_the_parameter_behind_it() -> None:
    axes = drawn("error_99", "wall_s", "step", particles=512)
    for x, y in lines(axes):
        assert x == [2.0**-7, 2.0**-5]
        assert y[0] == 4 * y[1]


def test_parameter_that_is_neither_axis_nor_colour_sets_lines_apart() -> None:
    axes = drawn("accuracy", "wall_s", "step")
    assert len(lines(axes)) == 4
    assert legend(axes) == ["step block", "step shared", "particles 256", "particles 512"]
    looks = [container.lines[0] for container in axes.containers]
    for look in ("linestyle", "color", "marker"):
        assert len({getattr(line, f"get_{look}")() for line in looks}) == 2


def test_bars_span_the_repeats() -> None:
    axes = drawn("particles", "wall_s", accuracy=2.0**-5, step="block")
    ((_, _, (bars,)),) = axes.containers
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    assert ends == [[256 * 32, 256 * 64], [512 * 32, 512 * 64]]


def test_positive_numbers_that_span_much_have_logarithmic_axes() -> None:
    rows = [a_row(particles=2**n, energy_drift=(-2.0) ** n, walk_s=n) for n in range(8, 12)]
    _, axes = plt.subplots()
    plot(table_of(rows), Shown("particles", "energy_drift"), axes)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    _, axes = plt.subplots()
    plot(table_of(rows), Shown("walk_s", "wall_s"), axes)
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
    assert axes.get_xlabel() == "walk [s]"


def test_doublings_have_logarithmic_axes() -> None:
    rows = [a_row(ranks=n) for n in (1, 2, 4)]
    _, axes = plt.subplots()
    plot(table_of(rows), Shown("ranks", "wall_s"), axes)
    assert axes.get_xscale() == "log"
    assert axes.xaxis.get_transform().base == 2


def test_measured_column_colours_the_symbols() -> None:
    axes = drawn("particles", "wall_s", "error_99", step="block")
    (symbols,) = axes.collections[-1:]
    assert set(symbols.get_array()) == {2.0**-7, 2.0**-5}
    assert "99 % error of the force" in [other.get_ylabel() for other in axes.figure.axes]


def test_texts_that_were_measured_are_colours() -> None:
    rows = [a_row(eta=eta, device_name=name) for eta, name in ((0.1, "CPU"), (0.2, "GPU"))]
    axes, _ = plotted(rows, "eta", "wall_s", "device_name")
    assert legend(axes) == ["device_name CPU", "device_name GPU"]


def test_texts_can_be_an_axis() -> None:
    axes = drawn("step", "wall_s", "particles", accuracy=2.0**-5)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["block", "shared"]


def plotted(rows: list[dict], *shown: object, **further: object) -> tuple[Axes, str]:
    """Draw a plot of rows, and return its axes and caption."""
    _, axes = plt.subplots()
    asked = Shown(*shown, **further)
    return axes, caption(plot(table_of(rows), asked, axes), asked)


def test_runs_without_a_value_of_the_colour_are_drawn_in_grey_and_named() -> None:
    rows = [a_row(eta=eta, **{"disc.toomre_q": 1.5}) for eta in (0.1, 0.2)]
    rows += [a_row(eta=eta, wall_s=7.0) for eta in (0.1, 0.2)]
    axes, text = plotted(rows, "eta", "wall_s", "disc.toomre_q")
    assert lines(axes) == [([0.1, 0.2], [1, 1]), ([0.1, 0.2], [7, 7])]
    assert [container.lines[0].get_color() for container in axes.containers] == ["#0072B2", "0.6"]
    assert legend(axes) == ["disc.toomre_q 1.5", "disc.toomre_q not set"]
    assert "In 2 of 4 symbols disc.toomre_q is not set, as in the file of the model" in text


def test_softening_that_was_left_out_is_told_by_its_lengths() -> None:
    rows = [
        a_row(particles=2**n, softening=0, softening_used=2.0**-n, energy_drift_max=n)
        for n in (8, 10)
    ]
    rows.append(a_row(softening=0.1, softening_used=0.1))
    axes, text = plotted(rows, "particles", "energy_drift_max", "softening")
    assert legend(axes) == ["softening of the model, 0.000977 to 0.00391", "softening 0.1"]
    assert "The softening of the model is 0.000977 to 0.00391." in text
    axes, text = plotted(rows[:2], "particles", "energy_drift_max")
    assert "eta 0.5, softening of the model, 0.000977 to 0.00391, device auto" in text
    axes, text = plotted(rows, "softening", "energy_drift_max")
    assert {x for x_of_line, _ in lines(axes) for x in x_of_line} == {2**-8, 2**-10, 0.1}
    assert "The softening is the length that acted" in text


def test_lengths_with_units_are_numbers_between_others() -> None:
    lengths = {0.02: 0.02, "50pc": 0.05, 0.5: 0.5}
    rows = [a_row(softening=given, softening_used=used) for given, used in lengths.items()]
    axes, _ = plotted(rows, "softening", "wall_s")
    assert lines(axes) == [([0.02, 0.05, 0.5], [1, 1, 1])]
    axes, _ = plotted(rows, "wall_s", "error_99", "softening")
    assert legend(axes) == ["softening 0.02", "softening 50pc", "softening 0.5"]
    rows = [a_row(dt_max="1Myr", dt_max_used=0.25), a_row(dt_max=0.5), a_row()]
    axes, _ = plotted(rows, "dt_max", "wall_s")
    assert lines(axes) == [([0.25, 0.5], [1, 1])]


def test_seeds_are_averaged() -> None:
    drifts = {(256, 1): 4, (256, 2): 1, (256, 3): 3, (512, 1): 7, (512, 2): 8}
    rows = [
        a_row(particles=particles, seed=seed, energy_drift_max=drift, simulated_time=1.0)
        for (particles, seed), drift in drifts.items()
    ]
    axes, text = plotted(rows, "particles", "energy_drift_max", average="seed")
    assert lines(axes) == [([256, 512], [3, 7.5])]
    ((_, _, (bars,)),) = axes.containers
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [[1, 4], [7, 8]]
    assert "Symbols are medians of 2 to 3 runs that differ in seed; bars span the least" in text
    assert "Parameters that differ: particles;" in text
    with pytest.raises(DataError, match="wall_s: is no parameter of the runs"):
        plotted(rows, "particles", "energy_drift_max", average="wall_s")


def test_points_of_a_file_are_laid_over_and_their_source_is_told(tmp_path: Path) -> None:
    file = tmp_path / "others.csv"
    file.write_text("# Someone (1999)\nn,t,sigma\n100,2,0.5\n1000,-3,1\n,4,1\n")
    overlay = {"file": str(file), "x": "n", "y": "t", "error": "sigma", "label": "Someone"}
    rows = [a_row(particles=2**n, wall_s=2.0**n) for n in (8, 12)]
    axes, text = plotted(rows, "particles", "wall_s", overlay=[overlay])
    assert lines(axes)[1] == ([100, 1000], [2, -3])
    (bars,) = axes.containers[1].lines[2]
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [[1.5, 2.5], [-4, -2]]
    assert legend(axes) == ["Someone"]
    assert axes.get_yscale() == "linear"  # so that no point is lost
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    assert f"Someone: 2 points of {file} (SHA-256 {digest}), t against n, bars sigma." in text


@pytest.mark.parametrize("y", ["energy_drift", "halo_r_50_change"])
@pytest.mark.parametrize("length", [{}, {"time": 4}, {"myr": 4}])
def test_what_grows_with_time_is_not_drawn_of_runs_that_end_at_different_times(
    y: str, length: dict
) -> None:
    rows = [
        a_row(particles=particles, steps=64, simulated_time=time, halo_r_50_change=0.1, **length)
        for particles, time in ((256, 16.0), (1024, 8.0))
    ]
    with pytest.raises(DataError, match=f"{y} grows with time, and the runs reach different sim"):
        plotted(rows, "particles", y)
    plotted(rows, "simulated_time", y)
    plotted(rows, "particles", "wall_s")
    rows[1] |= {"simulated_time": 16.1}
    plotted(rows, "particles", y)
    rows[1] |= {"simulated_time": 8.0, **(dict.fromkeys(length, 2) or {"steps": 32})}
    plotted(rows, "particles", y)  # were asked for different lengths


def test_runs_without_a_value_of_an_axis_are_counted(tmp_path: Path) -> None:
    rows = [a_row(dt_max=1.0), a_row(dt_max=0.5), a_row(), a_row(eta=1)]
    draw_runs(table_of(rows), Shown("dt_max", "wall_s"), tmp_path / "p")
    told = (tmp_path / "p.txt").read_text()
    assert "2 runs without dt_max or wall_s are not drawn." in told


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(DataError, match="no runs with error_99 and wall_s; choose others"):
        drawn("error_99", "wall_s", step="leap")
    with pytest.raises(DataError, match="color: there is no such column"):
        drawn("color", "wall_s")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("step=block", ("step", ["block"])),
        ("accuracy=2^-7,0.5", ("accuracy", [2.0**-7, 0.5])),
        ("eta=0.1..1e3", ("eta", (0.1, 1000))),
        ("device=cuda:1", ("device", ["cuda:1"])),
    ],
)
def test_conditions_are_values_lists_or_ranges(text: str, wanted: tuple) -> None:
    assert condition(text) == wanted


COMMAND = (sys.executable, "-m", "analysis.figures.plot", "--y", "wall_s", "--colour", "step")


def test_command_draws_the_same_files_twice(tmp_path: Path) -> None:
    some_runs().to_parquet(tmp_path / "runs.parquet")
    for folder in ("a", "b"):
        words = [tmp_path, "--x", "error_99", "--where", "particles=2^9"]
        subprocess.run([*COMMAND, *words, "--output", tmp_path / folder / "time"], check=True)
    for kind in ("pdf", "png", "csv", "txt"):
        files = [(tmp_path / folder / f"time.{kind}").read_bytes() for folder in ("a", "b")]
        assert files[0] == files[1]
    assert len(pd.read_csv(tmp_path / "a" / "time.csv")) == 4
    told = (tmp_path / "a" / "time.txt").read_text()
    assert told.startswith("Wall [s] against 99 % error of the force. Parameters that differ: ")
    assert "medians of 2 runs" in told
    assert "different simulated times" not in told


def test_caption_tells_where_runs_reach_different_times() -> None:
    rows = [a_row(eta=0.5, simulated_time=2.0), a_row(eta=0.25, simulated_time=1.0, external="")]
    _, axes = plt.subplots()
    table = plot(table_of(rows), Shown("eta", "wall_s"), axes)
    text = caption(table, Shown("eta", "wall_s"))
    assert "The runs span different simulated times, 1 to 2." in text
    assert "the same in all: model nfw, particles 256, " in text


def test_caption_tells_no_time_of_runs_without_steps() -> None:
    rows = [
        a_row(accuracy=accuracy, steps=0, simulated_time=float("nan")) for accuracy in (0.1, 0.2)
    ]
    _, axes = plt.subplots()
    table = plot(table_of(rows), Shown("accuracy", "force_walk_s"), axes)
    assert "simulated times" not in caption(table, Shown("accuracy", "force_walk_s"))


def test_command_names_what_is_wrong(tmp_path: Path) -> None:
    words = [*COMMAND, tmp_path, "--x", "eta", "--output", tmp_path / "a"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"{tmp_path}: no table of runs is there; make it with snakemake\n"
