"""Surface density of a galaxy, face-on and edge-on.

Usage: python -m analysis.figures.map --snapshot IC.h5 --model NAME --stem STEM
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from gothic import Units
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from analysis.errors import DataError, main
from analysis.figures.common import label, model_name, power_of_two, save, use_style
from analysis.programs import model_names
from analysis.reading.files import KILOPARSEC, PROVENANCE, pick
from analysis.reading.snapshots import Snapshot, read_snapshot
from analysis.reading.surface_density import (
    NEIGHBOURS,
    VIEWS,
    Field,
    half_width,
    middle,
    stars,
    surface_density,
)
from analysis.study.tables import Study, Where

FLATTENING = 0.4  # height over width of an edge-on panel
SOLAR_MASS = 1.989e33  # g, as in the units of the models
SURFACE_DENSITY = r"M$_\odot$ kpc$^{-2}$"
DECADES = 3.2  # of the colours, at most
COARSE = 16  # pixels that a row of the table averages, along either side


@dataclass(frozen=True)
class Kind:
    """What is projected, and how it looks.

    The halo is smooth, so that more particles may be averaged than of stars.
    """

    name: str
    stars: bool  # these alone
    colors: str
    neighbours: int


STARS = Kind("stars", True, "inferno", NEIGHBOURS)
KINDS = (STARS, Kind("all particles", False, "viridis", 4 * NEIGHBOURS))


@dataclass(frozen=True)
class Panel:
    """A map in units of the axes: kpc and solar masses, or units of the model."""

    kind: Kind
    view: str
    field: Field
    density: np.ndarray


def panels(
    snapshot: Snapshot, half: float, kinds: tuple[Kind, ...] = KINDS, pixels: int = 512
) -> list[Panel]:
    """Make the maps: face-on and edge-on for each kind, in one field.

    Parameters
    ----------
    half
        Half of the width of the field, in units of the snapshot.
    pixels
        Pixels along the width.
    """
    origin, units = middle(snapshot), snapshot.units
    length, mass = 1.0, 1.0
    if units.physical:
        length, mass = units.length_in_cm / KILOPARSEC, units.mass_in_g / SOLAR_MASS
    found = []
    for kind in kinds:
        part = stars(snapshot) if kind.stars else snapshot.joined()
        for view in VIEWS:
            field = Field.of(half, 1.0 if view == "face-on" else FLATTENING, pixels)
            density = surface_density(part, origin, view, field, kind.neighbours)
            drawn = Field(length * field.half, field.pixels)
            found.append(Panel(kind, view, drawn, density * mass / length**2))
    return found


def field_of(snapshot: Snapshot) -> float:
    """Half of the width of a field that shows the stars, in units of the snapshot."""
    return 1.6 * half_width(stars(snapshot))


def draw(found: list[Panel], units: Units) -> Figure:
    """Draw the four maps: a column for each kind, face-on above edge-on."""
    figure, rows = layout(len(KINDS), (7.2, 5.65), units)
    for kind, column in zip(KINDS, rows.T, strict=True):
        mine = [panel for panel in found if panel.kind == kind]
        norm = limits(mine[0])
        for axes, panel in zip(column, mine, strict=True):
            image = draw_map(axes, panel, norm, f"{kind.name}, {panel.view}")
        look = {"location": "top", "aspect": 30, "pad": 0.02, "extend": "both", "shrink": 0.95}
        bar = figure.colorbar(
            image, ax=column, label=label(r"$\Sigma$", SURFACE_DENSITY, units), **look
        )
        bar.ax.tick_params(which="both", top=True, bottom=False)
    return figure


def layout(columns: int, size: tuple[float, float], units: Units) -> tuple[Figure, np.ndarray]:
    """Make columns of two panels, face-on above edge-on, with the names of their axes."""
    figure, rows = plt.subplots(
        len(VIEWS),
        columns,
        figsize=size,
        sharex=True,
        sharey="row",
        squeeze=False,
        gridspec_kw={"height_ratios": [1, FLATTENING]},
    )
    for axes in rows[-1]:
        axes.set_xlabel(label("$x$", "kpc", units))
    for axes, name in zip(rows[:, 0], ("$y$", "$z$"), strict=True):
        axes.set_ylabel(label(name, "kpc", units))
    return figure, rows


def limits(panel: Panel) -> LogNorm:
    """Choose the ends of the colours: from the rim of the disc to all but the brightest pixels."""
    x, y = np.meshgrid(*(np.linspace(-1, 1, n) for n in panel.field.pixels))
    rim = np.median(panel.density[(np.hypot(x, y) > 0.9) & (np.hypot(x, y) < 1)])
    high = np.quantile(panel.density, 0.999)
    return LogNorm(max(rim / 2, high / 10**DECADES), high)


def draw_map(axes: Axes, panel: Panel, norm: LogNorm, name: str) -> AxesImage:
    """Draw one map, with a name in its upper left corner."""
    colors = mpl.colormaps[panel.kind.colors]
    axes.set_facecolor(colors(0))
    image = axes.imshow(
        visible(panel, norm),
        origin="lower",
        extent=panel.field.extent,
        norm=norm,
        cmap=colors,
        interpolation="bilinear",
    )
    axes.grid(visible=False)
    axes.tick_params(color="white", which="both")
    axes.text(0.03, 0.96, name, color="white", transform=axes.transAxes, verticalalignment="top")
    return image


def visible(panel: Panel, norm: LogNorm) -> np.ndarray:
    """Limit densities from below, since empty pixels have no logarithm."""
    return np.maximum(panel.density, norm.vmin / 10)


def tabulate(found: list[Panel]) -> pd.DataFrame:
    """Tabulate the maps in coarse pixels: ``kind``, ``view``, ``x``, ``y`` and ``density``."""
    tables = []
    for panel in found:
        columns, rows = (n // COARSE for n in panel.field.pixels)
        blocks = panel.density[: rows * COARSE, : columns * COARSE]
        coarse = blocks.reshape(rows, COARSE, columns, COARSE).mean(axis=(1, 3))
        left, _, lower, _ = panel.field.extent
        side = COARSE * panel.field.pixel
        x, y = np.meshgrid(
            *(start + (np.arange(n) + 0.5) * side for start, n in ((left, columns), (lower, rows)))
        )
        table = {"kind": panel.kind.name, "view": panel.view, "x": x.ravel(), "y": y.ravel()}
        tables.append(pd.DataFrame(table | {"density": coarse.ravel()}))
    return pd.concat(tables, ignore_index=True)


def caption(
    found: list[Panel], snapshot: Snapshot, model: str, facts: dict[str, float | int | str]
) -> str:
    """Describe the maps and tell their particles and masses."""
    numbers = "; ".join(
        f"{name}, {power_of_two(len(part))}" for name, part in snapshot.components.items()
    )
    of_stars = " and ".join(sorted(snapshot.stars)) or "all components"
    unit, length = (" solar masses", " kpc") if snapshot.units.physical else ("", "")
    masses = "; ".join(
        f"{panel.kind.name} {panel.view} {panel.density.sum() * panel.field.pixel**2:.3g}{unit}"
        for panel in found
    )
    neighbours = " and ".join(f"{kind.neighbours} for {kind.name}" for kind in KINDS)
    return (
        f"{model_name(model)}: surface density of the stars ({of_stars}) and of all "
        f"particles, along the axis of the disc (upper panels) and at right angles to it (lower). "
        f"N = {power_of_two(len(snapshot.joined()))} particles: {numbers}. The mass in a pixel of "
        f"{found[0].field.pixel:.2g}{length} is spread over a Gaussian that is just wide enough "
        f"for a number of particles around it, {neighbours}. Arrows at the colours mean that "
        "pixels beyond their ends have the last colour. Mass in the panels: "
        f"{masses}. gothic-ic {facts['version']}, revision {facts['revision']}; "
        f"{facts['compiler']}."
    )


def draw_snapshot(path: Path, model: str, stem: Path) -> None:
    """Draw the maps of a snapshot."""
    snapshot = read_snapshot(path)
    found = panels(snapshot, field_of(snapshot))
    text = caption(found, snapshot, model, pick(path, "Provenance", PROVENANCE))
    save(draw(found, snapshot.units), tabulate(found), text, stem)


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the maps of a model of a study."""
    draw_snapshot(study.particles(where), str(where["model"]), stem)


def require_model(name: str) -> None:
    """Raise a `DataError` unless a file of config/models has the name."""
    if name not in model_names():
        choices = ", ".join(model_names())
        raise DataError(f"--model {name}: there is no config/models/{name}.toml; use {choices}")


def run() -> None:
    """Draw the maps of a snapshot."""
    parser = argparse.ArgumentParser(prog="python -m analysis.figures.map", description=__doc__)
    parser.add_argument("--snapshot", type=Path, required=True, help="particles of the galaxy")
    parser.add_argument("--model", required=True, help="name of its file in config/models")
    parser.add_argument("--stem", type=Path, required=True, help="output path without suffix")
    given = parser.parse_args()
    require_model(given.model)
    use_style()
    draw_snapshot(given.snapshot, given.model, given.stem)


if __name__ == "__main__":
    main(run)
