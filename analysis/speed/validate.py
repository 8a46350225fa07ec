"""Measures how often the verdict is right.

python -m analysis.speed.validate [--base REVISION] [--trials N] [--output FOLDER]

The programs of a revision, the same programs again, and those of the revision with slow_walk.patch
take turns. Every 15 rounds make two comparisons: of the revision with itself, where each alarm is
false, and with the slower one. Writes FOLDER/raw.csv, facts.json, validation.json, and stages.csv,
.md, .html and .txt. What FOLDER/raw.csv holds already is only judged again.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from analysis.cli import main
from analysis.figures.common import save_table
from analysis.speed.builds import COUNTED, TIMED, build_revision, commit_of
from analysis.speed.instructions import of_force
from analysis.speed.judge import percent
from analysis.speed.problems import problems_for
from analysis.speed.record import PAIRS, load_record, record, save_record
from analysis.speed.verdict import VERDICTS, compare, log_ratios, middle_mean

# Every 19th sum over a list of sources is done twice, which is about 5 % of the walk.
PATCH = Path(__file__).with_name("slow_walk.patch")
# Takes as long as all others together, and its program is not what the patch changes.
LEFT_OUT = "m31, drawn"
TRIALS = 40


def measure(base: str, rounds: int, folder: Path) -> None:
    """Record rounds of the three builds."""
    instructions = walk_instructions(base)
    same = build_revision(base, TIMED)
    builds = {"base": same, "same": same, "slow": build_revision(base, TIMED, PATCH)}
    problems = problems_for("cpu")
    del problems[LEFT_OUT]
    start = time.perf_counter()
    raw, facts = record(builds, problems, "cpu", rounds, np.random.default_rng())
    facts["minutes"] = (time.perf_counter() - start) / 60
    facts["walk_instructions"] = instructions
    save_record(raw, facts, folder)


def walk_instructions(base: str) -> float:
    """Count those of the walk of the slower build over those of the revision."""
    counts = [
        {stage: number for _, stage, number in of_force(build_revision(base, COUNTED, patch))}
        for patch in (PATCH, None)
    ]
    return counts[0]["walk"] / counts[1]["walk"]


def trials(raw: pd.DataFrame, new: str, pairs: int = PAIRS) -> pd.DataFrame:
    """Judge every `pairs` consecutive rounds; returns the rows of all, with ``trial``."""
    tables = []
    for trial in range(raw["round"].nunique() // pairs):
        rounds = raw[raw["round"] // pairs == trial]
        tables.append(compare(rounds, "base", new).assign(trial=trial))
    return pd.concat(tables, ignore_index=True)


def rate(judged: pd.DataFrame, *verdicts: str) -> dict[str, float]:
    """Find in how many trials any row has one of some verdicts, with the 95 % interval."""
    found = judged["verdict"].isin(verdicts).groupby(judged["trial"]).any()
    test = binomtest(int(found.sum()), len(found))
    low, high = test.proportion_ci(0.95)
    return {"times": test.k, "trials": test.n, "rate": test.statistic, "low": low, "high": high}


def by_stage(raw: pd.DataFrame, same: pd.DataFrame, slow: pd.DataFrame) -> pd.DataFrame:
    """Tell of every stage the scatter of a pair, the true change and how it was judged."""
    noise = log_ratios(raw, "base", "same")
    true = log_ratios(raw, "base", "slow").apply(lambda column: middle_mean(column.to_numpy()))
    rows = []
    for (problem, stage), mine in same.groupby(["problem", "stage"], sort=False):
        theirs = slow[(slow["problem"] == problem) & (slow["stage"] == stage)]
        middle = noise[problem, stage].quantile([0.25, 0.75])
        row = {"problem": problem, "stage": stage, "scatter": (middle[0.75] - middle[0.25]) / 1.349}
        row |= {f"itself_{v}": (mine["verdict"] == v).mean() for v in VERDICTS}
        row |= {"true_ratio": np.exp(true[problem, stage])}
        row |= {f"slow_{v}": (theirs["verdict"] == v).mean() for v in VERDICTS}
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
    for kind, words in (("itself", "itself"), ("slow", "the slower")):
        for verdict in VERDICTS:
            shown[f"{words}: {verdict}"] = table[f"{kind}_{verdict}"].map("{:.0%}".format)
    return pd.DataFrame(shown)


def report(folder: Path) -> None:
    """Judge all trials, write and print the rates."""
    raw, facts = load_record(folder)
    same, slow = trials(raw, "same"), trials(raw, "slow")
    rates = {
        "false alarm": rate(same, "slower"),
        "false alarm, either way": rate(same, "slower", "faster"),
        "slow-down found": rate(slow, "slower"),
        "slow-down found in a walk": rate(slow[slow["stage"] == "walk"], "slower"),
    }
    table = by_stage(raw, same, slow)
    (folder / "validation.json").write_text(json.dumps({**facts, "rates": rates}, indent=2) + "\n")
    text = (
        f"Verdicts on every stage in {same['trial'].nunique()} comparisons of a program with "
        f"itself and with a slower one, of {PAIRS} pairs each; {facts['device']}, "
        f"{facts['driver']}."
    )
    save_table(table, readable(table), text, folder / "stages")
    print(readable(table).to_string(index=False))
    for name, found in rates.items():
        print(
            f"{name}: {found['times']} of {found['trials']} comparisons "
            f"({found['rate']:.1%}; 95 % interval {found['low']:.1%} to {found['high']:.1%})"
        )
    print(f"instructions of the slower walk: {percent(facts['walk_instructions'])}")
    print(f"measuring took {facts['minutes']:.1f} minutes")


def run() -> None:
    """Measure, unless that is done, and report."""
    parser = argparse.ArgumentParser(prog="python -m analysis.speed.validate", description=__doc__)
    parser.add_argument("--base", default="HEAD", help="revision (default: HEAD)")
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"default: {TRIALS}")
    parser.add_argument("--output", type=Path, default=Path("results/speed/validation"))
    given = parser.parse_args()
    if not (given.output / "raw.csv").exists():
        measure(commit_of(given.base), given.trials * PAIRS, given.output)
    report(given.output)


if __name__ == "__main__":
    main(run)
