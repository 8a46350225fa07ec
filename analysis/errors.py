"""Force errors against direct summation.

python -m analysis.errors --sample NAME --reference REF.h5 --output ERRORS.csv FORCE.h5...
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.cli import main
from analysis.files import PROVENANCE, DataError, Forces, pick, read_forces
from analysis.sweep import Setting

PERCENTILES = (50, 90, 99)
STAGES = ("keys", "sort", "build", "groups", "moments", "walk")


def match_ids(reference: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Find the reference particles among others.

    Parameters
    ----------
    reference
        IDs to look for, shape (M,).
    ids
        IDs to look among, in any order, shape (N,), N >= M.

    Returns
    -------
    numpy.ndarray
        Indices into `ids`, shape (M,), such that ``ids[indices] == reference``.

    Raises
    ------
    DataError
        If an ID occurs twice on one side, or a reference particle is missing in `ids`.
    """
    for name, values in (("reference", reference), ("force file", ids)):
        unique, counts = np.unique(values, return_counts=True)
        if len(unique) != len(values):
            raise DataError(f"particle ID {unique[counts > 1][0]} occurs twice in the {name}")
    order = np.argsort(ids, kind="stable")
    slots = np.searchsorted(ids[order], reference)
    found = slots < len(ids)
    found[found] = ids[order[slots[found]]] == reference[found]
    if not found.all():
        raise DataError(
            f"{np.count_nonzero(~found)} of {len(reference)} reference particles are missing, "
            f"the first is ID {reference[np.argmin(found)]}; both files must come from one input"
        )
    return order[slots]


def relative_errors(reference: Forces, forces: Forces) -> np.ndarray:
    """Relative error of the acceleration vector, abs(a - a_direct) / abs(a_direct).

    The measure of Miki & Umemura (2017), section 4.2, for the particles of the reference.

    Returns
    -------
    numpy.ndarray
        Errors in the order of `reference`, shape (M,).

    Raises
    ------
    DataError
        If the IDs do not match or a reference acceleration vanishes.
    """
    acceleration = forces.acceleration[match_ids(reference.ids, forces.ids)]
    norm = np.linalg.norm(reference.acceleration, axis=1)
    if not norm.all():
        raise DataError(f"the reference force on particle {reference.ids[np.argmin(norm)]} is zero")
    return np.linalg.norm(acceleration - reference.acceleration, axis=1) / norm


def summarise(errors: np.ndarray) -> dict[str, float]:
    """Percentiles and maximum of errors, as ``error_50 ... error_99, error_max``."""
    summary = {f"error_{p}": float(np.percentile(errors, p)) for p in PERCENTILES}
    return summary | {"error_max": float(errors.max())}


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
        forces = read_forces(path)
        try:
            summary = summarise(relative_errors(exact, forces))
        except DataError as error:
            raise DataError(f"{path} against {reference}: {error}") from error
        timing = pick(path, "Timing", (*STAGES, "interactions", "threads"))
        rows.append(
            {
                "sample": sample,
                "criterion": setting.criterion,
                "accuracy": setting.accuracy,
                "particles": len(forces.ids),
                "compared": len(exact.ids),
                **summary,
                "force_s": sum(float(timing[stage]) for stage in STAGES),
                "walk_s": timing["walk"],
                "interactions": timing["interactions"],
                "threads": timing["threads"],
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
