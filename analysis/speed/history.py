"""What was measured before: lines of JSON, to which every comparison appends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from analysis.files import DataError

HISTORY = Path("results/speed/history.jsonl")
KEY = ["device", "driver", "compiler"]  # only what has the same may be compared
FIELDS = ["date", *KEY, "base", "new", "pairs", "problem", "stage"]
VALUES = ["base_s", "new_s", "ratio", "low", "high", "verdict"]


def entries(
    table: pd.DataFrame, facts: Mapping[str, object], pairs: int
) -> list[dict[str, object]]:
    """Make the lines of a comparison, one per problem and stage.

    Parameters
    ----------
    table
        Of `analysis.speed.verdict.compare`.
    facts
        Of `analysis.speed.record.record`.
    pairs
        How many were measured.
    """
    base, new = (facts["programs"][name] for name in ("base", "new"))
    common = {
        "date": facts["date"],
        "device": facts["device"],
        "driver": facts["driver"],
        "compiler": new["compiler"],
        "base": base["revision"],
        "new": new["revision"],
        "pairs": pairs,
    }
    return [{**common, **row} for row in table[["problem", "stage", *VALUES]].to_dict("records")]


def append(path: Path, lines: Iterable[Mapping[str, object]]) -> None:
    """Append to a history; it is made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))


def read(paths: Iterable[Path]) -> pd.DataFrame:
    """Read histories, in the order of their dates.

    Raises
    ------
    DataError
        If one is missing, or a line of it is not one of a history.
    """
    lines = []
    for path in paths:
        if not path.is_file():
            raise DataError(f"{path}: no such file; make regress-speed appends to it")
        for number, text in enumerate(path.read_text().splitlines(), 1):
            try:
                line = json.loads(text)
                lines.append({name: line[name] for name in (*FIELDS, *VALUES)})
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(
                    f"{path}:{number}: not a line of a history ({error}); delete it"
                ) from error
    table = pd.DataFrame(lines, columns=[*FIELDS, *VALUES])
    return table.sort_values("date", kind="stable", ignore_index=True)
