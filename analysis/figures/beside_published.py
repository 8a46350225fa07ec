"""Table of the study's numbers beside published ones.

Usage: python -m analysis.figures.beside_published [--timings T.csv...] [--trace T.csv...]
    [--errors E.csv...] [--peak P.csv...] [--crossover C.csv...] --stem STEM
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from analysis.beside import beside
from analysis.cli import main
from analysis.figures.common import model_name, save_table
from analysis.published import size

KINDS = ("timings", "trace", "errors", "peak", "crossover")
NAMES = {
    "elapsed_per_step": "elapsed time per step, block steps",
    "speedup": "block over shared steps, per step",
    "levels": "levels of steps",
    "rebuild_interval": "mean interval of new trees",
    "slow_steps": "slow steps",
    "rate_average": "interactions per second of the walk, mean over steps",
    "direct_rate": "rate of direct summation",
    "crossover": "tree faster than direct summation above",
    "particles_per_second": "particles per second of a force on all",
}


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it."""
    empty = table.fillna({"model": "", "unit": "", "hardware": ""})
    return pd.DataFrame(
        {
            "quantity": empty["quantity"].map(NAMES),
            "model": empty["model"].map(model_name),
            "value": [f"{row.value:.3g} {row.unit}".strip() for row in empty.itertuples()],
            "N": ["" if pd.isna(number) else size(number) for number in empty["particles"]],
            "hardware": empty["hardware"],
            "source": empty["source"],
        }
    )


def caption(table: pd.DataFrame) -> str:
    """Describe the table and the conditions of the study's measurements."""
    first = table[table["source"] == "this study"].iloc[0]
    return (
        "Numbers of this study beside published ones, of other sizes and on other hardware as the "
        "rows tell. Elapsed times and speed-ups are those of the acceleration MAC with 2^-7, files "
        "included; published ones of the V100 are for an accuracy that is not told here. Published "
        "speed-ups are the least and the greatest at typical accuracies. Particles per second are "
        "those of a whole force with the opening angle 0.5, here with monopoles; that of Ryoanji "
        "is with quadrupoles. Direct summation is in single precision. "
        f"Device: {first['device']}, {first['threads']:.0f} CPU thread(s); {first['compiler']}; "
        f"gothic {first['version']}, revision {first['revision']}."
    )


def run() -> None:
    """Write the table of what the given tables allow."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.figures.beside_published", description=__doc__
    )
    for kind in KINDS:
        parser.add_argument(f"--{kind}", type=Path, nargs="*", default=[], help="tables so called")
    parser.add_argument("--stem", type=Path, required=True, help="output path without suffix")
    given = parser.parse_args()
    table = beside({kind: list(map(pd.read_csv, getattr(given, kind))) for kind in KINDS})
    save_table(table, shown(table), caption(table), given.stem)


if __name__ == "__main__":
    main(run)
