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
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from analysis.cli import main
from analysis.figures.common import MODELS, power_of_two, save, use_style
from analysis.files import PROVENANCE, pick
from analysis.maps import (
    NEIGHBOURS,
    VIEWS,
    Field,
    half_width,
    joined,
    middle,
    stars,
    surface_density,
)
from analysis.snapshots import Snapshot, Units, read_snapshot
from analysis.study import Study, Where

FLATTENING = 0.4  # height over width of an edge-on panel
SOLAR_MASS = 1.989e33  # g, as in the units of the models
KILOPARSEC = 3.085678e21  # cm
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
    """A map in units of the axes: kpc and solar masses, or those of the model."""

    kind: Kind
    view: str
    field: Field
    density: np.ndarray

    @property
    def mass(self) -> float:
        """Mass in the field."""
        return float(self.density.sum() * self.field.pixel**2)


def panels(
    snapshot: Snapshot, half: float, kinds: tuple[Kind, ...] = KINDS, pixels: int = 512
) -> list[Panel]:
    """Make the maps: face-on and edge-on for each kind, in one field.

    Parameters
    ----------
    snapshot
        The particles.
    half
        Half of the width of the field, in units of the snapshot.
    kinds
        What is projected.
    pixels
        Pixels along the width.
    """
    origin = middle(snapshot)
    length, mass = scales(snapshot.units)
    found = []
    for kind in kinds:
        part = stars(snapshot) if kind.stars else joined(list(snapshot.components.values()))
        for view in VIEWS:
            field = Field.of(half, 1.0 if view == "face-on" else FLATTENING, pixels)
            density = surface_density(part, origin, view, field, kind.neighbours)
            drawn = Field((length * field.half[0], length * field.half[1]), field.pixels)
            found.append(Panel(kind, view, drawn, density * mass / length**2))
    return found


def field_of(snapshot: Snapshot) -> float:
    """Half of the width of a field that shows the stars, in units of the snapshot."""
    return 1.6 * half_width(stars(snapshot))


def scales(units: Units) -> tuple[float, float]:
    """Kiloparsecs in a unit of length and solar masses in one of mass; 1 in model units."""
    if not units.physical:
        return 1.0, 1.0
    return units.length_in_cm / KILOPARSEC, units.mass_in_g / SOLAR_MASS


def draw(found: list[Panel], units: Units) -> Figure:
    """Draw the four maps: a column for each kind, face-on above edge-on."""
    figure, rows = plt.subplots(
        2,
        2,
        figsize=(7.2, 5.65),
        sharex=True,
        sharey="row",
        gridspec_kw={"height_ratios": [1, FLATTENING]},
    )
    for kind, column in zip(KINDS, rows.T, strict=True):
        mine = [panel for panel in found if panel.kind == kind]
        norm = limits(mine[0])
        for axes, panel in zip(column, mine, strict=True):
            image = draw_map(axes, panel, norm)
            write_name(axes, f"{panel.kind.name}, {panel.view}")
        bar = figure.colorbar(
            image, ax=column, location="top", aspect=30, pad=0.02, extend="both", shrink=0.95
        )
        bar.set_label(label(r"$\Sigma$", units, r"M$_\odot$ kpc$^{-2}$"))
        bar.ax.tick_params(which="both", top=True, bottom=False)
        column[-1].set_xlabel(label("$x$", units, "kpc"))
    rows[0, 0].set_ylabel(label("$y$", units, "kpc"))
    rows[1, 0].set_ylabel(label("$z$", units, "kpc"))
    return figure


def label(quantity: str, units: Units, unit: str) -> str:
    """Name a quantity with its unit, if there is one."""
    return f"{quantity} [{unit}]" if units.physical else quantity


def limits(panel: Panel) -> LogNorm:
    """Choose the ends of the colours: from the rim of the disc to all but the brightest pixels."""
    x, y = np.meshgrid(*(np.linspace(-1, 1, n) for n in panel.field.pixels))
    rim = np.median(panel.density[(np.hypot(x, y) > 0.9) & (np.hypot(x, y) < 1)])
    high = np.quantile(panel.density, 0.999)
    return LogNorm(max(rim / 2, high / 10**DECADES), high)


def draw_map(axes: Axes, panel: Panel, norm: LogNorm) -> AxesImage:
    """Draw one map."""
    colors = mpl.colormaps[panel.kind.colors]
    axes.set_facecolor(colors(0))
    image = axes.imshow(
        np.maximum(panel.density, norm.vmin / 10),
        origin="lower",
        extent=panel.field.extent,
        norm=norm,
        cmap=colors,
        interpolation="bilinear",
    )
    axes.grid(visible=False)
    axes.tick_params(color="white", which="both")
    return image


def write_name(axes: Axes, name: str) -> None:
    """Write a name into the upper left corner of a map."""
    place = {"transform": axes.transAxes, "verticalalignment": "top"}
    axes.text(0.03, 0.96, name, color="white", **place)


def tabulate(found: list[Panel]) -> pd.DataFrame:
    """Tabulate the maps in coarse pixels: ``kind``, ``view``, ``x``, ``y`` and ``density``."""
    tables = []
    for panel in found:
        columns, rows = (n // COARSE for n in panel.field.pixels)
        blocks = panel.density[: rows * COARSE, : columns * COARSE]
        coarse = blocks.reshape(rows, COARSE, columns, COARSE).mean(axis=(1, 3))
        x, y = (
            -half + (np.arange(n) + 0.5) * COARSE * panel.field.pixel
            for half, n in zip(panel.field.half, (columns, rows), strict=True)
        )
        grid = np.meshgrid(x, y)
        columns = {"x": grid[0].ravel(), "y": grid[1].ravel(), "density": coarse.ravel()}
        tables.append(pd.DataFrame({"kind": panel.kind.name, "view": panel.view, **columns}))
    return pd.concat(tables, ignore_index=True)


def caption(
    found: list[Panel], snapshot: Snapshot, model: str, facts: dict[str, float | int | str]
) -> str:
    """Describe the maps and tell their particles and masses."""
    numbers = "; ".join(
        f"{name}, {power_of_two(len(part))}" for name, part in snapshot.components.items()
    )
    total = sum(map(len, snapshot.components.values()))
    of_stars = " and ".join(sorted(snapshot.stars)) or "all components"
    unit, length = ("solar masses", "kpc") if snapshot.units.physical else ("", "")
    masses = "; ".join(
        " ".join(f"{panel.kind.name} {panel.view} {panel.mass:.3g} {unit}".split())
        for panel in found
    )
    neighbours = " and ".join(f"{kind.neighbours} for {kind.name}" for kind in KINDS)
    return (
        f"{MODELS.get(model, model)}: surface density of the stars ({of_stars}) and of all "
        f"particles, along the axis of the disc (upper panels) and at right angles to it (lower). "
        f"N = {power_of_two(total)} particles: {numbers}. The mass in a pixel of "
        f"{found[0].field.pixel:.2g} {length} is spread over a Gaussian that is just wide enough "
        f"for a number of particles around it, {neighbours}. Arrows at the colours mean that "
        "pixels beyond their ends have the last colour. Mass in the panels: "
        f"{masses}. gothic-ic {facts['version']}, revision {facts['revision']}; "
        f"{facts['compiler']}."
    ).replace("  ", " ")


def draw_snapshot(path: Path, model: str, stem: Path) -> None:
    """Draw the maps of a snapshot."""
    snapshot = read_snapshot(path)
    found = panels(snapshot, field_of(snapshot))
    text = caption(found, snapshot, model, pick(path, "Provenance", PROVENANCE))
    save(draw(found, snapshot.units), tabulate(found), text, stem)


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the maps of a model of a study."""
    draw_snapshot(study.particles(where), str(where["model"]), stem)


def run() -> None:
    """Draw the maps of a snapshot."""
    parser = argparse.ArgumentParser(prog="python -m analysis.figures.map", description=__doc__)
    parser.add_argument("--snapshot", type=Path, required=True, help="particles of the galaxy")
    parser.add_argument("--model", required=True, help="name for the caption")
    parser.add_argument("--stem", type=Path, required=True, help="output path without suffix")
    given = parser.parse_args()
    use_style()
    draw_snapshot(given.snapshot, given.model, given.stem)


if __name__ == "__main__":
    main(run)
