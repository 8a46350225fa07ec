"""Keep the tables of a finished study in DEVICE/STUDY, so that its figures can be drawn anywhere.

python -m analysis.measured --study results/STUDY --device-name DEVICE

A part of a study joins the parts that are there, if the same revision made them on the same device.
Other tables of the study on that device go.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import pandas as pd

from analysis.errors import DataError, main
from analysis.reading.csv_tables import head_of_table, read_table, write_table
from analysis.study.figure_kinds import KINDS, Figure
from analysis.study.runs import description, in_order, parameters_in
from analysis.study.tables import Study

TABLES = ("runs", "steps", "drift")  # beside those of benches
DRAWN = (*TABLES, "benches")  # sources of figures that need tables alone
MADE_ALIKE = ("device_name", "revision", "compiler")  # what the parts of a study have in common
FOLDERS = r"(?<!\S)/\S*/"  # of absolute paths in a command line


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
        for column in MADE_ALIKE:
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


def without_folders(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out of command lines where files lay on the machine that measured."""
    if "command_line" not in table:
        return table
    return table.assign(command_line=table["command_line"].str.replace(FOLDERS, "", regex=True))


def joined(part: pd.DataFrame, path: Path, study: str) -> pd.DataFrame:
    """Add the rows of another part of a study, from a table that is kept, to those of this part.

    Rows of the same runs go, and so do rows that do not tell their run.
    """
    kept = kept_beside(part, path, study)
    if kept is None or "path" not in part:
        return part
    whole = pd.concat([kept[~kept["path"].isin(part["path"])], part], ignore_index=True)
    parameters = [name for table in (kept, part) for name in parameters_in(table)]
    whole = whole[list(dict.fromkeys([*parameters, *whole]))]
    return in_order(whole) if path.stem == "runs" else whole


def kept_beside(part: pd.DataFrame, path: Path, study: str) -> pd.DataFrame | None:
    """Read a table that is kept, if it is of the same study and was made like this part of it."""
    if not path.exists() or head_of_table(path).get("study") != study:
        return None
    kept = read_table(path)
    alike = all({*kept[name]} == {*part[name]} for name in MADE_ALIKE)
    return kept if alike else None


def is_drawable(figure: Figure, study: Study) -> bool:
    """Whether the tables of a study, or of a part of it, have what a figure is drawn of."""
    kind = KINDS[figure["kind"]]
    if kind.source not in DRAWN:
        return False
    needed = [f"bench_{word}" for word in kind.words]
    needed += [kind.source] if kind.source in TABLES else []
    if not all(map(study.has, needed)):
        return False
    try:
        return not kind.of_runs or not study.runs(figure["where"]).empty
    except DataError:  # names a column that this part has not
        return False


def run() -> None:
    """Copy the tables of a study to the folder DEVICE/STUDY."""
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
    folder = given.folder / given.device_name / given.study.resolve().name
    folder.mkdir(parents=True, exist_ok=True)
    found = {path.name: without_folders(read_table(path)) for path in tables}
    first = next(iter(found.values()))
    for old in folder.glob("*.csv"):
        if old.name not in found and kept_beside(first, old, told["study"]) is None:
            old.unlink()
    for name, table in found.items():
        whole = joined(table, folder / name, told["study"])
        write_table(whole, folder / name, told["study"])
    figures = [
        {key: value for key, value in figure.items() if key != "overlay"}  # of files elsewhere
        for figure in told["figures"]
        if is_drawable(figure, Study(folder))
    ]
    kept = {"study": told["study"], "runs": [], "figures": figures}
    (folder / "study.json").write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main(run)
