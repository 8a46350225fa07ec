"""Keep the tables of a finished study in DEVICE/STUDY, so that its figures can be drawn anywhere.

python -m analysis.measured --study results/STUDY --device-name DEVICE
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from analysis.errors import DataError, main
from analysis.reading.csv_tables import read_table, write_table
from analysis.study.figure_kinds import KINDS
from analysis.study.runs import description

TABLES = ("runs", "steps", "drift")  # beside those of benches
DRAWN = (*TABLES, "benches")  # sources of figures that need tables alone


def tables_of(study: Path) -> list[Path]:
    """List the tables of a study.

    Raises
    ------
    DataError
        If there is no table, or none of the runs, or one does not tell what made it, is of several
        devices or of sources that were not committed.
    """
    found = [path for name in TABLES if (path := study / f"{name}.csv").exists()]
    found += sorted(study.glob("bench_*.csv"))
    if not found or (description(study)["runs"] and study / "runs.csv" not in found):
        raise DataError(f"{study / 'runs.csv'}: no such file; run snakemake first")
    devices = set()
    for path in found:
        table = read_table(path)
        for column in ("device_name", "revision", "compiler"):
            if column not in table or table[column].isna().any():
                raise DataError(f"{path}: {column} is missing; run snakemake to make it again")
        if (changed := table["revision"].str.endswith("-dirty")).any():
            revision = table["revision"][changed].iloc[0]
            raise DataError(f"{path}: {revision} had changes; commit, build and measure again")
        devices |= set(table["device_name"])
    if len(devices) != 1:
        names = "; ".join(sorted(devices))
        raise DataError(f"{study}: of several devices, {names}; make a study for each")
    return found


def run() -> None:
    """Copy the tables of a study to the folder DEVICE/STUDY, in place of those that are there."""
    parser = argparse.ArgumentParser(prog="python -m analysis.measured", description=__doc__)
    parser.add_argument("--study", type=Path, required=True, help="folder of a finished study")
    parser.add_argument("--device-name", required=True, help="name of a folder, e.g. h200")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(__file__).parent,
        help="where that folder is made (default: beside this module)",
    )
    given = parser.parse_args()
    if not re.fullmatch(r"[A-Za-z0-9_-]+", given.device_name):
        raise DataError(f"{given.device_name}: a device name is letters, digits, _ and -")
    tables, told = tables_of(given.study), description(given.study)
    figures = [
        {key: value for key, value in figure.items() if key != "overlay"}  # of files elsewhere
        for figure in told["figures"]
        if KINDS[figure["kind"]].source in DRAWN
    ]
    folder = given.folder / given.device_name / given.study.resolve().name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.csv"):
        old.unlink()
    for path in tables:
        write_table(read_table(path), folder / path.name, told["study"])
    kept = {"study": told["study"], "runs": [], "figures": figures}
    (folder / "study.json").write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main(run)
