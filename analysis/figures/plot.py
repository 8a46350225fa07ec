"""Plot any column of a table of runs against any other, coloured by a third.

python -m analysis.figures.plot results/STUDY/runs.parquet --x error_99 --y elapsed_per_step_s \
    --colour criterion --where step=block --output STEM
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from analysis.errors import DataError, keep_files, main
from analysis.figures.command import add_where, figure_parser, parsed
from analysis.figures.common import COLORS, files_of, plot_with_spread, save
from analysis.reading.origin import is_model_key
from analysis.study.overlay import Overlay, label_of, points_of, told_of
from analysis.study.parameters import LENGTHS
from analysis.study.run_row import CHANGE, RADII, TEXTS, is_growing, of_component
from analysis.study.runs import known, load, reduce_repeats, select, table_at
from analysis.study.tables import Study, Where
from analysis.study.words import SOFTENING, as_numbers, in_words, lengths_of_models

MARKERS = "osD^vP*X<>hp"
LINES = ("-", ":", "--", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 4)))
LABELS = {
    "error_50": "median error of the force",
    "error_90": "90 % error of the force",
    "error_99": "99 % error of the force",
    "force_error": "99 % error that was asked for",
    "error_max": "largest error of the force",
    "energy_drift": "error of the energy in the end",
    "energy_drift_max": "largest error of the energy",
}
# Measures of a component.
MEASURES = {
    **{radius: f"radius {radius}" for radius in RADII},
    "z_50": "median height",
    "sigma_z": "vertical velocity dispersion",
}
NEUTRAL = "0.6"
OTHERS = "x+1234"  # markers of points of other sources
# Axes of these count doublings.
DOUBLED = ("particles", "accuracy", "sharing", "ranks")


@dataclass(frozen=True)
class Shown:
    """What a plot shows: keys of a plot in the file of a study."""

    x: str
    y: str
    colour: str | None = None
    average: str | None = None
    overlay: Sequence[Overlay] = ()


def plot(runs: pd.DataFrame, shown: Shown, axes: Axes) -> pd.DataFrame:
    """Draw a column of a table of runs against another.

    A line joins the runs that differ in one parameter alone: x itself or, where x was measured, the
    one with the most values. The figure shows the median of repeats, and of the runs that differ in
    the averaged parameter alone, with a bar that spans them.

    Parameters
    ----------
    runs
        As `analysis.study.runs.load` reads them.
    shown
        Its colour is a parameter that colours and markers stand for, or a measured column, by which
        symbols are coloured.

    Returns
    -------
    pandas.DataFrame
        What is drawn, one row per symbol.

    Raises
    ------
    DataError
        If there is no such column, nothing to draw, or runs that cannot be compared.
    """
    x, y, colour = shown.x, shown.y, shown.colour
    runs = on_axes(runs, (x, y))
    require_equal_times(runs, {x, y, colour})
    table = reduce_repeats(runs, shown.average).dropna(subset=[x, y])
    if table.empty:
        raise DataError(f"there are no runs with {x} and {y}; choose others")
    parameters = parameters_of(table)
    varied = differing(table, parameters)
    along = followed(table, x, [name for name in varied if name != colour])
    apart = [name for name in varied if name not in (along, colour)]
    shared = colour if colour in (*parameters, *TEXTS) else None
    others = [(overlay, points_of(overlay)) for overlay in shown.overlay]
    for axis, column in {"x": x, "y": y}.items():
        values = pd.concat([table[column], *(points[axis] for _, points in others)])
        set_scale(axes, axis, values, column)
    names = series(table, apart)
    lines = line_styles(sorted(names.unique()))
    colours = palette(values_of(table, shared) if shared else [None if colour else ""])
    keys = table[shared] if shared else pd.Series(next(iter(colours)), table.index)
    for (value, name), rows in table.groupby([keys, names], dropna=False):
        line = rows.sort_values(along) if along else rows
        plot_with_spread(axes, line, x, y, linestyle=lines[name], **colours[key_of(value)])
    if colour and not shared:
        colour_symbols(axes, table, x, y, known(runs, colour))
    laid_over = [lay_over(axes, n, *other) for n, other in enumerate(others)]
    axes.set(xlabel=label(x), ylabel=label(y))
    explain(axes, table, shared, colours, lines, laid_over)
    return table


def parameters_of(table: pd.DataFrame) -> list[str]:
    """Columns of a reduced table that hold parameters."""
    return list(table.columns[: list(table.columns).index("repeats")])


def on_axes(runs: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Write lengths and times of axes as numbers, in the units of the particles."""
    return runs.assign(**{name: as_numbers(runs, known(runs, name)) for name in columns})


def require_equal_times(runs: pd.DataFrame, shown: Collection[str | None]) -> None:
    """Refuse measures that grow with time in runs of a model that were to end alike and did not."""
    growing = sorted(name for name in shown if name and is_growing(name))
    if not growing or "simulated_time" in shown:
        return
    told = [name for name in LENGTHS if name in runs and name != "steps"]
    by_steps = runs[told].isna().all(axis=1)
    if "dynamical_times" in runs:  # whose length follows the particles
        runs = runs[runs["dynamical_times"].isna()]
    asked = runs["steps"].where(by_steps)
    ends = [runs[name].rename(name) for name in told] + [asked.rename("asked_steps")]
    for _, alike in runs.groupby([runs["model"], *ends], dropna=False):
        if not at_one_time(alike):
            raise DataError(
                f"{growing[0]} grows with time, and the runs reach {times(alike)}; give them one "
                "time, or choose some with where"
            )


def at_one_time(runs: pd.DataFrame) -> bool:
    """Whether runs end at the same time, but for 1 %. Without steps none passes."""
    ends = runs["simulated_time"].fillna(0.0)
    return ends.max() <= 1.01 * ends.min()


def times(runs: pd.DataFrame) -> str:
    """Say which times runs reach."""
    ends = runs["simulated_time"].min(), runs["simulated_time"].max()
    return f"different simulated times, {ends[0]:.3g} to {ends[1]:.3g}"


def differing(table: pd.DataFrame, parameters: list[str]) -> list[str]:
    """Name the parameters that have more than one value."""
    return [name for name in parameters if len(set(table[name].astype(str))) > 1]


def followed(table: pd.DataFrame, x: str, varied: list[str]) -> str | None:
    """Name the parameter that changes along a line."""
    if x in varied:
        return x
    numbers = [name for name in varied if pd.api.types.is_numeric_dtype(table[name])]
    return max(numbers, key=lambda name: table[name].nunique(), default=None)


def set_scale(axes: Axes, name: str, values: pd.Series, column: str) -> None:
    """Choose a logarithmic axis for doublings and for numbers that span more than a factor of 5."""
    if not pd.api.types.is_numeric_dtype(values) or values.min() <= 0:
        return
    doubled = column in DOUBLED and values.max() > values.min()
    if not doubled and values.max() <= 5 * values.min():
        return
    axis, scale = {
        "x": (axes.xaxis, axes.set_xscale),
        "y": (axes.yaxis, axes.set_yscale),
    }[name]
    scale("log", base=2 if doubled else 10)
    if not doubled and values.max() < 100 * values.min():  # few powers of ten
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())


def key_of(value: object) -> object:
    """Stand for a value in a palette; None for one that is not set."""
    return None if pd.isna(value) else value


def values_of(table: pd.DataFrame, column: str) -> list:
    """List the values of a parameter in the order of their numbers; those not set are last."""
    numbers = as_numbers(table, column)
    order = pd.DataFrame({"value": table[column], "number": numbers}).sort_values("number")
    return [*dict.fromkeys(map(key_of, order["value"]))]


def palette(values: list) -> dict[object, dict[str, object]]:
    """Give each value a colour and a marker; beyond six values colours are shades.

    What is not set, None, is grey.
    """
    shades = mpl.colormaps["cividis"].resampled(max(len(values), 2))
    many = len(values) > len(COLORS)
    looks = {
        value: {
            "color": shades(n) if many else COLORS[n],
            "marker": MARKERS[n % len(MARKERS)],
        }
        for n, value in enumerate(values)
    }
    return looks | ({None: {"color": NEUTRAL, "marker": "h"}} if None in looks else {})


def series(table: pd.DataFrame, apart: list[str]) -> pd.Series:
    """Tell for every row in words what sets its line apart from others of its colour."""
    if not apart:
        return pd.Series("", index=table.index)

    def words(row: pd.Series) -> str:
        told = [name for name in apart if pd.notna(row[name])] or apart
        return ", ".join(in_words(table, name, row[name]) for name in told)

    return table[apart].apply(words, axis=1)


def line_styles(names: list[str]) -> dict[str, object]:
    """Give each line a style; where there are more than styles, all are alike."""
    return dict(zip(names, LINES if len(names) <= len(LINES) else ["-"] * len(names), strict=False))


def colour_symbols(axes: Axes, table: pd.DataFrame, x: str, y: str, colour: str) -> None:
    """Colour the symbols by a measured column, with a bar that tells its values."""
    symbols = axes.scatter(table[x], table[y], c=table[colour], cmap="cividis", zorder=3)
    axes.figure.colorbar(symbols, ax=axes, label=label(colour))


def lay_over(axes: Axes, number: int, overlay: Overlay, points: pd.DataFrame) -> ErrorbarContainer:
    """Draw the points of another source."""
    look = {"linestyle": "none", "color": "black", "markerfacecolor": "none", "zorder": 4}
    return axes.errorbar(
        points["x"],
        points["y"],
        yerr=points.get("error"),
        marker=OTHERS[number % len(OTHERS)],
        elinewidth=0.8,
        label=label_of(overlay),
        **look,
    )


def explain(
    axes: Axes,
    table: pd.DataFrame,
    shared: str | None,
    colours: dict[object, dict],
    lines: dict[str, object],
    laid_over: list[ErrorbarContainer],
) -> None:
    """Add a legend of colours, lines and other points, where there is more than one."""
    handles: list[Artist] = []
    if shared:
        for value, look in colours.items():
            handles.append(Line2D([], [], label=in_words(table, shared, value), **look))
    if 1 < len(lines) <= len(LINES):
        for name, style in lines.items():
            handles.append(Line2D([], [], color="0.4", linestyle=style, label=name))
    if handles := [*handles, *laid_over]:
        axes.figure.legend(handles=handles, loc="outside upper center", ncols=2)


def label(column: str) -> str:
    """Write a column's name as the name of an axis, with its unit."""
    component, measure = of_component(column)
    if component:
        change = "change of " if column.endswith(CHANGE) else ""
        return f"{change}{MEASURES[measure]} of {component}"
    words = column.removesuffix("_s").replace("_", " ")
    return LABELS.get(column, f"{words} [s]" if column.endswith("_s") else words)


def caption(table: pd.DataFrame, shown: Shown, left_out: int = 0) -> str:
    """Describe a plot and the conditions of its runs, of which some were left out."""
    first, parameters = table.iloc[0], parameters_of(table)
    varied = differing(table, parameters)
    told = [n for n in parameters if n not in varied and pd.notna(first[n]) and first[n] != ""]
    fixed = ", ".join(in_words(table, name, first[name]) for name in told)
    title = f"{label(shown.y)} against {label(shown.x)}"
    sentences = [
        f"{title[0].upper()}{title[1:]}. Parameters that differ: {', '.join(varied) or 'none'}; "
        f"the same in all: {fixed}.",
        symbols(table, shown.average),
        *stand_for(table, shown, varied),
    ]
    if left_out:
        sentences.append(f"{left_out} runs without {shown.x} or {shown.y} are not drawn.")
    if not at_one_time(table):
        sentences.append(f"The runs span {times(table)}.")
    sentences += [told_of(overlay, len(points_of(overlay))) for overlay in shown.overlay]
    devices = "; ".join(
        f"{row.device_name}, {row.threads:g} CPU thread(s), {row.compiler}, "
        f"gothic {row.version}, revision {row.revision}"
        for row in table.drop_duplicates(
            ["device_name", "threads", "compiler", "version", "revision"]
        ).itertuples()
    )
    return f"{' '.join(sentences)} {devices}."


def symbols(table: pd.DataFrame, average: str | None) -> str:
    """Say what symbols and bars are."""
    counts = dict.fromkeys(f"{count}" for count in (table["repeats"].min(), table["repeats"].max()))
    if table["repeats"].max() == 1:
        return "Every run was made once."
    over = f" that differ in {average}" if average else ""
    number = " to ".join(counts)
    return f"Symbols are medians of {number} runs{over}; bars span the least and the greatest."


def stand_for(table: pd.DataFrame, shown: Shown, varied: list[str]) -> Iterator[str]:
    """Say what is not set, and which softening acts where none is given."""
    if shown.colour in table and (count := int(table[shown.colour].isna().sum())):
        where = ", as in the file of the model" if is_model_key(shown.colour) else ""
        yield f"In {count} of {len(table)} symbols {shown.colour} is not set{where}; they are grey."
    if shown.x == SOFTENING:
        yield "The softening is the length that acted, in the units of the particles."
    elif SOFTENING in varied and (lengths := lengths_of_models(table)):
        yield f"The softening of the model is {lengths}."


def make(study: Study, where: Where, stem: Path, **shown: object) -> None:
    """Draw one plot of the file of a study, of what `Shown` has."""
    draw_runs(study.runs(where), Shown(**shown), stem)


def draw_runs(runs: pd.DataFrame, shown: Shown, stem: Path) -> None:
    """Draw one plot of runs."""
    figure, axes = plt.subplots(figsize=(5.2, 4.6))
    table = plot(runs, shown, axes)
    left_out = on_axes(runs, (shown.x, shown.y))[[shown.x, shown.y]].isna().any(axis=1).sum()
    save(figure, table, caption(table, shown, left_out), stem)


def run() -> None:
    """Draw a plot of a table of runs."""
    parser = figure_parser("plot", __doc__, "--output")
    parser.add_argument("runs", type=Path, help="runs.parquet, or the folder where it is")
    parser.add_argument("--x", required=True, help="column of the horizontal axis")
    parser.add_argument("--y", required=True, help="column of the vertical axis")
    parser.add_argument("--colour", help="column that colours and markers stand for")
    parser.add_argument("--average", help="parameter in which the runs of a symbol may differ")
    add_where(parser)
    given = parsed(parser)
    table = table_at(given.runs)
    keep_files([table, table.with_suffix(".csv")], files_of(given.output).values())
    runs = select(load(table), **dict(given.where))
    draw_runs(runs, Shown(given.x, given.y, given.colour, given.average), given.output)


if __name__ == "__main__":
    main(run)
