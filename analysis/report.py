"""One page with everything that a folder of results holds; it needs no other file and no network.

python -m analysis.report --output RESULTS/REPORT.html

From the folder of the page it shows the figures and tables of studies, and those of other devices.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from analysis.cli import main
from analysis.files import pick
from analysis.index import Entry, figure, origins, page, sections_of, table
from analysis.runs import load, parameters_in, reduce_repeats

MEASURES = [
    "error_50",
    "error_99",
    "elapsed_per_step_s",
    "stages_per_step_s",
    "active_fraction",
    "interactions",
    "rebuilds",
    "energy_drift_max",
]
MEASURED = Path(__file__).with_name("measured")


def figures_in(folder: Path) -> list[Path]:
    """List the figures and tables of a folder, which have captions, without suffix."""
    return [path.with_suffix("") for path in sorted(folder.glob("*.txt"))]


def runs_entry(study: Path, runs: pd.DataFrame) -> Entry:
    """Show the table of a parameter study: what was varied and the main measures."""
    values = {name: runs[name].unique() for name in parameters_in(runs)}
    varied = [name for name, found in values.items() if len(found) > 1]
    common = [f"{name} {found[0]}" for name, found in values.items() if len(found) == 1]
    caption = (
        f"{len(runs)} runs of the study {study.name}, {dates(runs)}, medians of repeats. "
        f"Common to all: {', '.join(common)}. {made_by(runs)} All columns are in "
        f"{study / 'runs.csv'}."
    )
    measured = [name for name in MEASURES if runs[name].notna().any()]
    shown = reduce_repeats(runs)[[*varied, "repeats", *measured]]
    return Entry(f"runs-{study.name}", f"Runs of {study.name}", table(shown), caption)


def made_by(runs: pd.DataFrame) -> str:
    """Name the devices, compilers and revisions of runs."""
    columns = {"Device": "device_name", "compiler": "compiler", "revision": "revision"}
    named = (f"{word}: {', '.join(sorted(set(runs[name])))}" for word, name in columns.items())
    return f"{'; '.join(named)}."


def dates(runs: pd.DataFrame) -> str:
    """Tell from the files of runs when they were made."""
    made = sorted({date(Path(folder) / "steps.h5") for folder in runs["path"]})
    return made[0] if len(made) == 1 else f"{made[0]} to {made[-1]}"


def date(log: Path) -> str:
    """Read the day on which a run was made."""
    return str(pick(log, "Provenance", ("date",))["date"])[:10]


def studies(results: Path) -> pd.DataFrame:
    """List the studies in a folder of results: their runs, and when these were made."""
    rows = []
    for study in sorted(results.glob("*/")):
        if made := sorted(date(log) for log in study.rglob("steps.h5")):
            rows.append(
                {"study": study.name, "runs": len(made), "first": made[0], "last": made[-1]}
            )
    return pd.DataFrame(rows, columns=["study", "runs", "first", "last"])


def of_results(results: Path) -> Iterator[tuple[str, list[Entry]]]:
    """Find what the folder of results holds."""
    for study in sorted(path.parent for path in results.glob("*/study.json")):
        for heading, stems in sections_of(study, study / "figures").items():
            yield f"{study.name}: {heading}", [figure(stem, None) for stem in stems]
        if (study / "runs.parquet").exists():
            yield f"{study.name}: runs", [runs_entry(study, load(study))]
    for study in sorted(path.parent for path in MEASURED.glob("*/study.json")):
        for heading, stems in sections_of(study, results / "measured" / study.name).items():
            yield heading, [figure(stem, None) for stem in stems]


def run() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser(prog="python -m analysis.report", description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="HTML file to write")
    given = parser.parse_args()
    results = given.output.parent
    tables = [path.with_suffix("") for path in sorted(results.rglob("*.txt"))]
    note = f"{table(origins(tables))}\n{table(studies(results))}"
    partial = given.output.with_suffix(".partial")
    partial.write_text(page("GOTHIC: accuracy and speed", note, list(of_results(results))))
    partial.rename(given.output)


if __name__ == "__main__":
    main(run)
