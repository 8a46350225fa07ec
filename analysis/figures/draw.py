"""Draw the figures of a study from its tables.

python -m analysis.figures.draw results/STUDY --output FOLDER [--group runs|benches|particles]
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

import matplotlib.pyplot as plt

from analysis.errors import DataError, main
from analysis.figures.common import use_style
from analysis.study.figure_kinds import KINDS
from analysis.study.tables import Study


def draw(study: Study, group: str | None, folder: Path) -> int:
    """Draw the figures of a group, all of them even if one fails, and return the exit status."""
    status = 0
    for figure in study.figures:
        if group not in (None, KINDS[figure["kind"]].group):
            continue
        module = importlib.import_module(f"analysis.figures.{figure['kind']}")
        options = {name: figure[name] for name in ("x", "y", "colour") if name in figure}
        try:
            module.make(study, figure["where"], folder / figure["name"], **options)
        except DataError as error:
            print(f"{figure['name']}: {error}", file=sys.stderr)
            status = 2
        plt.close("all")
    return status


def run() -> None:
    """Draw the figures of a study."""
    parser = argparse.ArgumentParser(prog="python -m analysis.figures.draw", description=__doc__)
    parser.add_argument("study", type=Path, help="folder of the tables")
    parser.add_argument("--output", type=Path, required=True, help="folder of the figures")
    parser.add_argument("--group", choices=sorted({kind.group for kind in KINDS.values()}))
    given = parser.parse_args()
    use_style()
    sys.exit(draw(Study(given.study), given.group, given.output))


if __name__ == "__main__":
    main(run)
