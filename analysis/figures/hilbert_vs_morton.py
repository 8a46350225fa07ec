"""Table of Hilbert against Morton order."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.figures.command import of_study
from analysis.figures.common import made_by, model_name, model_names, save
from analysis.paper.published import size
from analysis.study.curve_order import ratios
from analysis.study.tables import Study, Where

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
    rank = table["quantity"].map({name: n for n, name in enumerate(QUANTITIES)})
    table = table.assign(rank=rank).sort_values(["model", "rank"], ascending=[False, True])
    return pd.DataFrame(
        {
            "model": table["model"].map(model_name),
            "quantity": table["quantity"].map(QUANTITIES),
            "Hilbert": table["hilbert"].map("{:.3g}".format),
            "Morton": table["morton"].map("{:.3g}".format),
            "Morton / Hilbert": table["ratio"].map("{:.2f}".format),
            "least to greatest": table["ratio_min"].map("{:.2f} to ".format)
            + table["ratio_max"].map("{:.2f}".format),
        }
    )


def caption(table: pd.DataFrame) -> str:
    """Describe the table and the conditions of its measurements."""
    first = table.iloc[0]
    return (
        "Order of the particles along the Peano-Hilbert curve and along the Morton curve: seconds "
        "of what depends on it, for a force on all particles with the acceleration MAC and 2^-7, "
        "and counts of what the walk does. Groups are consecutive particles; the Morton curve "
        "jumps, so that some groups are wide and need more cells and interactions. Both curves "
        f"were measured in turn, in {first['rounds']} rounds; values are medians, ratios those of "
        f"a round, with the least and the greatest. {model_names(table)}, "
        f"N = {size(first['particles'])} particles. {made_by(first)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table of the ratios."""
    table = ratios(study.bench("order", where))
    save(shown(table), table, caption(table), stem)


if __name__ == "__main__":
    of_study("hilbert_vs_morton", __doc__, make)
