"""Page of all figures and tables of a study.

python -m analysis.index --title TITLE --output PAGE.html [--note HTML] --section HEADING STEM...
"""

from __future__ import annotations

import argparse
import html
import os
from pathlib import Path

import pandas as pd

from analysis.cli import main
from analysis.figures.common import MODELS
from analysis.files import DataError

KINDS = ("pdf", "png", "gif", "csv", "md", "html", "txt")
WORDS = {"vs": "against", "hilbert": "Hilbert", "morton": "Morton"}
STYLE = """
body { font: 16px/1.5 serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2, h3 { line-height: 1.2; }
h2 { border-bottom: 1px solid #bbb; margin-top: 3rem; }
nav ul { columns: 2; padding-left: 1.2rem; font-size: 0.9rem; }
figure { margin: 1rem 0 2.5rem; overflow-x: auto; }
img { max-width: 100%; max-height: 46rem; }
figcaption, footer { font-size: 0.85rem; color: #444; }
table { border-collapse: collapse; font-size: 0.85rem; margin: 0.5rem 0; }
th, td { padding: 0.2rem 0.6rem; text-align: left; border-bottom: 1px solid #ddd; }
.files { font-size: 0.85rem; }
"""


def title_of(stem: str) -> str:
    """Write the name of a figure in words: ``speedup_m31`` is Speedup: M31."""
    for model, name in MODELS.items():
        if stem.endswith(f"_{model}"):
            return f"{title_of(stem.removesuffix(f'_{model}'))}: {name}"
    words = " ".join(WORDS.get(word, word) for word in stem.split("_"))
    return words[0].upper() + words[1:]


def entry(stem: Path, folder: Path) -> str:
    """Write a figure or table with its caption and links to its files.

    Parameters
    ----------
    stem
        Path of its files without suffix.
    folder
        Folder of the page.

    Raises
    ------
    DataError
        If its picture or table, or its caption, is missing.
    """
    files = {kind: stem.with_name(f"{stem.name}.{kind}") for kind in KINDS}
    files = {kind: path for kind, path in files.items() if path.exists()}
    if "txt" not in files or not {"png", "html"} & set(files):
        raise DataError(f"{stem}: its files are missing; run snakemake to make them")
    links = {kind: html.escape(os.path.relpath(path, folder)) for kind, path in files.items()}
    name = html.escape(title_of(stem.name))
    shown = (
        f'<a href="{links.get("pdf", links["png"])}"><img src="{links["png"]}" alt="{name}"></a>'
        if "png" in links
        else files["html"].read_text()
    )
    listed = " ".join(f'<a href="{link}">{kind}</a>' for kind, link in links.items())
    return (
        f'<figure id="{html.escape(anchor(stem))}">\n<h3>{name}</h3>\n{shown}\n'
        f"<figcaption>{html.escape(files['txt'].read_text().strip())}</figcaption>\n"
        f'<div class="files">{listed}</div>\n</figure>\n'
    )


def anchor(stem: Path) -> str:
    """Name an entry within its page; the folder tells devices apart."""
    return f"{stem.parent.name}-{stem.name}"


def origins(stems: list[Path]) -> list[tuple[str, str]]:
    """List the devices and revisions of which the tables of the figures tell, in order."""
    found = set()
    for stem in stems:
        path = stem.with_name(f"{stem.name}.csv")
        head = pd.read_csv(path, nrows=0).columns if path.exists() else ()
        if {"device", "revision"} <= set(head):
            table = pd.read_csv(path, usecols=["device", "revision"], dtype=str).dropna()
            found |= set(zip(table["device"], table["revision"], strict=True))
    return sorted(found)


def page(title: str, note: str, sections: list[tuple[str, list[Path]]], folder: Path) -> str:
    """Write the whole page.

    Parameters
    ----------
    title
        Its heading.
    note
        HTML that follows the heading.
    sections
        Headings, and paths of the figures without suffix.
    folder
        Folder of the page.
    """
    stems = [stem for _, section in sections for stem in section]
    rows = "".join(
        f"<tr><td>{html.escape(device)}</td><td>{html.escape(revision)}</td></tr>\n"
        for device, revision in origins(stems)
    )
    contents = "".join(
        f'<li><a href="#{html.escape(anchor(stem))}">{html.escape(title_of(stem.name))}</a></li>\n'
        for stem in stems
    )
    body = "".join(
        f"<h2>{html.escape(heading)}</h2>\n{''.join(entry(stem, folder) for stem in section)}"
        for heading, section in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{html.escape(title)}</h1>\n{note}\n"
        f"<table>\n<tr><th>device</th><th>revision of gothic</th></tr>\n{rows}</table>\n"
        f"<nav><ul>\n{contents}</ul></nav>\n{body}</body>\n</html>\n"
    )


def run() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m analysis.index", description=__doc__)
    parser.add_argument("--title", required=True, help="heading of the page")
    parser.add_argument("--output", type=Path, required=True, help="HTML file to write")
    parser.add_argument("--note", default="", help="HTML that follows the heading")
    parser.add_argument(
        "--section",
        nargs="+",
        action="append",
        required=True,
        metavar=("HEADING", "STEM"),
        help="a heading and the figures under it, paths without suffix",
    )
    given = parser.parse_args()
    sections = [(words[0], [Path(stem) for stem in words[1:]]) for words in given.section]
    given.output.write_text(page(given.title, given.note, sections, given.output.parent))


if __name__ == "__main__":
    main(run)
