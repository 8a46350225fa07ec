"""Draw the figures of a study from its tables.

python -m analysis.figures.draw results/STUDY --output FOLDER
    [--group runs|benches|particles --figure NAME --failures FILE]

A figure that fails stops no other. Its files are removed, and the last line tells why; with a file
of failures, which pages show, the command ends well.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import traceback
from collections.abc import Collection
from pathlib import Path

import matplotlib.pyplot as plt

from analysis.errors import DataError, main
from analysis.figures.common import use_style
from analysis.study.figure_kinds import KINDS, Figure
from analysis.study.tables import Study

COMMON = ("kind", "name", "where")  # of all figures; a kind may have further options


def draw(
    study: Study, group: str | None, folder: Path, names: Collection[str] = ()
) -> dict[str, str]:
    """Draw figures, all of them even if one fails, and tell why some have failed.

    Parameters
    ----------
    group
        Group of the figures; None for all.
    names
        Their names; empty for all. A `DataError` if the study has no figure of a name.
    """
    if unknown := set(names) - {figure["name"] for figure in study.figures}:
        known = ", ".join(figure["name"] for figure in study.figures)
        raise DataError(f"{min(unknown)}: there is no such figure; there are {known}")
    failures = {}
    for figure in study.figures:
        chosen = group in (None, KINDS[figure["kind"]].group) and figure["name"] in (
            names or (figure["name"],)
        )
        if chosen and (problem := failure(study, figure, folder)):
            failures[figure["name"]] = problem
            print(f"{figure['name']}: {problem}", file=sys.stderr)
        plt.close("all")
    return failures


def failure(study: Study, figure: Figure, folder: Path) -> str:
    """Draw a figure, or say why that fails and remove its files."""
    stem = folder / figure["name"]
    options = {name: value for name, value in figure.items() if name not in COMMON}
    try:
        module = importlib.import_module(f"analysis.figures.{figure['kind']}")
        module.make(study, figure["where"], stem, **options)
    except DataError as error:
        problem = str(error)
    except Exception as error:  # of a library, about data that nobody has foreseen
        traceback.print_exc()
        problem = f"{type(error).__name__}: {error}"
    else:
        return ""
    for suffix in KINDS[figure["kind"]].files:
        stem.with_name(f"{stem.name}.{suffix}").unlink(missing_ok=True)
    return problem


def run() -> None:
    """Draw the figures of a study."""
    parser = argparse.ArgumentParser(prog="python -m analysis.figures.draw", description=__doc__)
    parser.add_argument("study", type=Path, help="folder of the tables")
    parser.add_argument("--output", type=Path, required=True, help="folder of the figures")
    parser.add_argument("--group", choices=sorted({kind.group for kind in KINDS.values()}))
    told = "name of a figure to draw; may be repeated (default: all)"
    parser.add_argument("--figure", action="append", default=[], help=told)
    parser.add_argument("--failures", type=Path, help="JSON file to write: why figures have failed")
    given = parser.parse_args()
    use_style()
    failures = draw(Study(given.study), given.group, given.output, given.figure)
    if given.failures:
        given.failures.write_text(json.dumps(failures, indent=1) + "\n")
    elif failures:
        sys.exit(2)


if __name__ == "__main__":
    main(run)
