"""The table of a parameter study, and slices of it.

python -m analysis.study.runs results/STUDY

makes runs.parquet and runs.csv in that folder, of those runs that are done, and steps.csv and
drift.csv where figures of the study need them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.errors import DataError, main
from analysis.reading.csv_tables import read_table, write_table
from analysis.reading.origin import is_model_key
from analysis.study.drift_table import drift_table
from analysis.study.figure_kinds import KINDS
from analysis.study.parameters import MAIN, number, wanted
from analysis.study.run_row import COUNTS, FILES, MEASURED, TEXTS, is_measured
from analysis.study.schema import kind_of, run_defaults, run_rules
from analysis.study.step_table import steps_table
from analysis.study.words import as_numbers

FIRST = (*MAIN, "repeat")
TYPES = {"integer": "Int64", "flag": "bool"}


def table_of(rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Put the rows of runs into one table, sorted by their parameters.

    Parameters that a row leaves out have their default; keys of the model are left empty.
    """
    rows = list(rows)
    told = dict.fromkeys(name for row in rows for name in row)
    measured = [*MEASURED, *(name for name in told if is_measured(name) and name not in MEASURED)]
    known = [*run_rules(), *sorted(filter(is_model_key, told))]
    varied = [name for name in known if name in told and name not in (*FIRST, *measured)]
    return in_order(pd.DataFrame(rows, columns=[*FIRST, *varied, *FILES, *measured]))


def in_order(runs: pd.DataFrame) -> pd.DataFrame:
    """Sort runs by their parameters, of which those left out have their default."""
    parameters = list(runs.columns[: list(runs.columns).index("path")])
    return typed(runs).sort_values(parameters, kind="stable", ignore_index=True)


def typed(table: pd.DataFrame) -> pd.DataFrame:
    """Give the columns of a table of runs their types, and parameters left out their defaults."""
    defaults = {name: value for name, value in run_defaults().items() if name not in FIRST}
    table = table.fillna({name: value for name, value in defaults.items() if name in table})
    return table.astype({name: _kind(name, table[name]) for name in table})


def _kind(name: str, values: pd.Series) -> str:
    """Type of a column; counts may be missing where nothing was compared."""
    if name in (*COUNTS, "repeat"):
        return "Int64"
    if name in (*TEXTS, *FILES):
        return "str"
    if is_measured(name):
        return "float64"
    kind = "number" if is_model_key(name) else kind_of(name)
    if kind in ("number", "numbers"):  # or texts, such as 100Myr
        numbers = pd.api.types.is_numeric_dtype(values.dropna().infer_objects())
        return "float64" if numbers else "str"
    return TYPES.get(kind, "str")


def collect(study: Path) -> tuple[pd.DataFrame, int]:
    """Make the table of the runs of a study that are done, and count all of its runs."""
    runs = description(study)["runs"]
    paths = [path for run in runs if (path := study / "runs" / run / "run.json").exists()]
    if not paths:
        raise DataError(
            f"{study}: none of the {len(runs)} runs is done; run snakemake to make them"
        )
    return table_of(map(read_json, paths)), len(runs)


def description(study: Path) -> dict[str, Any]:
    """Read what a study consists of: its file, the paths of its ``runs`` and its ``figures``."""
    return read_json(study / "study.json")


def read_json(path: Path) -> dict[str, Any]:
    """Read a file of Snakemake's jobs; a `DataError` if it is missing or damaged."""
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise DataError(f"{path}: no such file; run snakemake to make it") from error
    except ValueError as error:
        raise DataError(f"{path}: {error}; delete it and run snakemake again") from error


def table_at(path: str | Path) -> Path:
    """Find the table of a study: the file, or in ``results/STUDY``, or by the study's name."""
    folders = (Path(path), Path("results") / path)
    places = [Path(path), *(folder / "runs.parquet" for folder in folders), folders[0] / "runs.csv"]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise DataError(f"{path}: no table of runs is there; make it with snakemake")
    return found


def load(path: str | Path) -> pd.DataFrame:
    """Read the table of a study: the file, or ``results/STUDY``, or just its name."""
    found = table_at(path)
    try:
        if found.suffix == ".csv":
            return typed(read_table(found))
        return pd.read_parquet(found)
    except (OSError, ValueError) as error:
        raise DataError(f"{found}: {error}; delete it and run snakemake again") from error


def parameters_in(runs: pd.DataFrame) -> list[str]:
    """Columns of a table that hold parameters: those before the path, without the repeat."""
    return [name for name in runs.columns[: list(runs.columns).index("path")] if name != "repeat"]


def select(runs: pd.DataFrame, **where: object) -> pd.DataFrame:
    """Select rows by their columns.

    Parameters
    ----------
    where
        For every column a value, a list of values, or a pair ``(least, most)`` as a tuple:
        ``select(runs, criterion="acceleration", particles=[4096, 8192], accuracy=(1e-3, 1e-1))``.
    """
    for name, value in where.items():
        column = runs[known(runs, name)]
        if isinstance(value, tuple):
            keep = ordered(runs, name).between(*value)
        elif pd.api.types.is_numeric_dtype(column):
            values = numbers(name, value)
            keep = np.isclose(column.to_numpy(float, na_value=np.nan)[:, None], values).any(axis=1)
        else:
            keep = column.map(number).isin(value if isinstance(value, list) else [value])
        runs = runs[keep]
    return runs


def ordered(runs: pd.DataFrame, name: str) -> pd.Series:
    """Read a column as numbers, of which there is a range; a `DataError` for a column of texts."""
    column = as_numbers(runs, name)
    if not pd.api.types.is_numeric_dtype(column):
        raise DataError(f"{name}: has texts, of which there is no range; give a list of values")
    return column


def numbers(name: str, value: object) -> np.ndarray:
    """Read the values that are asked of a column of numbers; a `DataError` for a text."""
    try:
        return np.atleast_1d(np.asarray(value, dtype=float))
    except ValueError as error:
        raise DataError(f"{name}: {value} is no number; choose others") from error


def known(runs: pd.DataFrame, name: str) -> str:
    """Return the name of a column that is there; a `DataError` if it is not."""
    if name not in runs:
        raise DataError(f"{name}: there is no such column; there are {', '.join(runs.columns)}")
    return name


def reduce_repeats(runs: pd.DataFrame, average: str | None = None) -> pd.DataFrame:
    """Reduce the repeats of each run to one row, and tell how many ``repeats`` there were.

    Numbers are medians and have companions ``_least`` and ``_greatest``; of texts the first is
    kept.

    Parameters
    ----------
    average
        A parameter, such as seed, in which the runs of a row may differ, too.
    """
    parameters = parameters_in(runs)
    if average:
        if average not in parameters:
            raise DataError(f"{average}: is no parameter of the runs; there are {parameters}")
        parameters.remove(average)
    measured = [name for name in runs if is_measured(name)]
    numbers = [name for name in measured if name not in TEXTS]
    texts = [name for name in TEXTS if name in runs]
    groups = runs.groupby(parameters, dropna=False)
    values = runs[parameters].join(runs[numbers].astype(float)).groupby(parameters, dropna=False)
    parts = [
        groups.size().rename("repeats"),
        values[numbers].median(),
        values[numbers].min().add_suffix("_least"),
        values[numbers].max().add_suffix("_greatest"),
        groups[texts].first(),
    ]
    keys = parts[0].index.to_frame(index=False)
    return pd.concat([keys, *(part.reset_index(drop=True) for part in parts)], axis=1)


def save(table: pd.DataFrame, study: Path) -> None:
    """Write a table as Parquet and CSV into the folder of its study."""
    for name, write in {"runs.parquet": table.to_parquet, "runs.csv": table.to_csv}.items():
        partial = study / f"{name}.partial"
        write(partial, index=False)
        partial.rename(study / name)


def shown(table: pd.DataFrame, study: Path, source: str) -> pd.DataFrame:
    """Select the runs that figures of some source show, if a part of a study has them."""
    found = [
        select(table, **{column: wanted(value) for column, value in figure["where"].items()})
        for figure in description(study)["figures"]
        if KINDS[figure["kind"]].source == source and figure["where"].keys() <= {*table}
    ]
    return pd.concat([table.iloc[:0], *found]).drop_duplicates("path")


def run() -> None:
    """Write the tables of a study."""
    parser = argparse.ArgumentParser(prog="python -m analysis.study.runs", description=__doc__)
    parser.add_argument("study", type=Path, help="folder of the study, results/STUDY")
    folder = parser.parse_args().study
    table, number = collect(folder)
    save(table, folder)
    if not (traced := shown(table, folder, "steps")).empty:
        write_table(steps_table(traced), folder / "steps.csv")
    if not (quiet := shown(table, folder, "drift")).empty:
        write_table(drift_table(quiet, folder), folder / "drift.csv")
    print(f"{folder / 'runs.parquet'}: {len(table)} of {number} runs")


if __name__ == "__main__":
    main(run)
