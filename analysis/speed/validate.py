"""Measures how often the verdict is right.

python -m analysis.speed.validate [--base REVISION] [--trials N] [--output FOLDER]

The programs of a revision are compared with a copy of themselves, where each alarm is false, and
with those of the same revision with slow_walk.patch. Every 15 rounds make one trial. Writes
FOLDER/itself/ and FOLDER/slower/ (raw.csv, facts.json), validation.json, and stages.csv, .md, .html
and .txt. What was measured before is only judged again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from analysis.checks.builds import COUNTED, TIMED, build_revision, commit_of
from analysis.cli import main
from analysis.figures.common import save_table
from analysis.speed.instructions import of_force
from analysis.speed.judge import percent
from analysis.speed.problems import problems_for
from analysis.speed.record import PAIRS, load_record, record, save_record
from analysis.speed.verdict import VERDICTS, compare, log_ratios, middle_mean

# Every 19th sum over a list of sources is done twice, which is about 5 % of the walk.
PATCH = Path(__file__).with_name("slow_walk.patch")
# They take longer than all others together, and their program is not what the patch changes.
LEFT_OUT = ("nfw, drawn", "m31, drawn")
TRIALS = 40
COMPARISONS = ("itself", "slower")


def measure(base: str, rounds: int, folder: Path) -> None:
    """Record rounds of both comparisons."""
    own = build_revision(base, TIMED)
    builds = {"itself": own, "slower": build_revision(base, TIMED, PATCH)}
    instructions = {"itself": 1.0, "slower": walk_instructions(base)}
    problems = {name: p for name, p in problems_for("cpu").items() if name not in LEFT_OUT}
    for name, build in builds.items():
        if (folder / name / "raw.csv").exists():
            continue
        start = time.perf_counter()
        raw, facts = record(
            {"base": own, "new": build}, problems, "cpu", rounds, np.random.default_rng()
        )
        facts["minutes"] = (time.perf_counter() - start) / 60
        facts["walk_instructions"] = instructions[name]
        save_record(raw, facts, folder / name)


def walk_instructions(base: str) -> float:
    """Count those of the walk of the slower build over those of the revision."""
    counts = [
        {stage: number for _, stage, number in of_force(build_revision(base, COUNTED, patch))}
        for patch in (PATCH, None)
    ]
    return counts[0]["walk"] / counts[1]["walk"]


def trials(raw: pd.DataFrame, pairs: int = PAIRS) -> pd.DataFrame:
    """Judge every `pairs` consecutive rounds; returns the rows of all, with ``trial``."""
    tables = []
    for trial in range(raw["round"].nunique() // pairs):
        rounds = raw[raw["round"] // pairs == trial]
        tables.append(compare(rounds).assign(trial=trial))
    return pd.concat(tables, ignore_index=True)


def rate(judged: pd.DataFrame, *verdicts: str) -> dict[str, float]:
    """Find in how many trials any row has one of some verdicts, with the 95 % interval."""
    found = judged["verdict"].isin(verdicts).groupby(judged["trial"]).any()
    test = binomtest(int(found.sum()), len(found))
    low, high = test.proportion_ci(0.95)
    return {"times": test.k, "trials": test.n, "rate": test.statistic, "low": low, "high": high}


def by_stage(raws: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Tell of every stage the scatter of a pair, the true change and how it was judged."""
    noise, true = log_ratios(raws["itself"]), log_ratios(raws["slower"])
    judged = {name: trials(raw).groupby(["problem", "stage"]) for name, raw in raws.items()}
    rows = []
    for column in noise.columns:
        quartiles = noise[column].quantile([0.25, 0.75])
        row = {"problem": column[0], "stage": column[1]}
        row["scatter"] = (quartiles[0.75] - quartiles[0.25]) / 1.349
        row["true_ratio"] = np.exp(middle_mean(true[column].to_numpy()))
        for name, groups in judged.items():
            verdicts = groups.get_group(column)["verdict"]
            row |= {f"{name}_{verdict}": (verdicts == verdict).mean() for verdict in VERDICTS}
        rows.append(row)
    return pd.DataFrame(rows)


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table of stages as readers see it."""
    shown = {
        "problem": table["problem"],
        "stage": table["stage"],
        "scatter of a pair": table["scatter"].map("{:.1%}".format),
        "true change": table["true_ratio"].map(percent),
    }
    for name in COMPARISONS:
        for verdict in VERDICTS:
            shown[f"{name}: {verdict}"] = table[f"{name}_{verdict}"].map("{:.0%}".format)
    return pd.DataFrame(shown)


def report(folder: Path) -> None:
    """Judge all trials, write and print the rates."""
    loaded = {name: load_record(folder / name) for name in COMPARISONS}
    raws, facts = ({name: pair[n] for name, pair in loaded.items()} for n in (0, 1))
    itself, slower = (trials(raws[name]) for name in COMPARISONS)
    rates = {
        "false alarm": rate(itself, "slower"),
        "false alarm, either way": rate(itself, "slower", "faster"),
        "slow-down found": rate(slower, "slower"),
        "slow-down found in a walk": rate(slower[slower["stage"] == "walk"], "slower"),
    }
    table = by_stage(raws)
    (folder / "validation.json").write_text(json.dumps({**facts, "rates": rates}, indent=2) + "\n")
    own = facts["itself"]
    text = (
        f"Verdicts on every stage in {rates['false alarm']['trials']} comparisons of a program "
        f"with itself and with one whose walk is slower, of {PAIRS} pairs each; {own['device']}, "
        f"{own['driver']}."
    )
    save_table(table, readable(table), text, folder / "stages")
    print(readable(table).to_string(index=False))
    for name, found in rates.items():
        print(
            f"{name}: {found['times']} of {found['trials']} comparisons "
            f"({found['rate']:.1%}; 95 % interval {found['low']:.1%} to {found['high']:.1%})"
        )
    minutes = sum(facts[name]["minutes"] for name in COMPARISONS)
    print(f"instructions of the slower walk: {percent(facts['slower']['walk_instructions'])}")
    print(f"measuring took {minutes:.1f} minutes")


def run() -> None:
    """Measure what is missing, and report."""
    parser = argparse.ArgumentParser(prog="python -m analysis.speed.validate", description=__doc__)
    parser.add_argument("--base", default="HEAD", help="revision (default: HEAD)")
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"default: {TRIALS}")
    parser.add_argument("--output", type=Path, default=Path("results/speed/validation"))
    given = parser.parse_args()
    if not all((given.output / name / "raw.csv").exists() for name in COMPARISONS):
        measure(commit_of(given.base), given.trials * PAIRS, given.output)
    report(given.output)


if __name__ == "__main__":
    main(run)
