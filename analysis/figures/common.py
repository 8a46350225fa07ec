"""What the figures share: style, the look of a criterion, captions; no timestamps."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

MULTIPOLE_UNIT = (
    "Delta_mul, the parameter of the multipole MAC, is an acceleration, in units of the model "
    "where G = 1 and of kpc / (100 Myr)^2 otherwise. "
)
STYLE = Path(__file__).parents[1] / "paper.mplstyle"
NO_STAMPS = {
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
}
MODELS = {
    "nfw": "NFW sphere",
    "plummer": "Plummer sphere",
    "hernquist": "Hernquist sphere",
    "king": "King sphere",
    "m31": "M31",
    "milky_way": "Milky Way",
    "early_type": "early-type galaxy",
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

# For components of a model, in their order; those of Okabe & Ito (2008) again.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def component_colors(names: Iterable[str]) -> dict[str, str]:
    """Give every component a colour; they repeat after six."""
    return {name: COLORS[n % len(COLORS)] for n, name in enumerate(names)}


def use_style() -> None:
    """Select the style of the paper and a renderer that needs no display."""
    mpl.use("Agg")
    mpl.style.use(STYLE)


def plot_with_spread(
    axes: Axes, table: pd.DataFrame, x: str, y: str, **look: object
) -> ErrorbarContainer:
    """Draw a line through medians; bars span the extremes where a run was repeated.

    Parameters
    ----------
    axes
        Where to draw.
    table
        Rows in the order of the line, with columns `x`, `y`, ``<y>_least``, ``<y>_greatest``
        and ``repeats``.
    look
        Passed on to `matplotlib.axes.Axes.errorbar`.
    """
    spread = None
    if (table["repeats"] > 1).any():
        spread = [table[y] - table[f"{y}_least"], table[f"{y}_greatest"] - table[y]]
    return axes.errorbar(table[x], table[y], yerr=spread, elinewidth=0.8, **look)


def mark_levels(axes: Axes, rows: pd.DataFrame, particles: int) -> None:
    """Mark published values of the same number of particles on the vertical axis.

    Parameters
    ----------
    axes
        Where to draw.
    rows
        Rows of `analysis.published.published`.
    particles
        Number of particles of what is drawn.
    """
    marked = rows[rows["particles"] == particles].sort_values("value", ascending=False)
    aside, above = False, math.inf
    for row in marked.itertuples():
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


def conditions(table: pd.DataFrame, name: str | None = None) -> str:
    """Say under which conditions the runs of a table were timed, in sentences for a caption.

    Parameters
    ----------
    table
        One row per run or step.
    name
        What was run, if not the model of the first row.
    """
    first = table.iloc[0]
    sizes = table["particles"].min(), table["particles"].max()
    number = " to ".join(dict.fromkeys(power_of_two(int(size)) for size in sizes))
    repeats = int(table["repeats"].max())
    spread = (
        "Every run was made once, so the scatter between runs is not shown."
        if repeats == 1
        else f"Symbols are medians of {repeats} runs; bars span the fastest and the slowest."
    )
    return (
        f"{name or model_name(first['model'])}, N = {number} particles, "
        f"{first['steps']:.0f} steps per run, eta = {first['eta']:g}. "
        f"Device: {first['device_name']}, {first['threads']:.0f} CPU thread(s); "
        f"{first['compiler']}; gothic {first['version']}, revision {first['revision']}. {spread}"
    )


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
    """Full name of a model."""
    return MODELS.get(model, model)


def save(figure: Figure, table: pd.DataFrame, caption: str, stem: Path) -> None:
    """Write a figure as PDF and PNG, its table as CSV and its caption as text.

    Parameters
    ----------
    stem
        Path of the files without their suffix.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    for suffix, metadata in NO_STAMPS.items():
        figure.savefig(stem.with_name(stem.name + suffix), metadata=metadata)
    table.to_csv(stem.with_name(stem.name + ".csv"), index=False)
    stem.with_name(stem.name + ".txt").write_text(caption + "\n")


def save_table(table: pd.DataFrame, shown: pd.DataFrame, caption: str, stem: Path) -> None:
    """Write a table as CSV, what is shown of it as Markdown and HTML, and its caption as text.

    Parameters
    ----------
    table
        With all columns.
    shown
        Texts as readers see them, with their headings.
    stem
        Path of the files without their suffix.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(stem.with_name(stem.name + ".csv"), index=False)
    lines = [list(shown.columns), ["---"] * len(shown.columns), *shown.to_numpy().tolist()]
    markdown = "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
    stem.with_name(stem.name + ".md").write_text(markdown)
    html = shown.to_html(index=False, border=0, na_rep="") + "\n"
    stem.with_name(stem.name + ".html").write_text(html)
    stem.with_name(stem.name + ".txt").write_text(caption + "\n")
