"""A galaxy model and the particles drawn from it.

python -m analysis.figures.model --snapshot SNAPSHOT.h5 --check CHECK.csv --stem STEM
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from analysis.errors import keep_files, main
from analysis.figures.command import add_model, figure_parser, parsed
from analysis.figures.common import component_colors, files_of, label, power_of_two, save
from analysis.figures.map import when
from analysis.reading.model_check import (
    MEASURED,
    compare,
    deviation,
    enclosed,
    kinds,
    model_of,
    read_check,
    rotation_curve,
)
from analysis.reading.origin import called, require_file_of_model, subject
from analysis.reading.snapshots import Snapshot, read_snapshot
from analysis.study.tables import Study, Where

SPHERES = [["density", "speed"], ["dispersion", "mass"]]
BOTH = [["density", "speed", "dispersion"], ["surface_density", "toomre_q", "height"]]
DISCS = [["surface_density", "speed", "dispersion"], [".", "toomre_q", "height"]]
# Panels that show one quantity of all components of one kind.
PROFILES = {
    "density": ("sphere", "density"),
    "mass": ("sphere", "mass"),
    "surface_density": ("disc", "density"),
    "toomre_q": ("disc", "toomre_q"),
    "height": ("disc", "height"),
}
LABELS = {
    "density": (r"density $\rho$", "$10^{10}$ M$_\\odot$ kpc$^{-3}$"),
    "mass": (r"mass within $r$", "$10^{10}$ M$_\\odot$"),
    "speed": (r"circular speed $v_\mathrm{c}$", "km s$^{-1}$"),
    "speeds": (r"speed $v_\mathrm{c}$, $\langle v_\phi \rangle$", "km s$^{-1}$"),
    "dispersion": (r"velocity dispersion $\sigma$", "km s$^{-1}$"),
    "surface_density": (r"surface density $\Sigma$", "$10^{10}$ M$_\\odot$ kpc$^{-2}$"),
    "toomre_q": (r"$Q$ of Toomre", ""),
    "height": (r"rms height", "kpc"),
    "radius": ("radius", "kpc"),
}
LINEAR = ("speed", "dispersion", "height")
# Name, line, marker.
DISPERSIONS = {
    "sigma_r": (r"$\sigma_r$", "-", "o"),
    "sigma_phi": (r"$\sigma_\phi$", "--", "s"),
    "sigma_z": (r"$\sigma_z$", ":", "^"),
}
SYMBOLS = {"marker": "o", "markersize": 3, "elinewidth": 0.7, "capsize": 0, "linestyle": "none"}
DISCS_ALONE = {"color": "0.5", "linewidth": 0.8, "linestyle": "-."}


def draw(check: pd.DataFrame, table: pd.DataFrame, snapshot: Snapshot) -> Figure:
    """Draw the panels: six for a model with discs, four for any other.

    Parameters
    ----------
    check
        Table of `analysis.reading.model_check.read_check`: the lines.
    table
        Table of `analysis.reading.model_check.compare`: the symbols.
    snapshot
        The particles, whose circular speed is drawn where all components are spheres.
    """
    discs = has_disc(check)
    layout = (BOTH if "sphere" in kinds(check).values() else DISCS) if discs else SPHERES
    size = (10.2 if discs else 7.0, 6.6)
    figure, panels = plt.subplot_mosaic(layout, figsize=size, sharex=True)
    for name, axes in panels.items():
        axes.set(xscale="log", xlim=(table["inner"].min(), table["outer"].max()))
        if name in PROFILES:
            draw_profile(axes, check, table, *PROFILES[name])
        if name not in LINEAR:
            scale_to_symbols(axes, table, *PROFILES[name])
        shown = "speeds" if name == "speed" and discs else name
        axes.set_ylabel(label(*LABELS[shown], snapshot.units))
        if axes.get_subplotspec().is_last_row():
            axes.set_xlabel(label(*LABELS["radius"], snapshot.units))
    draw_speed(panels["speed"], check, table, snapshot)
    draw_dispersion(panels["dispersion"], check, table)
    if discs:
        heights = table[table["kind"] == "disc"].groupby("component")["height"]
        panels["height"].set_ylim(0, 1.7 * heights.median().max())
    columns = 5 if discs else 4
    figure.legend(handles=legend_handles(check), loc="outside upper center", ncols=columns)
    return figure


def has_disc(check: pd.DataFrame) -> bool:
    """Whether one component or more is a disc."""
    return "disc" in kinds(check).values()


def components(
    check: pd.DataFrame, table: pd.DataFrame, kind: str
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Colour, rows of the model and rows of the particles, for every component of one kind."""
    colors = component_colors(kinds(check))
    for name, found in kinds(check).items():
        if found == kind:
            model = check[check["component"] == name].sort_values("radius")
            yield colors[name], model, table[table["component"] == name]


def draw_profile(
    axes: Axes, check: pd.DataFrame, table: pd.DataFrame, kind: str, quantity: str
) -> None:
    """Draw a quantity of all components of one kind."""
    for color, model, measured in components(check, table, kind):
        where = "outer" if quantity == "mass" else "radius"
        draw_both(axes, model, measured, quantity, color, where=where)


def scale_to_symbols(axes: Axes, table: pd.DataFrame, kind: str, quantity: str) -> None:
    """Take a logarithmic axis with room for the symbols, whatever the lines do."""
    axes.set_yscale("log")
    values = table[(table["kind"] == kind) & (table[quantity] > 0)][quantity]
    low, high = values.min(), values.max()
    axes.set_ylim(low / 1.5 / (high / low) ** 0.03, high * 1.5 * (high / low) ** 0.03)
    if high < 1e3 * low:
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())


def draw_both(
    axes: Axes,
    model: pd.DataFrame,
    measured: pd.DataFrame,
    quantity: str,
    color: str,
    *,
    where: str = "radius",
    linestyle: str = "-",
    **symbol: str,
) -> None:
    """Draw the model where a component has particles, and what these say, with bars."""
    shown = model["radius"].between(measured["inner"].min(), measured["outer"].max())
    axes.plot(model["radius"][shown], model[quantity][shown], color=color, linestyle=linestyle)
    bars = measured[f"{quantity}_error"]
    axes.errorbar(measured[where], measured[quantity], bars, color=color, **SYMBOLS | symbol)


def draw_speed(axes: Axes, check: pd.DataFrame, table: pd.DataFrame, snapshot: Snapshot) -> None:
    """Draw the circular speed, what each component adds to it, and the rotation of discs.

    Symbols are the particles: sqrt(G M / r) of all of them where all components are spheres,
    the mean speed of each disc otherwise.
    """
    gravity = snapshot.units.gravitational_constant
    radius, speed = rotation_curve(check)
    axes.plot(radius, speed, color="black", linewidth=1.6)
    rest = speed**2
    for kind in ("sphere", "black_hole"):
        for color, model, _ in components(check, table, kind):
            mass = np.interp(np.log(radius), np.log(model["radius"]), model["mass"])
            square = gravity * mass / radius
            rest = rest - square
            axes.plot(radius, np.sqrt(square), color=color, linewidth=0.8)
    for color, model, measured in components(check, table, "disc"):
        draw_both(axes, model, measured, "v_mean", color, linestyle="--")
    if has_disc(check):
        clear = rest > 3e-2 * speed**2  # below, it is the rounding of the others
        axes.plot(radius, np.sqrt(np.where(clear, rest, np.nan)), **DISCS_ALONE)
    else:
        at = np.unique(table["outer"])
        inside = enclosed(snapshot, at)
        at, inside = at[inside > 0], inside[inside > 0]
        axes.plot(at, np.sqrt(gravity * inside / at), "ko", markersize=3)
    axes.set_ylim(0, 1.15 * speed[(radius > axes.get_xlim()[0])].max())


def draw_dispersion(axes: Axes, check: pd.DataFrame, table: pd.DataFrame) -> None:
    """Draw the dispersions of every component, told apart by line and marker."""
    for kind, measured_of_kind in MEASURED.items():
        for color, model, measured in components(check, table, kind):
            for quantity in (name for name in DISPERSIONS if name in measured_of_kind):
                look = look_of(quantity, color)
                draw_both(axes, model, measured, quantity, color, **look)
    axes.set_ylim(bottom=0)


def look_of(quantity: str, color: str) -> dict[str, str]:
    """Tell line and marker of a dispersion; only the markers of sigma_r are filled."""
    _, line, marker = DISPERSIONS[quantity]
    face = color if quantity == "sigma_r" else "white"
    return {"linestyle": line, "marker": marker, "markerfacecolor": face}


def legend_handles(check: pd.DataFrame) -> list[Line2D]:
    """Explain colours, lines and symbols."""
    discs = has_disc(check)
    handles = [
        Line2D([], [], color=color, label=name)
        for name, color in component_colors(kinds(check)).items()
    ]
    handles.append(Line2D([], [], color="black", label="all components"))
    if discs:
        handles.append(Line2D([], [], label="$v_c$ of discs alone", **DISCS_ALONE))
        look = {"color": "0.4", "linestyle": "--", "marker": "o", "markersize": 4}
        handles.append(Line2D([], [], label=r"$\langle v_\phi \rangle$", **look))
    for quantity, (name, *_) in DISPERSIONS.items():
        if quantity != "sigma_z" or discs:
            look = {"color": "0.4", "markersize": 4} | look_of(quantity, "0.4")
            handles.append(Line2D([], [], label=name, **look))
    return handles


def caption(check: pd.DataFrame, table: pd.DataFrame, snapshot: Snapshot) -> str:
    """Describe the figure and tell how far the particles are from the model."""
    numbers = "; ".join(
        f"{name}, {power_of_two(len(part))} particles" for name, part in snapshot.components.items()
    )
    units = "in units of 10^10 solar masses, kpc and km/s" if snapshot.units.physical else "G = 1"
    return (
        f"{subject(snapshot.models, snapshot.file)} at {when(snapshot)[1]} ({units}). Lines are "
        f"the model{f' {name}' if (name := called(model_of(check))) else ''}, symbols the "
        f"particles in logarithmic bins: {numbers}. {panels_text(has_disc(check))} Bars are one "
        "standard deviation of the sampling noise. Root mean square of (particles - model) / bar, "
        f"the model averaged over the same bins: {deviations(table)}."
    )


def panels_text(discs: bool) -> str:
    """Tell what the panels show."""
    if not discs:
        return (
            "Density; circular speed of all components (black) and of each; velocity dispersions, "
            "radial and, in one direction, tangential; mass within the radius."
        )
    return (
        "Upper panels: density of the spheres; circular speed in the mid-plane of all components "
        "(black), of each sphere, and of the discs by what is left (grey), with the mean rotation "
        "of discs (dashed, symbols); velocity dispersions, for the disc in R, phi and z. Lower "
        "panels: surface density, Toomre's Q = kappa sigma_R / (3.36 G Sigma), rms height. "
        "Lines of speeds and dispersions are of the mid-plane, symbols count all heights, so that "
        "those of a thick disc differ near the centre by more than the noise."
    )


def deviations(table: pd.DataFrame) -> str:
    """List the deviations of all quantities, component by component."""
    return "; ".join(
        f"{name} "
        + ", ".join(
            f"{quantity} {deviation(rows, quantity):.2f}"
            for quantity in MEASURED[rows["kind"].iloc[0]]
        )
        for name, rows in table.groupby("component", sort=False)
    )


def draw_particles(snapshot: Path, check: Path, stem: Path, model: str | None = None) -> None:
    """Draw particles beside the table of a model, from a file that is named if it must be that."""
    lines, particles = read_check(check), read_snapshot(snapshot)
    require_file_of_model(particles.models, model, str(snapshot))
    table = compare(lines, particles)
    text = caption(lines, table, particles)
    save(draw(lines, table, particles), table, text, stem)


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of a model of a study."""
    draw_particles(study.particles(where), study.check(where), stem)


def run() -> None:
    """Draw a snapshot beside the table of its model."""
    parser = figure_parser("model", __doc__)
    parser.add_argument("--snapshot", type=Path, required=True, help="particles")
    told = "table of the model, of gothic-ic --table"
    parser.add_argument("--check", type=Path, required=True, help=told)
    add_model(parser)
    given = parsed(parser)
    keep_files([given.check], files_of(given.stem).values())
    draw_particles(given.snapshot, given.check, given.stem, given.model)


if __name__ == "__main__":
    main(run)
