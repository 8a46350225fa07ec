"""Measure a word of gothic bench on the particles of a study, and make one table of all.

python -m analysis.study.bench WORD --program GOTHIC --output RESULTS/STUDY/bench_WORD.csv IC.h5...
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.errors import DataError, main
from analysis.reading.csv_tables import read_table, write_table
from analysis.study.curve_order import CURVES, order_row, radii
from analysis.study.parameters import parameters_of


@dataclass(frozen=True)
class Bench:
    """Calls of gothic bench, with options that all have, that write tables into a folder."""

    program: Path
    options: list[str]
    folder: Path

    def table(self, word: str, *options: str | Path, written: str = "--output") -> pd.DataFrame:
        """Measure and read the table.

        Raises
        ------
        DataError
            If the program fails.
        """
        path = self.folder / "table.csv"
        command = [self.program, "bench", word, *self.options, *options, written, path]
        if subprocess.run(command, check=False).returncode:
            raise DataError(f"{' '.join(map(str, command))}: failed; see above")
        return read_table(path)


def particles_in(ic: Path) -> dict[str, int | str]:
    """Tell the model, number and seed of particles by the path of their file."""
    return {name: value for name, value in parameters_of(ic).items() if name != "study"}


def placed(table: pd.DataFrame, ic: Path) -> pd.DataFrame:
    """Add what particles were taken to a table."""
    facts = {name: value for name, value in particles_in(ic).items() if name not in table}
    return table.assign(**facts)


def order(bench: Bench, ic: Path, rounds: int) -> pd.DataFrame:
    """Measure tree and walk with either curve, in turn, so that a drift meets both."""
    rows = []
    for number in range(1, rounds + 1):
        for curve in CURVES:
            given = ("--input", ic, "--curve", curve)
            row = order_row(bench.table("tree", *given), bench.table("walk", *given))
            rows.append({"curve": curve, "round": number} | row)
    found = {}
    for curve in CURVES:
        given = ("--input", ic, "--curve", curve)
        found[curve] = radii(bench.table("balls", *given, written="--histogram"))
    return pd.DataFrame([row | found[str(row["curve"])] for row in rows])


def measured(given: argparse.Namespace, options: list[str], folder: Path) -> pd.DataFrame:
    """Measure a word and make the table of all particles."""
    bench = Bench(given.program, options, folder)
    if given.word == "peak":
        return bench.table("peak")
    tables, histograms = [], []
    for ic in given.ics:
        if given.word == "order":
            tables.append(placed(order(bench, ic, given.rounds), ic))
        elif given.word == "balls":
            file = folder / "histogram.csv"
            tables.append(placed(bench.table("balls", "--input", ic, "--histogram", file), ic))
            histograms.append(placed(read_table(file), ic))
        else:
            tables.append(placed(bench.table(given.word, "--input", ic), ic))
    if histograms:
        path = given.output.with_name("bench_histogram.csv")
        write_table(pd.concat(histograms, ignore_index=True), path)
    return pd.concat(tables, ignore_index=True)


def run() -> None:
    """Measure a word; options that are not known here go to gothic bench."""
    parser = argparse.ArgumentParser(prog="python -m analysis.study.bench", description=__doc__)
    parser.add_argument("word", help="of gothic bench, or order")
    parser.add_argument("ics", type=Path, nargs="*", help="particles, at STUDY/ic/MODEL.../ic.h5")
    parser.add_argument("--program", type=Path, required=True, help="gothic")
    parser.add_argument("--output", type=Path, required=True, help="CSV file to write")
    parser.add_argument("--rounds", type=int, default=1, help="of order")
    parser.add_argument("--options", default="", help="of gothic bench, in one word")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_table(measured(given, given.options.split(), Path(folder)), given.output)


if __name__ == "__main__":
    main(run)
