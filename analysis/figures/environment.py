"""Table of the machines and programs that measured (Miki & Umemura 2017, table 1)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from analysis.errors import DataError
from analysis.figures.command import of_study
from analysis.figures.common import save
from analysis.study.tables import Study, Where

# What made a row, and how the table calls it.
MADE = {
    "device_name": "device",
    "compiler": "compiler",
    "version": "gothic",
    "revision": "revision",
}
MACHINE = "machine"  # column of parts NAME=VALUE, with commas between them


def environments(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Collect what made the rows of some tables.

    Returns
    -------
    pandas.DataFrame
        One row per distinct machine and program: the columns `MADE` and those parts of the column
        `MACHINE` that some table tells; empty where a row does not tell it.
    """
    found = []
    for table in tables:
        rows = table[[name for name in (*MADE, MACHINE) if name in table]].drop_duplicates()
        for row in rows.dropna(how="all").fillna("").to_dict("records"):
            found.append({name: row.get(name, "") for name in MADE} | parts(row.get(MACHINE, "")))
    return pd.DataFrame(found).fillna("").drop_duplicates(ignore_index=True)


def parts(machine: str) -> dict[str, str]:
    """Split ``node=a, cpu=b`` into its parts; a comma inside a value stays there."""
    found: dict[str, str] = {}
    for part in filter(None, machine.split(", ")):
        name, equals, value = part.partition("=")
        if equals:
            found[name] = value
        elif found:
            found[[*found][-1]] += f", {part}"
    return found


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it."""
    return table.rename(columns=lambda name: MADE.get(name, name).replace("_", " "))


def caption(table: pd.DataFrame) -> str:
    """Describe the table."""
    unknown = "" if len(table.columns) > len(MADE) else " The tables tell no more of the machines."
    return f"What the tables of this study were measured on and with.{unknown}"


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table of all tables of a study."""
    table = environments(study.every_table())
    if table.empty:
        raise DataError(f"{study.folder}: no table tells what made it; run snakemake to make them")
    save(shown(table), table, caption(table), stem)


if __name__ == "__main__":
    of_study("environment", __doc__, make)
