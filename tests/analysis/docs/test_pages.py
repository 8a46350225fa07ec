from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import h5py
import pandas as pd
import pytest

from analysis.docs.pages import run, title_of
from analysis.errors import DataError
from analysis.study.runs import save, table_of
from tests.analysis.rows import a_row

FIGURES = {
    "error_vs_eta": ("plot", ("pdf", "png")),
    "speedup_m31": ("speedup", ("pdf", "png")),
    "performance": ("performance", ("html",)),
    "map": ("map", ()),
}
HEADINGS = ["Time and accuracy", "Performance", "Plots"]


class Page(HTMLParser):
    """Checks that every element is closed; collects what a page loads and links to, and anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.loaded: list[str | None] = []
        self.linked: list[str | None] = []
        self.anchors: list[str | None] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in ("meta", "img", "link", "br"):
            self.open.append(tag)
        lists = {"id": self.anchors, "href": self.linked if tag == "a" else self.loaded}
        lists |= dict.fromkeys(("src", "srcset", "data", "poster", "action"), self.loaded)
        for name, value in attrs:
            if name in lists:
                lists[name].append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Write the results of a study of two runs: two figures, a table, and one that is missing."""
    study = tmp_path / "results" / "mine"
    (study / "figures").mkdir(parents=True)
    rows = []
    for number, day in enumerate(("2026-01-02", "2026-01-05")):
        folder = study / "runs" / str(number)
        folder.mkdir(parents=True)
        with h5py.File(folder / "steps.h5", "w") as file:
            file.create_group("Provenance").attrs["date"] = f"{day}T00:00:00Z"
        rows.append(a_row(eta=0.5 + number, path=str(folder), ic=str(folder / "ic.h5")))
    save(table_of(rows), study)
    made_by = pd.DataFrame({"device_name": ["CPU"], "compiler": ["GNU 12"], "revision": ["abc"]})
    for name, (_, suffixes) in FIGURES.items():
        stem = study / "figures" / name
        for suffix in suffixes:
            stem.with_suffix(f".{suffix}").write_text("<table><tr><td>published</td></tr></table>")
        if suffixes:
            stem.with_suffix(".txt").write_text(f"Caption of {name}: a < b & c\n")
            made_by.reindex([0, 0, 1]).to_csv(stem.with_suffix(".csv"), index=False)
    figures = [{"name": name, "kind": kind, "where": {}} for name, (kind, _) in FIGURES.items()]
    (study / "study.json").write_text(json.dumps({"runs": [], "figures": figures}))
    return tmp_path / "results"


def made(page: Path, *studies: str) -> str:
    """Make a page by the command."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["pages", "--output", str(page), *studies])
        run()
    return page.read_text()


@pytest.fixture
def index(results: Path) -> str:
    """Make the page of the study."""
    return made(results / "index.html", f"{results / 'mine'}={results / 'mine' / 'figures'}")


@pytest.fixture
def report(results: Path) -> str:
    """Make the page of everything."""
    return made(results / "report.html")


def test_page_of_studies_links_to_every_file_by_relative_paths(index: str) -> None:
    page = Page(index)
    files = {link for link in (*page.linked, *page.loaded) if not link.startswith("#")}
    assert files == {
        f"mine/figures/{name}.{suffix}"
        for name, (_, suffixes) in FIGURES.items()
        for suffix in (*suffixes, "csv", "txt")
        if suffixes
    }
    assert re.findall("<h2>(.*?)</h2>", index) == HEADINGS
    assert "Caption of speedup_m31: a &lt; b &amp; c" in index


def test_report_needs_nothing_but_itself(report: str) -> None:
    page = Page(report)
    assert page.loaded
    assert all(address.startswith("data:image/png;base64,") for address in page.loaded)
    assert page.linked == [f"#{anchor}" for anchor in page.anchors]
    assert len(set(page.anchors)) == len(page.anchors)
    assert not page.tags & {"link", "iframe", "object", "embed", "base"}
    assert not re.search(r"@import|url\(|fetch\(|import\(|XMLHttpRequest", report)


def test_report_shows_what_is_there(report: str) -> None:
    headings = re.findall("<h2>(.*?)</h2>", report)
    assert headings == [f"mine: {heading}" for heading in (*HEADINGS, "runs")]
    for shown in (
        "Caption of speedup_m31: a &lt; b",
        "<td>published</td>",
        "2 runs of the study mine, 2026-01-02 to 2026-01-05,",
        "accuracy 0.0078125, step block",
    ):
        assert shown in report


def test_report_begins_with_what_made_it_and_when(report: str) -> None:
    cells = re.findall("<td>(.*?)</td>", report[: report.index("<h2>")])
    assert cells == ["CPU", "GNU 12", "abc", "mine", "2", "2026-01-02", "2026-01-05"]


def test_table_of_runs_has_what_was_varied(report: str) -> None:
    table = report[report.index('id="runs-mine"') :]
    columns = re.findall("<th>(.*?)</th>", table[: table.index("</thead>")])
    assert columns[0] == "eta"
    assert "error_99" in columns
    assert "seed" not in columns


def test_pages_tell_which_figures_have_failed_and_why(results: Path) -> None:
    failures = {"map": "no run has a < b; choose others"}
    (results / "mine" / "figures_of_runs.json").write_text(json.dumps(failures))
    study = f"{results / 'mine'}={results / 'mine' / 'figures'}"
    for page in (made(results / "index.html", study), made(results / "report.html")):
        Page(page)
        (section,) = re.findall("<h2>[^<]*Figures that have failed</h2>(.*?)<h2>", page, re.DOTALL)
        assert "<h3>map</h3>" in section
        assert "no run has a &lt; b; choose others" in section
        assert "Caption of speedup_m31" in page


def test_missing_picture_is_named(results: Path) -> None:
    (results / "mine" / "figures" / "speedup_m31.png").unlink()
    with pytest.raises(DataError, match="speedup_m31: its files are missing"):
        made(results / "report.html")


def test_titles_are_words_with_the_name_of_the_model() -> None:
    assert title_of("elapsed_vs_error_milky_way") == "Elapsed against error: Milky Way"
    assert title_of("performance") == "Performance"
