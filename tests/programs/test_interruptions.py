"""Places that cannot be written to, lack of memory, kills: what was there before stays whole."""

from __future__ import annotations

import resource
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.programs.gothic import Gothic, contents, limited
from tests.programs.snapshots import write_snapshot
from tests.programs.test_output import read_steps

MODEL = ROOT / "config" / "models" / "plummer.toml"
MIB = 1 << 20


def start_long_run(gothic: Gothic) -> subprocess.Popen[str]:
    """Start a run that would take hours, and wait until it is writing."""
    process = gothic.start("run", "--input", "ic.h5", "--output", "out", "--time", "1e5")
    partial = gothic.folder / "out" / "energy.h5.partial"
    deadline = time.monotonic() + 600
    while not partial.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("command", ["force", "direct"])
class TestOutputFile:
    """Names that no file can have."""

    def test_in_a_missing_folder_is_refused(self, gothic: Gothic, command: str) -> None:
        message = gothic.refused(command, "--input", "ic.h5", "--output", "nowhere/out.h5")
        assert "nowhere/out.h5: output: " in message
        assert "create it" in message

    def test_of_a_folder_is_refused(self, gothic: Gothic, command: str) -> None:
        (gothic.folder / "out.h5").mkdir()
        message = gothic.refused(command, "--input", "ic.h5", "--output", "out.h5")
        assert "out.h5: output: is a folder; give the name of a file" in message

    @pytest.mark.parametrize("output", ["./ic.h5", "link.h5"])
    def test_of_the_input_is_refused(self, gothic: Gothic, command: str, output: str) -> None:
        before = contents(gothic.folder)["ic.h5"]
        (gothic.folder / "link.h5").symlink_to("ic.h5")
        message = gothic.refused(command, "--input", "ic.h5", "--output", output)
        assert f"{output} is the input" in message
        assert contents(gothic.folder)["ic.h5"] == before


@pytest.mark.parametrize("place", ["ic.h5", "ic.h5/out", "/proc/nowhere/out"])
def test_folder_that_cannot_be_made_is_refused(gothic: Gothic, place: str) -> None:
    message = gothic.refused("run", "--input", "ic.h5", "--output", place, "--steps", "1")
    assert f"--output {place}: the folder cannot be made" in message
    assert "choose another" in message


def test_input_is_not_overwritten_by_a_run(gothic: Gothic) -> None:
    gothic.done("run", "--input", "ic.h5", "--output", "out", "--steps", "1")
    command = ("run", "--input", "out/snapshot_000.h5", "--output", "out", "--steps", "1")
    assert "out/snapshot_000.h5 is the input" in gothic.refused(*command)


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    count = 2_000_000
    line = np.repeat(np.linspace(0, 1, count, dtype=np.float32)[:, None], 3, axis=1)
    arrays = {"Coordinates": line, "Velocities": line, "Masses": np.ones(count, np.float32)}
    path = tmp_path_factory.mktemp("huge") / "huge.h5"
    write_snapshot(path, arrays)
    return path


class TestLackOfMemory:
    """The address space is limited."""

    @pytest.mark.parametrize("command", ["force", "direct", "run"])
    def test_is_reported(self, gothic: Gothic, huge: Path, command: str) -> None:
        arguments = [command, "--input", str(huge), "--output", "out", "--threads", "1"]
        arguments += ["--steps", "1"] if command == "run" else []
        message = gothic.failed(1, *arguments, limit=limited(resource.RLIMIT_AS, 128 * MIB))
        assert message == "gothic: out of memory; use fewer particles or a machine with more"

    def test_is_reported_by_the_initial_conditions(self, gothic: Gothic) -> None:
        arguments = (MODEL, "--particles", "20000000", "--output", "new.h5", "--threads", "1")
        limit = limited(resource.RLIMIT_AS, 256 * MIB)
        message = gothic.failed(1, *arguments, program="gothic-ic", limit=limit)
        assert "out of memory; use fewer particles" in message


def test_folder_belongs_to_one_run_at_a_time(gothic: Gothic) -> None:
    process = start_long_run(gothic)
    before = gothic.names()
    message = gothic.refused("run", "--input", "ic.h5", "--output", "out", "--steps", "1")
    assert "out: another run is writing to this folder; wait for it to end" in message
    assert gothic.names() == before
    process.kill()
    process.communicate(timeout=600)
    gothic.done("run", "--input", "ic.h5", "--output", "out", "--steps", "1")


def test_killed_run_leaves_previous_results(gothic: Gothic) -> None:
    command = ("run", "--input", "ic.h5", "--output", "out", "--steps")
    gothic.done(*command, "3")
    before = contents(gothic.folder / "out")
    process = start_long_run(gothic)
    process.kill()
    process.communicate(timeout=600)
    assert process.returncode == -signal.SIGKILL
    assert contents(gothic.folder / "out") == before
    gothic.done(*command, "5")
    assert len(read_steps(gothic.folder / "out")["step"]) == 5
    assert set(contents(gothic.folder / "out")) == set(before)
    assert not list((gothic.folder / "out").glob("*.partial"))
