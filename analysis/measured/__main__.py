"""Keep the tables of a finished study, so that its figures can be drawn anywhere.

python -m analysis.measured --study results/STUDY --device-name DEVICE
"""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

import pandas as pd

from analysis.cli import main
from analysis.files import PROVENANCE, DataError
from analysis.sweep import model_of

TABLES = {"errors": "*/errors.csv", "timings": "*/timings.csv", "scaling": "scaling.csv"}


def find_tables(study: Path) -> dict[str, Path]:
    """Find the tables of a study.

    Raises
    ------
    DataError
        If one is missing, or there are two of a kind.
    """
    found = {}
    for table, pattern in TABLES.items():
        paths = sorted(study.glob(pattern))
        if len(paths) != 1:
            problem = "several files, keep one" if paths else "no such file; run snakemake first"
            raise DataError(f"{study / pattern}: {problem}")
        found[table] = paths[0]
    return found


def common_model(tables: dict[str, Path]) -> str:
    """Name the model of all tables.

    Raises
    ------
    DataError
        If their provenance is incomplete, or they come from several devices or models.
    """
    models, devices = set(), set()
    for path in tables.values():
        table = pd.read_csv(path)
        for column in ("sample", *PROVENANCE):
            if column not in table or table[column].isna().any():
                raise DataError(f"{path}: {column} is missing; run snakemake to make it again")
        models |= {model_of(sample) for sample in table["sample"]}
        devices |= set(table["device"])
    for name, values in (("devices", devices), ("models", models)):
        if len(values) != 1:
            raise DataError(
                f"{tables['errors'].parents[1]}: tables of different {name}, "
                f"{'; '.join(sorted(values))}; keep those of one"
            )
    return models.pop()


def run() -> None:
    """Copy the tables of a study to the folder of a device."""
    parser = argparse.ArgumentParser(prog="python -m analysis.measured", description=__doc__)
    parser.add_argument("--study", type=Path, required=True, help="folder of a finished study")
    parser.add_argument("--device-name", required=True, help="name of the new folder, e.g. h200")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(__file__).parent,
        help="where that folder is made (default: beside this module)",
    )
    given = parser.parse_args()
    if not re.fullmatch(r"[A-Za-z0-9_-]+", given.device_name):
        raise DataError(f"{given.device_name}: a device name is letters, digits, _ and -")
    tables = find_tables(given.study)
    model = common_model(tables)
    folder = given.folder / given.device_name
    folder.mkdir(parents=True, exist_ok=True)
    for table, path in tables.items():
        shutil.copyfile(path, folder / f"{table}_{model}.csv")


if __name__ == "__main__":
    main(run)
