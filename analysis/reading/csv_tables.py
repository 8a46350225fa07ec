"""CSV tables that tell once, in comment lines before the columns, what made their rows.

The head is YAML, and `gothic bench` writes it, too:

    # threads: 1
    # device: "NVIDIA H200"
    # revision: "b41b3fbd7b9e"

Where rows were made differently, a column ``made_by`` has the number of an entry of the head:

    # device: "NVIDIA H200"
    # made_by:
    #   1: {"revision": "b41b3fbd7b9e"}
    #   2: {"revision": "9cca4f2f2cc4"}

``pandas.read_csv(path, comment="#")`` reads the rest. In memory every row has all of it in columns,
but for ``study``, which `head_of_table` reads: the file of the study that a kept table is of.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pandas as pd
import yaml

# Columns that the head has in their place. Its device is device_name in memory, since a table of
# runs also has the device that was asked for.
MADE = ("threads", "device_name", "machine", "version", "revision", "compiler")
FACTS = (*MADE, "command_line")
NAMES = {"device": "device_name"}
NOT_RECORDED = "not recorded"  # the machine in files of versions before 0.2
MADE_BY = "made_by"
STUDY = "study"


def read_table(path: Path, **types: type) -> pd.DataFrame:
    """Read a CSV file, with a head or without.

    Parameters
    ----------
    types
        Types of columns. Revisions are text, though one may have digits alone.
    """
    lines = head_lines(path)
    table = pd.read_csv(path, skiprows=len(lines), dtype={"revision": str} | types)
    return with_facts(table, head_of_table(path))


def head_lines(path: Path) -> list[str]:
    """Read the comment lines before the columns."""
    with path.open() as file:
        return list(itertools.takewhile(lambda line: line.startswith("#"), file))


def head_of_table(path: Path) -> dict:
    """Read what the head of a table tells; without a head, nothing."""
    lines = (line.removeprefix("# ") for line in head_lines(path))
    return yaml.safe_load("".join(lines)) or {}


def with_facts(table: pd.DataFrame, head: dict) -> pd.DataFrame:
    """Add what the head tells to every row."""
    facts = pd.DataFrame.from_dict(head.pop(MADE_BY, {}), orient="index")
    if MADE_BY in table:
        table = table.join(facts.rename(columns=NAMES), on=MADE_BY).drop(columns=MADE_BY)
    told = {name: fact for name, fact in head.items() if name != STUDY}
    if "revision" in {*told, *table} and "machine" not in {*told, *table}:
        told["machine"] = NOT_RECORDED
    common = pd.DataFrame({NAMES.get(n, n): fact for n, fact in told.items()}, index=table.index)
    return pd.concat([table, common], axis="columns")


def write_table(table: pd.DataFrame, path: Path, study: str = "") -> None:
    """Write a table with a head in the place of its `FACTS`, which may name its study."""
    found = [name for name in FACTS if name in table]
    own = [name for name in found if len(table[name].unique()) > 1]
    common = [name for name in found if name not in own]
    first = [pair for facts in told(table.head(1), common) for pair in facts.items()]
    named = [(STUDY, study)] if study else []
    lines = [f"{name}: {json.dumps(fact)}" for name, fact in [*named, *first]]
    rest = table.drop(columns=found)
    if own:
        groups = table.groupby(own, sort=False, dropna=False)
        rest[MADE_BY] = groups.ngroup() + 1
        entries = told(table.loc[~rest[MADE_BY].duplicated()], own)
        lines.append(f"{MADE_BY}:")
        lines += [f"  {number}: {json.dumps(facts)}" for number, facts in enumerate(entries, 1)]
    with path.open("w") as file:
        file.writelines(f"# {line}\n" for line in lines)
        rest.to_csv(file, index=False)


def told(table: pd.DataFrame, names: list[str]) -> list[dict[str, int | str]]:
    """List the facts of each row that are known, by the names of the head."""
    renamed = {name: told for told, name in NAMES.items()}
    return [
        {
            renamed.get(name, name): int(fact) if name == "threads" else fact
            for name, fact in row.items()
            if not pd.isna(fact)
        }
        for row in table[names].to_dict("records")
    ]
