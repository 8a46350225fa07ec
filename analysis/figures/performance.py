"""Table of the achieved performance (Miki & Umemura 2017, table 3)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from analysis.errors import DataError
from analysis.figures.command import of_study
from analysis.figures.common import conditions, model_name, model_names, save, setting_name
from analysis.paper.device_peaks import PEAKS
from analysis.paper.published import by_hardware, published, size
from analysis.reading.csv_tables import MADE
from analysis.study.tables import Study, Where

KINDS = ("average", "maximum", "minimum")
RUN = ("model", "criterion", "accuracy", "particles", "steps", "eta", *MADE)
# Heading and form of what is shown of each quantity.
SHOWN = {
    "rate": ("interactions/s", "{:.2e}"),
    "gflops": ("GFlop/s", "{:.0f}"),
    "share_of_peak": ("of peak", "{:.0%}"),
    "share_of_direct": ("of direct rate", "{:.0%}"),
}


def performance(steps: pd.DataFrame, peak: pd.DataFrame) -> pd.DataFrame:
    """Reduce runs to what they achieve, one row per model.

    Parameters
    ----------
    steps
        Table of `analysis.study.step_table`.
    peak
        Table of ``gothic bench peak`` on the same device.

    Returns
    -------
    pandas.DataFrame
        ``rate_<kind>`` is the average, maximum and minimum over the steps of the interactions per
        second of the walk, ``rate_overall`` all interactions over all seconds of the walk;
        ``gflops_<kind>`` and ``share_of_peak_<kind>`` are NaN for devices that
        `device_peaks.PEAKS` does not know; ``direct_rate`` is the rate of direct summation with
        the same root, ``share_of_direct_<kind>`` the rate over it.

    Raises
    ------
    DataError
        If the tables are of several devices or the direct rate is missing.
    """
    devices = set(steps["device_name"]) | set(peak["device_name"])
    if len(devices) != 1:
        raise DataError(f"tables of several devices, {'; '.join(sorted(devices))}; take one's")
    known = PEAKS.get(devices.pop())
    flops, limit = (known.flops_per_interaction, known.flops) if known else (np.nan, np.nan)
    rows = []
    for _, run in steps.groupby("model", sort=False):
        rate, first = run["interactions_per_walk_s"], run.iloc[0]
        values = {"average": rate.mean(), "maximum": rate.max(), "minimum": rate.min()}
        values["overall"] = run["interactions"].sum() / run["walk_s"].sum()
        direct = direct_rate(peak, first["root"])
        row = {name: first[name] for name in RUN} | {"hardware": first["device_name"]}
        row |= {f"rate_{kind}": value for kind, value in values.items()}
        row |= {f"gflops_{kind}": flops * value / 1e9 for kind, value in values.items()}
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


def published_performance(model: str) -> pd.DataFrame:
    """Tabulate what was published of a model, with the columns of `performance`."""
    quantities = {"rate": "rate", "gflops": "performance"}
    table = by_hardware(
        {f"{ours}_{kind}": f"{name}_{kind}" for kind in KINDS for ours, name in quantities.items()},
        model,
    ).assign(model=model)
    if not table.empty:
        for column, quantity in {
            "peak_gflops": "peak",
            "flops_per_interaction": "flops_per_interaction",
        }.items():
            values = published(quantity).set_index("hardware")["value"]
            table[column] = table["hardware"].map(values)
        for kind in KINDS:
            table[f"share_of_peak_{kind}"] = table[f"gflops_{kind}"] / table["peak_gflops"]
    return table


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it; missing numbers are empty."""
    columns = {
        "model": table["model"].map(model_name),
        "hardware": table["hardware"],
        "N": table["particles"].map(size),
    }
    for name, (heading, form) in SHOWN.items():
        for kind in (*KINDS, "overall") if name in ("rate", "share_of_direct") else KINDS:
            if f"{name}_{kind}" not in table:
                continue
            values = table[f"{name}_{kind}"]
            if values.notna().any():
                texts = values.map(form.format, na_action="ignore").fillna("")
                columns[f"{heading}, {kind}"] = texts
    return pd.DataFrame(columns)


def caption(table: pd.DataFrame, steps: pd.DataFrame) -> str:
    """Describe the table and the conditions of its measurements."""
    first = table.iloc[0]
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
        f"{later}{conditions(steps, model_names(steps))}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table of achieved performance."""
    steps = study.steps(where)
    table = performance(steps, study.bench("peak", {}))
    others = [published_performance(model) for model in table["model"]]
    both = pd.concat([table, *others], ignore_index=True)
    save(shown(both), both, caption(table, steps), stem)


if __name__ == "__main__":
    of_study("performance", __doc__, make)
