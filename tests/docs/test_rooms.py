"""The rooms of the code in docs/design.md and in its picture are those of the sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from tests.conftest import ROOT

FOLDERS = ("src", "ic", "python", "analysis")
CODE = (".hpp", ".cpp", ".cuh", ".cu", ".in")
Arrow = tuple[str, str]


def room_of(path: Path) -> str:
    """Name the room of a file: a folder of src or src/core, or one of the other folders."""
    parts = path.relative_to(ROOT).parts[:-1]
    if parts[0] != "src":
        return parts[0]
    return "/".join(parts[: 3 if parts[1:2] == ("core",) else 2])


def used_by(path: Path) -> Iterator[Path]:
    """List the files of the repository that a file includes or imports."""
    if path.suffix in CODE:
        for name in re.findall(r'^#include "(.*)"', path.read_text(), re.MULTILINE):
            yield from (file for file in (ROOT / "src" / name, ROOT / name) if file.exists())
    elif path.suffix == ".py":
        for name in re.findall(r"^\s*(?:from|import) (gothic|analysis)\b", path.read_text(), re.M):
            package = ROOT / "python" / "gothic" if name == "gothic" else ROOT / "analysis"
            yield package / "__init__.py"


def sources() -> list[Path]:
    """List the files of all rooms."""
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    return [path for path in found if path.suffix in (*CODE, ".py")]


def arrows_of_sources() -> set[Arrow]:
    """Pair every room with each other room of which it uses a file."""
    pairs = {(room_of(path), room_of(used)) for path in sources() for used in used_by(path)}
    return {(room, other) for room, other in pairs if room != other}


def arrows_of_picture() -> list[Arrow]:
    """List the arrows of the picture."""
    text = (ROOT / "docs" / "pictures" / "rooms.dot").read_text()
    return re.findall(r'^ *"(\S+)" -> "(\S+)"$', text, re.MULTILINE)


def implied(arrows: Iterable[Arrow]) -> set[Arrow]:
    """Pair every room with all that arrows reach from it."""
    every = set(arrows)
    while more := {(a, d) for a, b in every for c, d in every if b == c} - every:
        every |= more
    return every


def test_picture_implies_every_include_between_rooms() -> None:
    missing = arrows_of_sources() - implied(arrows_of_picture())
    assert not missing, "add arrows to docs/pictures/rooms.dot, or remove includes"


def test_every_arrow_of_the_picture_is_an_include_that_no_others_imply() -> None:
    arrows = arrows_of_picture()
    assert set(arrows) <= arrows_of_sources(), "remove arrows from docs/pictures/rooms.dot"
    for arrow in arrows:
        assert arrow not in implied(other for other in arrows if other != arrow)


def test_arrows_lead_back_to_no_room() -> None:
    sorter = TopologicalSorter()
    for room, other in arrows_of_picture():
        sorter.add(room, other)
    sorter.prepare()  # raises an error that names a cycle


def test_picture_and_table_have_every_room() -> None:
    rooms = {room_of(path) for path in sources()}
    assert {room for arrow in arrows_of_picture() for room in arrow} == rooms
    table = (ROOT / "docs" / "design.md").read_text().split("## Rooms")[1].split("\n## ")[0]
    named = re.findall(r"`([\w/]+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)))
    files_of_core, folders_of_analysis = {"src/core"}, {"analysis"}
    assert rooms - set(named) == files_of_core | folders_of_analysis


def test_rooms_of_the_core_use_rooms_above_them_in_the_table() -> None:
    text = (ROOT / "docs" / "design.md").read_text()
    order = ["src/core", *re.findall(r"^\| `(src/core/\w+)` \|", text, re.MULTILINE)]
    used = [arrow for arrow in arrows_of_sources() if set(arrow) <= set(order)]
    assert len(used) > len(order)
    assert all(order.index(room) > order.index(other) for room, other in used)
