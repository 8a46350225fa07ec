from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import h5py
import pandas as pd
import pytest

from analysis.report import run
from analysis.runs import save, table_of
from tests.analysis.rows import a_row

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154"
    "789c6360000002000001e221bc330000000049454e44ae426082"
)


class Addresses(HTMLParser):
    """Collects what a page would load or link to, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.anchors: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id":
                self.anchors.append(str(value))
            elif tag == "a" and name == "href":
                self.linked.append(str(value))
            elif name in ("src", "srcset", "href", "data", "poster", "action"):
                self.loaded.append(str(value))


def write_figure(stem: Path, kind: str = "png") -> Path:
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_name(f"{stem.name}.txt").write_text(f"Caption of {stem.name}: a < b\n")
    content = PIXEL if kind == "png" else b"<table><tr><td>published</td></tr></table>"
    stem.with_name(f"{stem.name}.{kind}").write_bytes(content)
    table = pd.DataFrame({"device_name": ["CPU"], "compiler": ["GNU 12"], "revision": ["abc"]})
    table.to_csv(stem.with_name(f"{stem.name}.csv"), index=False)
    return stem


def write_study(study: Path) -> None:
    """Write the table of a parameter study of two runs."""
    rows = []
    for number, day in enumerate(("2026-01-02", "2026-01-05")):
        folder = study / "runs" / str(number)
        folder.mkdir(parents=True)
        with h5py.File(folder / "steps.h5", "w") as file:
            file.create_group("Provenance").attrs["date"] = f"{day}T00:00:00Z"
        rows.append(a_row(eta=0.5 + number, path=str(folder), ic=str(folder / "ic.h5")))
    save(table_of(rows), study)


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a report of a bit of everything."""
    results = tmp_path / "results"
    write_study(results / "mine")
    figures = [("error_vs_eta", "plot"), ("speedup_m31", "speedup"), ("performance", "performance")]
    told = [{"name": name, "kind": kind, "where": {}} for name, kind in (*figures, ("map", "map"))]
    (results / "mine" / "study.json").write_text(json.dumps({"runs": [], "figures": told}))
    for name, kind in figures:
        stem = results / "mine" / "figures" / name
        write_figure(stem, "html" if kind == "performance" else "png")
    monkeypatch.setattr(sys, "argv", ["report", "--output", str(results / "report.html")])
    run()
    return (results / "report.html").read_text()


def test_report_needs_nothing_but_itself(text: str) -> None:
    page = Addresses()
    page.feed(text)
    assert page.loaded
    assert all(address.startswith("data:image/png;base64,") for address in page.loaded)
    assert page.linked == [f"#{anchor}" for anchor in page.anchors]
    assert len(set(page.anchors)) == len(page.anchors)
    assert not page.tags & {"link", "iframe", "object", "embed", "base"}
    assert not re.search(r"@import|url\(|fetch\(|import\(|XMLHttpRequest", text)


def test_report_shows_what_is_there(text: str) -> None:
    for shown in (
        "Caption of speedup_m31: a &lt; b",
        "<td>published</td>",
        "Caption of error_vs_eta",
        "2 runs of the study mine, 2026-01-02 to 2026-01-05,",
        "accuracy 0.0078125, step block",
        "<td>GNU 12</td>",
    ):
        assert shown in text
    headings = re.findall("<h2>(.*?)</h2>", text)
    assert headings == [
        "mine: Time and accuracy",
        "mine: Performance",
        "mine: Plots",
        "mine: runs",
    ]


def test_report_tells_when_runs_were_made(text: str) -> None:
    rows = re.findall("<td>(.*?)</td>", text[: text.index("<h2>")])
    assert rows[3:] == ["mine", "2", "2026-01-02", "2026-01-05"]


def test_table_of_runs_has_what_was_varied(text: str) -> None:
    table = text[text.index('id="runs-mine"') :]
    columns = re.findall("<th>(.*?)</th>", table[: table.index("</thead>")])
    assert columns[0] == "eta"
    assert "error_99" in columns
    assert "seed" not in columns
