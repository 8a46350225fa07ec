"""Checkpoints that are damaged, forged or no files: the one before serves, or a message comes."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.faults.checkpoints import NAMES, datasets, forge, is_whole, reseal
from tests.faults.tally import Tally
from tests.programs.gothic import Gothic, contents
from tests.programs.test_restart import expect_equal, progress

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


def flip(path: Path, place: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << bit
    path.write_bytes(data)


def places(path: Path) -> list[int]:
    """List bytes of the seal, of HDF5's head, of the numbers in between and of the end."""
    size = path.stat().st_size
    return [0, 21, 30, 100, 511, 512, 700, *range(1000, size - 1, size // 12), size - 1]


def test_damaged_newest_gives_way_to_the_previous(
    gothic: Gothic, folder: Path, tally: Tally
) -> None:
    kept = {name: (folder / name).read_bytes() for name in NAMES}
    for bit, place in enumerate(places(folder / NAMES[0])):
        for name, data in kept.items():
            (folder / name).write_bytes(data)
        flip(folder / NAMES[0], place, bit % 8)
        result = gothic.call(*RESTART)
        assert result.returncode == 0
        assert result.stderr.startswith("gothic: warning: out/checkpoint.h5: is ")
        assert result.stderr.endswith("; going on from out/checkpoint_previous.h5\n")
        assert result.stderr.count("\n") == 1
        expect_equal(gothic.folder / "whole", folder)
        assert (folder / NAMES[1]).read_bytes() == kept[NAMES[1]], (
            "it was replaced by a damaged one"
        )
        assert is_whole(folder / NAMES[0])
        tally.tried("damaged checkpoints")


def test_both_damaged_are_refused(gothic: Gothic, folder: Path, tally: Tally) -> None:
    kept = {name: (folder / name).read_bytes() for name in NAMES}
    for bit, place in enumerate(places(folder / NAMES[0])):
        for name, data in kept.items():
            (folder / name).write_bytes(data)
            flip(folder / name, min(place, len(data) - 1), bit % 8)
        before = contents(folder, "*")
        message = gothic.refused(*RESTART)
        assert "out/checkpoint_previous.h5: is " in message
        assert message.endswith("; remove it")
        assert contents(folder, "*") == before
        tally.tried("damaged checkpoints")


def put_folder(path: Path) -> None:
    path.mkdir()


def put_pipe(path: Path) -> None:
    os.mkfifo(path)


class TestNoFiles:
    """Something else has the name of a checkpoint."""

    @pytest.mark.parametrize("restart", [(), ("--restart",)], ids=["new", "restart"])
    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("put", [put_folder, put_pipe])
    def test_is_refused(
        self,
        gothic: Gothic,
        folder: Path,
        tally: Tally,
        put: Callable[[Path], None],
        name: str,
        restart: tuple[str, ...],
    ) -> None:
        (folder / name).unlink()
        put(folder / name)
        message = gothic.refused(*RUN, "--output", "out", *restart)
        assert f"out/{name}: is no file, but takes the place of a checkpoint; remove it" in message
        tally.tried("no checkpoints")

    def test_link_to_nowhere_is_no_checkpoint(
        self, gothic: Gothic, folder: Path, tally: Tally
    ) -> None:
        (folder / NAMES[0]).unlink()
        (folder / NAMES[0]).symlink_to("elsewhere/checkpoint.h5")
        assert "has the checkpoint of a run" in gothic.refused(*RUN, "--output", "out")
        result = gothic.call(*RESTART)
        assert result.returncode == 0
        assert "out/checkpoint.h5: input: there is no such file; check the name" in result.stderr
        assert "; going on from out/checkpoint_previous.h5\n" in result.stderr
        expect_equal(gothic.folder / "whole", folder)
        assert not (folder / NAMES[0]).is_symlink()
        tally.tried("links to nowhere")

    def test_links_to_nowhere_are_refused(self, gothic: Gothic, folder: Path, tally: Tally) -> None:
        for name in NAMES:
            (folder / name).unlink()
            (folder / name).symlink_to("nowhere")
        message = gothic.refused(*RESTART)
        assert "out/checkpoint_previous.h5: input: there is no such file; check the n" in message
        tally.tried("links to nowhere")

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

    def test_locked_folder(self, shared: Gothic, tally: Tally) -> None:
        (shared.folder / "out").chmod(0o555)
        message = self.refused(shared)
        assert "the folder out cannot be written to (Permission denied); choose another" in message
        tally.tried("locked folders")

    def test_unreadable_checkpoints(self, shared: Gothic, tally: Tally) -> None:
        for name in NAMES:
            (shared.folder / "out" / name).chmod(0)
        message = self.refused(shared)
        assert "out/checkpoint_previous.h5: input: cannot be opened (Permission denied)" in message
        assert message.endswith("; make it readable")
        tally.tried("unreadable checkpoints")

    def test_folder_that_may_not_be_entered(self, shared: Gothic, tally: Tally) -> None:
        (shared.folder / "out").chmod(0)
        try:
            message = self.refused(shared)
        finally:
            (shared.folder / "out").chmod(0o755)
        assert "out" in message
        assert "Permission denied" in message
        tally.tried("locked folders")


Change = Callable[[h5py.File], None]


def remove(name: str) -> Change:
    def change(file: h5py.File) -> None:
        del file[name]

    return change


def assign(name: str, index: object, value: object) -> Change:
    def change(file: h5py.File) -> None:
        file[name][index] = value

    return change


def replace(name: str, make: Callable[[np.ndarray], np.ndarray]) -> Change:
    def change(file: h5py.File) -> None:
        values = make(file[name][()])
        del file[name]
        file[name] = values

    return change


def attribute(group: str, name: str, value: object) -> Change:
    def change(file: h5py.File) -> None:
        file[group].attrs[name] = value

    return change


def remove_attribute(group: str, name: str) -> Change:
    def change(file: h5py.File) -> None:
        del file[group].attrs[name]

    return change


def dataset_for_group(name: str) -> Change:
    def change(file: h5py.File) -> None:
        del file[name]
        file[name] = np.zeros(3)

    return change


ARRAYS = [
    *("Position", "Velocity", "Acceleration", "Level", "Slot", "Key"),
    *("ParticleIDs", "Masses", "Type", "Component"),
]
FORGERIES: dict[str, tuple[Change, str]] = {
    "levels above 36": (assign("State/Level", 3, 37), "/State/Level: is above the highest"),
    "place out of range": (assign("State/Slot", 3, 64), "/State/Slot: is no order of the part"),
    "place twice": (assign("State/Slot", slice(0, 2), 5), "/State/Slot: is no order of the part"),
    "position is NaN": (assign("State/Position", (5, 1), np.nan), "/State/Position: a number is"),
    "velocity is infinite": (assign("State/Velocity", (0, 0), np.inf), "/State/Velocity: a number"),
    "acceleration is NaN": (assign("State/Acceleration", (9, 3), np.nan), "/State/Acceleration: a"),
    "another mass": (assign("State/Position", (5, 3), 7), "/State/Position: the masses are not"),
    "keys out of order": (replace("State/Key", lambda keys: keys[::-1]), "/State/Key: the keys"),
    "keys of 64 bits": (assign("State/Key", -1, 2**63), "/State/Key: the keys are no ascending"),
    "negative time": (assign("Clock/Ticks", 0, -1), "/Clock/Ticks: they are not those of a run"),
    "time after the end": (assign("Clock/Ticks", 1, 0), "/Clock/Ticks: they are not those of a"),
    "too many levels": (assign("Clock/Ticks", 2, 37), "/Clock/Ticks: they are not those of a run"),
    "negative step": (assign("Clock/Ticks", 3, -5), "/Clock/Ticks: they are not those of a run"),
    "another step": (assign("Clock/Ticks", 3, 5), "/Progress/step: is not that of /Clock/Ticks"),
    "four ticks": (replace("Clock/Ticks", lambda ticks: ticks[:4]), "/Clock/Ticks: has shape [4]"),
    "no numbers": (remove("Clock/Numbers"), "/Clock/Numbers: its times are not those of a run"),
    "tick is 0": (attribute("Clock/Numbers", "tick", 0.0), "/Clock/Numbers: its times are not"),
    "tick is NaN": (attribute("Clock/Numbers", "tick", np.nan), "/Clock/Numbers: its times are not"),
    "age is huge": (attribute("Clock/Numbers", "rebuild.age", 1e300), "/Clock/Numbers: rebuild.age"),
    "age is NaN": (attribute("Clock/Numbers", "rebuild.age", np.nan), "/Clock/Numbers: rebuild.age"),
    "type beyond 5": (assign("Particles/Type", 2, 6), "/Particles/Type: is not from 0 to 5"),
    "IDs twice": (assign("Particles/ParticleIDs", slice(0, 2), 5), "/Particles/ParticleIDs: the I"),
    "negative mass": (assign("Particles/Masses", 2, -1), "/Particles/Masses: the mass of the"),
    "units are 0": (attribute("Particles", "UnitMass_in_g", 0.0), "/Particles: its units make no"),
    "time is NaN": (attribute("Particles", "Time", np.nan), "/Particles/Time: is not finite"),
    "softening is NaN": (
        attribute("Particles", "Softening", np.nan),
        "/Particles/Softening: is neg",
    ),
    "no unit": (
        remove_attribute("Particles", "UnitMass_in_g"),
        "/Particles/UnitMass_in_g: the att",
    ),
    "no step": (remove_attribute("Progress", "step"), "/Progress/step: is missing"),
    "steps are NaN": (
        attribute("Progress", "interactions", np.nan),
        "/Progress/interactions: is neg",
    ),
    "snapshots are many": (attribute("Progress", "snapshots", 1e18), "/Progress/snapshots: is too"),
    "no progress": (remove("Progress"), "/Progress/step: is missing"),
    "progress of another kind": (dataset_for_group("Progress"), "/Progress: cannot be read"),
    "options of another kind": (dataset_for_group("Options"), "/Options: cannot be read"),
    "no options": (remove("Options"), "is of a run with other options: --"),
    "state of another kind": (dataset_for_group("State"), "/State/"),
    "no log": (remove("Steps/step"), "/Steps/step: the dataset is missing"),
    "short log": (replace("Steps/time", lambda rows: rows[:3]), "/Steps/time: has shape [3]"),
}
for array in ARRAYS:
    group = "State" if array in ARRAYS[:6] else "Particles"
    place = f"{group}/{array}"
    FORGERIES[f"no {array}"] = (remove(place), f"/{place}: the dataset is missing")
    FORGERIES[f"{array} as texts"] = (replace(place, lambda a: a.astype("S4")), f"/{place}: has t")
    if array != "ParticleIDs":
        FORGERIES[f"{array} too short"] = (replace(place, lambda a: a[1:]), f"/{place}: has shape")


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_checkpoint_is_refused(
    gothic: Gothic, folder: Path, tally: Tally, forgery: str
) -> None:
    change, complaint = FORGERIES[forgery]
    (folder / NAMES[1]).unlink()
    forge(folder / NAMES[0], change)
    assert is_whole(folder / NAMES[0])
    before = contents(folder, "*")
    message = gothic.refused(*RESTART)
    assert message.startswith("gothic: out/checkpoint.h5: ")
    assert complaint in message
    assert contents(folder, "*") == before
    tally.tried("forged checkpoints")


def test_forged_bytes_are_used_or_refused(gothic: Gothic, folder: Path, tally: Tally) -> None:
    """HDF5 that is damaged under a right checksum: no crash, and nothing but finite numbers."""
    whole = (folder / NAMES[0]).read_bytes()
    random = np.random.default_rng(1)
    for _ in range(150):
        data = bytearray(whole)
        for place in random.integers(512, len(data), size=random.integers(1, 9)):
            data[place] = random.integers(256)
        (folder / NAMES[1]).unlink(missing_ok=True)
        (folder / NAMES[0]).write_bytes(data)
        reseal(folder / NAMES[0])
        result = gothic.call(*RESTART, "--log", "none")
        assert result.returncode in (0, 1, 2), result.stderr
        assert len(result.stderr.splitlines()) == (result.returncode != 0), result.stderr
        for path in folder.glob("snapshot*.h5"):
            for name, values in datasets(path).items():
                assert values.dtype.kind == "S" or np.isfinite(values).all(), name
            path.unlink()
        tally.tried("forged checkpoints")
