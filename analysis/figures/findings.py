"""Table of what was published, confirmed or contradicted by the numbers of a study.

Usage: python -m analysis.figures.findings [--errors E.csv...] [--timings T.csv...] ... --stem STEM
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from analysis.benches import facts_sentence, read_bench
from analysis.cli import main
from analysis.figures.common import model_name, save_table
from analysis.files import DataError
from analysis.findings import CONFIRMED, CONTRADICTED, PARTLY, UNDECIDED, findings
from analysis.sweep import model_of

BENCHES = ("sharing", "histogram")
TABLES = ("errors", "timings", "trace", "scaling", "crossover", *BENCHES)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it."""
    return pd.DataFrame(
        {
            "published": table["finding"],
            "model": table["sample"].map(model_name),
            "here": table["verdict"],
            "our numbers": table["numbers"],
        }
    )


def caption(table: pd.DataFrame, tables: dict[str, list[pd.DataFrame]]) -> str:
    """Describe the table and count its verdicts."""
    count = table["verdict"].value_counts()
    verdicts = (CONFIRMED, PARTLY, CONTRADICTED, UNDECIDED)
    words = ", ".join(f"{count.get(verdict, 0)} {verdict}" for verdict in verdicts)
    first = next(one for kind in tables.values() for one in kind)
    sizes = {
        f"{model_name(sample)} {sample.removeprefix(f'{model_of(sample)}_').split('_s')[0]}"
        for kind in tables
        if kind not in ("scaling", "crossover")
        for one in tables[kind]
        for sample in one["sample"].unique()
    }
    return (
        "Qualitative findings of Miki & Umemura (2017), tried on the tables of this study: "
        f"{words}. Partly means that some of the numbers agree; not decided, that they cannot "
        f"tell. Particles: {', '.join(sorted(sizes)) or 'as in the tables'}. "
        f"{facts_sentence(first)}"
    )


def read(path: Path, kind: str) -> pd.DataFrame:
    """Read a table of one kind."""
    if kind in BENCHES:
        return read_bench(path, kind)
    try:
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}; run snakemake to make it") from error


def run() -> None:
    """Write the table from all tables of a study."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.figures.findings", description=__doc__
    )
    for kind in TABLES:
        parser.add_argument(f"--{kind}", type=Path, nargs="*", default=[], help=f"tables of {kind}")
    parser.add_argument("--stem", type=Path, required=True, help="output path without suffix")
    given = vars(parser.parse_args())
    tables = {kind: [read(path, kind) for path in given[kind]] for kind in TABLES}
    if not any(tables.values()):
        raise DataError("no table was given; see python -m analysis.figures.findings --help")
    table = findings(tables)
    save_table(table, shown(table), caption(table, tables), given["stem"])


if __name__ == "__main__":
    main(run)
