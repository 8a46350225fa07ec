"""What the command lines of figures share: each figure can be drawn alone."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from analysis.errors import Parser, main
from analysis.figures.common import use_style
from analysis.reading.files import read_attributes, units_of
from analysis.reading.origin import MODEL_HELP
from analysis.reading.scene import COLOURS, Scene, nearest
from analysis.study.parameters import wanted
from analysis.study.tables import Study

CENTRE = (
    "origin, mass (the centre of mass of all particles), a component or galaxy (its densest "
    "point), or X,Y,Z; default: mass"
)


def figure_parser(kind: str, doc: str, output: str = "--stem") -> Parser:
    """Make the command line of a kind of figure, whose description is the module's."""
    about = doc.partition("\npython -m")[0].partition("\nUsage")[0]
    parser = Parser(prog=f"python -m analysis.figures.{kind}", description=about)
    parser.add_argument(output, type=Path, required=True, help="output path without suffix")
    return parser


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the model that particles must be of."""
    parser.add_argument("--model", help=MODEL_HELP)


def add_scene(parser: argparse.ArgumentParser) -> None:
    """Add what part of space is shown, and how."""
    parser.add_argument("--centre", default="mass", help=CENTRE)
    parser.add_argument("--width", help="of the box, kpc or of the model; default: what holds all")
    parser.add_argument("--sides", default="zy", help="lines of sight, of x, y, z; default: zy")
    parser.add_argument("--colour", choices=COLOURS, help="what colours tell apart")


def scene_of(given: argparse.Namespace) -> Scene:
    """Read the options of `add_scene`."""
    return Scene.of(given.centre, given.width, given.sides, given.colour)


def add_where(parser: argparse.ArgumentParser) -> None:
    """Add conditions on the rows of tables."""
    told = "rows to draw: COLUMN=VALUE, COLUMN=VALUE,VALUE or COLUMN=LEAST..MOST; may be repeated"
    parser.add_argument("--where", type=condition, action="append", default=[], help=told)


def condition(text: str) -> tuple[str, object]:
    """Read a condition such as ``step=block``, ``accuracy=2^-7,2^-9`` or ``eta=0.1..0.5``."""
    name, equals, values = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text}: write COLUMN=VALUE")
    return name, wanted(values if ".." in values else values.split(","))


def parsed(parser: Parser) -> argparse.Namespace:
    """Read a command line and select the style of figures."""
    given = parser.parse_args()
    use_style()
    return given


def of_study(kind: str, doc: str, make: Callable[..., None]) -> None:
    """Be the command that draws a figure of a kind from the tables of a study."""

    def run() -> None:
        parser = figure_parser(kind, doc, "--output")
        parser.add_argument("study", type=Path, help="folder of the tables, results/STUDY")
        add_where(parser)
        given = parsed(parser)
        make(Study(given.study), dict(given.where), given.output)

    main(run)


def states_at(paths: Sequence[Path], times: Sequence[float]) -> list[Path]:
    """Choose the snapshots that are nearest to times, Myr or in units of the model."""
    known = {path: time_of(path) for path in paths}
    return [nearest(known, time) for time in times]


def time_of(path: Path) -> float:
    """Read the time of a snapshot, Myr or in units of the model."""
    time, units = float(read_attributes(path, "Header").get("Time", 0.0)), units_of(path)
    return time / units.myr if units.physical else time
