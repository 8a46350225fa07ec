"""What a study has measured of what the paper speaks about: sweeps, sizes, steps, benches."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pandas as pd

from analysis.errors import DataError
from analysis.paper.criteria import FIDUCIAL
from analysis.reading.bench_tables import read_bench
from analysis.reading.origin import NAMES
from analysis.study.runs import parameters_in, reduce_repeats, select
from analysis.study.sweeps import REPEATS, half_range, lengths, longest, with_scatter
from analysis.study.tables import Study

NOISE = 0.25  # half of the range of repeats over their median, above which a time decides nothing
PUBLISHED = "as_published"


class EvidenceError(DataError):
    """A study has not measured what a statement needs."""


class Evidence:
    """The tables of a study, and what of them speaks about a model.

    Where runs of the paper's own algorithm are there, `PUBLISHED` is all; they come before others.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.runs = study.runs({}) if study.has("runs") else pd.DataFrame(columns=["model", "path"])

    def sweep(self, model: str, both: bool = False) -> pd.DataFrame:
        """Select the most runs that differ in criterion, accuracy and kind of step alone.

        Runs of more steps come before shorter ones of the same setting: what is compared is the
        time of a step.

        Returns
        -------
        pandas.DataFrame
            As of `reduce_repeats`, with the wall time of a step as in a run of `STEPS` steps. Where
            a setting was run less often than `REPEATS` times, the range of its seconds is that of
            its shorter runs or, if these were not repeated either, of the most scattered setting of
            this model and number of particles, and ``repeats`` tells how often. ``scatter`` is half
            of the range of the steps' seconds over their median.

        Raises
        ------
        EvidenceError
            If there are no two settings or, with ``both``, no setting with both kinds of steps.
        """

        def choose(runs: pd.DataFrame) -> pd.DataFrame:
            long = longest(runs)
            asked = lengths(long) > 0
            found = largest_set(long, model, "criterion", "accuracy", "step", alike=asked)
            kinds = found.groupby(["criterion", "accuracy"])["step"].nunique()
            if both and not (kinds > 1).any():
                raise EvidenceError(
                    f"no setting of {named(model)} was run with both kinds of steps"
                )
            return with_scatter(found, runs)

        return self.first(model, choose)

    def sizes(self, model: str) -> pd.DataFrame:
        """Select the most runs that differ in the number of particles alone; see `sweep`."""

        def choose(runs: pd.DataFrame) -> pd.DataFrame:
            fiducial = select(runs, **FIDUCIAL, step="block")
            found = largest_set(fiducial, model, "particles", alike=lengths(fiducial))
            return with_scatter(found, runs)

        return self.first(model, choose).sort_values("particles", ignore_index=True)

    def first(self, model: str, choose: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
        """Choose among the runs of the paper's own algorithm or, where that fails, the others."""
        runs = self.runs[self.runs["model"] == model]
        if runs.empty:
            raise EvidenceError(f"no run of the model {named(model)}")
        runs = runs[runs["parts"] == 1]  # times of others are none of whole runs
        if "ranks" in runs:
            runs = runs[runs["ranks"] == 1]
        kind = runs[PUBLISHED].fillna("") if PUBLISHED in runs else pd.Series("", runs.index)
        try:
            return choose(runs[kind == "all"])
        except EvidenceError:
            return choose(runs[kind.isin(["", "none"])])

    def trace(self, model: str) -> pd.DataFrame:
        """Select the steps of a run; ``repeats`` and ``scatter`` are those of all runs like it."""
        if not self.study.has("steps"):
            raise EvidenceError("no run was kept step by step")
        steps = self.study.table("steps")
        steps = steps[steps["model"] == model]
        if steps.empty:
            raise EvidenceError(f"no run of {named(model)} was kept step by step")
        if "path" not in steps:  # kept of one run of each model
            return steps.assign(repeats=1, scatter=0.0).sort_values("number", ignore_index=True)

        def choose(runs: pd.DataFrame) -> pd.DataFrame:
            traced = runs[runs["path"].isin(steps["path"])].sort_values(["particles", "steps"])
            if traced.empty:
                raise EvidenceError(f"no run of {named(model)} was kept step by step")
            run = traced.iloc[-1]
            same = reduce_repeats(runs_like(runs, run))
            scatter = half_range(same, "stages_per_step_s").iloc[0]
            rows = steps[steps["path"] == run["path"]]
            return rows.assign(repeats=same["repeats"].iloc[0], scatter=scatter)

        return self.first(model, choose).sort_values("number", ignore_index=True)

    def bench(self, word: str, model: str = "") -> pd.DataFrame:
        """Select the largest measurement of a word of ``gothic bench``; of crossover all.

        ``repeats`` is as its command lines tell, ``scatter`` the largest of its times in a row.
        """
        if not self.study.has(f"bench_{word}"):
            raise EvidenceError(f"no table bench_{word}.csv")
        table = read_bench(self.study.folder / f"bench_{word}.csv", word)
        if model:
            table = table[table["model"] == model]
            if table.empty:
                raise EvidenceError(f"no row of {named(model)} in bench_{word}.csv")
            if word != "crossover":
                table = table[table["particles"] == table["particles"].max()]
        times = [name.removesuffix("_max") for name in table if name.endswith("seconds_max")]
        scatter = [half_range(table, name, ("min", "max")) for name in times]
        told = {
            "repeats": repeats_told(table),
            "scatter": np.max(scatter, axis=0) if times else 0.0,
        }
        return table.assign(**told).reset_index(drop=True)


def named(model: str) -> str:
    """Full name of a model."""
    return NAMES.get(model, model)


def largest_set(runs: pd.DataFrame, model: str, *differing: str, alike: pd.Series) -> pd.DataFrame:
    """Select the most settings that differ in some parameters alone, of the most particles.

    Parameters
    ----------
    alike
        A number of each run, such as its steps, that they also have in common.
    """
    fixed = [name for name in parameters_in(runs) if name not in differing] + ["threads"]
    sets = [
        (rows[list(differing)].drop_duplicates().shape[0], rows["particles"].max(), number, rows)
        for (*_, number), rows in runs.groupby([*fixed, alike], dropna=False)
    ]
    count, _, _, rows = max(sets, key=lambda one: one[:3], default=(0, 0, 0, runs))
    if count < 2:
        raise EvidenceError(
            f"no runs of {named(model)} that differ in {' and '.join(differing)} alone"
        )
    return rows


def runs_like(runs: pd.DataFrame, run: pd.Series) -> pd.DataFrame:
    """Select the repeats of a run."""
    for name in parameters_in(runs):
        runs = runs[(runs[name] == run[name]) | (runs[name].isna() & pd.isna(run[name]))]
    return runs[(runs["steps"] == run["steps"]) & (runs["threads"] == run["threads"])]


def repeats_told(table: pd.DataFrame) -> int:
    """Read from the command lines how often each measurement of a bench was repeated; else 1."""
    if "command_line" not in table:
        return 1
    found = [re.search(r"--repeats (\d+)", str(line)) for line in table["command_line"].unique()]
    return min(int(one[1]) if one else 1 for one in found)


def repeated(table: pd.DataFrame) -> bool:
    """Whether times of a table were measured often enough to decide anything."""
    return bool((table["repeats"] >= REPEATS).all())
