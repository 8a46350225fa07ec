"""How much models change in runs: one table of the snapshots of some runs."""

from __future__ import annotations

from pathlib import Path, PurePath

import pandas as pd

from analysis.errors import DataError
from analysis.reading.csv_tables import MADE
from analysis.reading.drift import drift
from analysis.reading.files import states_of
from analysis.reading.model_check import read_check
from analysis.reading.snapshots import read_snapshot
from analysis.study.parameters import model_folder, parameters_of
from analysis.study.step_table import of_each

FACTS = ("path", "model", *MADE[1:])


def of_run(row: dict[str, object], study: Path) -> pd.DataFrame:
    """Tabulate what changed in the run of a row of the table of runs."""
    states = states_of(row["path"])
    if not states:
        raise DataError(f"{row['path']}: has no snapshots; give the run a snapshot_count")
    model = model_folder(parameters_of(PurePath(row["path"])))
    check = read_check(study / "ic" / model / "check.csv")
    facts = {name: row[name] for name in FACTS}
    return drift(map(read_snapshot, states), check).assign(**facts)


def drift_table(runs: pd.DataFrame, study: Path) -> pd.DataFrame:
    """Tabulate what changed in some runs with snapshots, in the first repeat of each."""
    return of_each(runs, lambda row: of_run(row, study))
