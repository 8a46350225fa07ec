"""The web site is made without warnings, and its links and interfaces are there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.conftest import ROOT

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)


class Page(HTMLParser):
    """The links, anchors and words of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.words: list[str] = []
        self.feed(path.read_text())
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep where a tag leads, and what leads to it."""
        for name, value in attrs:
            if name in ("href", "src"):
                self.links.append(value or "")
            elif name == "id":
                self.anchors.add(value or "")

    def handle_data(self, data: str) -> None:
        """Keep words."""
        self.words.append(data)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the site, of the package that this process imports."""
    if not shutil.which("doxygen") or not shutil.which("dot"):
        pytest.skip("doxygen or graphviz is missing; tools/setup.sh site installs them")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [ROOT / "tools" / "site.sh", folder, sys.executable],
        env=os.environ | {"PYTHONPATH": str(Path(gothic.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_first_page_leads_to_the_others(site: Path) -> None:
    links = Page(site / "index.html").links
    assert links == ["docs/index.html"]
    shown = {link.partition("#")[0] for link in Page(site / links[0]).links}
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert {f"{name}.html" for name in pages} | {"../README.html", "site/cpp.html"} <= shown


def test_every_local_link_leads_somewhere(site: Path) -> None:
    made = [path for path in site.rglob("*.html") if site / "cpp" not in path.parents]
    pages = {path: Page(path) for path in made}
    assert len(pages) > 30
    lost = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.is_file() or (
                anchor and target in pages and anchor not in pages[target].anchors
            ):
                lost.append(f"{path.relative_to(site)}: {link}")
    assert not lost, "\n".join(lost)


def test_python_pages_have_every_name_and_its_meaning(site: Path) -> None:
    page = Page(site / "docs" / "site" / "python.html")
    names = {f"gothic.{name}" for name in gothic.__all__ if not name.startswith("__")}
    assert names <= page.anchors
    assert {"gothic.Simulation.run", "gothic.Snapshot.rotated"} <= page.anchors
    for documented in (gothic.Simulation, gothic.make_model, gothic.tree_forces):
        first = documented.__doc__.partition("\n")[0].replace("``", "")
        assert first in page.text


def test_cpp_pages_have_the_engine(site: Path) -> None:
    engine = Page(site / "cpp" / "classgothic_1_1Engine.html")
    assert "Engine Class Reference" in engine.text
    assert "make_engine" in Page(site / "cpp" / "engine_8hpp.html").text
