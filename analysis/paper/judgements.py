"""What Miki & Umemura (2017) found, confirmed or contradicted by the tables of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest, spearmanr

from analysis.paper.criteria import CRITERIA
from analysis.paper.speed_up import speed_up
from analysis.reading.bench_tables import crossing, knee, on_gpu
from analysis.study.runs import reduce_repeats

CONFIRMED, PARTLY, CONTRADICTED = "confirmed", "partly", "contradicted"
UNDECIDED = "not decided"
TYPICAL = {"acceleration": (2**-8, 2**-6), "multipole": (2**-5, 2**-2), "opening": (0.5, 0.7)}
LEVELS = {"nfw": 4, "m31": 5}
LARGE = 1e5


class Judgement(NamedTuple):
    """Whether a finding is ``confirmed`` or not, and our numbers in words."""

    verdict: str
    numbers: str


Judge = Callable[[pd.DataFrame], Judgement | None]
FINDINGS: list[tuple[str, str, str, Judge]] = []


def finding(text: str, kind: str, model: str = "") -> Callable[[Judge], Judge]:
    """Add what judges a finding by a kind of table, of one model if it is named, to `FINDINGS`."""

    def add(judge: Judge) -> Judge:
        FINDINGS.append((text, kind, model, judge))
        return judge

    return add


def judged(right: int, of: int) -> str:
    """Turn a number of parts that agree into a verdict."""
    return CONFIRMED if right == of else CONTRADICTED if right == 0 else PARTLY


@finding(
    "block steps with the acceleration MAC are fastest at equal accuracy in most cases",
    "sweep",
)
def fastest_criterion(sweep: pd.DataFrame) -> Judgement | None:
    """Compare the criteria at equal 99 % error, with block steps.

    The logarithm of the elapsed time is interpolated linearly in the logarithm of the error, over
    the range that the acceleration MAC shares with at least one other.
    """
    if sweep["error_99"].isna().all():
        return None
    table = reduce_repeats(sweep)
    block = table[table["step"] == "block"]
    lines = {c: block[block["criterion"] == c].sort_values("error_99") for c in CRITERIA}
    lines = {c: line for c, line in lines.items() if len(line) > 1}
    if len(lines) < 2 or "acceleration" not in lines:
        return Judgement(UNDECIDED, "not all criteria were run")
    ends = np.log(
        [lines["acceleration"]["error_99"].min(), lines["acceleration"]["error_99"].max()]
    )
    at = np.linspace(*ends, 400)
    times = {c: interpolated(line, at) for c, line in lines.items()}
    others = np.array([time for c, time in times.items() if c != "acceleration"])
    rivals = np.isfinite(others).any(axis=0)
    if not rivals.any():
        return Judgement(UNDECIDED, "no range of errors in common")
    best = np.nanargmin(np.array(list(times.values()))[:, rivals], axis=0)
    shares = {c: float(np.mean(best == n)) for n, c in enumerate(times)}
    gain = np.exp(np.nanmin(others[:, rivals], axis=0) - times["acceleration"][rivals])
    low, high = np.exp(at[rivals][[0, -1]])
    numbers = (
        f"between the 99 % errors {low:.1e} and {high:.1e} fastest in "
        + ", ".join(f"{100 * share:.0f} % ({c})" for c, share in shares.items())
        + f" of the range of its logarithm; the best other one takes {gain.min():.2f} to "
        f"{gain.max():.2f} times as long as acceleration, median {np.median(gain):.2f}"
    )
    share = shares["acceleration"]
    verdict = CONFIRMED if share > 0.5 else PARTLY if share > 0 else CONTRADICTED
    return Judgement(verdict, numbers)


def interpolated(line: pd.DataFrame, at: np.ndarray) -> np.ndarray:
    """Interpolate ln elapsed time at given ln error; NaN beyond the ends of the line."""
    error, time = np.log(line["error_99"]), np.log(line["elapsed_per_step_s"])
    return np.interp(at, error, time, left=np.nan, right=np.nan)


@finding("the gain of block steps falls as the accuracy rises", "sweep")
def gain_by_accuracy(sweep: pd.DataFrame) -> Judgement | None:
    """Tell how the gain of block steps changes with the accuracy parameter."""
    if not set(sweep["step"]) >= {"block", "shared"}:
        return None
    table = speed_up(sweep)
    words, right, of = [], 0, 0
    for criterion, rows in table.groupby("criterion"):
        if len(rows) < 3:
            continue
        rank = spearmanr(rows["accuracy"], rows["per_step_stages"]).statistic
        ends = rows.sort_values("accuracy")["per_step_stages"].to_numpy()
        words.append(
            f"{criterion} {ends[-1]:.2f} at the least and {ends[0]:.2f} at the greatest accuracy "
            f"(rank correlation with the parameter {rank:+.2f})"
        )
        right, of = right + (rank > 0.3), of + 1
    verdict = judged(right, of) if of else UNDECIDED
    numbers = "by the timers of the steps: " + "; ".join(words) if of else "too few accuracies"
    return Judgement(verdict, numbers)


@finding(
    "block steps are 2-5 times as fast per step as shared ones at typical accuracy",
    "sweep",
    "m31",
)
def gain_at_typical_accuracy(sweep: pd.DataFrame) -> Judgement | None:
    """Tell the gain of block steps at the accuracies that the paper calls typical."""
    if not set(sweep["step"]) >= {"block", "shared"}:
        return None
    table = speed_up(sweep)
    words, gains = [], []
    for criterion, (low, high) in TYPICAL.items():
        accuracy = table["accuracy"]
        inside = (accuracy > 0.99 * low) & (accuracy < 1.01 * high)
        rows = table[(table["criterion"] == criterion) & inside]
        if rows.empty:
            continue
        gains += rows["per_step_stages"].tolist()
        words.append(
            f"{criterion} {span(rows['per_step_stages'])} (whole runs {span(rows['per_step'])})"
        )
    right = sum(2 <= gain <= 5 for gain in gains)
    verdict = judged(right, len(gains)) if gains else UNDECIDED
    numbers = "; ".join(words) if gains else "no typical accuracy was run"
    return Judgement(verdict, numbers)


def span(values: pd.Series) -> str:
    """Write the ends of a range, or the only value."""
    low, high = f"{values.min():.2f}", f"{values.max():.2f}"
    return low if low == high else f"{low}-{high}"


@finding("slow steps trigger the construction of the tree", "trace")
def rebuild_triggers(trace: pd.DataFrame) -> Judgement:
    """Ask whether trees are built in slow steps, or directly after, more often than by chance."""
    steps = trace.sort_values("number").iloc[1:]
    slow = (trace.sort_values("number")["sequence"] == "slow").to_numpy()
    near = slow[1:] | slow[:-1]
    rebuilt = steps["rebuilt"].to_numpy().astype(bool)
    if near.all() or not near.any() or not rebuilt.any():
        numbers = f"{rebuilt.sum()} constructions, {near.mean():.0%} of the steps slow or after one"
        return Judgement(UNDECIDED, numbers)
    hits, chance = int((rebuilt & near).sum()), float(near.mean())
    probability = binomtest(hits, int(rebuilt.sum()), chance, alternative="greater").pvalue
    numbers = (
        f"{hits} of {rebuilt.sum()} constructions after the first step fall on a slow step or "
        f"directly after it; by chance {100 * chance:.0f} % would (probability of so many "
        f"{probability:.2g})"
    )
    verdict = CONFIRMED if probability < 0.05 else CONTRADICTED
    return Judgement(verdict, numbers)


@finding("the rate of interactions is lowest where interactions are most", "trace")
def slow_rates(trace: pd.DataFrame) -> Judgement:
    """Ask whether the walk sums slowest where it sums most."""
    rate, count = trace["interactions_per_walk_s"], trace["interactions"]
    slow = trace["sequence"] == "slow"
    rank = spearmanr(count, rate).statistic
    numbers = (
        f"{rate[slow].median():.3g} per second in slow steps and {rate[~slow].median():.3g} in the "
        f"others (medians); the lowest rate, {rate.min():.3g}, at {count[rate.idxmin()]:.3g} "
        f"interactions, the highest, {rate.max():.3g}, at {count[rate.idxmax()]:.3g}; the most are "
        f"{count.max():.3g}; rank correlation {rank:+.2f}"
    )
    if not (~slow).any():
        return Judgement(UNDECIDED, "all steps are of one kind")
    right = int(slow[rate.idxmin()]) + int(rate[slow].median() < rate[~slow].median())
    return Judgement(judged(right, 2), numbers)


@finding("the walk takes a constant time below 10^4 / S active particles on a GPU", "sharing")
def knee_by_sharing(sharing: pd.DataFrame) -> Judgement:
    """Find from how many active particles on the walk takes longer."""
    given = sharing[sharing["choice"] == "given"]
    knees = {}
    for lanes, rows in given.groupby("lanes_sharing"):
        largest = rows[rows["group_size"] == rows["group_size"].max()]
        if len(largest) > 2:
            active, seconds = (largest[name].to_numpy(float) for name in ("active", "seconds"))
            knees[int(lanes)] = knee(active, seconds)
    found = ", ".join(f"{place(where)} (S = {lanes})" for lanes, where in knees.items())
    if not on_gpu(sharing):
        words = f"on a CPU none is expected; the slope d ln t / d ln N_i passes 1/2 at {found}"
        return Judgement(UNDECIDED, words)
    known = {lanes: where for lanes, where in knees.items() if where > 0}
    right = sum(1 / 3 < where * lanes / 1e4 < 3 for lanes, where in known.items())
    falls = len(known) > 1 and spearmanr(list(known), list(known.values())).statistic < -0.9
    numbers = f"knee at {found} active particles; it {'falls' if falls else 'does not fall'} with S"
    verdict = judged(right, len(known)) if known else UNDECIDED
    if verdict == CONTRADICTED and falls:
        verdict = PARTLY
    return Judgement(verdict, numbers)


def place(where: float) -> str:
    """Write the place of a knee."""
    if np.isnan(where):
        return "more than was measured"
    return f"{where:.2g}" if where else "less than was measured"


@finding("the time of a step is proportional to N above 10^5", "scaling")
def scaling_with_particles(scaling: pd.DataFrame) -> Judgement:
    """Fit the time of a step by a power of the number of particles above 10^5."""
    table = reduce_repeats(scaling).sort_values("particles", ignore_index=True)
    large = table[table["particles"] >= LARGE]
    if len(large) < 2:
        large = table.tail(2)
    if large["particles"].max() < LARGE or len(large) < 2:
        return Judgement(UNDECIDED, "too few particles")
    x, y = np.log(large["particles"]), np.log(large["stages_per_step_s"])
    slope = np.polyfit(x, y, 1)[0]
    numbers = (
        f"N^{slope:.2f} from {large['particles'].min()} to {large['particles'].max()} particles"
    )
    if len(large) > 4:
        last = large.index[-4:]
        ending = np.polyfit(x[last], y[last], 1)[0]
        numbers += f", N^{ending:.2f} from {large['particles'][last[0]]} on"
    verdict = CONFIRMED if abs(slope - 1) < 0.15 else CONTRADICTED
    return Judgement(verdict, numbers)


@finding("EBS is 5 % larger than the smallest ball in most cases and 10 % at worst", "histogram")
def ebs_radii(histogram: pd.DataFrame) -> Judgement:
    """Compare Ritter's balls with the smallest ones."""
    ebs = histogram[histogram["ball"] == "ebs"]
    most = ebs["ratio_high"].fillna(np.inf).max()
    within, worst = share_below(ebs, 1.05), share_below(ebs, 1.10)
    numbers = (
        f"{100 * within:.0f} % of the balls are less than 5 % larger, {100 * worst:.1f} % less "
        f"than 10 %, all less than {100 * (most - 1):.0f} %"
    )
    return Judgement(judged(int(within > 0.5) + int(most < 1.105), 2), numbers)


@finding("GEO is smaller than 1.15 of the smallest ball in most cases", "histogram")
def geo_radii(histogram: pd.DataFrame) -> Judgement:
    """Compare balls about the centres of boxes with the smallest ones."""
    usual = share_below(histogram[histogram["ball"] == "geo"], 1.15)
    verdict = CONFIRMED if usual > 0.5 else CONTRADICTED
    return Judgement(verdict, f"{100 * usual:.0f} % of the balls are")


@finding("COM exceeds 1.4 of the smallest ball in regions of low density", "histogram")
def com_radii(histogram: pd.DataFrame) -> Judgement:
    """Compare balls about centres of mass with the smallest ones, where they are large."""
    com = histogram[histogram["ball"] == "com"]
    beyond, everywhere = 1 - share_below(largest_tenth(com), 1.4), 1 - share_below(com, 1.4)
    verdict = CONFIRMED if beyond > 0.5 else PARTLY if beyond > 0.01 else CONTRADICTED
    numbers = (
        f"{100 * beyond:.1f} % of the largest tenth of the balls do, "
        f"{100 * everywhere:.1f} % of all"
    )
    return Judgement(verdict, numbers)


def share_below(histogram: pd.DataFrame, ratio: float) -> float:
    """Part of the groups in bins that end at a ratio or below."""
    below = histogram["ratio_high"] < ratio + 1e-6
    return float(histogram["groups"][below].sum() / histogram["groups"].sum())


def largest_tenth(histogram: pd.DataFrame) -> pd.DataFrame:
    """Select the bins of the largest radii that hold a tenth of the groups, or a little more."""
    by_radius = histogram.groupby("radius_low")["groups"].sum().sort_index(ascending=False)
    enough = by_radius.cumsum() >= 0.1 * by_radius.sum()
    return histogram[histogram["radius_low"] >= enough.idxmax() * (1 - 1e-9)]


@finding("the tree is faster than direct summation above 10^4 particles", "crossover")
def tree_against_direct(crossover: pd.DataFrame) -> Judgement:
    """Tell from how many particles on the tree is faster than direct summation."""
    table = crossover.sort_values("particles")
    where, last = crossing(table), table.iloc[-1]
    ratios = f"{last['direct_over_tree']:.2g} times as fast at {last['particles']:.0f}"
    if np.isnan(where):
        first = table.iloc[0]
        always = (table["direct_over_tree"] > 1).all()
        side = "at every number measured, from" if always else "at no number measured up to"
        size = first["particles"] if always else last["particles"]
        numbers = f"faster {side} {size:.0f}; {ratios}"
        verdict = CONFIRMED if always else CONTRADICTED if size > 1e4 else UNDECIDED
        return Judgement(verdict, numbers)
    verdict = CONFIRMED if where <= 1e4 else CONTRADICTED
    return Judgement(verdict, f"faster above {where:.0f}; {ratios}")


@finding("a tree serves about 12 steps (M31)", "trace", "m31")
def rebuild_interval(trace: pd.DataFrame) -> Judgement:
    """Tell how many steps a tree serves."""
    rebuilds = int(trace["rebuilt"].sum())
    if not rebuilds:
        return Judgement(UNDECIDED, "no tree was built anew")
    mean = len(trace) / rebuilds
    verdict = CONFIRMED if 8 <= mean <= 18 else CONTRADICTED
    numbers = f"{mean:.1f} steps on average, {rebuilds} trees in {len(trace)} steps"
    return Judgement(verdict, numbers)


@finding("block steps have 5 levels (M31)", "trace", "m31")
@finding("block steps have 4 levels (NFW)", "trace", "nfw")
def step_levels(trace: pd.DataFrame) -> Judgement:
    """Count the levels of block steps."""
    levels = int(trace["level_max"].max() - trace["level_min"].min() + 1)
    published = LEVELS[trace["model"].iloc[0]]
    return Judgement(CONFIRMED if levels == published else CONTRADICTED, f"{levels} levels")


def findings(tables: Mapping[str, Sequence[pd.DataFrame]]) -> pd.DataFrame:
    """Try everything that the tables of a study allow, a row for each.

    Parameters
    ----------
    tables
        One for each model: ``sweep`` and ``scaling`` (rows of the table of runs), ``trace`` (steps
        of a run), ``sharing``, ``histogram``, ``crossover`` (of gothic bench).
    """
    rows = [
        (text, table["model"].iloc[0], *judgement)
        for text, kind, model, judge in FINDINGS
        for table in tables.get(kind, [])
        if model in ("", table["model"].iloc[0]) and (judgement := judge(table))
    ]
    return pd.DataFrame(rows, columns=["finding", "model", "verdict", "numbers"])
