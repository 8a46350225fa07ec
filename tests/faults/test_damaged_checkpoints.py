"""Checkpoints that are damaged or no files: the previous one is used, or there is a message."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import pytest

from tests.faults.checkpoints import NAMES, forge, is_whole
from tests.programs.gothic import Gothic, contents
from tests.programs.results import expect_equal, progress

RUN = ("run", "--input", "ic.h5", "--device", "cpu", "--threads", "1", "--steps", "20")
RESTART = (*RUN, "--output", "out", "--restart")
NOBODY = 65534


@pytest.fixture
def folder(gothic: Gothic) -> Path:
    """Make two checkpoints, after steps 7 and 8, and the same run without a stop in ``whole``."""
    gothic.done(*RUN, "--output", "whole")
    often = ("--checkpoint-interval", "1e-9", "--steps", "9", "--no-snapshot")
    gothic.done(*RUN[:-2], "--output", "out", *often)
    folder = gothic.folder / "out"
    newest, previous = (folder / name for name in NAMES)
    previous.rename(newest)
    gothic.done(*RUN[:-2], "--output", "other", "--steps", "8", "--checkpoint-interval", "1e-9")
    (gothic.folder / "other" / NAMES[1]).rename(previous)
    shutil.rmtree(gothic.folder / "other")
    assert [progress(path)["step"] for path in (newest, previous)] == [8, 7]
    return folder


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


#: Bytes of the seal, of HDF5's head, of the numbers and of the end.
PLACES = [30, 700, 3000, -1]


@pytest.mark.parametrize("place", PLACES)
def test_damaged_newest_gives_way_to_the_previous(gothic: Gothic, folder: Path, place: int) -> None:
    before = (folder / NAMES[1]).read_bytes()
    flip(folder / NAMES[0], place)
    result = gothic.call(*RESTART)
    assert result.returncode == 0
    assert result.stderr.startswith("gothic: warning: out/checkpoint.h5: is ")
    assert result.stderr.endswith("; going on from out/checkpoint_previous.h5\n")
    assert result.stderr.count("\n") == 1
    expect_equal(gothic.folder / "whole", folder)
    assert (folder / NAMES[1]).read_bytes() == before, "it was replaced by a damaged one"
    assert is_whole(folder / NAMES[0])


@pytest.mark.parametrize("place", PLACES)
def test_both_damaged_are_refused(gothic: Gothic, folder: Path, place: int) -> None:
    for name in NAMES:
        flip(folder / name, place)
    before = contents(folder, "*")
    message = gothic.refused(*RESTART)
    assert "out/checkpoint_previous.h5: is " in message
    assert message.endswith("; remove it")
    assert contents(folder, "*") == before


class TestNoFiles:
    """Something else has the name of a checkpoint."""

    @pytest.mark.parametrize(("put", "name"), [(os.mkfifo, NAMES[0]), (os.mkdir, NAMES[1])])
    def test_is_refused(
        self,
        gothic: Gothic,
        folder: Path,
        put: Callable[[Path], None],
        name: str,
    ) -> None:
        (folder / name).unlink()
        put(folder / name)
        message = gothic.refused(*RESTART)
        assert f"out/{name}: is no file, but takes the place of a checkpoint; remove it" in message

    def test_link_to_nowhere_is_no_checkpoint(self, gothic: Gothic, folder: Path) -> None:
        (folder / NAMES[0]).unlink()
        (folder / NAMES[0]).symlink_to("elsewhere/checkpoint.h5")
        assert "has checkpoint.h5 of a run" in gothic.refused(*RUN, "--output", "out")
        result = gothic.call(*RESTART)
        assert result.returncode == 0
        assert "out/checkpoint.h5: input: there is no such file; check the name" in result.stderr
        assert "; going on from out/checkpoint_previous.h5\n" in result.stderr
        expect_equal(gothic.folder / "whole", folder)
        assert not (folder / NAMES[0]).is_symlink()

    def test_links_to_nowhere_are_refused(self, gothic: Gothic, folder: Path) -> None:
        for name in NAMES:
            (folder / name).unlink()
            (folder / name).symlink_to("nowhere")
        message = gothic.refused(*RESTART)
        assert "out/checkpoint_previous.h5: input: there is no such file; check the n" in message

    def test_link_to_a_checkpoint_serves(self, gothic: Gothic, folder: Path) -> None:
        (gothic.folder / "kept").mkdir()
        (folder / NAMES[0]).rename(gothic.folder / "kept" / "one.h5")
        (folder / NAMES[0]).symlink_to("../kept/one.h5")
        gothic.done(*RESTART)
        expect_equal(gothic.folder / "whole", folder)
        assert progress(gothic.folder / "kept" / "one.h5")["step"] == 8


class TestOfOthers:
    """Folders and files that the user may not write to or read."""

    @pytest.fixture
    def shared(self, gothic: Gothic, folder: Path) -> Iterator[Gothic]:
        """Copy all to a folder that everybody may enter."""
        place = Path(tempfile.mkdtemp(dir="/tmp"))
        place.chmod(0o755)
        shutil.copy(gothic.folder / "ic.h5", place)
        shutil.copytree(folder, place / "out")
        yield Gothic(gothic.programs, place)
        shutil.rmtree(place)

    def refused(self, shared: Gothic) -> str:
        become_nobody = (lambda: os.setuid(NOBODY)) if os.geteuid() == 0 else None
        try:
            return shared.failed(2, *RESTART, limit=become_nobody)
        except PermissionError:
            pytest.skip("others may not run the programs")

    def test_locked_folder(self, shared: Gothic) -> None:
        (shared.folder / "out").chmod(0o555)
        message = self.refused(shared)
        assert "the folder out cannot be written to (Permission denied); choose another" in message

    def test_unreadable_checkpoints(self, shared: Gothic) -> None:
        for name in NAMES:
            (shared.folder / "out" / name).chmod(0)
        message = self.refused(shared)
        assert "out/checkpoint_previous.h5: input: cannot be opened (Permission denied)" in message
        assert message.endswith("; make it readable")

    def test_folder_that_may_not_be_entered(self, shared: Gothic) -> None:
        (shared.folder / "out").chmod(0)
        try:
            message = self.refused(shared)
        finally:
            (shared.folder / "out").chmod(0o755)
        assert "out" in message
        assert "Permission denied" in message


def test_checkpoint_of_another_format_is_refused(gothic: Gothic, folder: Path) -> None:
    for name in NAMES:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data.replace(b"GOTHIC checkpoint 5", b"GOTHIC checkpoint 2", 1))
    message = gothic.refused(*RESTART)
    assert "is a checkpoint of format 2, and this version reads format 5" in message


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            lambda file: file["Clock/Numbers"].attrs.pop("tick"),
            "/Clock/Numbers: its times are not those of a run",
        ),
        (
            lambda file: file["Clock/Numbers"].attrs.create("more", 1.0),
            "/Clock/Numbers: more is unknown to this version",
        ),
        (
            lambda file: file["Clock/Numbers"].attrs.create("rebuild.age", 1e300),
            "/Clock/Numbers: rebuild.age is no integer",
        ),
        (lambda file: file.pop("State/Slot"), "/State/Slot: the dataset is missing"),
    ],
    ids=["no tick", "unknown", "no integer", "no array"],
)
def test_state_of_another_program_is_refused(
    gothic: Gothic, folder: Path, change: Callable[[h5py.File], object], complaint: str
) -> None:
    (folder / NAMES[1]).unlink()
    forge(folder / NAMES[0], change)
    before = contents(folder, "*")
    assert complaint in gothic.refused(*RESTART)
    assert contents(folder, "*") == before
