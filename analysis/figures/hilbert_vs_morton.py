"""Table of Hilbert against Morton order.

Usage: python -m analysis.figures.hilbert_vs_morton --orders O.csv... --stem STEM
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from analysis.cli import main
from analysis.figures.common import model_name, save_table
from analysis.order import ratios
from analysis.published import size

QUANTITIES = {
    "keys_s": "keys [s]",
    "sort_s": "sort [s]",
    "build_s": "construction [s]",
    "groups_s": "packing of groups [s]",
    "moments_s": "moments [s]",
    "walk_s": "walk [s]",
    "whole_s": "keys to walk [s]",
    "radius_median": "radius of a group's smallest ball, median",
    "radius_p95": "the same, 95th percentile",
    "cells": "cells",
    "cells_judged": "cells judged",
    "interactions": "interactions",
}


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it."""
    table = table.set_index("quantity").loc[
        [name for name in QUANTITIES if name in set(table["quantity"])]
    ]
    table = table.reset_index().sort_values("sample", kind="stable", ascending=False)
    return pd.DataFrame(
        {
            "model": table["sample"].map(model_name),
            "quantity": table["quantity"].map(QUANTITIES),
            "Hilbert": [f"{value:.3g}" for value in table["hilbert"]],
            "Morton": [f"{value:.3g}" for value in table["morton"]],
            "Morton / Hilbert": [f"{value:.2f}" for value in table["ratio"]],
            "least to greatest": [
                f"{row.ratio_min:.2f} to {row.ratio_max:.2f}" for row in table.itertuples()
            ],
        }
    )


def caption(table: pd.DataFrame) -> str:
    """Describe the table and the conditions of its measurements."""
    first = table.iloc[0]
    names = " and ".join(model_name(sample) for sample in table["sample"].unique())
    return (
        "Order of the particles along the Peano-Hilbert curve and along the Morton curve: seconds "
        "of what depends on it, for a force on all particles with the acceleration MAC and 2^-7, "
        "and counts of what the walk does. Groups are consecutive particles; the Morton curve "
        "jumps, so that some groups are wide and need more cells and interactions. Both curves "
        f"were measured in turn, in {first['rounds']} rounds; values are medians, ratios those of "
        f"a round, with the least and the greatest. {names}, N = {size(first['particles'])} "
        f"particles. Device: {first['device']}, {first['threads']} CPU thread(s); "
        f"{first['compiler']}; gothic {first['version']}, revision {first['revision']}."
    )


def run() -> None:
    """Write the table of the ratios."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.figures.hilbert_vs_morton", description=__doc__
    )
    parser.add_argument(
        "--orders", type=Path, nargs="+", required=True, help="tables of analysis.order"
    )
    parser.add_argument("--stem", type=Path, required=True, help="output path without suffix")
    given = parser.parse_args()
    tables = pd.concat([pd.read_csv(path) for path in given.orders], ignore_index=True)
    table = ratios(tables)
    save_table(table, shown(table), caption(table), given.stem)


if __name__ == "__main__":
    main(run)
