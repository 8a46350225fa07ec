"""Surface density of the stars of a galaxy in the course of time, as small multiples and a film."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from gothic import Units
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.figure import Figure

from analysis.figures.common import label, made_by, model_name, power_of_two, save
from analysis.figures.map import (
    FLATTENING,
    STARS,
    SURFACE_DENSITY,
    Panel,
    draw_map,
    field_of,
    layout,
    limits,
    panels,
    tabulate,
    visible,
)
from analysis.reading.files import PROVENANCE, pick
from analysis.reading.snapshots import Snapshot, read_snapshot
from analysis.reading.surface_density import stars
from analysis.study.tables import Study, Where

MULTIPLES = 5  # frames of the still figure
PIXELS = 256
PER_SECOND = 8


@dataclass(frozen=True)
class Frame:
    """The stars at one time, Myr since the first frame or units of the model: face- and edge-on."""

    time: float
    name: str
    panels: list[Panel]


def frames(snapshots: Iterable[Snapshot]) -> list[Frame]:
    """Make the maps of all times, in the field that suits the first."""
    found: list[Frame] = []
    for snapshot in snapshots:
        if not found:
            half, start = field_of(snapshot), snapshot.time
        time, name = snapshot.time - start, "$t = {:.3g}$"
        if snapshot.units.physical:
            time, name = time * (1 / snapshot.units.myr), "{:.0f} Myr"
        maps = panels(snapshot, half, (STARS,), PIXELS)
        found.append(Frame(time, name.format(time), maps))
    return found


def draw(found: list[Frame], units: Units) -> Figure:
    """Draw the small multiples: frames at equal intervals, the first and the last among them."""
    chosen = np.unique(np.linspace(0, len(found) - 1, MULTIPLES).round().astype(int))
    width = 10.0 if len(chosen) > 2 else 6.0
    return draw_frames([found[number] for number in chosen], units, width)


def draw_frames(found: list[Frame], units: Units, width: float) -> Figure:
    """Draw frames side by side, with the colours of the first."""
    height = width / len(found) * (1 + FLATTENING) + 0.9
    figure, rows = layout(len(found), (width, height), units)
    norm = limits(found[0].panels[0])
    for column, frame in zip(rows.T, found, strict=True):
        for axes, panel, name in zip(column, frame.panels, (frame.name, ""), strict=True):
            image = draw_map(axes, panel, norm, name)
    bar = figure.colorbar(image, ax=rows, location="top", aspect=50, shrink=0.8, extend="both")
    bar.set_label(label(r"$\Sigma$ of the stars", SURFACE_DENSITY, units))
    return figure


def film(found: list[Frame], units: Units, path: Path) -> None:
    """Write all frames as an animated GIF."""
    figure = draw_frames(found[:1], units, 4.2)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # every frame in one place
    views = figure.axes[:2]

    def show(frame: Frame) -> None:
        for axes, panel in zip(views, frame.panels, strict=True):
            image = axes.images[0]
            image.set_data(visible(panel, image.norm))
        views[0].texts[0].set_text(frame.name)

    FuncAnimation(figure, show, found).save(path, PillowWriter(fps=PER_SECOND), dpi=100)


def table(found: list[Frame]) -> pd.DataFrame:
    """Tabulate all frames as `analysis.figures.map.tabulate` does, with ``time``."""
    tables = [tabulate(frame.panels).assign(time=frame.time) for frame in found]
    return pd.concat(tables, ignore_index=True)


def caption(
    found: list[Frame], first: Snapshot, model: str, facts: dict[str, float | int | str]
) -> str:
    """Describe the small multiples and the film."""
    unit = "Myr" if first.units.physical else "units of time"
    count = len(stars(first)) if first.stars else 0
    return (
        f"{model_name(model)}: surface density of the stars along the axis of the disc "
        f"(upper panels) and at right angles to it (lower), {len(found)} frames in "
        f"{found[-1].time:.4g} {unit}; the figure shows some of them, the GIF all. "
        f"N = {power_of_two(len(first.joined()))} particles, {count} of them stars. Mass is "
        f"spread over Gaussians that are just wide enough for {STARS.neighbours} particles. "
        f"{made_by(facts | {'device_name': facts['device']}, threads=False)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the frames of a run."""
    paths = study.states(where)
    found = frames(map(read_snapshot, paths))
    first, model = read_snapshot(paths[0]), str(where["model"])
    text = caption(found, first, model, pick(paths[-1], "Provenance", PROVENANCE))
    save(draw(found, first.units), table(found), text, stem)
    film(found, first.units, stem.with_name(f"{stem.name}.gif"))
