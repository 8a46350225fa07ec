from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from analysis.files import DataError
from analysis.index import figure, origins, page, title_of

VOID = {"meta", "img", "link", "br"}


class Balanced(HTMLParser):
    """Checks that every element is closed, and collects links and pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src") and value]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def stems(tmp_path: Path) -> list[Path]:
    """Write the files of a figure and of a table."""
    figure, table = tmp_path / "figures" / "speedup_m31", tmp_path / "figures" / "performance"
    figure.parent.mkdir()
    for kind in ("pdf", "png"):
        figure.with_name(f"{figure.name}.{kind}").write_bytes(b"")
    for stem in (figure, table):
        stem.with_name(f"{stem.name}.txt").write_text("a < b & c\n")
        rows = pd.DataFrame({"revision": ["abc"], "device_name": ["CPU"], "compiler": ["GNU"]})
        rows = rows.reindex([0, 0, 1])
        rows.to_csv(stem.with_name(f"{stem.name}.csv"), index=False)
    table.with_name("performance.html").write_text("<table><tr><td>1</td></tr></table>\n")
    return [figure, table]


def test_page_links_to_every_file_by_relative_paths(stems: list[Path], tmp_path: Path) -> None:
    one, two = (figure(stem, tmp_path) for stem in stems)
    text = page("Study", "<p>note</p>", [("One", [one]), ("Two", [two])])
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    files = {link for link in parser.links if not link.startswith("#")}
    expected = {f"figures/speedup_m31.{kind}" for kind in ("pdf", "png", "csv", "txt")}
    assert files == expected | {f"figures/performance.{kind}" for kind in ("html", "csv", "txt")}
    assert "a &lt; b &amp; c" in text
    assert "<td>1</td>" in text
    assert text.index("<h2>One</h2>") < text.index("<h2>Two</h2>")


def test_missing_figure_is_named(stems: list[Path], tmp_path: Path) -> None:
    stems[0].with_name("speedup_m31.png").unlink()
    with pytest.raises(DataError, match="speedup_m31: its files are missing"):
        figure(stems[0], tmp_path)


def test_titles_are_words_with_the_name_of_the_model() -> None:
    assert title_of("elapsed_vs_error_milky_way") == "Elapsed against error: Milky Way"
    assert title_of("performance") == "Performance"


def test_origins_are_listed_once(stems: list[Path]) -> None:
    assert origins(stems).to_numpy().tolist() == [["CPU", "GNU", "abc"]]
