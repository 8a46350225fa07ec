"""Table of Hilbert against Morton order."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.figures.common import model_name, save_table
from analysis.order import ratios
from analysis.published import size
from analysis.study import Study, Where

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
    table = table.reset_index().sort_values("model", kind="stable", ascending=False)
    return pd.DataFrame(
        {
            "model": table["model"].map(model_name),
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
    names = " and ".join(model_name(model) for model in table["model"].unique())
    return (
        "Order of the particles along the Peano-Hilbert curve and along the Morton curve: seconds "
        "of what depends on it, for a force on all particles with the acceleration MAC and 2^-7, "
        "and counts of what the walk does. Groups are consecutive particles; the Morton curve "
        "jumps, so that some groups are wide and need more cells and interactions. Both curves "
        f"were measured in turn, in {first['rounds']} rounds; values are medians, ratios those of "
        f"a round, with the least and the greatest. {names}, N = {size(first['particles'])} "
        f"particles. Device: {first['device_name']}, {first['threads']} CPU thread(s); "
        f"{first['compiler']}; gothic {first['version']}, revision {first['revision']}."
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table of the ratios."""
    table = ratios(study.bench("order", where))
    save_table(table, shown(table), caption(table), stem)
