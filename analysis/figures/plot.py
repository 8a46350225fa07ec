"""Plot any column of a table of runs against any other, coloured by a third.

python -m analysis.figures.plot results/STUDY/runs.parquet --x error_99 --y elapsed_per_step_s \
    --colour criterion --where step=block --output STEM
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from analysis.errors import DataError, keep_files, main
from analysis.figures.common import COLORS, files_of, plot_with_spread, save, use_style
from analysis.study.parameters import wanted
from analysis.study.runs import known, load, parameters_in, reduce_repeats, select, table_at
from analysis.study.tables import Study, Where

MARKERS = "osD^vP*X<>hp"
LINES = ("-", ":", "--", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 4)))
LABELS = {
    "error_50": "median error of the force",
    "error_90": "90 % error of the force",
    "error_99": "99 % error of the force",
    "error_max": "largest error of the force",
    "energy_drift_max": "largest error of the energy",
}
# Axes of these count doublings.
DOUBLED = ("particles", "accuracy", "sharing", "ranks")


def plot(runs: pd.DataFrame, x: str, y: str, colour: str | None, axes: Axes) -> pd.DataFrame:
    """Draw a column of a table of runs against another.

    A line joins the runs that differ in one parameter alone: x itself or, where x was measured, the
    one with the most values. The figure shows the median of repeats, with a bar that spans them.

    Parameters
    ----------
    runs
        As `analysis.study.runs.load` reads them.
    colour
        Parameter that colours and markers stand for, or a measured column, by which symbols are
        coloured.

    Returns
    -------
    pandas.DataFrame
        What is drawn, one row per symbol.

    Raises
    ------
    DataError
        If there is no such column, or nothing to draw.
    """
    table = reduce_repeats(runs).dropna(subset=[known(runs, x), known(runs, y)])
    if table.empty:
        raise DataError(f"there are no runs with {x} and {y}; choose others")
    parameters = parameters_in(runs)
    varied = differing(table, parameters)
    along = followed(table, x, [name for name in varied if name != colour])
    apart = [name for name in varied if name not in (along, colour)]
    shared = colour if colour in parameters else None
    for column, scale in ((x, axes.set_xscale), (y, axes.set_yscale)):
        set_scale(scale, table[column], column)
    names = series(table, apart)
    colours = palette(sorted(table[shared].unique()) if shared else [None])
    lines = line_styles(sorted(names.unique()))
    for (value, name), rows in table.groupby([table[shared] if shared else names.eq(""), names]):
        look = colours[value if shared else None] | {"linestyle": lines[name]}
        plot_with_spread(axes, rows.sort_values(along) if along else rows, x, y, **look)
    if colour and not shared:
        colour_symbols(axes, table, x, y, known(runs, colour))
    axes.set_xlabel(label(x))
    axes.set_ylabel(label(y))
    explain(axes, shared, colours, lines)
    return table


def differing(table: pd.DataFrame, parameters: list[str]) -> list[str]:
    """Name the parameters that have more than one value."""
    return [name for name in parameters if len(set(table[name].astype(str))) > 1]


def followed(table: pd.DataFrame, x: str, varied: list[str]) -> str | None:
    """Name the parameter that changes along a line."""
    if x in varied:
        return x
    numbers = [name for name in varied if pd.api.types.is_numeric_dtype(table[name])]
    return max(numbers, key=lambda name: table[name].nunique(), default=None)


def set_scale(scale: object, values: pd.Series, column: str) -> None:
    """Choose a logarithmic axis for doublings and for numbers that span more than a factor of 5."""
    if not pd.api.types.is_numeric_dtype(values) or values.min() <= 0:
        return
    doubled = column in DOUBLED and values.max() > values.min()
    if doubled or values.max() > 5 * values.min():
        scale("log", base=2 if doubled else 10)


def palette(values: list) -> dict[object, dict[str, object]]:
    """Give each value a colour and a marker; beyond six values colours are shades."""
    shades = mpl.colormaps["cividis"].resampled(max(len(values), 2))
    many = len(values) > len(COLORS)
    return {
        value: {
            "color": shades(n) if many else COLORS[n],
            "marker": MARKERS[n % len(MARKERS)],
        }
        for n, value in enumerate(values)
    }


def series(table: pd.DataFrame, apart: list[str]) -> pd.Series:
    """Tell for every row in words what sets its line apart from others of its colour."""
    words = table[apart].apply(
        lambda row: ", ".join(f"{n} {show(v)}" for n, v in row.items() if pd.notna(v)), axis=1
    )
    return words if apart else pd.Series("", index=table.index)


def line_styles(names: list[str]) -> dict[str, object]:
    """Give each line a style; where there are more than styles, all are alike."""
    return dict(zip(names, LINES if len(names) <= len(LINES) else ["-"] * len(names), strict=False))


def colour_symbols(axes: Axes, table: pd.DataFrame, x: str, y: str, colour: str) -> None:
    """Colour the symbols by a measured column, with a bar that tells its values."""
    symbols = axes.scatter(table[x], table[y], c=table[colour], cmap="cividis", zorder=3)
    axes.figure.colorbar(symbols, ax=axes, label=label(colour))


def explain(
    axes: Axes, shared: str | None, colours: dict[object, dict], lines: dict[str, object]
) -> None:
    """Add a legend of colours and lines, where there is more than one."""
    handles = []
    if shared:
        for value, look in colours.items():
            handles.append(Line2D([], [], label=f"{shared} {show(value)}", **look))
    if 1 < len(lines) <= len(LINES):
        for name, style in lines.items():
            handles.append(Line2D([], [], color="0.4", linestyle=style, label=name))
    if handles:
        axes.figure.legend(handles=handles, loc="outside upper center", ncols=2)


def show(value: object) -> str:
    """Write a value for a legend."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def label(column: str) -> str:
    """Write a column's name as the name of an axis, with its unit."""
    words = column.removesuffix("_s").replace("_", " ")
    return LABELS.get(column, f"{words} [s]" if column.endswith("_s") else words)


def caption(table: pd.DataFrame, x: str, y: str, parameters: list[str]) -> str:
    """Describe a plot and the conditions of its runs."""
    first = table.iloc[0]
    varied = differing(table, parameters)
    told = [n for n in parameters if n not in varied and pd.notna(first[n]) and first[n] != ""]
    fixed = ", ".join(f"{name} {show(first[name])}" for name in told)
    title = f"{label(y)} against {label(x)}"
    repeats = int(table["repeats"].max())
    spread = (
        f"Symbols are medians of {repeats} runs; bars span the least and the greatest."
        if repeats > 1
        else "Every run was made once."
    )
    least, most = table["simulated_time"].min(), table["simulated_time"].max()
    if most > 1.01 * least:
        spread += f" The runs span different simulated times, {least:.3g} to {most:.3g}."
    devices = "; ".join(
        f"{row.device_name}, {row.threads:g} CPU thread(s), {row.compiler}, "
        f"gothic {row.version}, revision {row.revision}"
        for row in table.drop_duplicates(
            ["device_name", "threads", "compiler", "version", "revision"]
        ).itertuples()
    )
    return (
        f"{title[0].upper()}{title[1:]}. Parameters that differ: {', '.join(varied) or 'none'}; "
        f"the same in all: {fixed}. {spread} {devices}."
    )


def condition(text: str) -> tuple[str, object]:
    """Read a condition such as ``step=block``, ``accuracy=2^-7,2^-9`` or ``eta=0.1..0.5``."""
    name, equals, values = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text}: write COLUMN=VALUE")
    return name, wanted(values if ".." in values else values.split(","))


def make(study: Study, where: Where, stem: Path, x: str, y: str, colour: str | None = None) -> None:
    """Draw one plot of the file of a study."""
    draw_runs(study.runs(where), x, y, colour, stem)


def draw_runs(runs: pd.DataFrame, x: str, y: str, colour: str | None, stem: Path) -> None:
    """Draw one plot of runs."""
    figure, axes = plt.subplots(figsize=(5.2, 4.6))
    table = plot(runs, x, y, colour, axes)
    save(figure, table, caption(table, x, y, parameters_in(runs)), stem)


def run() -> None:
    """Draw a plot of a table of runs."""
    parser = argparse.ArgumentParser(prog="python -m analysis.figures.plot", description=__doc__)
    parser.add_argument("runs", type=Path, help="runs.parquet, or the folder where it is")
    parser.add_argument("--x", required=True, help="column of the horizontal axis")
    parser.add_argument("--y", required=True, help="column of the vertical axis")
    parser.add_argument("--colour", help="column that colours and markers stand for")
    where = "rows to draw: COLUMN=VALUE, COLUMN=VALUE,VALUE or COLUMN=LEAST..MOST; may be repeated"
    parser.add_argument("--where", type=condition, action="append", default=[], help=where)
    parser.add_argument("--output", type=Path, required=True, help="output path without suffix")
    given = parser.parse_args()
    use_style()
    table = table_at(given.runs)
    keep_files([table, table.with_suffix(".csv")], files_of(given.output).values())
    runs = select(load(table), **dict(given.where))
    draw_runs(runs, given.x, given.y, given.colour, given.output)


if __name__ == "__main__":
    main(run)
