"""What the figures share: style, colours and names, lines, words for captions, files."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import matplotlib.style
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter

from analysis.paper.published import published
from analysis.reading.bench_tables import on_gpu
from analysis.reading.origin import NAMES, is_model_key

if TYPE_CHECKING:
    from gothic import Units

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

# Markers of published values and their sizes, by the hardware.
PUBLISHED = {"M2090": ("*", 11), "K20X": ("P", 8), "GTX TITAN X": ("X", 8), "V100": ("p", 8)}
# Markers of fast, intermediate and slow steps are filled in this way.
FILLS = {"fast": "none", "intermediate": "bottom", "slow": "full"}

# Colours of the components of a model, in their order; again by Okabe & Ito (2008).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def component_colors(names: Iterable[str]) -> dict[str, str]:
    """Give every component a colour; they repeat after six."""
    return dict(zip(names, cycle(COLORS), strict=False))


def use_style() -> None:
    """Select the style of the paper and a renderer that needs no display."""
    mpl.use("Agg")
    matplotlib.style.use(STYLE)


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


def published_look(hardware: str) -> dict[str, object]:
    """How published values of a hardware are drawn: a grey symbol of their own."""
    marker, size = PUBLISHED[hardware]
    look = {"color": "0.35", "markeredgecolor": "white", "markeredgewidth": 0.5}
    return look | {"marker": marker, "markersize": size, "linestyle": "none"}


def filled(sequence: str, color: str, size: float = 4) -> dict[str, object]:
    """How steps of a sequence are drawn: the more particles are active, the fuller the circle."""
    look = {"marker": "o", "markersize": size, "linestyle": "none", "color": color}
    return look | {"fillstyle": FILLS[sequence], "markerfacecoloralt": "white"}


def mark_powers(axis: Axis, numbers: pd.Series) -> None:
    """Put ticks at powers of two, six labels or so over the range of some numbers."""
    low, high = (round(math.log2(number)) for number in (numbers.min(), numbers.max()))
    every = max(1, math.ceil((high - low) / 7))
    axis.set_major_locator(FixedLocator([2.0**n for n in range(low, high + 1, every)]))
    axis.set_minor_locator(FixedLocator([2.0**n for n in range(low, high + 1)]))
    axis.set_minor_formatter(NullFormatter())


def run_title(table: pd.DataFrame, name: str | None = None) -> str:
    """Say on a figure what was run, where and how often.

    Parameters
    ----------
    table
        As for `conditions`.
    name
        What was run, if not the model of the first row.
    """
    first = table.iloc[0]
    numbers = dict.fromkeys((int(table["particles"].min()), int(table["particles"].max())))
    number = " to ".join(f"{in_math(n)}" for n in numbers)
    times, _ = bars_told(table)
    return (
        f"{name or model_name(first['model'])}, $N$ = {number}, {span(table['steps'])} "
        f"steps\n{first['device_name']}; {times}"
    )


def bench_title(table: pd.DataFrame, particles: int) -> str:
    """Say on a figure of a table of ``gothic bench`` what was measured, and where."""
    first = table.iloc[0]
    return f"{model_name(first['model'])}, $N$ = {in_math(particles)}; {first['device_name']}"


def legend_above(
    figure: Figure, title: str, ncols: int, handles: Iterable[Artist], size: float = 8
) -> None:
    """Put a legend with a title above all panels."""
    look = {"loc": "outside upper center", "ncols": ncols, "fontsize": size}
    legend = figure.legend(handles=list(handles), title=title, title_fontsize=8, **look)
    legend.get_title().set_multialignment("center")


def in_math(number: int) -> str:
    """Write a number for a figure, as a power of two if it is one."""
    return f"$2^{{{number.bit_length() - 1}}}$" if number & (number - 1) == 0 else f"{number}"


def label(quantity: str, unit: str, units: Units) -> str:
    """Name a quantity of a model for an axis, with its unit if there is one."""
    return f"{quantity} [{unit}]" if unit and units.physical else quantity


def conditions(table: pd.DataFrame, name: str | None = None) -> str:
    """Say as `setting` does how runs were made, and what symbols and bars of a figure are."""
    _, spread = bars_told(table)
    return f"{setting(table, name)} {spread}"


def bars_told(table: pd.DataFrame) -> tuple[str, str]:
    """Say how often runs were made and what bars are: for a figure, and for its caption."""
    repeats = int(table["repeats"].max()) if "repeats" in table else 1
    shorter = table.get("shorter", pd.Series(False, table.index))
    if repeats == 1:
        told = "Every run was made once: symbols have no bars, and their scatter is not known."
        return "one run each", told
    if shorter.all():
        told = f"Every run was made once: its bar is that of {repeats} shorter runs."
        return f"single runs; bars: {repeats} shorter runs", told
    told = f"Symbols are medians of {repeats} runs; bars span the fastest and the slowest."
    if shorter.any():
        told += " A run that was made once has the bar of shorter runs."
    return f"medians of {repeats} runs; bars: the extremes", told


def setting(table: pd.DataFrame, name: str | None = None) -> str:
    """Say how the runs of a table were made, in sentences for a caption.

    Parameters
    ----------
    table
        One row per run or step; without a column ``repeats`` every run was made once in a figure.
    name
        What was run, if not the model of the first row.
    """
    first = table.iloc[0]
    sizes = table["particles"].min(), table["particles"].max()
    number = " to ".join(dict.fromkeys(power_of_two(int(size)) for size in sizes))
    steps = span(table["steps"])
    return (
        f"{name or model_name(first['model'])}{changed_keys(first)}, N = {number} particles, "
        f"{steps} steps per run, eta = {first['eta']:g}. {made_by(first)}"
    )


def span(counts: pd.Series) -> str:
    """Write the least and the greatest of some whole numbers, or the one that there is."""
    return " to ".join(dict.fromkeys(f"{count:.0f}" for count in (counts.min(), counts.max())))


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
    if row["accuracy"] == 0:
        return f"{look.name} with errors of {row['force_error']:g}"
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
