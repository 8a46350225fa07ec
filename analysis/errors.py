"""Table of force errors against direct summation.

python -m analysis.errors --sample NAME --reference REF.h5 --output ERRORS.csv FORCE.h5...
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from analysis.accuracy import summarise_forces
from analysis.cli import main
from analysis.files import PROVENANCE, pick, read_forces
from analysis.sweep import Setting


def error_table(sample: str, reference: Path, files: list[Path]) -> pd.DataFrame:
    """Tabulate errors and the timers of one force evaluation, one row per file.

    Parameters
    ----------
    sample
        Name of the particle distribution, copied to the first column.
    reference
        File of ``gothic direct``.
    files
        Files of ``gothic force``, named after their settings.
    """
    exact = read_forces(reference)
    rows = []
    for path in files:
        setting = Setting.from_label(path.stem)
        rows.append(
            {
                "sample": sample,
                "criterion": setting.criterion,
                "accuracy": setting.accuracy,
                **summarise_forces(reference, exact, path),
                **pick(path, "Provenance", PROVENANCE),
            }
        )
    return pd.DataFrame(rows)


def run() -> None:
    """Write the table of force errors."""
    parser = argparse.ArgumentParser(prog="python -m analysis.errors", description=__doc__)
    parser.add_argument("--sample", required=True, help="name for the first column")
    parser.add_argument("--reference", type=Path, required=True, help="file of gothic direct")
    parser.add_argument("--output", type=Path, required=True, help="CSV file to write")
    parser.add_argument("files", type=Path, nargs="+", help="files of gothic force")
    given = parser.parse_args()
    table = error_table(given.sample, given.reference, given.files)
    table.to_csv(given.output, index=False)


if __name__ == "__main__":
    main(run)
