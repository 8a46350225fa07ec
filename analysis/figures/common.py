"""What the figures share: style, colours and names, lines, words for captions, files."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from gothic import Units
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from analysis.paper.published import published
from analysis.reading.bench_tables import on_gpu
from analysis.reading.origin import NAMES, is_model_key

MULTIPOLE_UNIT = (
    "Delta_mul, the parameter of the multipole MAC, is an acceleration, in units of the model "
    "where G = 1 and of kpc / (100 Myr)^2 otherwise. "
)
STYLE = Path(__file__).with_name("paper.mplstyle")
NO_STAMPS = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


@dataclass(frozen=True)
class Look:
    """How a criterion is drawn: colours of Okabe & Ito (2008), told apart in grey by the marker."""

    name: str
    symbol: str
    color: str
    marker: str


LOOKS = {
    "acceleration": Look("acceleration MAC", r"\Delta_\mathrm{acc}", "#D55E00", "o"),
    "multipole": Look("multipole MAC", r"\Delta_\mathrm{mul}", "#0072B2", "s"),
    "opening": Look("opening angle", r"\theta", "#000000", "D"),
}

# Colours of the components of a model, in their order; again by Okabe & Ito (2008).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def component_colors(names: Iterable[str]) -> dict[str, str]:
    """Give every component a colour; they repeat after six."""
    return dict(zip(names, cycle(COLORS), strict=False))


def use_style() -> None:
    """Select the style of the paper and a renderer that needs no display."""
    mpl.use("Agg")
    mpl.style.use(STYLE)


def plot_with_spread(
    axes: Axes,
    table: pd.DataFrame,
    x: str,
    y: str,
    ends: tuple[str, str] = ("least", "greatest"),
    **look: object,
) -> ErrorbarContainer:
    """Draw a line through medians; bars span the extremes where a run was repeated.

    Parameters
    ----------
    table
        Rows in the order of the line, with columns `x`, `y` and ``<y>_<end>``. Where it has no
        column ``repeats``, all rows were repeated.
    look
        Passed on to `matplotlib.axes.Axes.errorbar`.
    """
    spread = None
    if "repeats" not in table or (table["repeats"] > 1).any():
        low, high = (table[f"{y}_{end}"] for end in ends)
        spread = [table[y] - low, high - table[y]]
    return axes.errorbar(table[x], table[y], yerr=spread, **{"elinewidth": 0.8} | look)


def published_times(table: pd.DataFrame) -> pd.DataFrame:
    """Select the published elapsed times per step of the model of a table."""
    return published("elapsed_per_step", table["model"].iloc[0])


def mark_levels(axes: Axes, table: pd.DataFrame) -> None:
    """Mark the published times of the table's model and number of particles."""
    times = published_times(table)
    marked = times[times["particles"] == table["particles"].iloc[0]]
    aside, above = False, math.inf
    for row in marked.sort_values("value", ascending=False).itertuples():
        aside = not aside and above < 1.5 * row.value  # where two labels would lie on each other
        above = row.value
        axes.axhline(row.value, color="0.5", linestyle=(0, (1, 3)), linewidth=0.9, zorder=1)
        axes.annotate(
            f"{row.hardware}, published",
            (1.0, row.value),
            xycoords=("axes fraction", "data"),
            xytext=(-106 if aside else -6, 2),
            textcoords="offset points",
            ha="right",
            fontsize=6.5,
            color="0.4",
        )


def label(quantity: str, unit: str, units: Units) -> str:
    """Name a quantity of a model for an axis, with its unit if there is one."""
    return f"{quantity} [{unit}]" if unit and units.physical else quantity


def conditions(table: pd.DataFrame, name: str | None = None) -> str:
    """Say under which conditions the runs of a table were timed, in sentences for a caption.

    Parameters
    ----------
    table
        One row per run or step; without a column ``repeats`` every run was made once.
    name
        What was run, if not the model of the first row.
    """
    first = table.iloc[0]
    sizes = table["particles"].min(), table["particles"].max()
    number = " to ".join(dict.fromkeys(power_of_two(int(size)) for size in sizes))
    counts = table["steps"].min(), table["steps"].max()
    steps = " to ".join(dict.fromkeys(f"{count:.0f}" for count in counts))
    repeats = int(table["repeats"].max()) if "repeats" in table else 1
    spread = (
        "Every run was made once, so the scatter between runs is not shown."
        if repeats == 1
        else f"Symbols are medians of {repeats} runs; bars span the fastest and the slowest."
    )
    return (
        f"{name or model_name(first['model'])}{changed_keys(first)}, N = {number} particles, "
        f"{steps} steps per run, eta = {first['eta']:g}. {made_by(first)} {spread}"
    )


def changed_keys(row: pd.Series) -> str:
    """Tell the keys of the model that a run has changed, for a caption; nothing if none."""
    told = [f"{key} {row[key]}" for key in row.index if is_model_key(key) and pd.notna(row[key])]
    return f" with {', '.join(told)}" if told else ""


def made_by(row: pd.Series, threads: bool = True) -> str:
    """Name the device and the program of a row, for a caption."""
    count = f", {row['threads']:.0f} CPU thread(s)" if threads else ""
    return (
        f"Device: {row['device_name']}{count}; {row['compiler']}; gothic {row['version']}, "
        f"revision {row['revision']}."
    )


def bench_made_by(table: pd.DataFrame) -> str:
    """Name the device, with its threads if it is a CPU, and the program of a table of a bench."""
    return made_by(table.iloc[0], threads=not on_gpu(table))


def setting_name(row: pd.Series) -> str:
    """Write the setting of a row in words: acceleration MAC with 2^-7."""
    look = LOOKS[row["criterion"]]
    if row["criterion"] == "opening":
        return f"{look.name} {row['accuracy']:g}"
    return f"{look.name} with 2^{math.log2(row['accuracy']):.0f}"


def power_of_two(number: int) -> str:
    """Write a number as ``2^10 = 1024`` if it is a power of two."""
    if number & (number - 1) == 0:
        return f"2^{number.bit_length() - 1} = {number}"
    return f"{number}"


def model_name(model: str) -> str:
    """Full name of a model of a study."""
    return NAMES.get(model, model)


def model_names(table: pd.DataFrame) -> str:
    """Full names of the models of a table."""
    return " and ".join(map(model_name, table["model"].unique()))


def files_of(stem: Path) -> dict[str, Path]:
    """List the files that `save` may write, by their suffixes."""
    kinds = ("pdf", "png", "md", "html", "csv", "txt")
    return {kind: stem.with_name(f"{stem.name}.{kind}") for kind in kinds}


def save(shown: Figure | pd.DataFrame, table: pd.DataFrame, caption: str, stem: Path) -> None:
    """Write a figure as PDF and PNG, its table as CSV and its caption as text; no timestamps.

    Parameters
    ----------
    shown
        The figure, or texts under their headings, which are written as Markdown and HTML.
    table
        With all columns.
    stem
        Path of the files without their suffix.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    files = files_of(stem)
    if isinstance(shown, pd.DataFrame):
        lines = [list(shown.columns), ["---"] * len(shown.columns), *shown.to_numpy().tolist()]
        files["md"].write_text("".join(f"| {' | '.join(map(str, line))} |\n" for line in lines))
        files["html"].write_text(shown.to_html(index=False, border=0, na_rep="") + "\n")
    else:
        for kind, metadata in NO_STAMPS.items():
            shown.savefig(files[kind], metadata=metadata)
    table.to_csv(files["csv"], index=False)
    files["txt"].write_text(caption + "\n")
