"""Judges of what the paper says about single steps, from the steps of a run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import binomtest, spearmanr

from analysis.paper.device_peaks import PEAKS
from analysis.paper.evidence import Evidence, EvidenceError
from analysis.paper.verdicts import (
    CONFIRMED,
    CONTRADICTED,
    UNDECIDED,
    Judgement,
    by_formula,
    in_parts,
    span,
    timed,
)
from analysis.reading.files import STAGES

CONSTRUCTION = ("keys", "sort", "build", "groups")
CONSTANT = 1.25  # 90th over 10th percentile of what counts as constant
APART = 1.2  # least factor between the medians of sequences
NEAR = 2.0  # factor within which a formula holds
SIGNIFICANT = 0.05
ALMOST = 1.25  # factor within which counts agree
NAMES = ("fast", "intermediate", "slow")


def step_levels(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Count the levels of block steps."""
    trace = evidence.trace(model)
    levels = int(trace["level_max"].max() - trace["level_min"].min() + 1)
    verdict = CONFIRMED if levels == numbers["levels"][model] else CONTRADICTED
    return Judgement(verdict, f"{levels} levels in {len(trace)} steps")


def rebuild_interval(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Compare the steps that a tree serves with the published number and with its formula.

    The formula is n^2 = 2 t_make / growth, with the mean seconds of a construction and the growth
    of the walk's seconds per step that a tree is old, see `growth_of`.
    """
    trace = evidence.trace(model)
    built = trace["rebuilt"].to_numpy(bool)
    if not built.any():
        raise EvidenceError("no tree was built anew")
    interval = len(trace) / built.sum()
    told = f"{interval:.1f} steps on average, {built.sum()} trees in {len(trace)} steps"
    make = trace.loc[built, [f"{stage}_s" for stage in CONSTRUCTION]].sum(axis=1).mean()
    growth, error = growth_of(trace)
    seconds = growth * trace["walk_s"].mean()
    told += f"; a construction takes {make:.3g} s, and the walk grows by {growth:.0%} a step"
    if not growth > 2 * error:
        return Judgement(UNDECIDED, f"{told}, not more than its error of {error:.1%}")
    expected = np.sqrt(2 * make / seconds)
    told += (
        f" of a tree's age ({error:.1%} standard error), so that the formula gives {expected:.1f}"
    )
    near = [1 / NEAR <= interval / one <= NEAR for one in (numbers["interval"], expected)]
    return timed(by_formula(*near), told, trace)


def growth_of(trace: pd.DataFrame) -> tuple[float, float]:
    """Fit how much longer the walk takes per step that a tree is old, as a fraction of its time.

    Least squares of ln seconds = a constant for each sequence + b ln active + growth x age.

    Returns
    -------
    growth, error
        The slope and its standard error.
    """
    built = trace["rebuilt"].to_numpy(bool)
    start = np.maximum.accumulate(np.where(built, np.arange(len(trace)), 0))
    age = np.arange(len(trace)) - start
    kinds = pd.get_dummies(trace["sequence"]).to_numpy(float)
    columns = np.column_stack([kinds, np.log(trace["active"]), age])
    seconds = np.log(trace["walk_s"].to_numpy(float))
    best, _, rank, _ = np.linalg.lstsq(columns, seconds, rcond=None)
    if rank == np.linalg.matrix_rank(columns[:, :-1]) or len(seconds) <= rank:
        raise EvidenceError("trees are too young for a growth of the walk to be seen")
    residual = seconds - columns @ best
    variance = residual @ residual / (len(seconds) - rank)
    return float(best[-1]), float(np.sqrt(variance * np.linalg.pinv(columns.T @ columns)[-1, -1]))


def rebuild_triggers(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Ask whether trees are built in slow steps, or directly after, more often than by chance."""
    trace = evidence.trace(model)
    slow = (trace["sequence"] == "slow").to_numpy()
    near = slow[1:] | slow[:-1]
    rebuilt = trace["rebuilt"].to_numpy(bool)[1:]
    if near.all() or not near.any() or not rebuilt.any():
        told = f"{rebuilt.sum()} constructions, {near.mean():.0%} of the steps slow or after one"
        return Judgement(UNDECIDED, told)
    hits, chance = int((rebuilt & near).sum()), float(near.mean())
    probability = binomtest(hits, int(rebuilt.sum()), chance, alternative="greater").pvalue
    told = (
        f"{hits} of {rebuilt.sum()} constructions after the first step fall on a slow step or "
        f"directly after it; by chance {chance:.0%} would (probability of so many "
        f"{probability:.2g})"
    )
    if probability < SIGNIFICANT:
        return Judgement(CONFIRMED, told)
    return Judgement(CONTRADICTED if hits <= chance * rebuilt.sum() else UNDECIDED, told)


def slow_rates(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Ask whether the walk sums slowest where it sums most."""
    trace = evidence.trace(model)
    rate, count = trace["interactions_per_walk_s"], trace["interactions"]
    slow = trace["sequence"] == "slow"
    if not (~slow).any():
        raise EvidenceError("all steps are of one kind")
    rank = spearmanr(count, rate).statistic
    least, most = rate.idxmin(), rate.idxmax()
    told = (
        f"{rate[slow].median():.3g} pairs per second in slow steps and {rate[~slow].median():.3g} "
        f"in the others (medians); the lowest rate, {rate[least]:.3g}, at {count[least]:.3g} "
        f"pairs, the highest, {rate[most]:.3g}, at {count[most]:.3g}; the most pairs are "
        f"{count.max():.3g}; rank correlation {rank:+.2f}"
    )
    right = slow[least], rate[slow].median() < rate[~slow].median()
    return timed(in_parts(*right), told, trace)


def share_of_peak(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Compare average, greatest and least rate over the steps with the peak of the device."""
    trace = evidence.trace(model)
    device = trace["device_name"].iloc[0]
    if device not in PEAKS:
        raise EvidenceError(f"the peak of {device} is not known")
    peak = PEAKS[device]
    share = trace["interactions_per_walk_s"] * peak.flops_per_interaction / peak.flops
    low, high = numbers["average"]
    least, most = numbers["maximum"]
    right = [low <= share.mean() <= high, least <= share.max() <= most]
    right.append(share.min() < numbers["minimum"])
    told = (
        f"{share.mean():.0%} on average over {len(trace)} steps, {share.max():.0%} at most, "
        f"{share.min():.0%} at least"
    )
    return timed(in_parts(*right), told, trace)


def moments_constant(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Ask whether the moments take a constant time, and are the longest stage of some steps."""
    trace = evidence.trace(model)
    times = trace[[f"{stage}_s" for stage in STAGES]]
    longest = int((times.idxmax(axis=1) == "moments_s").sum())
    spread, words = constancy(times["moments_s"])
    told = f"{words}; the longest stage in {longest} of {len(trace)} steps"
    return timed(in_parts(spread < CONSTANT, longest > 0), told, trace)


def orbit_integration(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Ask whether the prediction is constant, and corrections fall in three sequences."""
    trace = evidence.trace(model)
    spread, words = constancy(trace["predict_s"])
    medians = trace.groupby("sequence")["correct_s"].median().reindex(NAMES).dropna()
    ratios = medians.to_numpy()[1:] / medians.to_numpy()[:-1]
    apart = len(medians) == len(NAMES) and (ratios > APART).all()
    each = ", ".join(f"{seconds:.2g} s ({name})" for name, seconds in medians.items())
    told = f"prediction {words}; corrections take {each}"
    return timed(in_parts(spread < CONSTANT, apart), told, trace)


def constancy(seconds: pd.Series) -> tuple[float, str]:
    """Return the 90th over the 10th percentile of times, and tell it with their median."""
    spread = seconds.quantile(0.9) / seconds.quantile(0.1)
    return spread, f"{seconds.median():.2g} s, the 90th percentile {spread:.2f} times the 10th"


def sort_limits(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Ask whether sorting is the longest part of the construction of a tree."""
    trace = evidence.trace(model)
    built = trace[trace["rebuilt"].astype(bool)]
    if built.empty:
        raise EvidenceError("no tree was built anew")
    times = built[[f"{stage}_s" for stage in CONSTRUCTION]]
    longest = times.median().idxmax().removesuffix("_s")
    shares = times.median() / times.median().sum()
    told = ", ".join(f"{name.removesuffix('_s')} {share:.0%}" for name, share in shares.items())
    total = times.sum(axis=1).median()
    verdict = CONFIRMED if longest == "sort" else CONTRADICTED
    return timed(verdict, f"of {total:.2g} s of a construction: {told} (medians)", trace)


def first_steps(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Compare the first steps of a run with those of the paper's figure, where no seconds matter.

    The parts are the number of slow steps, three sequences, the mean step over the walk of slow
    steps, and the step of the first reconstruction.
    """
    trace = evidence.trace(model).head(numbers["steps"])
    if len(trace) < numbers["steps"]:
        raise EvidenceError(f"only {len(trace)} steps were kept")
    slow = trace[trace["sequence"] == "slow"]
    kinds = trace["sequence"].nunique()
    ratio = trace["total_s"].mean() / slow["walk_s"].median()
    later = trace["number"][trace["rebuilt"].astype(bool)].iloc[1:]
    first = int(later.iloc[0]) if len(later) else 0
    low, high = numbers["ratio"]
    right = [1 / ALMOST <= len(slow) / numbers["slow"] <= ALMOST, kinds == len(NAMES)]
    right += [low <= ratio <= high, 1 / ALMOST <= first / numbers["rebuild"] <= ALMOST]
    told = (
        f"{len(slow)} slow steps of {len(trace)}, {kinds} ranges of walk times; a step takes "
        f"{trace['total_s'].mean():.3g} s on average, {ratio:.0%} of the walk of a slow step "
        f"({span(slow['walk_s'], '{:.2g}')} s); first reconstruction "
        f"{f'in step {first}' if first else 'in no step'}"
    )
    return timed(in_parts(*right), told, trace)
