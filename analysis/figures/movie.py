"""Surface density in the course of time, as small multiples and a film (GIF).

python -m analysis.figures.movie --snapshots RUN --stem STEM
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from gothic import Units
from matplotlib.figure import Figure
from PIL import Image

from analysis.errors import DataError, main
from analysis.figures.command import (
    add_model,
    add_scene,
    figure_parser,
    parsed,
    scene_of,
    states_at,
    time_of,
)
from analysis.figures.common import power_of_two, save
from analysis.figures.map import (
    Panel,
    below,
    box_in_words,
    coloured,
    draw_map,
    explain,
    in_words,
    layers_of,
    layout,
    limits,
    panels,
    tabulate,
    when,
)
from analysis.reading.files import states_in
from analysis.reading.origin import require_file_of_model, subject, written_by
from analysis.reading.scene import Box, Scene, box_of, centre_in_words
from analysis.reading.snapshots import Snapshot, read_snapshot
from analysis.study.parameters import listed
from analysis.study.tables import Study, Where

MULTIPLES = 5  # frames of the still figure
PIXELS = 256
PER_SECOND = 8


@dataclass(frozen=True)
class Frame:
    """The sides of a scene at one time, Myr or units of the model."""

    time: float
    name: str
    panels: list[Panel]


def frames(snapshots: Iterable[Snapshot], scene: Scene, box: Box) -> list[Frame]:
    """Make the maps of all times, in one box. One snapshot is held at a time."""
    found: list[Frame] = []
    for snapshot in snapshots:
        layers = layers_of(snapshot, scene.colour)[0]
        time, name = when(snapshot)
        found.append(Frame(time, name, panels(snapshot, scene, box, layers, PIXELS)))
    return found


def some_of(found: list[Frame]) -> list[Frame]:
    """Choose frames at equal intervals, the first and the last among them."""
    chosen = np.unique(np.linspace(0, len(found) - 1, MULTIPLES).round().astype(int))
    return [found[number] for number in chosen]


def draw(found: list[Frame], units: Units, words: str) -> Figure:
    """Draw frames side by side; `words` stand below them."""
    width = 10.0 if len(found) > 2 else 6.0
    figure, rows = layout([frame.panels for frame in found], width, units, words)
    draw_frames(figure, rows, found, found, units)
    return figure


def draw_frames(
    figure: Figure, rows: np.ndarray, shown: list[Frame], every: list[Frame], units: Units
) -> None:
    """Draw frames into columns of panels, with the colours that suit every frame."""
    norm = limits([frame.panels[0] for frame in every])
    for column, frame in zip(rows.T, shown, strict=True):
        for number, (axes, panel) in enumerate(zip(column, frame.panels, strict=True)):
            draw_map(axes, panel, norm, "" if number else frame.name)
    explain(
        figure, rows if rows.shape[1] > 1 else rows[:, 0], shown[0].panels[0].layers, norm, units
    )


def film(found: list[Frame], units: Units, words: str, path: Path) -> None:
    """Write all frames as an animated GIF."""
    figure, rows = layout([found[0].panels], 4.2, units, words)
    draw_frames(figure, rows, found[:1], found, units)
    for _ in range(2):  # labels make room for themselves in the second round
        figure.draw_without_rendering()
    figure.set_layout_engine("none")  # every frame in one place
    views, norm = rows[:, 0], limits([frame.panels[0] for frame in found])
    pictures = []
    for frame in found:
        for axes, panel in zip(views, frame.panels, strict=True):
            axes.images[0].set_data(coloured(panel, norm))
        views[0].texts[0].set_text(frame.name)
        figure.canvas.draw()
        picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
        # Dots in place of steps where 256 colours are too few.
        dots = Image.Dither.FLOYDSTEINBERG
        pictures.append(picture.quantize(palette=picture.quantize(256), dither=dots))
    look = {"save_all": True, "duration": 1000 // PER_SECOND, "loop": 0}
    pictures[0].save(path, append_images=pictures[1:], **look)


def table(found: list[Frame]) -> pd.DataFrame:
    """Tabulate all frames as `analysis.figures.map.tabulate` does, with ``time``."""
    tables = [tabulate(frame.panels).assign(time=frame.time) for frame in found]
    return pd.concat(tables, ignore_index=True)


def caption(found: list[Frame], first: Snapshot, scene: Scene, made: str) -> str:
    """Describe the small multiples and the film."""
    layers = found[0].panels[0].layers
    count = sum(len(first.components[name]) for layer in layers for name in layer.components)
    return (
        f"{subject(first.models, first.file)}: surface density of {in_words(layers)}, seen along "
        f"{' and '.join(scene.sides)}; {len(found)} frames from {found[0].name} to "
        f"{found[-1].name}. The figure shows some of them, the GIF all. In every frame coordinates "
        f"are relative to {centre_in_words(first, scene.centre)}, and the box is "
        f"{box_in_words(found[0].panels[0].field, first.units)} wide. N = "
        f"{power_of_two(len(first.joined()))} particles, {count} of them shown. Mass is spread "
        f"over Gaussians that are just wide enough for {layers[0].neighbours} particles. "
        f"{'Colours of all add up. ' if len(layers) > 1 else ''}{made}"
    )


def draw_states(
    paths: Sequence[Path],
    scene: Scene,
    times: Sequence[float],
    stem: Path,
    model: str | None = None,
) -> None:
    """Draw the states of a run; the still figure shows those nearest to some times, if given."""
    first = read_snapshot(paths[0])
    require_file_of_model(first.models, model, str(paths[0]))
    box = box_of(map(read_snapshot, paths), scene)
    found = frames(map(read_snapshot, paths), scene, box)
    words = below(first, scene)
    if times:
        by_path = dict(zip(paths, found, strict=True))
        still = [by_path[path] for path in dict.fromkeys(states_at(paths, times))]
    else:
        still = some_of(found)
    text = caption(found, first, scene, written_by(paths[-1]))
    save(draw(still, first.units, words), table(found), text, stem)
    film(found, first.units, words, stem.with_name(f"{stem.name}.gif"))


def make(study: Study, where: Where, stem: Path, time: object = (), **options: object) -> None:
    """Draw the frames of a run."""
    times = [float(one) for one in listed(time)] if time != () else []
    draw_states(study.states(where), Scene.of(**options), times, stem)


def run() -> None:
    """Draw snapshots."""
    parser = figure_parser("movie", __doc__)
    told = "snapshots, or the folder of a run"
    parser.add_argument("--snapshots", type=Path, nargs="+", required=True, help=told)
    told = "states of the still figure, those nearest to these times; Myr, or of the model"
    parser.add_argument("--time", type=float, nargs="+", default=[], help=told)
    add_scene(parser)
    add_model(parser)
    given = parsed(parser)
    paths = sorted(states_in(given.snapshots), key=time_of)
    if len(paths) < 2:
        raise DataError(f"{paths[0]}: is one snapshot; a film needs several, or use figures.map")
    draw_states(paths, scene_of(given), given.time, given.stem, given.model)


if __name__ == "__main__":
    main(run)
