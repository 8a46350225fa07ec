"""One page with everything that a folder of results holds; it needs no other file and no network.

python -m analysis.report --title TITLE --output RESULTS/REPORT.html [--note HTML]
    [--section HEADING STEM...]

Figures of the sections that are not there are left out. After them come, from the folder of the
page, tables and plots of parameter studies.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from analysis.cli import main
from analysis.files import pick
from analysis.index import Entry, figure, origins, page, parser_of, section, table
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
Sections = list[tuple[str, list[Entry]]]


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
    """Find what the folder of results holds beside the figures of the study."""
    tables = {path.parent: load(path) for path in sorted(results.glob("*/runs.parquet"))}
    if tables:
        entries = []
        for study, runs in tables.items():
            entries += [figure(stem, None) for stem in figures_in(study / "figures")]
            entries.append(runs_entry(study, runs))
        yield "Parameter studies", entries


def run() -> None:
    """Write the report."""
    given = parser_of("report", __doc__).parse_args()
    sections, shown = [], []
    for heading, stems in map(section, given.section):
        if there := [stem for stem in stems if stem.with_suffix(".txt").exists()]:
            sections.append((heading, [figure(stem, None) for stem in there]))
            shown += there
    sections += of_results(given.output.parent)
    note = f"{given.note}\n{table(origins(shown))}\n{table(studies(given.output.parent))}"
    partial = given.output.with_suffix(".partial")
    partial.write_text(page(given.title, note, sections))
    partial.rename(given.output)


if __name__ == "__main__":
    main(run)
