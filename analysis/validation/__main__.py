"""Compare the programs with closed forms and direct sums.

python -m analysis.validation --programs build/bin --output docs/validation

writes docs/validation.csv and docs/validation.md; the exit status is 1 if a row is out of bounds.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from analysis.cli import main
from analysis.programs import Programs
from analysis.validation import forces, motion
from analysis.validation.page import page
from analysis.validation.row import tabulate

PARTS = (
    forces.pair,
    forces.independent_sum,
    forces.spheres,
    forces.tree,
    motion.kepler,
    motion.order,
    motion.equilibrium,
    motion.repeatable,
)


def run() -> None:
    """Measure everything and write the table."""
    parser = argparse.ArgumentParser(prog="python -m analysis.validation", description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="folder of the programs")
    parser.add_argument("--output", type=Path, required=True, help="output path without suffix")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        programs = Programs(given.programs, Path(folder))
        rows = [row for part in PARTS for row in part(programs)]
        table = tabulate(rows, forces.facts(programs))
    table.to_csv(given.output.with_suffix(".csv"), index=False)
    given.output.with_suffix(".md").write_text(page(table))
    failed = table[~table["passed"]]
    for row in failed.itertuples():
        print(f"{row.quantity}: {row.measured:.3g}, bound {row.bound:.3g}", file=sys.stderr)
    print(f"{len(table)} numbers, {len(failed)} out of bounds")
    sys.exit(int(len(failed) > 0))


if __name__ == "__main__":
    main(run)
