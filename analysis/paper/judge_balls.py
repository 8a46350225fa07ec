"""Judges of what the paper says about the balls that enclose groups of particles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.paper.evidence import Evidence
from analysis.paper.verdicts import CONFIRMED, CONTRADICTED, Judgement, in_parts, timed

WORST = 0.005  # above a published greatest ratio, half a bin
MODELS_ALIKE = 1.05
RISE = 0.05  # of a ratio that counts as a rise


def ebs_radii(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Compare Ritter's balls with the smallest ones."""
    ebs = of_kind(evidence, model, "ebs")
    most = ebs["ratio_high"].fillna(np.inf).max()
    within, worst = share_below(ebs, numbers["most_cases"]), share_below(ebs, numbers["worst"])
    told = (
        f"{within:.0%} of the balls are less than {numbers['most_cases'] - 1:.0%} larger, "
        f"{worst:.1%} less than {numbers['worst'] - 1:.0%}, all less than {most - 1:.0%}"
    )
    return Judgement(in_parts(within > 0.5, most < numbers["worst"] + WORST), told)


def geo_radii(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Compare balls about the centres of boxes with the smallest ones."""
    usual = share_below(of_kind(evidence, model, "geo"), numbers["most_cases"])
    told = f"{usual:.0%} of the balls are smaller than {numbers['most_cases']}"
    return Judgement(CONFIRMED if usual > 0.5 else CONTRADICTED, told)


def com_radii(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Compare balls about centres of mass with the smallest ones, where they are large."""
    com = of_kind(evidence, model, "com")
    sparse = largest_tenth(com)
    beyond, everywhere = (1 - share_below(part, numbers["sparse"]) for part in (sparse, com))
    medians = [median_ratio(part) for part in (sparse, com)]
    told = (
        f"{beyond:.1%} of the largest tenth of the balls exceed {numbers['sparse']}, "
        f"{everywhere:.1%} of all; median {medians[0]:.2f} in the largest tenth, "
        f"{medians[1]:.2f} in all"
    )
    return Judgement(in_parts(beyond > 0.5, medians[0] > medians[1] + RISE), told)


def of_kind(evidence: Evidence, model: str, ball: str) -> pd.DataFrame:
    """Select the histogram of a kind of ball."""
    table = evidence.bench("histogram", model)
    return table[table["ball"] == ball]


def share_below(histogram: pd.DataFrame, ratio: float) -> float:
    """Part of the groups in bins that end at a ratio or below."""
    below = histogram["ratio_high"] < ratio + 1e-6
    return float(histogram["groups"][below].sum() / histogram["groups"].sum())


def median_ratio(histogram: pd.DataFrame) -> float:
    """Lower end of the bin of ratios that holds the median group."""
    groups = histogram.groupby("ratio_low")["groups"].sum().sort_index()
    return float(groups.index[np.searchsorted(groups.cumsum(), groups.sum() / 2)])


def largest_tenth(histogram: pd.DataFrame) -> pd.DataFrame:
    """Select the bins of the largest radii that hold a tenth of the groups, or a little more."""
    by_radius = histogram.groupby("radius_low")["groups"].sum().sort_index(ascending=False)
    enough = by_radius.cumsum() >= 0.1 * by_radius.sum()
    return histogram[histogram["radius_low"] >= enough.idxmax() * (1 - 1e-9)]


def cost_of_balls(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Compare the time to make balls with that of the walk, and between models."""
    table = evidence.bench("balls", model).set_index("ball")
    other = evidence.bench("balls", numbers["other"]).set_index("ball")
    share = table["seconds"] / table["walk_seconds"]
    ratio = (table["seconds"] / other["seconds"]).dropna()
    factor = np.exp(np.abs(np.log(ratio)).max())
    walks = (table["walk_seconds"] / other["walk_seconds"]).dropna()
    told = (
        "of the walk's time "
        + ", ".join(f"{part:.1%} ({ball})" for ball, part in share.items())
        + f"; {ratio.min():.2f} to {ratio.max():.2f} times that of the other model, the walk "
        f"{walks.min():.2f} to {walks.max():.2f} times"
    )
    verdict = in_parts(share.max() < numbers["negligible"], factor < MODELS_ALIKE)
    return timed(verdict, told, table, other)


def best_ball(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Tell which ball makes walk and ball together take least."""
    table = evidence.bench("balls", model).set_index("ball")
    total = table["seconds"] + table["walk_seconds"]
    least = total.min()
    told = ", ".join(f"{ball} {seconds / least:.3f}" for ball, seconds in total.items())
    verdict = CONFIRMED if total.idxmin() in numbers["best"] else CONTRADICTED
    return timed(verdict, f"ball and walk over the best: {told}", table)
