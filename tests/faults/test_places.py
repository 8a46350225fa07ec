"""Full disks, folders that may not be written to, links to nowhere."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import h5py
import pytest

from tests.faults.disks import small_disk
from tests.programs.gothic import Gothic
from tests.programs.snapshots import sphere, write_snapshot

NOBODY = 65534
COMMANDS = {
    "force": ("force", "--input", "ic.h5", "--output", "place/out.h5"),
    "direct": ("direct", "--input", "ic.h5", "--output", "place/out.h5"),
    "run": ("run", "--input", "ic.h5", "--output", "place", "--steps", "1"),
}


@pytest.fixture
def place(gothic: Gothic) -> Iterator[Path]:
    """Mount a disk of 64 KiB, in memory."""
    with small_disk(gothic.folder / "place", 64) as disk:
        yield disk.place


@pytest.mark.parametrize("command", COMMANDS)
def test_full_disk(gothic: Gothic, place: Path, command: str) -> None:
    write_snapshot(gothic.folder / "ic.h5", sphere(8192))
    message = gothic.failed(1, *COMMANDS[command])
    assert "cannot be written: No space left on device; free some space" in message
    assert list(place.iterdir()) == []


@pytest.fixture
def open_folder(gothic: Gothic) -> Iterator[Gothic]:
    """Make a folder that all may enter, with ic.h5 and a place that only root may write to."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    shutil.copy(gothic.folder / "ic.h5", folder)
    (folder / "place").mkdir(mode=0o555)
    yield Gothic(gothic.programs, folder)
    (folder / "place").chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize("command", COMMANDS)
def test_locked_folder(open_folder: Gothic, command: str) -> None:
    become_nobody = (lambda: os.setuid(NOBODY)) if os.geteuid() == 0 else None
    try:
        message = open_folder.failed(2, *COMMANDS[command], limit=become_nobody)
    except PermissionError:
        pytest.skip("others may not run the programs")
    assert "place cannot be written to (Permission denied); choose another" in message


@pytest.mark.parametrize("command", ["force", "direct"])
def test_link_to_nowhere_is_replaced(gothic: Gothic, command: str) -> None:
    (gothic.folder / "place").mkdir()
    link = gothic.folder / "place" / "out.h5"
    link.symlink_to("nowhere/else.h5")
    gothic.done(*COMMANDS[command])
    assert not link.is_symlink()
    with h5py.File(link) as file:
        assert len(file["PartType1/Potential"]) == 64


@pytest.mark.parametrize("command", ["force", "direct", "run"])
def test_pipe_is_refused(gothic: Gothic, command: str) -> None:
    (gothic.folder / "ic.h5").unlink()
    os.mkfifo(gothic.folder / "ic.h5")
    (gothic.folder / "place").mkdir()
    message = gothic.refused(*COMMANDS[command])
    assert "ic.h5: input: is a device or a pipe; give the name of a file" in message


RUN = ("run", "--input", "ic.h5", "--output", "place", "--steps", "1")
TEXTS = {
    "config": ("gothic", (*RUN, "--config")),
    "potentials": ("gothic", (*RUN, "--external")),
    "model": ("gothic-ic", ("--check",)),
}


@pytest.mark.parametrize("text", TEXTS)
class TestTexts:
    """What has no end, or next to none, is no text."""

    def refused(self, gothic: Gothic, text: str, place: str) -> str:
        program, arguments = TEXTS[text]
        message = gothic.refused(*arguments, place, program=program)
        assert f"{place}: {text}: " in message
        return message

    @pytest.mark.parametrize("place", ["/dev/zero", "/dev/tty", "pipe"])
    def test_endless(self, gothic: Gothic, text: str, place: str) -> None:
        os.mkfifo(gothic.folder / "pipe")
        message = self.refused(gothic, text, place)
        assert "is a device or a pipe; give the name of a file" in message

    def test_long(self, gothic: Gothic, text: str) -> None:
        with (gothic.folder / "long").open("wb") as file:
            file.truncate(2**40)
        message = self.refused(gothic, text, "long")
        assert "has 1099511627776 bytes, and at most 67108864 are read; give the name" in message


def test_endless_table_is_refused(gothic: Gothic) -> None:
    component = "name = 'a'\nprofile = 'table'\nmass = 1\ntable = '/dev/zero'\n"
    (gothic.folder / "model.toml").write_text(f"[[component]]\n{component}")
    message = gothic.refused("model.toml", "--check", program="gothic-ic")
    assert "/dev/zero: table: is a device or a pipe; give the name of a file" in message
