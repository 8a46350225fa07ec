"""The pictures of docs are what the tables give, and stand in pages with their captions."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from matplotlib.testing.compare import calculate_rms
from PIL import Image

from analysis.docs import pictures
from analysis.docs.pictures import (
    MEASURED,
    PICTURES,
    Picture,
    asked_in,
    chosen,
    draw_all,
    draw_drawings,
    drawn,
    escaped,
    files_of,
    filled,
    made_before,
    pages,
)
from analysis.errors import DataError
from analysis.figures.draw import failure
from analysis.reading.csv_tables import read_table, write_table
from analysis.study.tables import Study
from tests.conftest import ROOT

DOCS = ROOT / "docs"
DRAWN = sorted((ROOT / PICTURES).rglob("*.png"))
DRAWINGS = sorted((ROOT / PICTURES).glob("*.dot"))
NEEDS_DOT = pytest.mark.skipif(
    not shutil.which("dot"), reason="there is no dot; run tools/setup.sh site"
)
SAME = 0.5  # root mean square of grey levels; of 255
ALIKE = 3.0  # the same for particles, whose last digits depend on the compiler
ANEW = ("map_m31", "model_m31", "orbits_and_forces")
BLOCK = {"orbits_and_forces": 16}  # pixels: last digits shift the dashes of its lines


def difference(one: Path, other: Path, block: int = 1) -> float:
    """Root mean square of the differences of two pictures; infinite if their sizes differ.

    Squares of `block` pixels count as one, with their mean.
    """
    reduced = [Image.open(path).convert("RGB").reduce(block) for path in (one, other)]
    arrays = [np.asarray(picture, dtype=float) for picture in reduced]
    if arrays[0].shape != arrays[1].shape:
        return np.inf
    return float(calculate_rms(*arrays))


def made(text: str) -> str:
    """Leave out the program that made particles, the end of a caption."""
    return re.sub(r" gothic-ic \S+, revision .*", "", text.strip())


@pytest.mark.parametrize("picture", DRAWN, ids=lambda path: path.stem)
def test_pages_show_every_picture_with_its_caption(picture: Path) -> None:
    caption = picture.with_suffix(".txt").read_text().strip()
    first = escaped(caption.split(". ")[0].rstrip("."))
    shown = 0
    for page in pages(ROOT):
        text = page.read_text()
        if f"{picture.relative_to(ROOT)})" in text or f"{picture.relative_to(DOCS)})" in text:
            assert f"> {escaped(caption)}\n" in text or f"*{first} ([caption]" in text, page
            shown += 1
    assert shown, "no page shows it; run make pictures"


def test_docs_has_no_other_pictures_and_no_tables_of_pictures() -> None:
    others = {path.name for path in DOCS.iterdir() if path.suffix in (".png", ".txt", ".csv")}
    assert others <= {"validation.csv"}
    assert {path.suffix for path in (ROOT / PICTURES).rglob("*.*")} == {".png", ".txt", ".dot"}


def test_page_of_the_paper_has_every_figure_and_table() -> None:
    text = (DOCS / "paper.md").read_text()
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
    numbers = [f"Figure {n}" for n in (*range(3, 10), "B.10")] + [f"Table {n}" for n in (1, 3, 4)]
    for name in numbers:
        shown = rf"{PICTURES.name}/({'|'.join(MEASURED)})/\w+\.png|^\| "
        assert re.search(shown, sections[name], re.M), name
        assert "Data: [" in sections[name]
    assert sections.keys() >= {"Figures 1 and 2", "Table 2"}


def drawn_of(study: Path, name: str, folder: Path) -> Path:
    """Draw a figure of a study as docs has it."""
    (figure,) = (figure for figure in Study(study).figures if figure["name"] == name)
    assert failure(Study(study), figure, folder) == ""
    drawn(folder, name, "", (), "")
    return folder / f"{name}.png"


def test_picture_is_what_the_table_gives_and_no_other(tmp_path: Path) -> None:
    study = tmp_path / "h200"
    shutil.copytree(ROOT / "analysis" / "measured" / "h200" / "h200", study)
    committed = ROOT / PICTURES / "h200/h200" / "crossover_m31.png"
    same = drawn_of(study, "crossover_m31", tmp_path / "same")
    assert difference(committed, same) < SAME, "it is stale; run make pictures"
    table = study / "bench_crossover.csv"
    rows = read_table(table)
    last = (rows["model"] == "m31") & (rows["particles"] == rows["particles"].max())
    rows.loc[last, ["tree_seconds", "tree_seconds_min", "tree_seconds_max"]] *= 1.3
    write_table(rows, table)
    assert difference(committed, drawn_of(study, "crossover_m31", tmp_path / "other")) > SAME


@NEEDS_DOT
@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda path: path.stem)
def test_drawing_is_what_its_text_gives(drawing: Path, tmp_path: Path) -> None:
    name = drawing.stem
    ((_, found),) = draw_drawings([name], tmp_path)
    assert drawing.with_suffix(".txt").read_text().strip() == found.caption
    committed, anew = drawing.with_suffix(".png"), tmp_path / f"{name}.png"
    assert difference(committed, anew) < SAME, f"{committed.name} is stale; run make pictures"


def test_drawing_needs_graphviz_and_a_caption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "ROOT", tmp_path)
    monkeypatch.setenv("PATH", "")
    drawing = tmp_path / PICTURES / "boxes.dot"
    drawing.parent.mkdir(parents=True)
    drawing.write_text("/* Boxes. */ digraph { a -> b }")
    with pytest.raises(DataError, match="Graphviz is missing"):
        list(draw_drawings(["boxes"], tmp_path))
    drawing.write_text("digraph { a -> b }")
    with pytest.raises(DataError, match="no caption"):
        list(draw_drawings(["boxes"], tmp_path))


@NEEDS_DOT
@pytest.mark.long
def test_all_pictures_and_pages_are_those_that_the_tables_give(
    tmp_path: Path, programs: Path
) -> None:
    asked = list(dict.fromkeys(name for page in pages(ROOT) for name in asked_in(page)))
    found = draw_all(asked, tmp_path, programs)
    there = {str(path.relative_to(ROOT / PICTURES)) for path in made_before(ROOT)}
    assert there == set(files_of(found)), "run make pictures"
    for picture in DRAWN:
        name = picture.relative_to(ROOT / PICTURES)
        limit, block = ALIKE if picture.stem in ANEW else SAME, BLOCK.get(picture.stem, 1)
        assert difference(picture, tmp_path / name, block) < limit, (
            f"{name} is stale; run make pictures"
        )
        captions = [path.with_suffix(".txt").read_text() for path in (picture, tmp_path / name)]
        assert made(captions[0]) == made(captions[1]), f"{name} is stale; run make pictures"
    for page in pages(ROOT):
        assert made(filled(page, ROOT, found)) == made(page.read_text()), f"{page.name} is stale"


def test_page_is_filled_between_its_marks_alone(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text(
        "# A page\n\n<!-- picture: map other -->\nold\n<!-- end of picture -->\n\nText.\n"
        "<!-- short: map other -->\n<!-- end of picture -->\n"
    )
    assert asked_in(page) == ["map other", "map other"]
    one = Picture("h200/map", "a GPU", (Path("data/a.csv"),), "draw it", "Stars_of 2 * 3. All.")
    text = filled(page, tmp_path, {"map other": [one]})
    assert "old" not in text
    assert text.startswith(
        "# A page\n\n<!-- picture: map other -->\n\nOn a GPU:\n\n![Map](pictures/"
    )
    assert "> Stars\\_of 2 \\* 3. All.\n" in text
    assert "Data: [a.csv](../data/a.csv). Command: `draw it`" in text
    assert "*Stars\\_of 2 \\* 3 ([caption](pictures/h200/map.txt)).*" in text
    assert "\nText.\n" in text
    page.write_text(text)
    assert filled(page, tmp_path, {"map other": [one]}) == text


def test_folder_shows_the_first_figure_that_it_has() -> None:
    assert list(chosen(["a b", "c"], {"b": 1, "a": 2})) == [("a b", "a")]


def test_adding_a_folder_of_tables_needs_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = tmp_path / "analysis" / "measured" / "mine"
    study.mkdir(parents=True)
    source = ROOT / "analysis" / "measured" / "h200" / "h200"
    shutil.copy(source / "bench_order.csv", study)
    figures = [{"name": "hilbert_vs_morton", "kind": "hilbert_vs_morton", "where": {}}]
    (study / "study.json").write_text(json.dumps({"runs": [], "figures": figures}))
    monkeypatch.setattr(pictures, "ROOT", tmp_path)
    monkeypatch.setattr(pictures, "MEASURED", {"mine": "my machine"})
    (found,) = draw_all(["hilbert_vs_morton"], tmp_path / "drawn", tmp_path)["hilbert_vs_morton"]
    assert found.data == (Path("analysis/measured/mine/bench_order.csv"),)
    assert found.block("docs").startswith("On my machine:\n\n| model | quantity |")
    with pytest.raises(DataError, match="no_such_figure: nothing draws it"):
        draw_all(["no_such_figure"], tmp_path / "drawn", tmp_path)
