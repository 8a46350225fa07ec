"""Add the forces of any code to a table of points, to be laid over a plot of ours.

python -m analysis.examples.compare --input ic.h5 --reference direct.h5 --accelerations theirs.npy \
    --seconds 0.31 0.30 0.33 --label "A code" --output points.csv

Accelerations are an array of shape (N, 3) in the order of the IDs, in the units of the input and
with its G; or, of as many rows as the reference, of its particles. docs/compare.md tells how to
compare fairly.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.errors import DataError, Parser, keep_files, main
from analysis.reading.files import package, read_forces
from analysis.study.run_row import relative_errors, summarise


def read_array(path: Path, dataset: str) -> NDArray[np.float64]:
    """Read accelerations of shape (N, 3) of a file of NumPy, HDF5 or text.

    Raises
    ------
    DataError
        If there are none, or some are not finite.
    """
    try:
        if path.suffix == ".npy":
            array = np.load(path)
        elif path.suffix in (".h5", ".hdf5"):
            with h5py.File(path) as file:
                array = file[dataset][()]
        else:
            array = np.loadtxt(path, delimiter="," if path.suffix == ".csv" else None)
        array = np.asarray(array, dtype=np.float64)
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path}: accelerations cannot be read ({error}); correct it") from error
    if array.ndim != 2 or array.shape[1] != 3:
        raise DataError(f"{path}: has the shape {array.shape}; accelerations have (N, 3)")
    if not np.isfinite(array).all():
        raise DataError(f"{path}: an acceleration is not finite; correct it")
    return array


def point(
    label: str,
    start: Path,
    reference: Path,
    accelerations: Path,
    seconds: list[float],
    dataset: str,
) -> dict[str, float | int | str]:
    """Compare accelerations with direct sums, and write a row of the table.

    Parameters
    ----------
    start
        The particles, of which the file of ``gothic direct``, ``reference``, has some or all.
    seconds
        Of the repeats; the row has their median, least and greatest.

    Raises
    ------
    DataError
        If the files do not belong together.
    """
    exact, found = read_forces(reference), read_array(accelerations, dataset)
    with package() as gothic:
        ids = np.sort(gothic.read(start).ids)
        if len(found) == len(exact.ids):
            ids = np.sort(exact.ids)
        if len(found) != len(ids):
            raise DataError(
                f"{accelerations}: has {len(found)} rows; give one for each of the {len(ids)} "
                f"particles of {start}, in the order of the IDs, or of those of {reference}"
            )
        forces = gothic.Forces(found, np.zeros(len(found)), {}, label, ids=ids)
    errors = summarise(relative_errors(exact, forces))
    times = {"seconds": np.median(seconds), "least_s": min(seconds), "greatest_s": max(seconds)}
    counts = {"repeats": len(seconds), "compared": len(exact.ids)}
    return {"label": label, **errors, **times, **counts}


def add(row: dict[str, float | int | str], path: Path) -> None:
    """Add a row to a CSV file, which is made if it is missing."""
    rows = pd.DataFrame([row])
    if path.exists():
        rows = pd.concat([pd.read_csv(path), rows], ignore_index=True)
    rows.to_csv(path, index=False)


def seconds_of(text: str) -> float:
    """Read a number of seconds."""
    value = float(text)
    if not 0 < value < np.inf:
        raise argparse.ArgumentTypeError(f"{text} is no time above 0")
    return value


def run() -> None:
    """Add a point."""
    about = (__doc__ or "").partition("\npython -m")[0]
    parser = Parser(prog="python -m analysis.examples.compare", description=about)
    parser.add_argument("--input", type=Path, required=True, help="the particles, a snapshot")
    parser.add_argument("--reference", type=Path, required=True, help="a file of gothic direct")
    parser.add_argument("--accelerations", type=Path, required=True, help=".npy, .h5, or text")
    parser.add_argument("--dataset", default="Acceleration", help="of HDF5 (default: Acceleration)")
    parser.add_argument(
        "--seconds", type=seconds_of, nargs="+", required=True, help="of all repeats"
    )
    parser.add_argument("--label", required=True, help="name of the code and its settings")
    parser.add_argument("--output", type=Path, required=True, help="CSV file that gets the row")
    given = parser.parse_args()
    files = (given.input, given.reference, given.accelerations)
    keep_files(files, [given.output])
    row = point(given.label, *files, given.seconds, given.dataset)
    add(row, given.output)
    print(
        f"{given.label}: 99 % error {row['error_99']:.3g}, median {row['error_50']:.3g}, "
        f"{row['seconds']:.3g} s"
    )


if __name__ == "__main__":
    main(run)
