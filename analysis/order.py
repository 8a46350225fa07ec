"""Table of what the order of the particles along a curve is worth.

python -m analysis.order --sample NAME --output ORDER.csv BENCH.csv...
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.cli import main
from analysis.files import DataError

CURVES = ("hilbert", "morton")
# Columns of the result by what they are called in the tables of gothic bench.
TREE = ("keys", "sort", "build")
WALK = {
    "groups_seconds": "groups_s",
    "moments_seconds": "moments_s",
    "walk_seconds": "walk_s",
    "interactions": "interactions",
    "cells_judged": "cells_judged",
    "particles": "particles",
}
FACTS = ("threads", "device", "revision", "version", "compiler")
NAME = re.compile(rf"({'|'.join(CURVES)})_(tree|walk)_(\d+)")
HISTOGRAM = re.compile(rf"({'|'.join(CURVES)})_histogram")
QUANTILES = {"radius_median": 0.5, "radius_p95": 0.95}


def radius_quantile(histogram: pd.DataFrame, fraction: float) -> float:
    """Find the radius that a fraction of the smallest enclosing balls of groups does not exceed.

    Parameters
    ----------
    histogram
        Table of ``gothic bench balls --histogram``. Within a bin the logarithm of the radius is
        taken for evenly spread.
    fraction
        Between 0 and 1.
    """
    one = histogram[histogram["ball"] == histogram["ball"].iloc[0]]
    bins = one.groupby(["radius_low", "radius_high"])["groups"].sum().reset_index()
    counted = bins["groups"].cumsum().to_numpy(float)
    wanted = fraction * counted[-1]
    n = int(np.searchsorted(counted, wanted))
    low, high = np.log(bins.loc[n, ["radius_low", "radius_high"]].to_numpy(float))
    below = counted[n - 1] if n else 0.0
    return float(np.exp(low + (high - low) * (wanted - below) / (counted[n] - below)))


def order_table(sample: str, files: list[Path]) -> pd.DataFrame:
    """Tabulate measurements, one row per curve and round.

    Parameters
    ----------
    sample
        Name of the particle distribution.
    files
        Tables of ``gothic bench tree`` and ``walk``, called CURVE_tree_ROUND.csv and so on. In a
        round both curves were measured one after the other. Histograms of ``gothic bench balls``
        are called CURVE_histogram.csv; they need not be there.

    Returns
    -------
    pandas.DataFrame
        ``sample``, ``curve``, ``round``; ``<stage>_s`` in seconds, medians of the bench; counts of
        ``interactions``, ``cells_judged`` and ``cells``; with histograms ``radius_median`` and
        ``radius_p95`` of the smallest balls around groups; the provenance.

    Raises
    ------
    DataError
        If a table of a curve and round is missing or a file's name is none of these.
    """
    tables: dict[tuple[str, int], dict[str, pd.DataFrame]] = {}
    radii: dict[str, dict[str, float]] = {}
    for path in files:
        if match := HISTOGRAM.fullmatch(path.stem):
            histogram = pd.read_csv(path)
            quantiles = {name: radius_quantile(histogram, q) for name, q in QUANTILES.items()}
            radii[match[1]] = quantiles
            continue
        match = NAME.fullmatch(path.stem)
        if not match:
            raise DataError(f"{path}: the name is not one such as hilbert_walk_1.csv")
        tables.setdefault((match[1], int(match[3])), {})[match[2]] = pd.read_csv(path)
    rows = []
    for (curve, number), pair in sorted(tables.items(), key=lambda item: item[0][::-1]):
        for word in ("tree", "walk"):
            if word not in pair:
                raise DataError(f"no table {curve}_{word}_{number}.csv; run snakemake again")
        stages = pair["tree"].set_index("stage")
        walk = pair["walk"].iloc[0]
        row = {"sample": sample, "curve": curve, "round": number}
        row |= {f"{stage}_s": stages.loc[stage, "seconds"] for stage in TREE}
        row |= {column: walk[name] for name, column in WALK.items()}
        row |= {"cells": stages["cells"].iloc[0]} | radii.get(curve, {})
        rows.append(row | {fact: walk[fact] for fact in FACTS})
    return pd.DataFrame(rows)


def ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the curves, one row per sample and quantity.

    Parameters
    ----------
    table
        Tables of `order_table`, of one or more samples.

    Returns
    -------
    pandas.DataFrame
        ``hilbert`` and ``morton``, medians over the rounds; ``ratio``, ``ratio_min`` and
        ``ratio_max``: the median, least and greatest of Morton over Hilbert in one round;
        ``whole_s`` is the sum of all seconds. Facts of the first row.
    """
    stages = [f"{stage}_s" for stage in (*TREE, "groups", "moments", "walk")]
    rows = []
    for sample, rounds in table.groupby("sample", sort=False):
        mine = rounds.assign(whole_s=rounds[stages].sum(axis=1))
        counts = ["cells", "cells_judged", "interactions"]
        for column in [*stages, "whole_s", *counts, *(name for name in QUANTILES if name in mine)]:
            sides = mine.pivot_table(index="round", columns="curve", values=column)
            if set(CURVES) - set(sides.columns):
                raise DataError(f"{sample}: both curves are needed in the same rounds")
            ratio = (sides["morton"] / sides["hilbert"]).dropna()
            rows.append(
                {
                    "sample": sample,
                    "quantity": column,
                    "hilbert": sides["hilbert"].median(),
                    "morton": sides["morton"].median(),
                    "ratio": ratio.median(),
                    "ratio_min": ratio.min(),
                    "ratio_max": ratio.max(),
                    "rounds": len(ratio),
                    **{fact: mine[fact].iloc[0] for fact in ("particles", *FACTS)},
                }
            )
    return pd.DataFrame(rows)


def run() -> None:
    """Write the table of both curves."""
    parser = argparse.ArgumentParser(prog="python -m analysis.order", description=__doc__)
    parser.add_argument("--sample", required=True, help="name for the first column")
    parser.add_argument("--output", type=Path, required=True, help="CSV file to write")
    parser.add_argument("files", type=Path, nargs="+", help="tables of gothic bench")
    given = parser.parse_args()
    order_table(given.sample, given.files).to_csv(given.output, index=False)


if __name__ == "__main__":
    main(run)
