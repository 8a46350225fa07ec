"""Change of a model that is left to itself.

python -m analysis.figures.equilibrium --drift DRIFT.csv --stem STEM
"""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.errors import DataError, keep_files, main
from analysis.figures.command import figure_parser, parsed
from analysis.figures.common import (
    files_of,
    legend_above,
    made_by,
    model_name,
    power_of_two,
    save,
)
from analysis.reading.csv_tables import read_table
from analysis.reading.drift import largest_drifts
from analysis.study.tables import Study, Where

COLORS = {0.1: "#D55E00", 0.5: "#0072B2", 0.9: "#009E73"}
MARKERS = {0.1: "o", 0.5: "s", 0.9: "D"}
RINGS = {
    "surface_density": r"$\Sigma$",
    "height": r"median $|z|$",
    "toomre_q": "$Q$",
}
LINES = (":", "--", "-")
LOOKS = (("#E69F00", "^"), ("#0072B2", "s"), ("#000000", "o"))  # of times, the last one black
COLUMNS = 3


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of `analysis.reading.drift.drift`.

    A panel for each component shows its Lagrangian radii against time; three for each disc show
    surface density, height and Q against radius, a line for each of some times.
    """
    components = list(table["component"].unique())
    discs = list(table[table["kind"] == "disc"]["component"].unique())
    columns = COLUMNS if discs else min(COLUMNS, len(components))
    upper = math.ceil(len(components) / columns)
    figure, panels = plt.subplots(
        upper + len(discs),
        columns,
        figsize=(3.4 * columns + (columns == 1), 3.0 * (upper + len(discs)) + 0.8),
        squeeze=False,
        sharey="row",
    )
    for axes in panels[:upper].flat[len(components) :]:
        axes.remove()
    for axes, name in zip(panels[:upper].flat, components, strict=False):
        draw_radii(axes, rows_of(table, name, "lagrangian_radius"))
        axes.set_title(name, fontsize=9)
    for row in panels[:upper]:
        row[0].set_ylabel("change of Lagrangian radius [%]")
        frame(row[0], 1.0)
    for row, name in zip(panels[upper:], discs, strict=True):
        for axes, quantity in zip(row, RINGS, strict=True):
            draw_rings(axes, rows_of(table, name, quantity))
            axes.set_title(f"{name}: {RINGS[quantity]}", fontsize=9)
        row[0].set_ylabel("change in a ring [%]")
        frame(row[0], 5.0)
        row[0].legend(title=clock(table).name, title_fontsize=7, fontsize=7, loc="lower left")
    title = f"{name_of(table)}\nLagrangian radius, by the part of the mass within"
    legend_above(figure, title, 3, panels[0, 0].get_legend_handles_labels()[0])
    return figure


def name_of(table: pd.DataFrame) -> str:
    """Name what was left to itself."""
    first = table.iloc[0]
    return first["name"] if "name" in table else model_name(first["model"])


def rows_of(table: pd.DataFrame, component: str, quantity: str) -> pd.DataFrame:
    """Select one quantity of one component."""
    return table[(table["component"] == component) & (table["quantity"] == quantity)]


def clock(table: pd.DataFrame) -> pd.Series:
    """Time as it is drawn, with its label: Myr where they are known, dynamical times otherwise."""
    if table["myr"].isna().all():
        return table["dynamical_times"].rename(r"time / $t_\mathrm{dyn}$")
    return table["myr"].rename("time [Myr]")


def draw_radii(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the change of Lagrangian radii in per cent; bars are the sampling scatter."""
    for (fraction, rows), line in zip(table.groupby("position"), LINES, strict=False):
        look = {"color": COLORS[fraction], "marker": MARKERS[fraction], "markersize": 4}
        look |= {"label": f"{100 * fraction:.0f} %", "linestyle": line, "elinewidth": 0.8}
        axes.errorbar(clock(rows), 100 * rows["change"], 100 * rows["scatter"], **look)
    axes.set_xlim(0, 1.02 * clock(table).max())
    axes.axhline(0, color="0.4", linewidth=0.6, zorder=0)
    axes.set_xlabel(clock(table).name)


def draw_rings(axes: Axes, table: pd.DataFrame) -> None:
    """Draw a change in per cent against radius, a line for each of some times.

    They are at equal distances, the last one of them. The band is the sampling noise.
    """
    times = clock(table)
    later = sorted(times.unique())[1:]
    shown = [later[math.ceil(n * len(later) / len(LINES)) - 1] for n in range(1, len(LINES) + 1)]
    first = table[times == times.min()]
    noise = 100 * first["scatter"]
    axes.fill_between(first["position"], -noise, noise, color="0.85", linewidth=0)
    for time, look, line in zip(dict.fromkeys(shown), LOOKS, LINES, strict=False):
        rows = table[times == time]
        style = dict(zip(("color", "marker"), look, strict=True)) | {"linestyle": line}
        axes.plot(rows["position"], 100 * rows["change"], label=f"{time:.3g}", **style)
    axes.set_xlabel(r"$R$" if table["myr"].isna().all() else r"$R$ [kpc]")
    axes.axhline(0, color="0.4", linewidth=0.6, zorder=0)


def frame(axes: Axes, least: float) -> None:
    """Make room for `least` per cent on either side of no change, in all panels of a row."""
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -least), max(high, least))
    axes.yaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))


def caption(table: pd.DataFrame) -> str:
    """Describe the figure and tell the largest changes."""
    sizes = table.groupby("component", sort=False)["particles"].first()
    numbers = ", ".join(f"{name} {power_of_two(int(count))}" for name, count in sizes.items())
    first = table.iloc[0]
    last = table.iloc[-1]
    length = f"{last['dynamical_times']:.3g} dynamical times"
    if not math.isnan(last["myr"]):
        length = f"{last['myr']:.4g} Myr ({length})"
    unit = last["time"] / last["dynamical_times"]
    return (
        f"{name_of(table)}, left to itself for {length} by gothic run; states "
        f"at {table['time'].nunique()} times. The dynamical time is sqrt(r_h^3 / (G M_h)), r_h "
        "the half-mass radius of all particles and M_h half of the mass; it is "
        f"{unit:.4g} in units of the model. Particles: {numbers}. "
        "Radii are relative to the centre of a shrinking sphere. Bars, and bands of the lower "
        "panels, are one standard deviation "
        "of the sampling noise of one state: for the radius that encloses the fraction q of N "
        f"particles sqrt(q (1 - q) / N) / (r dq/dr). {rings_text(table)}Largest changes: "
        f"{changes(table)}. {made_by(first, threads=False)}"
    )


def rings_text(table: pd.DataFrame) -> str:
    """Explain the panels of discs, where there are any."""
    if not (table["kind"] == "disc").any():
        return ""
    return (
        "Lower panels: rings of equal initial numbers of disc particles at some of the times; "
        "height is the median of |z|; Q is taken with the rotation curve of the model. "
    )


def changes(table: pd.DataFrame) -> str:
    """List the largest changes of the Lagrangian radii and, for discs, of all rings."""
    found = []
    for name, rows in largest_drifts(table).groupby("component", sort=False):
        radii = rows[rows["quantity"] == "lagrangian_radius"]
        texts = [
            f"{100 * row.change:+.2f} % at {100 * row.position:.0f} % of the mass "
            f"(noise {100 * row.scatter:.2f} %)"
            for row in radii.itertuples()
        ]
        for quantity, ring in rows[rows["quantity"] != "lagrangian_radius"].groupby("quantity"):
            worst = ring.loc[ring["change"].abs().idxmax()]
            texts.append(
                f"{quantity} {100 * worst['change']:+.1f} % at R = {worst['position']:.3g} "
                f"(noise {100 * worst['scatter']:.1f} %)"
            )
        found.append(f"{name} {', '.join(texts)}")
    return "; ".join(found)


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of a run with snapshots."""
    table = study.drift(where)
    save(draw(table), table, caption(table), stem)


def read_drift(path: Path) -> pd.DataFrame:
    """Read a table of changes; a `DataError` if it is none."""
    try:
        table = read_table(path, component=str)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}; make it with analysis.reading.drift") from error
    if missing := {"component", "quantity", "change", "myr", "model"} - set(table):
        raise DataError(f"{path}: column {min(missing)} is missing; give a table of changes")
    return table


def run() -> None:
    """Draw the figure from the drift table."""
    parser = figure_parser("equilibrium", __doc__)
    parser.add_argument("--drift", type=Path, required=True, help="table of analysis.reading.drift")
    given = parsed(parser)
    keep_files([given.drift], files_of(given.stem).values())
    table = read_drift(given.drift)
    save(draw(table), table, caption(table), given.stem)


if __name__ == "__main__":
    main(run)
