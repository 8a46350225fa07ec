"""Judges what was recorded.

python -m analysis.speed.judge FOLDER [--history FILE]

Writes FOLDER/verdict.json, table.csv, .md, .html, .txt, .pdf and .png, and appends to the history.
Exit status: 1 if something became slower, else 0.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from analysis.cli import main
from analysis.figures.common import save, save_table, use_style
from analysis.speed.draw import draw
from analysis.speed.history import HISTORY, append, entries
from analysis.speed.record import load_record
from analysis.speed.verdict import ALARM, THRESHOLD, VERDICTS, compare


def judge(folder: Path, history: Path) -> str:
    """Judge a folder of measurements, write and print everything, and return the verdict."""
    raw, facts = load_record(folder)
    table = with_instructions(compare(raw), folder / "instructions.csv")
    overall = next(verdict for verdict in VERDICTS if verdict in set(table["verdict"]))
    text = caption(facts, raw["round"].nunique())
    use_style()
    save(draw(table), table, text, folder / "table")
    shown = readable(table)
    save_table(table, shown, text, folder / "table")
    lines = entries(table, facts, raw["round"].nunique())
    summary = {
        "verdict": overall,
        "threshold": THRESHOLD,
        "alarm": ALARM,
        "pairs": raw["round"].nunique(),
        **facts,
        "stages": json.loads(table.to_json(orient="records")),  # null where nothing was counted
    }
    (folder / "verdict.json").write_text(json.dumps(summary, indent=2) + "\n")
    append(history, lines)
    print(shown.to_string(index=False))
    print(sentence(table))
    return overall


def with_instructions(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Add the ratio of counted instructions, where there are any."""
    if not path.exists():
        return table.assign(instructions=float("nan"))
    counted = pd.read_csv(path).pivot_table(
        index=["problem", "stage"], columns="program", values="instructions"
    )
    ratio = (counted["new"] / counted["base"]).rename("instructions")
    return table.join(ratio, on=["problem", "stage"])


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it."""
    return pd.DataFrame(
        {
            "problem": table["problem"],
            "stage": table["stage"],
            "base [ms]": table["base_s"].map(lambda seconds: f"{1e3 * seconds:.3g}"),
            "new [ms]": table["new_s"].map(lambda seconds: f"{1e3 * seconds:.3g}"),
            "change": table["ratio"].map(percent),
            "from": table["low"].map(percent),
            "to": table["high"].map(percent),
            "verdict": table["verdict"],
            "instructions": table["instructions"].map(percent),
        }
    )


def percent(ratio: float) -> str:
    """Write a ratio as a change, or nothing where there is none."""
    return "" if pd.isna(ratio) else f"{100 * (ratio - 1):+.1f} %"


def caption(facts: Mapping[str, object], pairs: int) -> str:
    """Say what was compared, where and how."""
    base, new = (facts["programs"][name] for name in ("base", "new"))
    return (
        f"Time of revision {new['revision']} over that of {base['revision']}: means of the middle "
        f"third of {pairs} pairs, and intervals that hold together in {100 * (1 - ALARM):g} % of "
        "all comparisons. "
        f"A change beyond {100 * THRESHOLD:g} % counts. Instructions, where they are told, are "
        f"those of builds for x86-64-v3. Device: {facts['device']}, {facts['driver']}; "
        f"{new['compiler']}; {facts['date']}."
    )


def sentence(table: pd.DataFrame) -> str:
    """Sum the verdicts up in a line."""
    parts = []
    for verdict in VERDICTS:
        rows = table[table["verdict"] == verdict]
        if rows.empty:
            continue
        named = ""
        if verdict in ("slower", "faster"):
            found = zip(rows["problem"], rows["stage"], rows["ratio"], strict=True)
            named = ": " + "; ".join(f"{p}, {s} {percent(ratio)}" for p, s, ratio in found)
        elif verdict == "unclear":
            named = " (more pairs or a quieter machine would tell)"
        parts.append(f"{len(rows)} {verdict}{named}")
    return "speed: " + ", ".join(parts)


def run() -> None:
    """Judge a folder."""
    parser = argparse.ArgumentParser(prog="python -m analysis.speed.judge", description=__doc__)
    parser.add_argument("folder", type=Path, help="of python -m analysis.speed.record")
    parser.add_argument("--history", type=Path, default=HISTORY, help=f"default: {HISTORY}")
    given = parser.parse_args()
    if judge(given.folder, given.history) == "slower":
        sys.exit(1)


if __name__ == "__main__":
    main(run)
