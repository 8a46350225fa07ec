"""Judges of what the paper says about numbers of particles, active or all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from analysis.paper.criteria import FIDUCIAL
from analysis.paper.evidence import Evidence, EvidenceError, named
from analysis.paper.published import size
from analysis.paper.verdicts import (
    CONFIRMED,
    CONTRADICTED,
    DEPENDS,
    Judgement,
    agreeing,
    by_formula,
    in_parts,
    timed,
)
from analysis.reading.bench_tables import crossing, knee, on_gpu
from analysis.study.runs import select

LARGE, SMALL, LARGEST = 1e5, 1e4, 2**24  # the paper's range of proportional times, and its floor
LINEAR = 0.15  # deviation of a power that counts as proportional
INVERSE = 0.25  # deviation of a power that counts as inverse
FLAT = 0.3  # power below which a time counts as constant
STEEP = 1.15
ABOUT = np.sqrt(10)  # factor within which numbers of an order of magnitude agree
NEGLIGIBLE = 0.1
NEAR = 1.25  # factor within which seconds of a step agree


def knee_by_sharing(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Ask whether the walk's time is constant below a number of particles that falls as 1 / S.

    The constant, S x knee, is the number of threads that the device runs at once.
    """
    table = evidence.bench("sharing", model)
    if not on_gpu(table):
        raise EvidenceError("a CPU has no such number; measure on a GPU")
    knees = {lanes: knee(*line) for lanes, line in lines_by_sharing(table).items()}
    found = pd.Series({lanes: where for lanes, where in knees.items() if where > 0})
    if len(found) < 3:
        raise EvidenceError("fewer than three values of S have a knee")
    product = found * found.index
    power, deviation = power_law(found.index, found)
    middle = np.exp(np.log(product).mean())
    told = (
        "knee at "
        + ", ".join(f"{where:.2g} (S = {lanes})" for lanes, where in found.items())
        + f" active particles, as S^{power:.2f} (standard error {deviation:.2f}); S x knee is "
        f"{middle:.2g} on average, {product.min():.2g} to {product.max():.2g}"
    )
    law = abs(power + 1) < INVERSE
    constant = 1 / ABOUT < middle / numbers["product"] < ABOUT
    return timed(by_formula(constant, law), told, table)


def lines_by_sharing(table: pd.DataFrame) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Return active particles, rising, and seconds for each S, with the largest groups."""
    lines = {}
    for lanes, rows in table[table["choice"] == "given"].groupby("lanes_sharing"):
        rows = rows[rows["group_size"] == rows["group_size"].max()].sort_values("active")
        if len(rows) > 2:
            lines[int(lanes)] = rows["active"].to_numpy(float), rows["seconds"].to_numpy(float)
    return lines


def steep_end(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Ask whether the walk's time rises steeply where all particles are active, but for S = 32."""
    table = evidence.bench("sharing", model)
    lines = lines_by_sharing(table)
    if len(lines) < 2 or 32 not in lines:
        raise EvidenceError("S = 32 or smaller values were not measured")
    powers = {
        lanes: np.log(seconds[-1] / seconds[-2]) / np.log(active[-1] / active[-2])
        for lanes, (active, seconds) in lines.items()
    }
    steep = [power > STEEP for lanes, power in powers.items() if lanes < 32]
    told = "time between the two largest numbers of active particles as N_i^" + ", ".join(
        f"{power:.2f} (S = {lanes})" for lanes, power in powers.items()
    )
    if not any(steep):
        return timed(CONTRADICTED, told, table)
    return timed(in_parts(all(steep), powers[32] <= STEEP), told, table)


def power_law(x: object, y: object) -> tuple[float, float]:
    """Fit y by a power of x; return the power and its standard error (0 for two points)."""
    x, y = (np.log(np.asarray(values, float)) for values in (x, y))
    power, shift = np.polyfit(x, y, 1)
    residual = y - power * x - shift
    free = max(len(x) - 2, 1)
    return float(power), float(np.sqrt(residual @ residual / free / np.sum((x - x.mean()) ** 2)))


def scaling_with_particles(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Fit the time of a step by a power of N from 10^5 to the paper's most, and beyond.

    Where it is not proportional in that range as a whole but for the three largest numbers of all,
    the range depends on the hardware, which more particles fill.
    """
    table = evidence.sizes(model)
    large = table[table["particles"] >= LARGE]
    inside = large[large["particles"] <= LARGEST]
    if len(inside) < 3:
        raise EvidenceError("fewer than three numbers of particles above 10^5")
    told = power_words(inside)
    beyond = large[large["particles"] >= LARGEST]
    if len(beyond) > 2:
        told += f"; beyond the paper's range {power_words(beyond)}"
    if abs(fitted(inside) - 1) < LINEAR:
        return timed(CONFIRMED, told, large)
    windows = [large.iloc[n : n + 3] for n in range(len(large) - 2)]
    linear = [rows["particles"] for rows in windows if abs(fitted(rows) - 1) < LINEAR]
    if linear:
        told += f"; proportional from {size(linear[0].iloc[0])} to {size(linear[-1].iloc[-1])}"
    filled = bool(linear) and linear[-1].iloc[-1] == large["particles"].iloc[-1]
    return timed(DEPENDS if filled else CONTRADICTED, told, large)


def fitted(rows: pd.DataFrame) -> float:
    """Fit the power of N that the time of a step follows."""
    return power_law(rows["particles"], rows["stages_per_step_s"])[0]


def power_words(rows: pd.DataFrame) -> str:
    """Tell the powers of N that the time of a step and that of its walk follow."""
    ends = " to ".join(size(n) for n in rows["particles"].iloc[[0, -1]])
    walk, _ = power_law(rows["particles"], rows["walk_s"])
    step, error = power_law(rows["particles"], rows["stages_per_step_s"])
    return f"N^{step:.2f} (standard error {error:.2f}) from {ends}, the walk alone N^{walk:.2f}"


def floor_of_moments(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Ask whether moments take a constant time below 10^4, and a growing part of the step."""
    table = evidence.sizes(model)
    if not on_gpu(table):
        raise EvidenceError("a CPU has no such floor; measure on a GPU")
    small = table[table["particles"] <= SMALL]
    if len(small) < 3 or (table["particles"] <= LARGE).all():
        raise EvidenceError("fewer than three numbers of particles below 10^4, or none above 10^5")
    power, _ = power_law(small["particles"], small["moments_s"])
    share = table["moments_s"] / table["walk_s"]
    told = (
        f"N^{power:.2f} below 10^4, {small['moments_s'].min():.2g} s; {share.iloc[0]:.0%} of the "
        f"walk's time with {size(table['particles'].iloc[0])} and {share.iloc[-1]:.0%} with "
        f"{size(table['particles'].iloc[-1])}"
    )
    verdict = in_parts(abs(power) < FLAT, share.iloc[0] > share.iloc[-1])
    return timed(verdict, told, table)


def walk_dominates(evidence: Evidence, model: str, _: Mapping) -> Judgement:
    """Ask whether the walk takes longest, and construction and integration hardly anything."""
    table = evidence.sizes(model)
    table = table[table["particles"] <= LARGEST]
    parts = pd.DataFrame(
        {
            "walk": table["walk_s"],
            "moments": table["moments_s"],
            "construction": table[["keys_s", "sort_s", "build_s", "groups_s"]].sum(axis=1),
            "integration": table["predict_s"] + table["correct_s"],
        }
    )
    shares = parts.div(parts.sum(axis=1), axis=0)
    dominates = (parts.idxmax(axis=1) == "walk").mean()
    right = [dominates == 1, shares["construction"].max() < NEGLIGIBLE]
    right.append(shares["integration"].max() < NEGLIGIBLE)
    last = shares.iloc[-1]
    told = (
        f"the walk is longest at {dominates:.0%} of {len(table)} numbers of particles; with "
        f"{size(table['particles'].iloc[-1])} "
        + ", ".join(f"{name} {share:.0%}" for name, share in last.items())
        + f"; at most {shares['construction'].max():.0%} is construction and "
        f"{shares['integration'].max():.0%} integration"
    )
    return timed(in_parts(*right), told, table)


def tree_against_direct(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Tell from how many particles on the tree is faster than direct summation.

    About a number is within half an order of magnitude of it.
    """
    table = evidence.bench("crossover", model).sort_values("particles")
    ratio = table["direct_seconds"] / table["tree_seconds"]
    ends = table["particles"].iloc[[0, -1]]
    told = f"{ratio.iloc[-1]:.2g} times as fast at {ends.iloc[-1]}"
    where = crossing(table)
    if np.isfinite(where):
        near = 1 / ABOUT < where / numbers["particles"] < ABOUT
        ends = [crossing(table.assign(**one)) for one in extremes(table)]
        found = f"faster above {where:.0f} (repeats {ends[0]:.0f} to {ends[1]:.0f})"
        return timed(by_formula(near, True), f"{found}; {told}", table.drop(columns="scatter"))
    if (ratio > 1).all():
        if ends.iloc[0] > numbers["particles"] / ABOUT:
            raise EvidenceError("direct summation was not measured below 10^4")
        return timed(
            DEPENDS, f"faster at every number measured, from {ends.iloc[0]}; {told}", table
        )
    if ends.iloc[-1] < numbers["particles"] * ABOUT:
        raise EvidenceError("the tree was not measured far enough above 10^4")
    return timed(CONTRADICTED, f"slower up to {ends.iloc[-1]}", table)


def extremes(table: pd.DataFrame) -> Iterator[dict[str, pd.Series]]:
    """Pair the opposite extremes of both times: the least favourable for one, then the other."""
    for direct, tree in (("max", "min"), ("min", "max")):
        names = {"direct_seconds": direct, "tree_seconds": tree}
        yield {name: table[f"{name}_{end}"] for name, end in names.items()}


def seconds_at(evidence: Evidence, model: str, particles: int) -> pd.DataFrame:
    """Select the fiducial run with a number of particles."""
    table = evidence.sizes(model)
    row = select(table, **FIDUCIAL, particles=particles)
    if row.empty:
        raise EvidenceError(f"no run of {named(model)} with {size(particles)} particles")
    return row


def elapsed_seconds(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Compare the wall times of M31 and the NFW sphere with the published ones, and their ratio."""
    others = {"m31": "nfw", "nfw": "m31"}
    rows = {
        name: seconds_at(evidence, name, numbers["particles"]) for name in (model, others[model])
    }
    ours = {name: row["elapsed_per_step_s"].iloc[0] for name, row in rows.items()}
    ratio, published = ours["nfw"] / ours["m31"], numbers["seconds"]
    told = (
        f"{ours['m31']:.3g} s (M31) and {ours['nfw']:.3g} s (NFW sphere) a step of wall time, "
        f"{ratio:.2f} times as long for the NFW sphere"
    )
    near = [1 / NEAR < ours[name] / published[name] < NEAR for name in ours]
    law = 1 / NEAR < ratio / (published["nfw"] / published["m31"]) < NEAR
    return timed(by_formula(all(near), law), told, *rows.values())


def times_as_fast(evidence: Evidence, model: str, numbers: Mapping) -> Judgement:
    """Compare the wall time of a step with one that another code took."""
    row = seconds_at(evidence, model, numbers["particles"])
    ends = {"times": "", "times_least": "_greatest", "times_greatest": "_least"}
    seconds = {end: row[f"elapsed_per_step_s{other}"] for end, other in ends.items()}
    times = numbers["seconds"] / pd.DataFrame(seconds)
    right = agreeing(times, "times", numbers["least"])
    ours, ratio = row["elapsed_per_step_s"].iloc[0], times["times"].iloc[0]
    told = f"{ours:.3g} s a step of wall time, {ratio:.3g} times as fast"
    return timed(in_parts(right), told, row)
