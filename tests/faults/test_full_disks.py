"""Disks that become full during a run: what was there stays, and with more room it goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.faults.checkpoints import expect_sound, is_whole
from tests.faults.disks import Disk, small_disk
from tests.programs.gothic import Gothic, contents, said, wait_for
from tests.programs.results import expect_equal
from tests.programs.snapshots import sphere, write_snapshot

RUN = ("run", "--input", "ic.h5", "--device", "cpu", "--threads", "1", "--energy-bound", "0")
OFTEN = ("--checkpoint-interval", "1e-9")
STARTING = (
    "gothic: warning: --output place: has a run that ended before its first checkpoint; starting "
    "again\n"
)
LAST = "; the run is done, but cannot be continued from its end"
FORESEEN = "gothic: warning: place: "  # and what is needed and free
FULL = ": cannot be written: No space left on device; free some space or choose another place"


@pytest.fixture
def disk(gothic: Gothic) -> Iterator[Disk]:
    """Mount ``place``, at first with room enough."""
    with small_disk(gothic.folder / "place", 1 << 15) as disk:
        yield disk


GIVEN = {
    "snapshots": ("--time", "0.2", "--snapshot-interval", "0.005"),
    "compressed snapshots": ("--time", "0.2", "--snapshot-interval", "0.005", "--compression", "1"),
    "checkpoints": ("--steps", "60", *OFTEN),
    "all": ("--time", "0.2", "--snapshot-interval", "0.01", *OFTEN),
    "logs": ("--steps", "3000", "--no-snapshot"),
}


@pytest.mark.parametrize(
    ("given", "room"),
    [("all", 160), ("logs", 240)]
    + [
        pytest.param(given, room, marks=pytest.mark.long)
        for given in GIVEN
        for room in (60, 100, 240, 400)
    ],
)
def test_full_disk(gothic: Gothic, disk: Disk, given: str, room: int) -> None:
    """The last line tells which file; the lines before warn of checkpoints."""
    options = GIVEN[given]
    gothic.done(*RUN, *options, "--output", "whole")
    disk.resize(room)
    result = gothic.call(*RUN, *options, "--output", "place")
    *warnings, last = result.stderr.splitlines() or [""]
    if result.returncode == 0:
        warnings.append(last)
    else:
        assert result.returncode == 1
        assert last.startswith("gothic: place/")
        assert last.endswith(FULL)
    for line in filter(None, warnings):
        if line.startswith(FORESEEN):
            continue
        assert line.startswith("gothic: warning: place/")
        assert line.endswith((FULL + "; the run goes on", FULL + LAST))
    expect_sound(disk.place, gothic.folder / "whole")
    assert not list(disk.place.glob("*.partial"))
    disk.resize(1 << 15)
    again = gothic.call(*RUN, *options, "--output", "place", "--restart-or-start")
    assert again.returncode == 0
    assert again.stderr in ("", STARTING)
    expect_equal(gothic.folder / "whole", disk.place)


def test_rank_that_alone_meets_a_full_disk_ends_all(gothic: Gothic, disk: Disk) -> None:
    """One rank writes. The others wait for it."""
    disk.resize(60)
    result = gothic.on(3).call(*RUN, *GIVEN["snapshots"], "--output", "place")
    assert result.returncode == 1
    foreseen, told = said(result.stderr)
    assert foreseen.startswith(FORESEEN)
    assert told.startswith("gothic: rank 0: place/")
    assert told.endswith(FULL)


def test_run_goes_on_without_checkpoints(gothic: Gothic, disk: Disk) -> None:
    """There is room for one checkpoint, but not for the next beside it."""
    write_snapshot(gothic.folder / "ic.h5", sphere(16384))
    given = ("--steps", "10", "--no-snapshot")
    gothic.done(*RUN, *given, "--output", "whole")
    gothic.call(*RUN, *given, "--output", "place", "--stop-after", "1e-9s")
    before = (disk.place / "checkpoint.h5").read_bytes()
    disk.resize_to_hold(1000)
    result = gothic.call(*RUN, *given, "--output", "place", "--restart-or-start", *OFTEN)
    assert result.returncode == 0, result.stderr
    warning = f"gothic: warning: place/checkpoint.h5{FULL}"
    foreseen, *told = result.stderr.splitlines()
    assert foreseen.startswith(FORESEEN)
    assert told == [*8 * [warning + "; the run goes on"], warning + LAST]
    assert (disk.place / "checkpoint.h5").read_bytes() == before
    expect_equal(gothic.folder / "whole", disk.place)
    gothic.call(*RUN, *given, "--output", "place", "--restart-or-start")
    expect_equal(gothic.folder / "whole", disk.place)


def test_room_comes_back(gothic: Gothic, disk: Disk) -> None:
    """Checkpoints could not be written for a while; the logs miss nothing of that time."""
    given = ("--time", "20", "--no-snapshot", *OFTEN)
    disk.resize(68)
    process = gothic.start(*RUN, *given, "--output", "place")
    wait_for(disk.place / "lagrange.h5.partial")
    time.sleep(0.3)
    disk.resize(1 << 15)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    assert FULL in errors
    gothic.done(*RUN, "--time", "20", "--no-snapshot", "--output", "whole")
    expect_equal(gothic.folder / "whole", disk.place)
    assert is_whole(disk.place / "checkpoint.h5")


def test_stop_without_room_for_a_checkpoint(gothic: Gothic, disk: Disk) -> None:
    """A stop without room is an error; the checkpoint and the logs of the part before stay."""
    write_snapshot(gothic.folder / "ic.h5", sphere(16384))
    given = ("--steps", "40", "--snapshot-interval", "100")
    gothic.done(*RUN, *given, "--output", "whole")
    gothic.call(*RUN, *given, "--output", "place", "--stop-after", "1e-9s")
    before = contents(disk.place, "*")
    assert {"checkpoint.h5", "steps.h5", "energy.h5", "force_errors.h5", "lagrange.h5"} <= set(
        before
    )
    disk.resize_to_hold(1000)
    process = gothic.start(*RUN, *given, "--output", "place", "--restart-or-start")
    wait_for(disk.place / "lagrange.h5.partial")
    process.terminate()
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 1
    foreseen, message = errors.splitlines()
    assert foreseen.startswith(FORESEEN)
    assert message == f"gothic: place/checkpoint.h5{FULL}"
    assert contents(disk.place, "*") == before
    disk.resize(1 << 15)
    gothic.done(*RUN, *given, "--output", "place", "--restart-or-start")
    expect_equal(gothic.folder / "whole", disk.place)
