"""Surface density of the stars of a galaxy in the course of time, as small multiples and a film."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from analysis.figures.common import MODELS, power_of_two, save
from analysis.figures.map import (
    FLATTENING,
    STARS,
    Panel,
    draw_map,
    field_of,
    label,
    limits,
    panels,
    tabulate,
    write_name,
)
from analysis.files import PROVENANCE, pick
from analysis.maps import VIEWS
from analysis.snapshots import Snapshot, Units, read_snapshot
from analysis.study import Study, Where

MULTIPLES = 5  # frames of the still figure
PIXELS = 256
PER_SECOND = 8


@dataclass(frozen=True)
class Frame:
    """The stars at one time: Myr since the first frame, or units of the model."""

    time: float
    face_on: Panel
    edge_on: Panel


def frames(snapshots: Iterable[Snapshot]) -> list[Frame]:
    """Make the maps of all times, in the field that suits the first."""
    found: list[Frame] = []
    for snapshot in snapshots:
        if not found:
            half, start = field_of(snapshot), snapshot.time
        unit = 1 / snapshot.units.myr if snapshot.units.physical else 1.0
        maps = panels(snapshot, half, (STARS,), PIXELS)
        found.append(Frame((snapshot.time - start) * unit, *maps))
    return found


def time_label(frame: Frame, units: Units) -> str:
    """Tell the time of a frame."""
    return f"{frame.time:.0f} Myr" if units.physical else f"$t = {frame.time:.3g}$"


def draw_frame(column: Iterable[Axes], frame: Frame, norm: LogNorm, units: Units) -> None:
    """Draw both views of a frame, one above the other."""
    upper, lower = column
    for axes, panel in ((upper, frame.face_on), (lower, frame.edge_on)):
        draw_map(axes, panel, norm)
    write_name(upper, time_label(frame, units))
    lower.set_xlabel(label("$x$", units, "kpc"))


def layout(columns: int, width: float) -> tuple[Figure, np.ndarray]:
    """Make the panels of some frames side by side."""
    height = width / columns * (1 + FLATTENING) + 0.9
    return plt.subplots(
        len(VIEWS),
        columns,
        figsize=(width, height),
        sharex=True,
        sharey="row",
        squeeze=False,
        gridspec_kw={"height_ratios": [1, FLATTENING]},
    )


def finish(figure: Figure, rows: np.ndarray, norm: LogNorm, units: Units) -> None:
    """Add what all frames share: the colours and the names of the axes."""
    colors = ScalarMappable(norm, mpl.colormaps[STARS.colors])
    look = {"location": "top", "aspect": 50, "shrink": 0.8, "extend": "both"}
    bar = figure.colorbar(colors, ax=rows, **look)
    bar.set_label(label(r"$\Sigma$ of the stars", units, r"M$_\odot$ kpc$^{-2}$"))
    rows[0, 0].set_ylabel(label("$y$", units, "kpc"))
    rows[1, 0].set_ylabel(label("$z$", units, "kpc"))


def draw(found: list[Frame], units: Units) -> Figure:
    """Draw the small multiples: frames at equal intervals, the first and the last among them."""
    chosen = np.unique(np.linspace(0, len(found) - 1, MULTIPLES).round().astype(int))
    figure, rows = layout(len(chosen), 10.0 if len(chosen) > 2 else 6.0)
    norm = limits(found[0].face_on)
    for column, number in zip(rows.T, chosen, strict=True):
        draw_frame(column, found[number], norm, units)
    finish(figure, rows, norm, units)
    return figure


def film(found: list[Frame], units: Units, path: Path) -> None:
    """Write all frames as an animated GIF."""
    norm = limits(found[0].face_on)
    figure, rows = layout(1, 4.2)
    finish(figure, rows, norm, units)

    def show(frame: Frame) -> None:
        for axes in rows.flat:
            axes.clear()
        draw_frame(rows[:, 0], frame, norm, units)
        rows[0, 0].set_ylabel(label("$y$", units, "kpc"))
        rows[1, 0].set_ylabel(label("$z$", units, "kpc"))

    show(found[0])
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # every frame in one place
    FuncAnimation(figure, show, found).save(path, PillowWriter(fps=PER_SECOND), dpi=100)


def table(found: list[Frame]) -> pd.DataFrame:
    """Tabulate all frames as `analysis.figures.map.tabulate` does, with ``time``."""
    return pd.concat(
        [tabulate([frame.face_on, frame.edge_on]).assign(time=frame.time) for frame in found],
        ignore_index=True,
    )


def caption(
    found: list[Frame], first: Snapshot, model: str, facts: dict[str, float | int | str]
) -> str:
    """Describe the small multiples and the film."""
    total = sum(map(len, first.components.values()))
    count = sum(len(part) for name, part in first.components.items() if name in first.stars)
    unit = "Myr" if first.units.physical else "units of time"
    return (
        f"{MODELS.get(model, model)}: surface density of the stars along the axis of the disc "
        f"(upper panels) and at right angles to it (lower), {len(found)} frames in "
        f"{found[-1].time:.4g} {unit}; the figure shows some of them, the GIF all. "
        f"N = {power_of_two(total)} particles, {count} of them stars. Mass is spread over "
        f"Gaussians that are just wide enough for {STARS.neighbours} particles. "
        f"Device: {facts['device']}; {facts['compiler']}; gothic {facts['version']}, revision "
        f"{facts['revision']}."
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the frames of a run."""
    paths = study.states(where)
    found = frames(map(read_snapshot, paths))
    first, model = read_snapshot(paths[0]), str(where["model"])
    text = caption(found, first, model, pick(paths[-1], "Provenance", PROVENANCE))
    save(draw(found, first.units), table(found), text, stem)
    film(found, first.units, stem.with_name(stem.name + ".gif"))
