"""Tables that figures are drawn of, in results/STUDY or analysis/measured/DEVICE/STUDY."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from analysis.errors import DataError
from analysis.reading.bench_tables import read_bench
from analysis.reading.csv_tables import read_table
from analysis.reading.files import states_of
from analysis.study.figure_kinds import Figure, differing
from analysis.study.parameters import LENGTHS, model_folder, sample, wanted
from analysis.study.runs import description, load, parameters_in, select
from analysis.study.sweeps import longest, with_scatter

Where = Mapping[str, object]


class Study:
    """The tables in a folder, with study.json, which tells what is drawn of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read: set[Path] = set()  # tables that were asked for

    @property
    def figures(self) -> list[Figure]:
        """What is drawn."""
        return description(self.folder)["figures"]

    def runs(self, where: Where) -> pd.DataFrame:
        """Select rows of the table of runs."""
        self.read.add(self.folder / "runs.csv")
        return chosen(load(self.folder), where, self.folder / "runs.csv")

    def sweep(self, where: Where) -> pd.DataFrame:
        """Reduce the repeats of runs that differ in criterion, accuracy or error and step alone.

        Of a setting the runs of the most steps are taken; shorter ones tell their scatter. A
        `DataError` if they differ in anything else, or one was made in several parts.
        """
        runs = self.runs(where)
        same(runs, "criterion", "accuracy", "force_error", "step", "steps")
        whole(runs)
        return with_scatter(longest(runs), runs)

    def steps(self, where: Where) -> pd.DataFrame:
        """Select the steps of one run of each model."""
        return self.of_runs("steps", where)

    def drift(self, where: Where) -> pd.DataFrame:
        """Select the changes of a model that is left to itself, in one run."""
        return self.of_runs("drift", where)

    def of_runs(self, name: str, where: Where) -> pd.DataFrame:
        """Select rows of a table of what one run of each model has logged.

        A `DataError` if runs of a model differ in a parameter.
        """
        table = self.table(name, component=str)
        if "path" not in table:  # kept of another device: of one run of each model
            return chosen(table, where, self.folder / f"{name}.csv")
        runs = self.runs(where)
        for _, of_model in runs.groupby("model"):
            same(of_model)
        return chosen(table, {"path": list(runs["path"])}, self.folder / f"{name}.csv")

    def bench(self, word: str, where: Where) -> pd.DataFrame:
        """Select rows of a table of ``gothic bench``."""
        path = self.folder / f"bench_{word}.csv"
        self.read.add(path)
        return chosen(read_bench(path, word), where, path)

    def has(self, name: str) -> bool:
        """Whether there is a table of that name."""
        return (self.folder / f"{name}.csv").exists()

    def states(self, where: Where) -> list[Path]:
        """List the snapshots of one run."""
        runs = self.runs(where)
        same(runs)
        return states_of(runs["path"].iloc[0])

    def particles(self, where: Where) -> Path:
        """Name the file of a model's particles."""
        return self.folder / "ic" / sample({"seed": 1} | dict(where)) / "ic.h5"

    def check(self, where: Where) -> Path:
        """Name the table of a model."""
        return self.folder / "ic" / model_folder(where) / "check.csv"

    def table(self, name: str, **types: type) -> pd.DataFrame:
        """Read a table; a `DataError` if it is not there."""
        path = self.folder / f"{name}.csv"
        self.read.add(path)
        try:
            return read_table(path, **types)
        except (OSError, ValueError) as error:
            raise DataError(f"{path}: {error}; run snakemake to make it") from error

    def every_table(self) -> list[pd.DataFrame]:
        """Read the tables of runs, of what they have logged, and of ``gothic bench``."""
        names = [name for name in ("runs", "steps", "drift") if self.has(name)]
        names += [path.stem for path in sorted(self.folder.glob("bench_*.csv"))]
        return [self.table(name) for name in names]


def chosen(table: pd.DataFrame, where: Where, path: Path) -> pd.DataFrame:
    """Select rows, of which there must be some."""
    rows = select(table, **{column: wanted(value) for column, value in where.items()})
    if rows.empty:
        raise DataError(f"{path}: no row has {dict(where)}; choose others")
    return rows.reset_index(drop=True)


def same(runs: pd.DataFrame, *but: str) -> None:
    """Refuse runs that differ in other parameters than those given, or in their steps."""
    names = parameters_in(runs)
    if not any(length in runs for length in LENGTHS if length != "steps"):
        names.append("steps")
    rows = runs[names].astype(object).where(runs[names].notna(), None).to_dict("records")
    if problem := differing(rows, *but):
        raise DataError(problem)


def whole(runs: pd.DataFrame) -> pd.DataFrame:
    """Refuse runs that were stopped and went on, whose times are none of a whole one."""
    parts = runs[runs["parts"] > 1]
    if not parts.empty:
        raise DataError(
            f"{parts['path'].iloc[0]}: the run was made in parts, so that its times are none of a "
            "whole one; remove the folder and run snakemake again"
        )
    return runs
