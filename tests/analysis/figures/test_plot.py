from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.axes import Axes

from analysis.errors import DataError
from analysis.figures.plot import caption, condition, plot
from analysis.study.runs import select, table_of
from tests.analysis.rows import a_row, some_runs


def drawn(x: str, y: str, colour: str | None = None, **where: object) -> Axes:
    _, axes = plt.subplots()
    plot(select(some_runs(), rebuild_interval=0, **where), x, y, colour, axes)
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
    plot(table_of(rows), "particles", "energy_drift", None, axes)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    _, axes = plt.subplots()
    plot(table_of(rows), "walk_s", "wall_s", None, axes)
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
    assert axes.get_xlabel() == "walk [s]"


def test_doublings_have_logarithmic_axes() -> None:
    rows = [a_row(ranks=n) for n in (1, 2, 4)]
    _, axes = plt.subplots()
    plot(table_of(rows), "ranks", "wall_s", None, axes)
    assert axes.get_xscale() == "log"
    assert axes.xaxis.get_transform().base == 2


def test_measured_column_colours_the_symbols() -> None:
    axes = drawn("particles", "wall_s", "error_99", step="block")
    (symbols,) = axes.collections[-1:]
    assert set(symbols.get_array()) == {2.0**-7, 2.0**-5}
    assert "99 % error of the force" in [other.get_ylabel() for other in axes.figure.axes]


def test_texts_can_be_an_axis() -> None:
    axes = drawn("step", "wall_s", "particles", accuracy=2.0**-5)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["block", "shared"]


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
    table = plot(table_of(rows), "eta", "wall_s", None, axes)
    text = caption(table, "eta", "wall_s", ["eta", "external", "model"])
    assert "The runs span different simulated times, 1 to 2." in text
    assert "the same in all: model nfw." in text


def test_command_names_what_is_wrong(tmp_path: Path) -> None:
    words = [*COMMAND, tmp_path, "--x", "eta", "--output", tmp_path / "a"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"{tmp_path}: no table of runs is there; make it with snakemake\n"
