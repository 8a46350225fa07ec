"""Table of what the program chooses by itself against the best fixed setting.

Usage: python -m analysis.figures.tuning --rebuild R.csv... --extent E.csv... --sharing S.csv...
    --stem STEM
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from analysis.benches import automatic_sharing, compare, facts_sentence, particles_of, read_bench
from analysis.cli import main
from analysis.figures.common import model_name, save_table
from analysis.published import size

GOAL = 1.05
RACES = {"rebuild": "interval of tree construction", "extent": "extent of groups r_crit"}
SHARING = "lanes per particle S"


def tuning(races: dict[str, list[pd.DataFrame]], sharings: list[pd.DataFrame]) -> pd.DataFrame:
    """Tabulate the ratios of the time with a rule to that with the best fixed setting.

    Parameters
    ----------
    races
        Tables of the words of `RACES`.
    sharings
        Tables of ``gothic bench sharing``; of all numbers of active particles the median and the
        largest ratio get a row each.

    Returns
    -------
    pandas.DataFrame
        ``what``, ``sample``, ``best_fixed``, ``best_seconds``, ``rule``, ``rule_seconds``,
        ``ratio``, ``default``, ``within_goal``.
    """
    rows = []
    for word, tables in races.items():
        for table in tables:
            facts = {"what": RACES[word], "sample": table["sample"].iloc[0]}
            rows += [{**facts, **row} for row in compare(table).to_dict("records")]
    for table in sharings:
        auto = automatic_sharing(table).sort_values("ratio", ignore_index=True)
        for name, place in (("median", (len(auto) - 1) // 2), ("largest", len(auto) - 1)):
            row = auto.iloc[place]
            rows.append(
                {
                    "what": f"{SHARING}, {name} of {len(auto)} numbers of active particles",
                    "sample": table["sample"].iloc[0],
                    "best_fixed": f"groups of {row['best_group_size']:.0f}",
                    "best_seconds": row["best_seconds"],
                    "rule": f"groups of {row['group_size']:.0f} at {row['active']:.0f} active",
                    "rule_seconds": row["seconds"],
                    "ratio": row["ratio"],
                    "default": True,
                }
            )
    table = pd.DataFrame(rows)
    return table.assign(within_goal=table["ratio"] <= GOAL)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it."""
    number = table["sample"].map(particles_of)
    return pd.DataFrame(
        {
            "tuned": table["what"],
            "model": table["sample"].map(model_name),
            "N": [size(n) if n else "" for n in number],
            "best fixed": table["best_fixed"],
            "time [s]": table["best_seconds"].map("{:.3g}".format),
            "automatic": table["rule"],
            "time [s] ": table["rule_seconds"].map("{:.3g}".format, na_action="ignore"),
            "ratio": table["ratio"].map("{:.3f}".format, na_action="ignore"),
            f"at most {GOAL}": table["within_goal"].map({True: "yes", False: "no"}),
        }
    ).fillna("")


def caption(table: pd.DataFrame, first: pd.DataFrame) -> str:
    """Describe the table."""
    defaults = table[table["default"]]
    inside = int(defaults["within_goal"].sum())
    return (
        "What the program chooses while it runs, against the best of the fixed settings in the "
        "same process. For the interval of tree construction and r_crit: median times of a block "
        "step, settings in turn, after one round in which the rules tune themselves. For S: "
        "medians of the walk at each number of active particles, against the best group size at "
        "equal accuracy where that was measured. "
        "Of several rules for one thing the first is what the program follows unless told "
        f"otherwise. {inside} of {len(defaults)} ratios of such rules are at most {GOAL}. "
        f"{facts_sentence(first)}"
    )


def run() -> None:
    """Write the table from those of gothic bench."""
    parser = argparse.ArgumentParser(prog="python -m analysis.figures.tuning", description=__doc__)
    for word in (*RACES, "sharing"):
        parser.add_argument(f"--{word}", type=Path, nargs="*", default=[], help=f"bench {word}")
    parser.add_argument("--stem", type=Path, required=True, help="output path without suffix")
    given = parser.parse_args()
    races = {word: [read_bench(path, word) for path in vars(given)[word]] for word in RACES}
    sharings = [read_bench(path, "sharing") for path in given.sharing]
    table = tuning(races, sharings)
    first = [*(one for tables in races.values() for one in tables), *sharings][0]
    save_table(table, shown(table), caption(table, first), given.stem)


if __name__ == "__main__":
    main(run)
