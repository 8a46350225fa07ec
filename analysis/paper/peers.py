"""Seconds of other codes for the same forces, beside ours: peers.csv.

python -m analysis.paper.peers

prints the tables of docs/compare.md, and the one of README.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from analysis.errors import main

FILE = Path(__file__).with_name("peers.csv")
NAMES = {"nfw": "NFW", "m31": "M31"}
ERRORS = (1e-3, 1e-4)  # in README.md, of the NFW sphere with the most particles


def read() -> pd.DataFrame:
    """Read the table: a row for each code, device, model, number of particles and error."""
    return pd.read_csv(FILE, keep_default_na=False)


def tables() -> Iterator[str]:
    """Write a Markdown table for each device: seconds, and in brackets how many times ours."""
    for device, rows in read().groupby("device", sort=False):
        errors = list(dict.fromkeys(rows["error_99"]))
        lines = [f"| {device}: 99 % error | {' | '.join(f'{e:g}' for e in errors)} |"]
        lines.append("|---" * (len(errors) + 1) + "|")
        for (model, particles), some in rows.groupby(["model", "particles"], sort=False):
            what = f"{NAMES[model]}, 2^{math.log2(particles):.0f}"
            ours = some.drop_duplicates("error_99").set_index("error_99")["our_seconds"]
            cells = " | ".join(f"{ours[error]:.3g}" for error in errors)
            lines.append(f"| {what}: GOTHIC | {cells} |")
            for code, own in some.groupby("code", sort=False):
                found = {row.error_99: cell(row) for row in own.itertuples()}
                lines.append(f"| {code} | {' | '.join(found.get(e, '') for e in errors)} |")
        yield "\n".join(lines)


def summary() -> str:
    """Write the table of README.md: a row for each device and error, a column for each code."""
    rows = read()
    rows = rows[(rows["model"] == "nfw") & rows["error_99"].isin(ERRORS)]
    rows = rows[rows["particles"] == rows.groupby("device")["particles"].transform("max")]
    codes = list(dict.fromkeys(rows["code"]))
    lines = [
        f"| Seconds of a force | GOTHIC | {' | '.join(codes)} |",
        "|---" * (len(codes) + 2) + "|",
    ]
    for (device, particles, error), some in rows.groupby(
        ["device", "particles", "error_99"], sort=False
    ):
        found = {row.code: cell(row) for row in some.itertuples()}
        what = f"{device}, 2^{math.log2(particles):.0f} particles, 99 % error {error:g}"
        cells = " | ".join(found.get(code, "") for code in codes)
        lines.append(f"| {what} | {some['our_seconds'].iloc[0]:.3g} | {cells} |")
    return "\n".join(lines)


def cell(row: object) -> str:
    """Write the seconds of a code, marked if they are extrapolated."""
    mark = "*" if row.extrapolated else ""
    return f"{row.seconds:.3g}{mark} ({row.seconds / row.our_seconds:.2g})"


def run() -> None:
    """Print the tables."""
    print(*tables(), summary(), sep="\n\n")


if __name__ == "__main__":
    main(run)
