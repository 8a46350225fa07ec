"""A page with the figures and tables of studies.

python -m analysis.docs.pages --output PAGE.html TABLES=FIGURES...
python -m analysis.docs.pages --output RESULTS/report.html

The page of some studies links to the files of each figure. Without studies the page shows all that
its folder holds, and what was measured on other devices; it needs no other file and no network.
"""

from __future__ import annotations

import argparse
import base64
import html
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.errors import DataError, main
from analysis.measured import FOLDER, kept_studies
from analysis.reading.files import pick
from analysis.reading.origin import NAMES
from analysis.study.failures import failures_of
from analysis.study.figure_kinds import KINDS
from analysis.study.runs import description, load, parameters_in, reduce_repeats
from analysis.study.words import in_words

PACKAGE = Path(__file__).parent
SUFFIXES = ("pdf", "png", "gif", "csv", "md", "html", "txt")
WORDS = {"vs": "against", "hilbert": "Hilbert", "morton": "Morton"}
FAILED = "Figures that have failed"
ORIGIN = ["device_name", "compiler", "revision"]
MEASURES = [
    "error_50",
    "error_99",
    "elapsed_per_step_s",
    "stages_per_step_s",
    "active_fraction",
    "interactions",
    "rebuilds",
    "softening_used",
    "energy_drift_max",
]


@dataclass(frozen=True)
class Entry:
    """A figure or table of a page: its body is HTML, its caption plain text."""

    anchor: str
    title: str
    body: str
    caption: str

    def html(self) -> str:
        """Write it as an element of the page."""
        return (
            f'<figure id="{html.escape(self.anchor)}">\n<h3>{html.escape(self.title)}</h3>\n'
            f'<div class="shown">{self.body}</div>\n'
            f"<figcaption>{html.escape(self.caption)}</figcaption>\n</figure>\n"
        )

    def link(self) -> str:
        """Write a line of the contents that leads to it."""
        return f'<li><a href="#{html.escape(self.anchor)}">{html.escape(self.title)}</a></li>\n'


def title_of(stem: str) -> str:
    """Write the name of a figure in words: ``speedup_m31`` is Speedup: M31."""
    for model, name in NAMES.items():
        if stem.endswith(f"_{model}"):
            return f"{title_of(stem.removesuffix(f'_{model}'))}: {name}"
    words = " ".join(WORDS.get(word, word) for word in stem.split("_"))
    return words[0].upper() + words[1:]


def figure(stem: Path, folder: Path | None) -> Entry:
    """Show a figure or table with its caption; a `DataError` if one of its files is missing.

    Parameters
    ----------
    stem
        Path of its files without suffix.
    folder
        Folder of the page, which then links to the files; None if it is to hold the picture itself.
    """
    files = {kind: stem.with_name(f"{stem.name}.{kind}") for kind in SUFFIXES}
    files = {kind: path for kind, path in files.items() if path.exists()}
    if "txt" not in files or not {"png", "html"} & set(files):
        raise DataError(f"{stem}: its files are missing; run snakemake to make them")
    title = title_of(stem.name)
    parts = []
    if "png" in files:
        parts.append(f'<img src="{source(files["png"], folder)}" alt="{html.escape(title)}">')
    if "html" in files:
        parts.append(files["html"].read_text())
    if folder:
        links = (f'<a href="{source(path, folder)}">{kind}</a>' for kind, path in files.items())
        parts.append(f'<div class="files">{" ".join(links)}</div>')
    caption = files["txt"].read_text().strip()
    return Entry("-".join(stem.parts[-3:]), title, "\n".join(parts), caption)


def source(path: Path, folder: Path | None) -> str:
    """Write the address of a file as seen from a folder; without one, the picture itself."""
    if folder:
        return html.escape(os.path.relpath(path, folder))
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


def origins(stems: Iterable[Path]) -> str:
    """Tabulate the devices, compilers and revisions of which the tables of figures tell."""
    found = [pd.DataFrame(columns=ORIGIN)]
    for stem in stems:
        path = stem.with_name(f"{stem.name}.csv")
        head = pd.read_csv(path, nrows=0).columns if path.exists() else ()
        if set(ORIGIN) <= set(head):
            found.append(pd.read_csv(path, usecols=ORIGIN, dtype=str).dropna()[ORIGIN])
    return table(pd.concat(found).drop_duplicates().sort_values(ORIGIN, ignore_index=True))


def table(rows: pd.DataFrame) -> str:
    """Write a table, which a click on a heading sorts."""
    number = "{:.4g}".format
    return rows.to_html(
        index=False, border=0, classes="sortable", justify="unset", na_rep="", float_format=number
    )


def page(title: str, note: str, sections: Mapping[str, Sequence[Entry]]) -> str:
    """Write the whole page, with its contents beside it.

    Parameters
    ----------
    title
        Its heading.
    note
        HTML that follows the heading.
    sections
        What is under the further headings.
    """
    contents = body = ""
    for heading, entries in sections.items():
        links = "".join(entry.link() for entry in entries)
        contents += f"<li>{html.escape(heading)}\n<ul>\n{links}</ul></li>\n"
        body += f"<h2>{html.escape(heading)}</h2>\n{''.join(entry.html() for entry in entries)}"
    style, script = ((PACKAGE / f"page.{kind}").read_text() for kind in ("css", "js"))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<nav>\n<ul>\n{contents}</ul>\n</nav>\n<main>\n<h1>{html.escape(title)}</h1>\n{note}\n"
        f"{body}</main>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def sections_of(study: Path, figures: Path) -> dict[str, list[Path]]:
    """List the figures of a study that are there, without suffix, under their headings.

    Parameters
    ----------
    study
        Folder of the tables; one in analysis/measured is named in the headings.
    figures
        Folder of the figures.
    """
    kept = study.parent.parent.name == "measured"
    device = f"Measured on {study.parent.name}, {study.name}: " if kept else ""
    found: dict[str, list[Path]] = {f"{device}{kind.section}": [] for kind in KINDS.values()}
    for one in description(study)["figures"]:
        stem = figures / one["name"]
        if stem.with_name(f"{stem.name}.txt").exists():
            found[f"{device}{KINDS[one['kind']].section}"].append(stem)
    return {heading: stems for heading, stems in found.items() if stems}


def failed(study: Path) -> list[Entry]:
    """Name the figures of a study that have failed, and why."""
    anchor = f"failed-{study.name}"
    return [
        Entry(f"{anchor}-{name}", name, "", problem) for name, problem in failures_of(study).items()
    ]


def runs_entry(study: Path) -> Entry:
    """Show the table of runs of a study: what was varied and the main measures."""
    runs = load(study)
    values = {name: runs[name].unique() for name in parameters_in(runs)}
    varied = [name for name, found in values.items() if len(found) > 1]
    common = [in_words(runs, name, found[0]) for name, found in values.items() if len(found) == 1]
    logs = [log for folder in runs["path"] if (log := Path(folder) / "steps.h5").exists()]
    made = sorted({*map(date, logs)})
    days = f", {' to '.join(dict.fromkeys((made[0], made[-1])))}" if made else ""
    columns = {"Device": "device_name", "compiler": "compiler", "revision": "revision"}
    by = "; ".join(f"{word}: {', '.join(sorted(set(runs[c])))}" for word, c in columns.items())
    caption = (
        f"{len(runs)} runs of the study {study.name}{days}, medians of repeats. "
        f"Common to all: {', '.join(common)}. {by}. All columns are in {study / 'runs.csv'}."
    )
    measured = [name for name in MEASURES if name in runs and runs[name].notna().any()]
    shown = reduce_repeats(runs)[[*varied, "repeats", *measured]]
    return Entry(f"runs-{study.name}", f"Runs of {study.name}", table(shown), caption)


def date(log: Path) -> str:
    """Read the day on which a run was made."""
    return str(pick(log, "Provenance", ("date",))["date"])[:10]


def studies_in(results: Path) -> str:
    """Tabulate the studies in a folder of results: their runs, and when these were made."""
    rows = []
    for study in sorted(results.glob("*/")):
        if made := sorted(date(log) for log in study.rglob("steps.h5")):
            rows.append(
                {"study": study.name, "runs": len(made), "first": made[0], "last": made[-1]}
            )
    return table(pd.DataFrame(rows, columns=["study", "runs", "first", "last"]))


def everything_in(results: Path) -> Iterator[tuple[str, list[Entry]]]:
    """Find what a folder of results holds."""
    for study in sorted(path.parent for path in results.glob("*/study.json")):
        for heading, stems in sections_of(study, study / "figures").items():
            yield f"{study.name}: {heading}", [figure(stem, None) for stem in stems]
        if entries := failed(study):
            yield f"{study.name}: {FAILED}", entries
        if (study / "runs.parquet").exists():
            yield f"{study.name}: runs", [runs_entry(study)]
    for study in kept_studies():
        figures = results / "measured" / study.relative_to(FOLDER)
        for heading, stems in sections_of(study, figures).items():
            yield heading, [figure(stem, None) for stem in stems]


def report(results: Path) -> str:
    """Write the page of everything in a folder of results."""
    stems = [path.with_suffix("") for path in sorted(results.rglob("*.txt"))]
    note = f"{origins(stems)}\n{studies_in(results)}"
    return page("GOTHIC: accuracy and speed", note, dict(everything_in(results)))


def index(studies: Sequence[tuple[Path, Path]], folder: Path) -> str:
    """Write the page of some studies, tables and figures of each, that is to lie in a folder."""
    sections: dict[str, list[Path]] = {}
    for study, figures in studies:
        sections |= sections_of(study, figures)
    note = origins(stem for stems in sections.values() for stem in stems)
    shown = {h: [figure(stem, folder) for stem in stems] for h, stems in sections.items()}
    if entries := [entry for study, _ in studies for entry in failed(study)]:
        shown = {FAILED: entries} | shown
    return page(f"GOTHIC: {', '.join(study.name for study, _ in studies)}", note, shown)


def pair(text: str) -> tuple[Path, Path]:
    """Read TABLES=FIGURES."""
    study, _, figures = text.partition("=")
    return Path(study), Path(figures)


def run() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m analysis.docs.pages", description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="HTML file to write")
    parser.add_argument("studies", type=pair, nargs="*", metavar="TABLES=FIGURES")
    given = parser.parse_args()
    folder = given.output.parent
    text = index(given.studies, folder) if given.studies else report(folder)
    partial = given.output.with_suffix(".partial")
    partial.write_text(text)
    partial.rename(given.output)


if __name__ == "__main__":
    main(run)
