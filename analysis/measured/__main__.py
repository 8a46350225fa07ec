"""Keep the tables of a finished study, so that its figures can be drawn anywhere.

python -m analysis.measured --study results/STUDY --device-name DEVICE
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from analysis.cli import main
from analysis.files import PROVENANCE, DataError
from analysis.sweep import model_of

# Tables that a study must have; others are kept if they are there.
TABLES = {"errors": "*/errors.csv", "timings": "*/timings.csv", "scaling": "scaling_*.csv"}
NOT_KEPT = ("check_",)  # tables of models, which are not measured


def find_tables(study: Path) -> dict[str, Path]:
    """Find the tables of a study and name them, ``errors_MODEL`` and so on.

    Errors and timings are needed for every model; one model suffices for the scaling. Every other
    table in the folder of the study keeps its name, and one in the folder of a sample gets that of
    its model.

    Raises
    ------
    DataError
        If one is missing, there are two of a kind, the provenance of one is incomplete, one is of
        several models, or they come from several devices.
    """
    found: dict[str, Path] = {}
    devices = set()
    for kind, pattern in TABLES.items():
        for path in sorted(study.glob(pattern)):
            table = read_measured(path)
            devices |= set(table["device"])
            name = f"{kind}_{only(path, 'models', map(model_of, table['sample']))}"
            if name in found:
                raise DataError(f"{path}: several files of one model, {found[name]} too; keep one")
            found[name] = path
        if not any(name.startswith(kind) for name in found):
            raise DataError(f"{study / pattern}: no such file; run snakemake first")
    for name in found:
        kind, _, model = name.partition("_")
        for partner in {"errors", "timings"} - {kind}:
            if f"{partner}_{model}" not in found:
                raise DataError(f"{study}: no {partner}.csv of model {model}; run snakemake first")
    for path in sorted([*study.glob("*.csv"), *study.glob("*/*.csv")]):
        if path in found.values() or path.name.startswith(NOT_KEPT):
            continue
        name = path.stem if path.parent == study else f"{path.stem}_{model_of(path.parent.name)}"
        if name in found:
            raise DataError(f"{path}: several files of one model, {found[name]} too; keep one")
        table = pd.read_csv(path)
        if "device" not in table:
            raise DataError(f"{path}: device is missing; run snakemake to make it again")
        devices |= set(table["device"])
        found[name] = path
    only(study, "devices", devices)
    return found


def read_measured(path: Path) -> pd.DataFrame:
    """Read a table whose rows must tell their sample and provenance."""
    table = pd.read_csv(path)
    for column in ("sample", *PROVENANCE):
        if column not in table or table[column].isna().any():
            raise DataError(f"{path}: {column} is missing; run snakemake to make it again")
    return table


def only(path: Path, name: str, values: Iterable[str]) -> str:
    """Return the only one of some values."""
    distinct = sorted(set(values))
    if len(distinct) != 1:
        raise DataError(f"{path}: of different {name}, {'; '.join(distinct)}; keep those of one")
    return distinct[0]


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
    folder = given.folder / given.device_name
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in tables.items():
        shutil.copyfile(path, folder / f"{name}.csv")


if __name__ == "__main__":
    main(run)
