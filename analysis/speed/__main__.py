"""Tells whether the working tree is slower than a revision.

python -m analysis.speed --base REVISION [--pairs N] [--device DEVICE]

Exit status: 0 if nothing became slower, 1 if something did, 2 if that could not be measured.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

import numpy as np

from analysis.checks.builds import COUNTED, TIMED, build_revision, build_working_tree, commit_of
from analysis.cli import main
from analysis.files import DataError
from analysis.speed.history import HISTORY
from analysis.speed.instructions import count_all
from analysis.speed.judge import judge
from analysis.speed.problems import problems_for
from analysis.speed.record import PAIRS, check_pairs, record, save_record


def compare(base: str, pairs: int, device: str) -> str:
    """Build, measure and judge; returns the verdict."""
    print(f"speed: building {base[:12]} and the working tree in build-speed/", flush=True)
    builds = {"base": build_revision(base, TIMED), "new": build_working_tree(TIMED)}
    print(f"speed: measuring {pairs} pairs", flush=True)
    raw, facts = record(builds, problems_for(device), device, pairs, np.random.default_rng())
    revisions = [program["revision"] for program in facts["programs"].values()]
    folder = Path("results/speed") / "_".join(revisions)
    save_record(raw, facts, folder)
    count_instructions(base, folder / "instructions.csv")
    return judge(folder, HISTORY)


def count_instructions(base: str, path: Path) -> None:
    """Count the instructions of builds that valgrind can run, if it is there."""
    path.unlink(missing_ok=True)
    if shutil.which("valgrind") is None:
        print("speed: there is no valgrind, so instructions are not counted")
        return
    print("speed: counting instructions", flush=True)
    try:
        builds = {"base": build_revision(base, COUNTED), "new": build_working_tree(COUNTED)}
        count_all(builds).to_csv(path, index=False)
    except DataError as error:  # seconds decide
        print(f"speed: instructions are not counted: {error}")


def run() -> None:
    """Compare the working tree with a revision."""
    parser = argparse.ArgumentParser(prog="python -m analysis.speed", description=__doc__)
    parser.add_argument("--base", required=True, help="revision to compare with")
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"default: {PAIRS}")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N (default: cpu)")
    given = parser.parse_args()
    check_pairs(given.pairs)
    if compare(commit_of(given.base), given.pairs, given.device) == "slower":
        sys.exit(1)


if __name__ == "__main__":
    main(run)
