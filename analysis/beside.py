"""Numbers of a study in the terms in which others have published theirs."""

from __future__ import annotations

import pandas as pd

from analysis.crossover import crossing
from analysis.files import DataError
from analysis.published import published
from analysis.sweep import FIDUCIAL, Setting, model_of
from analysis.tables import aggregate, speed_up

# What is compared, and the published quantities that stand beside it.
QUANTITIES = {
    "elapsed_per_step": ["elapsed_per_step"],
    "speedup": ["speedup_least_acceleration", "speedup_most_acceleration", "speedup"],
    "levels": ["levels"],
    "rebuild_interval": ["rebuild_interval"],
    "slow_steps": ["trace_slow_steps"],
    "rate_average": ["rate_average"],
    "direct_rate": ["direct_rate"],
    "crossover": ["crossover"],
    "particles_per_second": ["particles_per_second"],
}
PASS = Setting("opening", 0.5)
FACTS = ("particles", "device", "revision", "version", "compiler", "threads")


def of_timings(timings: pd.DataFrame) -> list[dict[str, object]]:
    """Find the elapsed time and the speed-up of the fiducial runs."""
    rows = []
    found = pick(aggregate(timings), FIDUCIAL)
    for row in found[found["step_mode"] == "block"].to_dict("records"):
        rows.append(entry("elapsed_per_step", row, row["elapsed_per_step_s"], "s"))
    try:
        gains = pick(speed_up(timings), FIDUCIAL)
    except DataError:  # one step mode alone
        return rows
    return rows + [entry("speedup", row, row["per_step"], "") for row in gains.to_dict("records")]


def of_trace(trace: pd.DataFrame) -> list[dict[str, object]]:
    """Find what a run shows step by step."""
    row = trace.iloc[0].to_dict()
    rebuilds = (trace["rebuilt"] > 0).sum()
    levels = trace["level_max"].max() - trace["level_min"].min() + 1
    slow = (trace["sequence"] == "slow").sum()
    rate = trace["interactions_per_walk_s"].mean()
    return [
        entry("levels", row, levels, "levels of steps"),
        entry("rebuild_interval", row, len(trace) / max(rebuilds, 1), "steps"),
        entry("slow_steps", row, slow, f"of {len(trace)} steps"),
        entry("rate_average", row, rate, "interactions/s"),
    ]


def of_errors(errors: pd.DataFrame) -> list[dict[str, object]]:
    """Find the particles per second of a force on all of them with the opening angle 0.5."""
    rows = pick(errors, PASS).to_dict("records")
    return [
        entry("particles_per_second", row, row["particles"] / row["force_s"], "particles/s")
        for row in rows
    ]


def of_peak(peak: pd.DataFrame) -> list[dict[str, object]]:
    """Find the rate of direct summation in single precision."""
    row = peak[peak["measurement"] == "direct_newton"].iloc[0].to_dict()
    row |= {"sample": "", "particles": row["sources"]}
    return [entry("direct_rate", row, row["interactions/s"], "interactions/s")]


def of_crossover(crossover: pd.DataFrame) -> list[dict[str, object]]:
    """Find the number of particles above which the tree is faster than direct summation."""
    row = crossover.iloc[-1].to_dict()
    return [entry("crossover", row, crossing(crossover), "particles")]


def entry(quantity: str, row: dict, value: float, unit: str) -> dict[str, object]:
    """Make a row of the study, with the facts of the table's row that it is taken from."""
    facts = {name: row.get(name) for name in FACTS}
    model = model_of(row["sample"])
    return {"quantity": quantity, "model": model, "value": value, "unit": unit, **facts}


def pick(table: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Select the rows of one setting."""
    near = (table["accuracy"] / setting.accuracy - 1).abs() < 1e-9
    return table[(table["criterion"] == setting.criterion) & near]


def beside(tables: dict[str, list[pd.DataFrame]]) -> pd.DataFrame:
    """Put the numbers of a study beside the published ones of the same quantities.

    Parameters
    ----------
    tables
        Tables of the study by kind: ``timings``, ``trace``, ``errors``, ``peak``, ``crossover``.

    Returns
    -------
    pandas.DataFrame
        Quantity by quantity, those of the study first: ``quantity``, ``model``, ``value``,
        ``unit``, ``particles``, ``hardware``, ``source``, which is "this study" for them, and
        their provenance. Published values of models that the study does not have are left out.
    """
    kinds = {
        "timings": of_timings,
        "trace": of_trace,
        "errors": of_errors,
        "peak": of_peak,
        "crossover": of_crossover,
    }
    found = [row for kind, read in kinds.items() for t in tables.get(kind, []) for row in read(t)]
    ours = pd.DataFrame(found)
    ours = ours.assign(hardware=ours["device"], source="this study")
    parts = []
    for quantity, names in QUANTITIES.items():
        mine = ours[ours["quantity"] == quantity]
        if mine.empty:
            continue
        others = pd.concat([published(name) for name in names])
        here = others["model"].isna() | others["model"].isin(mine["model"])
        parts += [mine, others[here].assign(quantity=quantity)]
    return pd.concat([part for part in parts if not part.empty], ignore_index=True)
