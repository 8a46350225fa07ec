"""Table of the achieved performance (Miki & Umemura 2017, table 3)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from analysis.devices import PEAKS
from analysis.figures.common import conditions, model_name, save_table, setting_name
from analysis.files import DataError
from analysis.published import published, size
from analysis.row import PROVENANCE
from analysis.study import Study, Where

KINDS = ("average", "maximum", "minimum")
RUN = ("model", "criterion", "accuracy", "particles", "steps", "eta", "threads", *PROVENANCE)


def performance(steps: pd.DataFrame, peak: pd.DataFrame) -> pd.DataFrame:
    """Reduce runs to what they achieve, one row per model.

    Parameters
    ----------
    steps
        Table of `analysis.steps`.
    peak
        Table of ``gothic bench peak`` on the same device.

    Returns
    -------
    pandas.DataFrame
        ``rate_<kind>`` is the average, maximum and minimum over the steps of the interactions per
        second of the walk, ``rate_overall`` all interactions over all seconds of the walk;
        ``gflops_<kind>`` and ``share_of_peak_<kind>`` are NaN for devices that
        `analysis.devices.PEAKS` does not know; ``direct_rate`` is that of direct summation with the
        same root, ``share_of_direct_<kind>`` the rate over it.

    Raises
    ------
    DataError
        If the tables are of several devices or the direct rate is missing.
    """
    devices = set(steps["device_name"]) | set(peak["device_name"])
    if len(devices) != 1:
        raise DataError(f"tables of several devices, {'; '.join(sorted(devices))}; take one's")
    known = PEAKS.get(devices.pop())
    rows = []
    for _, run in steps.groupby("model", sort=False):
        rate = run["interactions_per_walk_s"]
        direct = direct_rate(peak, run["root"].iloc[0])
        row = {name: run[name].iloc[0] for name in RUN} | {"hardware": run["device_name"].iloc[0]}
        values = {"average": rate.mean(), "maximum": rate.max(), "minimum": rate.min()}
        values["overall"] = run["interactions"].sum() / run["walk_s"].sum()
        row |= {f"rate_{kind}": value for kind, value in values.items()}
        flops = known.flops_per_interaction if known else np.nan
        row |= {f"gflops_{kind}": flops * value / 1e9 for kind, value in values.items()}
        limit = known.flops if known else np.nan
        row |= {f"share_of_peak_{k}": flops * value / limit for k, value in values.items()}
        row |= {"peak_gflops": limit / 1e9, "flops_per_interaction": flops, "direct_rate": direct}
        row |= {f"share_of_direct_{kind}": value / direct for kind, value in values.items()}
        rows.append(row)
    return pd.DataFrame(rows)


def direct_rate(peak: pd.DataFrame, root: str) -> float:
    """Find the rate of direct summation with the root of a run.

    ``auto`` takes the estimate at the accuracy of the runs, 2^-7.
    """
    name = "direct_newton" if root == "newton" else "direct_estimate"
    rates = peak.loc[peak["measurement"] == name, "interactions/s"]
    if rates.empty:
        raise DataError(f"no row {name} in the table of gothic bench peak; make it again")
    return float(rates.iloc[0])


def published_performance(models: list[str]) -> pd.DataFrame:
    """Tabulate what was published of the same models, with the columns of `performance`."""
    rows = []
    peaks = published("peak").set_index("hardware")["value"]
    counts = published("flops_per_interaction").set_index("hardware")["value"]
    for model in models:
        rates = {kind: published(f"rate_{kind}", model) for kind in KINDS}
        gflops = {kind: published(f"performance_{kind}", model) for kind in KINDS}
        for n, found in rates["average"].iterrows():
            hardware = found["hardware"]
            row = {"model": model, "hardware": hardware, "particles": found["particles"]}
            row |= {"source": found["source"], "peak_gflops": peaks[hardware]}
            row["flops_per_interaction"] = counts[hardware]
            for kind in KINDS:
                row[f"rate_{kind}"] = rates[kind]["value"][n]
                row[f"gflops_{kind}"] = gflops[kind]["value"][n]
                row[f"share_of_peak_{kind}"] = gflops[kind]["value"][n] / peaks[hardware]
            rows.append(row)
    return pd.DataFrame(rows)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it."""
    columns = {
        "model": table["model"].map(model_name),
        "hardware": table["hardware"],
        "N": table["particles"].map(size),
    }
    for name, kinds, form in (
        ("rate", (*KINDS, "overall"), "{:.2e}"),
        ("gflops", KINDS, "{:.0f}"),
        ("share_of_peak", KINDS, "{:.0%}"),
        ("share_of_direct", KINDS, "{:.0%}"),
    ):
        heading = {
            "rate": "interactions/s",
            "gflops": "GFlop/s",
            "share_of_peak": "of peak",
            "share_of_direct": "of direct rate",
        }[name]
        for kind in kinds:
            column = f"{name}_{kind}"
            if table[column].notna().any():
                columns[f"{heading}, {kind}"] = texts(table[column], form)
    return pd.DataFrame(columns)


def texts(values: pd.Series, form: str) -> list[str]:
    """Write numbers; missing ones are empty."""
    return ["" if np.isnan(value) else form.format(value) for value in values]


def caption(table: pd.DataFrame, steps: pd.DataFrame) -> str:
    """Describe the table and the conditions of its measurements."""
    first = table.iloc[0]
    names = " and ".join(model_name(model) for model in steps["model"].unique())
    later = "".join(
        f"{row.value:.0%} of the peak of a {row.hardware} are published by {row.source}, with "
        f"{size(row.particles)} particles. "
        for row in published("share_of_peak").itertuples()
    )
    counted = (
        "Floating-point operations are not counted, since the theoretical peak of the device is "
        "not known here. "
        if np.isnan(first["flops_per_interaction"])
        else f"An interaction counts for {first['flops_per_interaction']:.0f} operations: 20 and a "
        "reciprocal square root by its throughput. The theoretical peak in single precision, "
        f"without tensor units, is {first['peak_gflops']:.0f} GFlop/s. "
    )
    return (
        "Achieved performance of the walk: average, maximum and minimum over the steps of the "
        "interactions per second, and all interactions over all seconds of the walk (overall). "
        f"{counted}The direct rate, {first['direct_rate']:.3g} interactions per second, is that of "
        "direct summation with the same reciprocal square root on the same device. "
        f"Block time steps, {setting_name(first)}. Rows of other hardware are published ones, "
        "Miki & Umemura (2017), table 3, with 28, 26 and 24 operations an interaction. "
        f"{later}"
        f"{conditions(steps.assign(repeats=1), names)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table of achieved performance."""
    steps = study.steps(where)
    table = performance(steps, study.bench("peak", {}))
    both = pd.concat([table, published_performance(list(steps["model"].unique()))])
    save_table(both, shown(both), caption(table, steps), stem)
