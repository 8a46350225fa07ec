"""Surface density of a snapshot, from several sides.

python -m analysis.figures.map --snapshot FILE_OR_RUN --stem STEM
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from gothic import Units
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis.errors import DataError, main
from analysis.figures.command import (
    add_model,
    add_scene,
    figure_parser,
    parsed,
    scene_of,
    states_at,
)
from analysis.figures.common import label, power_of_two, save
from analysis.reading.files import states_in
from analysis.reading.origin import require_file_of_model, subject, written_by
from analysis.reading.scene import (
    Box,
    Scene,
    box_of,
    centre_in_words,
    centre_of,
    scales,
    told_apart,
)
from analysis.reading.snapshots import Snapshot, read_snapshot
from analysis.reading.surface_density import NEIGHBOURS, SIDES, Field, surface_density
from analysis.study.tables import Study, Where

SOLAR_MASS = 1.989e33  # g, as in the units of the models
SURFACE_DENSITY = r"M$_\odot$ kpc$^{-2}$"
DECADES = 3.2  # of the colours, at most
COARSE = 16  # pixels that a row of the table averages, along either side
# Light colours of Okabe & Ito (2008) for what lies on black.
LIGHTS = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#D55E00")


@dataclass(frozen=True)
class Layer:
    """Some components that are drawn in colours of their own.

    The halo is smooth, so that more particles may be averaged than of stars.
    """

    name: str
    components: tuple[str, ...]
    colors: Colormap
    neighbours: int = NEIGHBOURS


@dataclass(frozen=True)
class Panel:
    """One side of some layers, in units of the axes: kpc and solar masses, or of the model."""

    side: str
    field: Field
    layers: tuple[Layer, ...]
    densities: tuple[np.ndarray, ...]


def layers_of(snapshot: Snapshot, colour: str | None) -> list[tuple[Layer, ...]]:
    """List what lies in one picture, and what in another one beside it.

    That is all that colours tell apart, or else the stars, and beside them all particles.
    """
    apart = told_apart(snapshot, colour)
    if colour == "component" or len(apart) > 1:
        names = {name: LIGHTS[n % len(LIGHTS)] for n, name in enumerate(apart)}
        lights = {
            name: LinearSegmentedColormap.from_list(name, ["black", color])
            for name, color in names.items()
        }
        return [tuple(Layer(name, tuple(own), lights[name]) for name, own in apart.items())]
    every = Layer(
        "all particles", tuple(snapshot.components), mpl.colormaps["viridis"], 4 * NEIGHBOURS
    )
    return [
        (Layer(name, tuple(own), mpl.colormaps["inferno"]),)
        for name, own in apart.items()
        if name != every.name
    ] + [(every,)]


def panels(
    snapshot: Snapshot, scene: Scene, box: Box, layers: Sequence[Layer], pixels: int = 512
) -> list[Panel]:
    """Make a map of each side of a scene.

    Parameters
    ----------
    box
        What part of space is shown, as `box_of` finds it.
    pixels
        Pixels along the width.
    """
    origin, length = centre_of(snapshot, scene.centre), 1 / scales(snapshot.units)
    mass = snapshot.units.mass_in_g / SOLAR_MASS if snapshot.units.physical else 1.0
    found = []
    for side in scene.sides:
        field = box.field(side, pixels)
        densities = [
            surface_density(
                snapshot.joined(layer.components), origin, side, field, layer.neighbours
            )
            for layer in layers
        ]
        drawn = Field(length * field.half, field.pixels)
        scaled = tuple(density * (mass / length**2) for density in densities)
        found.append(Panel(side, drawn, tuple(layers), scaled))
    return found


def draw(columns: list[list[Panel]], units: Units, below: str) -> Figure:
    """Draw maps, a column for what lies in one picture; `below` stands below them."""
    figure, axes = layout(columns, 3.6 * len(columns), units, below)
    for drawn, column in zip(axes.T, columns, strict=True):
        norm = limits(column[:1])
        for one, panel in zip(drawn, column, strict=True):
            several = len(panel.layers) > 1
            name = f"along {panel.side}"
            draw_map(one, panel, norm, name if several else f"{panel.layers[0].name}, {name}")
        explain(figure, drawn, column[0].layers, norm, units)
    return figure


def layout(
    columns: list[list[Panel]], width: float, units: Units, below: str
) -> tuple[Figure, np.ndarray]:
    """Make columns of panels, a row for each side, with the names of their axes."""
    sides = columns[0]
    ratios = [panel.field.pixels[1] / panel.field.pixels[0] for panel in sides]
    panel = (width - 0.65) / len(columns) - 0.08  # inches, beside the labels
    height = panel * sum(ratios) + 1.6
    figure, rows = plt.subplots(
        len(sides),
        len(columns),
        figsize=(width, height),
        sharex=True,
        sharey="row",
        squeeze=False,
        gridspec_kw={"height_ratios": ratios},
    )
    axes_of = ["xyz"[SIDES[panel.side][0]] for panel in sides]
    for row, panel, lower in zip(rows, sides, [*axes_of[1:], ""], strict=True):
        across, up = ("xyz"[axis] for axis in SIDES[panel.side])
        row[0].set_ylabel(label(f"${up}$", "kpc", units))
        for axes in row if across != lower else ():
            axes.set_xlabel(label(f"${across}$", "kpc", units))
            axes.tick_params(labelbottom=True)
    figure.supxlabel(textwrap.fill(below, int(15 * width)), fontsize=8)
    return figure, rows


def limits(found: Sequence[Panel]) -> LogNorm:
    """Choose the ends of the colours: from the rim of the picture to all but the brightest pixels.

    Raises
    ------
    DataError
        If nothing lies in the pictures.
    """
    totals = [sum(panel.densities) for panel in found]
    peak = max(total.max() for total in totals)
    if not peak > 0:
        raise DataError("nothing lies in the picture; choose another centre or width")
    x, y = np.meshgrid(*(np.linspace(-1, 1, n) for n in found[0].field.pixels))
    rim = np.median(totals[0][(np.hypot(x, y) > 0.9) & (np.hypot(x, y) < 1)])
    high = max(peak / 100, *(np.quantile(total, 0.999) for total in totals))
    return LogNorm(max(rim / 2, high / 10**DECADES), high)


def draw_map(axes: Axes, panel: Panel, norm: LogNorm, name: str) -> None:
    """Draw one map, with a name in its upper left corner."""
    axes.imshow(
        coloured(panel, norm),
        origin="lower",
        extent=panel.field.extent,
        interpolation="bilinear",
    )
    axes.grid(visible=False)
    axes.tick_params(color="white", which="both")
    axes.text(0.05, 0.95, name, color="white", transform=axes.transAxes, verticalalignment="top")


def coloured(panel: Panel, norm: LogNorm) -> np.ndarray:
    """Add the colours of all layers, as light adds: shape (rows, columns, 3)."""
    total = np.zeros((*panel.densities[0].shape, 3))
    for layer, density in zip(panel.layers, panel.densities, strict=True):
        # Empty pixels have no logarithm.
        total += layer.colors(norm(np.maximum(density, norm.vmin)).filled())[..., :3]
    return np.minimum(total, 1.0)


def explain(
    figure: Figure, axes: np.ndarray, layers: Sequence[Layer], norm: LogNorm, units: Units
) -> None:
    """Add a bar of brightness above the panels, and the names of colours in the first one."""
    several = len(layers) > 1
    bar = figure.colorbar(
        ScalarMappable(norm, "gray" if several else layers[0].colors),
        ax=list(np.ravel(axes)),
        location="top",
        aspect=30 if axes.ndim == 1 else 50,
        pad=0.02,
        extend="both",
        shrink=0.9,
    )
    bar.ax.tick_params(which="both", top=True, bottom=False)
    of_what = "each colour" if several else layers[0].name
    bar.set_label(label(rf"$\Sigma$ of {of_what}", SURFACE_DENSITY, units))
    if several:
        handles = [Patch(color=layer.colors(1.0), label=layer.name) for layer in layers]
        look = {"labelcolor": "white", "handlelength": 1.0, "borderpad": 0.2}
        np.ravel(axes)[0].legend(handles=handles, loc="lower left", **look)


def tabulate(found: Sequence[Panel]) -> pd.DataFrame:
    """Tabulate maps in coarse pixels: ``shown``, ``side``, ``x`` across, ``y`` up, ``density``."""
    tables = []
    for panel in found:
        columns, rows = (n // COARSE for n in panel.field.pixels)
        left, _, lower, _ = panel.field.extent
        pixel = COARSE * panel.field.pixel
        x, y = np.meshgrid(
            *(start + (np.arange(n) + 0.5) * pixel for start, n in ((left, columns), (lower, rows)))
        )
        for layer, density in zip(panel.layers, panel.densities, strict=True):
            blocks = density[: rows * COARSE, : columns * COARSE]
            coarse = blocks.reshape(rows, COARSE, columns, COARSE).mean(axis=(1, 3))
            table = {"shown": layer.name, "side": panel.side, "x": x.ravel(), "y": y.ravel()}
            tables.append(pd.DataFrame(table | {"density": coarse.ravel()}))
    return pd.concat(tables, ignore_index=True)


def when(snapshot: Snapshot) -> tuple[float, str]:
    """Time of a snapshot, in Myr or units of the model, and how pictures write it."""
    if snapshot.units.physical:
        time = snapshot.time / snapshot.units.myr
        return time, f"{time:.4g} Myr"
    return snapshot.time, f"$t = {snapshot.time:.4g}$"


def below(snapshot: Snapshot, scene: Scene) -> str:
    """Say what the coordinates of a picture are."""
    return f"coordinates relative to {centre_in_words(snapshot, scene.centre)}"


def box_in_words(field: Field, units: Units) -> str:
    """Tell the width of a picture."""
    return (
        f"{2 * field.half:.4g} kpc" if units.physical else f"{2 * field.half:.4g} units of length"
    )


def in_words(layers: Sequence[Layer]) -> str:
    """List what is shown, with the components that it is made of."""
    return "; ".join(
        layer.name
        if layer.components == (layer.name,)
        else f"{layer.name} ({', '.join(layer.components)})"
        for layer in layers
    )


def caption(columns: list[list[Panel]], snapshot: Snapshot, scene: Scene, made: str) -> str:
    """Describe the maps and tell their particles and masses."""
    units, field = snapshot.units, columns[0][0].field
    numbers = "; ".join(
        f"{name}, {power_of_two(len(part))}" for name, part in snapshot.components.items()
    )
    unit, length = (" solar masses", " kpc") if units.physical else ("", "")
    masses = "; ".join(
        f"{layer.name} along {panel.side} {density.sum() * field.pixel**2:.3g}{unit}"
        for column in columns
        for panel in column
        for layer, density in zip(panel.layers, panel.densities, strict=True)
    )
    layers = [layer for column in columns for layer in column[0].layers]
    neighbours = dict.fromkeys(layer.neighbours for layer in layers)
    return (
        f"{subject(snapshot.models, snapshot.file)} at {when(snapshot)[1]}: surface density of "
        f"{in_words(layers)}, seen along {' and '.join(scene.sides)}. Coordinates are relative to "
        f"{centre_in_words(snapshot, scene.centre)}; the box is {box_in_words(field, units)} wide. "
        f"N = {power_of_two(len(snapshot.joined()))} particles: {numbers}. The mass in a pixel of "
        f"{field.pixel:.2g}{length} is spread over a Gaussian that is just wide enough for a "
        f"number of particles around it, {' and '.join(map(str, neighbours))}. "
        f"{'Colours of all add up. ' if len(columns[0][0].layers) > 1 else ''}Arrows at the "
        "colours mean that pixels beyond their ends have the last colour. Mass in the panels: "
        f"{masses}. {made}"
    )


def draw_snapshot(path: Path, scene: Scene, stem: Path, model: str | None = None) -> None:
    """Draw the maps of a snapshot, which must be of the model, if one is named."""
    snapshot = read_snapshot(path)
    require_file_of_model(snapshot.models, model, str(path))
    box = box_of([snapshot], scene)
    columns = [panels(snapshot, scene, box, layers) for layers in layers_of(snapshot, scene.colour)]
    time = when(snapshot)[1]
    figure = draw(columns, snapshot.units, f"{time}; {below(snapshot, scene)}")
    table = tabulate([panel for column in columns for panel in column])
    save(figure, table, caption(columns, snapshot, scene, written_by(path)), stem)


def make(study: Study, where: Where, stem: Path, **options: object) -> None:
    """Draw the maps of a model of a study."""
    draw_snapshot(study.particles(where), Scene.of(**options), stem)


def run() -> None:
    """Draw the maps of a snapshot."""
    parser = figure_parser("map", __doc__)
    told = "snapshot, or the folder of a run"
    parser.add_argument("--snapshot", type=Path, required=True, help=told)
    told = "choose the state of the run that is nearest to it; Myr, or of the model"
    parser.add_argument("--time", type=float, help=told)
    add_scene(parser)
    add_model(parser)
    given = parsed(parser)
    paths = states_in([given.snapshot])
    if given.time is not None:
        paths = states_at(paths, [given.time])
    if len(paths) > 1:
        raise DataError(f"{given.snapshot}: has {len(paths)} states; choose one with --time")
    draw_snapshot(paths[0], scene_of(given), given.stem, given.model)


if __name__ == "__main__":
    main(run)
