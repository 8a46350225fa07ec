"""Full disks, folders of others, links to nowhere, endless texts and lack of memory."""

from __future__ import annotations

import os
import re
import resource
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.conftest import ROOT
from tests.faults.disks import small_disk
from tests.programs.gothic import NEEDS_MPIRUN, Gothic, limited, said
from tests.programs.snapshots import sphere, write_snapshot, write_vast_snapshot

NOBODY = 65534
COMMANDS = {
    "force": ("force", "--input", "ic.h5", "--output", "place/out.h5"),
    "direct": ("direct", "--input", "ic.h5", "--output", "place/out.h5"),
    "run": ("run", "--input", "ic.h5", "--output", "place", "--steps", "1"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_full_disk(gothic: Gothic, command: str) -> None:
    write_snapshot(gothic.folder / "ic.h5", sphere(8192))
    with small_disk(gothic.folder / "place", 64):
        result = gothic.call(*COMMANDS[command])
        assert not list((gothic.folder / "place").iterdir())
    *warnings, message = result.stderr.splitlines()
    assert result.returncode == 1
    assert message.startswith("gothic: place/")
    assert message.endswith(
        "cannot be written: No space left on device; free some space or choose another place"
    )
    foreseen = [
        "gothic: warning: place: 2.38 MB are needed and 65.5 kB are free; free "
        "some space or choose another place"
    ]
    assert warnings == (foreseen if command == "run" else [])


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


def test_results_that_cannot_be_removed_are_named(open_folder: Gothic) -> None:
    place = open_folder.folder / "place"
    place.chmod(0o755)
    open_folder.done(*COMMANDS["run"])
    place.chmod(0o555)
    become_nobody = (lambda: os.setuid(NOBODY)) if os.geteuid() == 0 else None
    try:
        message = open_folder.failed(2, *COMMANDS["run"], "--overwrite", limit=become_nobody)
    except PermissionError:
        pytest.skip("others may not run the programs")
    assert message == (
        "gothic: place/checkpoint.h5: cannot be removed (Permission denied); make it and its "
        "folder writable, or choose another folder"
    )


def test_path_that_the_system_refuses_is_named(gothic: Gothic) -> None:
    """A file of units that is a link to itself."""
    (gothic.folder / "a.param").symlink_to("a.param")
    gothic.done("convert", "ic.h5", "b.tipsy", program="gothic-ic")
    (gothic.folder / "b.tipsy").rename(gothic.folder / "a.tipsy")
    message = gothic.refused("convert", "a.tipsy", "c.h5", program="gothic-ic")
    assert "a.param: cannot be used (Too many levels of symbolic links); check the pa" in message


@pytest.mark.parametrize("suffix", ["h5", "tipsy"])
def test_more_particles_than_the_disk_holds_are_refused_undrawn(
    gothic: Gothic, suffix: str
) -> None:
    model = ROOT / "config" / "models" / "nfw.toml"
    output = f"place/new/many.{suffix}"
    with small_disk(gothic.folder / "place", 1 << 15):
        given = (model, "--particles", 2**31 - 1, "--output", output)
        message = gothic.failed(1, *given, program="gothic-ic")
    assert re.search(rf"{output}: [78]\d.\d GB are needed and 33.6 MB are free; free some", message)


def test_run_warns_at_its_start_of_more_snapshots_than_the_disk_holds(gothic: Gothic) -> None:
    """64 particles and 1001 snapshots; after one step the run is stopped."""
    given = (*COMMANDS["run"][:5], "--time", "1", "--snapshot-interval", "0.001")
    with small_disk(gothic.folder / "place", 1 << 11):
        result = gothic.call(*given, "--stop-after", "1e-9s")
    assert result.returncode == 3
    assert re.match("gothic: warning: place: 3.6 MB are needed and 2.1 MB are free", result.stderr)


@pytest.mark.parametrize("command", ["force", "direct"])
def test_link_to_nowhere_is_replaced(gothic: Gothic, command: str) -> None:
    (gothic.folder / "place").mkdir()
    link = gothic.folder / "place" / "out.h5"
    link.symlink_to("nowhere/else.h5")
    gothic.done(*COMMANDS[command])
    assert not link.is_symlink()
    with h5py.File(link) as file:
        assert len(file["PartType1/Potential"]) == 64


TEXTS = {
    "config": ("gothic", (*COMMANDS["run"], "--config")),
    "potentials": ("gothic", (*COMMANDS["run"], "--external")),
    "model": ("gothic-ic", ("--check",)),
}


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/tty", "pipe", "long"])
@pytest.mark.parametrize("text", TEXTS)
def test_endless_text_is_refused(gothic: Gothic, text: str, place: str) -> None:
    os.mkfifo(gothic.folder / "pipe")
    with (gothic.folder / "long").open("wb") as file:
        file.truncate(2**40)
    program, arguments = TEXTS[text]
    message = gothic.refused(*arguments, place, program=program)
    complaint = "is a device or a pipe; give the name of a file"
    if place == "long":
        complaint = "has 1099511627776 bytes, and at most 67108864 are read; give the name"
    assert f"{place}: {text}: {complaint}" in message


def test_endless_table_is_refused(gothic: Gothic) -> None:
    component = "name = 'a'\nprofile = 'table'\nmass = 1\ntable = '/dev/zero'\n"
    (gothic.folder / "model.toml").write_text(f"[[component]]\n{component}")
    message = gothic.refused("model.toml", "--check", program="gothic-ic")
    assert "/dev/zero: table: is a device or a pipe; give the name of a file" in message


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    count = 2_000_000
    line = np.repeat(np.linspace(0, 1, count, dtype=np.float32)[:, None], 3, axis=1)
    arrays = {"Coordinates": line, "Velocities": line, "Masses": np.ones(count, np.float32)}
    path = tmp_path_factory.mktemp("huge") / "huge.h5"
    write_snapshot(path, arrays)
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_lack_of_memory_is_told(gothic: Gothic, huge: Path, command: str) -> None:
    (gothic.folder / "place").mkdir()
    words = [huge if word == "ic.h5" else word for word in COMMANDS[command]]
    limit = limited(resource.RLIMIT_AS, 2**27)
    message = gothic.failed(1, *words, "--threads", "1", limit=limit)
    assert message == "gothic: out of memory; use fewer particles or a machine with more"


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=NEEDS_MPIRUN)])
@pytest.mark.parametrize(
    "command", [COMMANDS["force"], COMMANDS["run"], (*COMMANDS["run"], "--dry-run")]
)
def test_more_particles_than_memory_are_refused_unread(
    gothic: Gothic, command: tuple[str, ...], ranks: int
) -> None:
    (gothic.folder / "place").mkdir()
    write_vast_snapshot(gothic.folder / "ic.h5", 4 * 10**9)
    result = gothic.on(ranks).call(*command, "--device", "cpu")
    assert result.returncode == 1
    (message,) = said(result.stderr)
    assert "ic.h5: 4000000000 particles take at least " in message
    assert (f"on each of {ranks} ranks" in message) == (ranks > 1)
    assert gothic.names() == {"ic.h5", "place"}
