"""Judges of what the paper says about criteria and about block steps, from a sweep of runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from analysis.paper.criteria import FIDUCIAL
from analysis.paper.evidence import NOISE, Evidence, EvidenceError, repeated
from analysis.paper.speed_up import speed_up
from analysis.paper.verdicts import (
    CONFIRMED,
    CONTRADICTED,
    PARTLY,
    UNDECIDED,
    Judgement,
    agreeing,
    in_parts,
    judged,
    scattered,
    span,
    timed,
)
from analysis.study.sweeps import STEPS, half_range

# Columns of `gains`; the paper's quantity is the wall time.
QUANTITIES = {
    "per_step_pairs": "pairs",
    "per_step_walk": "seconds of the walk",
    "per_step_stages": "timers of the steps",
    "per_step": f"wall time of {STEPS} steps",
}
TYPICAL = {"acceleration": (2**-8, 2**-6), "multipole": (2**-5, 2**-2), "opening": (0.5, 0.7)}
LEAST = {"fiducial": 1, "typical": 3, "all": 3}  # settings that tell something
ERRORS = {"error_50": "median", "error_99": "99 %"}
TREND = 0.5  # of a rank correlation
SOMETIMES = 0.05  # least part of a range
ALIKE = 1.3  # factor between times that are comparable


def gain_by_accuracy(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Tell how the gain of block steps changes with the accuracy, in four quantities.

    It falls where its rank correlation with the accuracy parameter is above `TREND`, and its range
    exceeds the scatter of repeats.
    """
    table = speed_up(evidence.sweep(model, both=True)).sort_values("accuracy")
    words, right, of = [], 0, 0
    for name, quantity in measured(table).items():
        found = []
        steady = half_range(table, name).median() <= NOISE
        decides = name == "per_step_pairs" or (repeated(table) and steady)
        for criterion, rows in table.groupby("criterion"):
            if len(rows) < 3:
                continue
            most, least = rows.loc[rows[name].idxmax()], rows.loc[rows[name].idxmin()]
            flat = most[name] == least[name]
            rank = 0.0 if flat else spearmanr(rows["accuracy"], rows[name]).statistic
            falls = rank > TREND and most[f"{name}_least"] > least[f"{name}_greatest"]
            right, of = right + (falls and decides), of + decides
            ends = f"{rows[name].iloc[0]:.2f} to {rows[name].iloc[-1]:.2f}"
            found.append(f"{criterion} {ends} ({rank:+.2f})")
        if found:
            why = "too much scatter" if repeated(table) else "too few repeats"
            once = "" if decides else f" ({why}, not counted)"
            words.append(f"{quantity}: {', '.join(found)}{once}")
    if not of:
        raise EvidenceError("fewer than three accuracies were run with both kinds of steps")
    numbers = (
        "gain from the greatest to the least accuracy, and its rank correlation with the "
        f"parameter, in {'; in '.join(words)}. It falls in {right} of {of}"
    )
    return Judgement(judged(right, of), numbers)


def gain_between(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Compare the gain of block steps in wall time with a published range.

    ``settings`` says where: ``typical`` accuracies of all criteria, the ``fiducial`` setting, or
    ``all``.
    """
    table = chosen(speed_up(evidence.sweep(model, both=True)), numbers["settings"])
    if len(table) < LEAST[numbers["settings"]]:
        raise EvidenceError(
            f"{len(table)} settings ({numbers['settings']}) were run with both kinds of steps"
        )
    steady = table[half_range(table, "per_step") <= NOISE]
    right = agreeing(steady, "per_step", numbers["least"], numbers.get("most", np.inf))
    words = "; ".join(
        f"{quantity} {scattered(table, name)}" for name, quantity in measured(table).items()
    )
    told = f"gain in {words}. {right} of {len(steady)} settings agree by the wall time"
    if len(steady) < len(table):
        told += f", {len(table) - len(steady)} scatter too much to count"
    if len(steady) < LEAST[numbers["settings"]]:
        return Judgement(UNDECIDED, told)
    return timed(judged(right, len(steady)), told, steady)


def measured(table: pd.DataFrame) -> dict[str, str]:
    """Return the `QUANTITIES` that all rows have."""
    return {name: words for name, words in QUANTITIES.items() if table[name].notna().all()}


def chosen(table: pd.DataFrame, settings: str) -> pd.DataFrame:
    """Select typical settings, the fiducial one, or all."""
    if settings == "all":
        return table
    if settings == "fiducial":
        ends = {FIDUCIAL["criterion"]: (FIDUCIAL["accuracy"],) * 2}
    else:
        ends = TYPICAL
    accuracy = table["accuracy"]
    inside = [
        (table["criterion"] == criterion) & accuracy.between(0.99 * low, 1.01 * high)
        for criterion, (low, high) in ends.items()
    ]
    return table[np.any(inside, axis=0)]


def fastest_criterion(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Compare criteria and kinds of steps at equal error, of the median and of 99 %.

    The logarithm of the wall time is interpolated linearly in the logarithm of the error, over the
    range that block steps with the acceleration MAC share with any other line.
    """
    table = with_errors(evidence, model)
    words, shares = [], []
    for error, percentile in ERRORS.items():
        at, times = lines_at(table, error)
        best = fastest(times)
        shares.append(best.pop(("acceleration", "block"), 0.0))
        others = "".join(
            f", {criterion} with {step} steps in {share:.0%}"
            for (criterion, step), share in best.items()
        )
        words.append(
            f"at equal {percentile} error ({np.exp(at[0]):.1e} to {np.exp(at[-1]):.1e}) fastest in "
            f"{shares[-1]:.0%} of the range of its logarithm{others}"
        )
    most = [share > 0.5 for share in shares]
    verdict = CONFIRMED if all(most) else PARTLY if any(shares) else CONTRADICTED
    return timed(verdict, "; ".join(words), table)


def multipole_share(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Ask where the multipole MAC is fastest, and whether it comes up to the opening angle.

    The less accurate half of the range of the logarithm of the errors tells the first, the more
    accurate half the second.
    """
    table = with_errors(evidence, model)
    words, comparable, sometimes = [], [], False
    for error, percentile in ERRORS.items():
        _, times = lines_at(table, error)
        middle = len(next(iter(times.values()))) // 2
        low = {line: time[middle:] for line, time in times.items()}
        share = fastest(low).get(("multipole", "block"), 0.0)
        sometimes |= share > SOMETIMES
        pair = [times.get((name, "block")) for name in ("multipole", "opening")]
        if any(one is None for one in pair):
            raise EvidenceError("the multipole MAC or the opening angle was not run")
        difference = (pair[0] - pair[1])[:middle]
        if np.isnan(difference).all():
            raise EvidenceError("both have no range of small errors in common")
        ratio = np.exp(np.nanmedian(difference))
        comparable.append(1 / ALIKE < ratio < ALIKE)
        words.append(
            f"{percentile} error: fastest in {share:.0%} of the less accurate half, and in the "
            f"other half {ratio:.2f} times as long as the opening angle (median)"
        )
    return timed(in_parts(sometimes, *comparable), "; ".join(words), table)


def with_errors(evidence: Evidence, model: str) -> pd.DataFrame:
    """Select a sweep of several criteria with errors of the forces."""
    table = evidence.sweep(model)
    if table["error_99"].isna().any():
        raise EvidenceError("no errors of the forces")
    if table["criterion"].nunique() < 2 or "acceleration" not in set(table["criterion"]):
        raise EvidenceError("not all criteria were run")
    return table


def lines_at(
    table: pd.DataFrame, error: str
) -> tuple[np.ndarray, dict[tuple[str, str], np.ndarray]]:
    """Interpolate ln wall time of all lines at common ln errors, NaN beyond the ends of a line.

    Returns
    -------
    at, times
        ln error, rising, and the times of every criterion and kind of step with two runs or more.
    """
    lines = {
        line: rows.sort_values(error)
        for line, rows in table.groupby(["criterion", "step"])
        if len(rows) > 1
    }
    main = lines.get(("acceleration", "block"))
    if main is None or len(lines) < 2:
        raise EvidenceError("too few runs to compare at equal error")
    at = np.linspace(*np.log(main[error].iloc[[0, -1]]), 400)
    times = {
        line: np.interp(
            at, np.log(rows[error]), np.log(rows["elapsed_per_step_s"]), left=np.nan, right=np.nan
        )
        for line, rows in lines.items()
    }
    rivals = [time for (criterion, _), time in times.items() if criterion != "acceleration"]
    shared = np.isfinite(rivals).any(axis=0) if rivals else np.zeros(len(at), bool)
    if not shared.any():
        raise EvidenceError("no range of errors in common")
    return at[shared], {line: time[shared] for line, time in times.items()}


def fastest(times: Mapping[tuple[str, str], np.ndarray]) -> dict[tuple[str, str], float]:
    """Tell in which part of a range each line is the lowest; lines that never are, are left out."""
    lowest = np.nanargmin(list(times.values()), axis=0)
    shares = {line: float(np.mean(lowest == n)) for n, line in enumerate(times)}
    return {line: share for line, share in shares.items() if share}


def mean_rate(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Compare the rate of the walk with block steps with that of the walk of all particles.

    The latter is the rate of shared steps; a table of runs without seconds of the walk leaves it to
    the steps of a run that move nearly all.
    """
    try:
        return rate_of_runs(evidence, model)
    except EvidenceError:
        return rate_of_steps(evidence.trace(model))


def rate_of_runs(evidence: Evidence, model: str) -> Judgement:
    """Compare the rates of the walk of runs with block and with shared steps."""
    table = evidence.sweep(model, both=True)
    if table["walk_s"].isna().any():
        raise EvidenceError("the table of runs has no seconds of the walk")
    pairs = table["interactions"] / table["steps"]
    ends = {"rate": "walk_s", "rate_least": "walk_s_greatest", "rate_greatest": "walk_s_least"}
    rates = pd.DataFrame({end: pairs / table[seconds] for end, seconds in ends.items()})
    rates = (
        table[["criterion", "accuracy", "step"]].join(rates).set_index(["criterion", "accuracy"])
    )
    block, shared = (rates[rates["step"] == step] for step in ("block", "shared"))
    block, shared = block.align(shared, join="inner", axis=0)
    ratio = pd.DataFrame(
        {
            "ratio": block["rate"] / shared["rate"],
            "ratio_least": block["rate_least"] / shared["rate_greatest"],
            "ratio_greatest": block["rate_greatest"] / shared["rate_least"],
        }
    )
    known = {"repeats": table["repeats"].min(), "scatter": half_range(ratio, "ratio")}
    right = int((ratio["ratio_least"] > 1).sum())
    settings = [index for index in block.index if index == tuple(FIDUCIAL.values())]
    words = "".join(
        f"; with 2^-7 {block['rate'][one]:.3g} against {shared['rate'][one]:.3g} pairs per second"
        for one in settings
    )
    numbers = (
        f"pairs per second of the walk with block steps over those with shared steps "
        f"{scattered(ratio, 'ratio')}{words}. It is higher in {right} of {len(ratio)} settings"
    )
    return timed(judged(right, len(ratio)), numbers, ratio.assign(**known))


def rate_of_steps(trace: pd.DataFrame) -> Judgement:
    """Compare the mean rate over steps with that of the steps that move nearly all particles."""
    everything = trace[trace["active"] > 0.9 * trace["particles"]]
    if everything.empty:
        raise EvidenceError("no step moves all particles")
    rate = trace["interactions_per_walk_s"]
    overall = trace["interactions"].sum() / trace["walk_s"].sum()
    all_active = everything["interactions_per_walk_s"]
    right = rate.mean() > all_active.max(), overall > all_active.max()
    numbers = (
        f"{rate.mean():.3g} pairs per second on average over {len(trace)} steps, {overall:.3g} for "
        f"all pairs over all seconds; {span(all_active, '{:.3g}')} in the {len(everything)} steps "
        "that move nine tenths of the particles or more"
    )
    return timed(in_parts(*right), numbers, trace)
