"""Figures of a study that could not be drawn.

python -m analysis.study.failures results/STUDY

names them, with exit status 2 if there are any. Whoever draws a group of figures writes the file
figures_of_GROUP.json into the folder of the study: names of figures, and why they have failed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from analysis.errors import DataError, main

FILE = "figures_of_{}.json"


def failures_of(study: Path) -> dict[str, str]:
    """Tell by the names of figures why they have failed."""
    found = [json.loads(path.read_text()) for path in sorted(study.glob(FILE.format("*")))]
    return {name: problem for failures in found for name, problem in failures.items()}


def run() -> None:
    """Name the figures that have failed."""
    parser = argparse.ArgumentParser(prog="python -m analysis.study.failures", description=__doc__)
    parser.add_argument("study", type=Path, help="folder of the study, results/STUDY")
    failures = failures_of(parser.parse_args().study)
    if failures:
        raise DataError("\n".join(f"{name}: {problem}" for name, problem in failures.items()))


if __name__ == "__main__":
    main(run)
