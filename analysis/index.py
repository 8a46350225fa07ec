"""Page of all figures and tables of one or more studies.

python -m analysis.index --output PAGE.html TABLES=FIGURES...
"""

from __future__ import annotations

import argparse
import base64
import html
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.cli import main
from analysis.figures.common import MODELS
from analysis.files import DataError
from analysis.kinds import KINDS
from analysis.runs import description

PACKAGE = Path(__file__).parent
FILES = ("pdf", "png", "gif", "csv", "md", "html", "txt")
WORDS = {"vs": "against", "hilbert": "Hilbert", "morton": "Morton"}
ORIGIN = ["device_name", "compiler", "revision"]


@dataclass(frozen=True)
class Entry:
    """A figure or table of a page.

    Attributes
    ----------
    anchor
        Its name within the page.
    title
        Its heading.
    body
        HTML of what is shown.
    caption
        In plain text.
    """

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


def title_of(stem: str) -> str:
    """Write the name of a figure in words: ``speedup_m31`` is Speedup: M31."""
    for model, name in MODELS.items():
        if stem.endswith(f"_{model}"):
            return f"{title_of(stem.removesuffix(f'_{model}'))}: {name}"
    words = " ".join(WORDS.get(word, word) for word in stem.split("_"))
    return words[0].upper() + words[1:]


def figure(stem: Path, folder: Path | None) -> Entry:
    """Show a figure or table with its caption.

    Parameters
    ----------
    stem
        Path of its files without suffix.
    folder
        Folder of the page, which then links to the files; None if it is to hold the picture itself.

    Raises
    ------
    DataError
        If its picture or table, or its caption, is missing.
    """
    files = {kind: stem.with_name(f"{stem.name}.{kind}") for kind in FILES}
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


def origins(stems: Iterable[Path]) -> pd.DataFrame:
    """List the devices, compilers and revisions of which the tables of figures tell, in order."""
    found = [pd.DataFrame(columns=ORIGIN)]
    for stem in stems:
        path = stem.with_name(f"{stem.name}.csv")
        head = pd.read_csv(path, nrows=0).columns if path.exists() else ()
        if set(ORIGIN) <= set(head):
            found.append(pd.read_csv(path, usecols=ORIGIN, dtype=str).dropna()[ORIGIN])
    return pd.concat(found).drop_duplicates().sort_values(ORIGIN, ignore_index=True)


def table(rows: pd.DataFrame) -> str:
    """Write a table, which a click on a heading sorts."""
    number = "{:.4g}".format
    return rows.to_html(
        index=False, border=0, classes="sortable", justify="unset", na_rep="", float_format=number
    )


def page(title: str, note: str, sections: Sequence[tuple[str, Sequence[Entry]]]) -> str:
    """Write the whole page, with its contents beside it.

    Parameters
    ----------
    title
        Its heading.
    note
        HTML that follows the heading.
    sections
        Headings, and what is under them.
    """
    contents = "".join(
        f"<li>{html.escape(heading)}\n<ul>\n"
        + "".join(
            f'<li><a href="#{html.escape(entry.anchor)}">{html.escape(entry.title)}</a></li>\n'
            for entry in entries
        )
        + "</ul></li>\n"
        for heading, entries in sections
    )
    body = "".join(
        f"<h2>{html.escape(heading)}</h2>\n{''.join(entry.html() for entry in entries)}"
        for heading, entries in sections
    )
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
    device = f"Measured on {study.name}: " if study.parent.name == "measured" else ""
    found: dict[str, list[Path]] = {}
    for figure in description(study)["figures"]:
        stem = figures / figure["name"]
        if stem.with_name(f"{stem.name}.txt").exists():
            heading = f"{device}{KINDS[figure['kind']].section}"
            found.setdefault(heading, []).append(stem)
    return dict(sorted(found.items(), key=lambda item: order_of(item[0].removeprefix(device))))


def order_of(heading: str) -> int:
    """Place of a heading on a page."""
    return [kind.section for kind in KINDS.values()].index(heading)


def pair(text: str) -> tuple[Path, Path]:
    """Read TABLES=FIGURES."""
    study, _, figures = text.partition("=")
    return Path(study), Path(figures)


def run() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m analysis.index", description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="HTML file to write")
    parser.add_argument("studies", type=pair, nargs="+", metavar="TABLES=FIGURES")
    given = parser.parse_args()
    sections: dict[str, list[Path]] = {}
    for study, figures in given.studies:
        sections |= sections_of(study, figures)
    shown = [(h, [figure(s, given.output.parent) for s in stems]) for h, stems in sections.items()]
    made_by = table(origins(stem for stems in sections.values() for stem in stems))
    names = ", ".join(study.name for study, _ in given.studies)
    given.output.write_text(page(f"GOTHIC: {names}", made_by, shown))


if __name__ == "__main__":
    main(run)
