"""Full disks, lack of memory, signals: no half-written file, and what was there before stays."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from tests.programs.gothic import Gothic, contents, limited
from tests.programs.snapshots import sphere, write_snapshot
from tests.programs.test_output import read_energy, read_steps

MODEL = Path(__file__).parents[2] / "config" / "models" / "plummer.toml"
MIB = 1 << 20


def start_long_run(gothic: Gothic) -> subprocess.Popen[str]:
    """Start a run that would take hours, and wait until it is writing."""
    process = gothic.start("run", "--input", "ic.h5", "--output", "out", "--time", "1e5")
    partial = gothic.folder / "out" / "energy.h5.partial"
    deadline = time.monotonic() + 60
    while not partial.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.2)
    return process


class TestOutputFolder:
    """Places that cannot be written to."""

    @pytest.mark.parametrize("command", ["force", "direct"])
    def test_missing_folder_is_refused(self, gothic: Gothic, command: str) -> None:
        message = gothic.refused(command, "--input", "ic.h5", "--output", "nowhere/out.h5")
        assert "nowhere/out.h5: output: " in message
        assert "create it" in message

    @pytest.mark.parametrize("command", ["force", "direct"])
    def test_folder_instead_of_a_file_is_refused(self, gothic: Gothic, command: str) -> None:
        (gothic.folder / "out.h5").mkdir()
        message = gothic.refused(command, "--input", "ic.h5", "--output", "out.h5")
        assert "out.h5: output: is a folder; give the name of a file" in message

    @pytest.mark.parametrize("place", ["ic.h5", "ic.h5/out", "/proc/nowhere/out"])
    def test_folder_that_cannot_be_made_is_refused(self, gothic: Gothic, place: str) -> None:
        message = gothic.refused("run", "--input", "ic.h5", "--output", place, "--steps", "1")
        assert f"--output {place}: the folder cannot be made" in message
        assert "choose another" in message

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    @pytest.mark.parametrize(
        "command",
        [("force", "locked/out.h5"), ("direct", "locked/out.h5"), ("run", "locked", "--steps=1")],
    )
    def test_locked_folder_is_refused(self, gothic: Gothic, command: tuple[str, ...]) -> None:
        (gothic.folder / "locked").mkdir(mode=0o500)
        name, output, *rest = command
        message = gothic.refused(name, "--input", "ic.h5", "--output", output, *rest)
        assert "cannot be written to" in message

    @pytest.mark.parametrize("command", ["force", "direct"])
    def test_input_is_not_overwritten(self, gothic: Gothic, command: str) -> None:
        before = contents(gothic.folder)
        (gothic.folder / "link.h5").symlink_to("ic.h5")
        for output in ("ic.h5", "./ic.h5", "link.h5"):
            message = gothic.refused(command, "--input", "ic.h5", "--output", output)
            assert f"{output} is the input" in message
        assert contents(gothic.folder)["ic.h5"] == before["ic.h5"]

    def test_input_is_not_overwritten_by_a_run(self, gothic: Gothic) -> None:
        gothic.done("run", "--input", "ic.h5", "--output", "out", "--steps", "1")
        command = ("run", "--input", "out/snapshot_000.h5", "--output", "out", "--steps", "1")
        assert "out/snapshot_000.h5 is the input" in gothic.refused(*command)


@pytest.mark.parametrize("size", [0, 4000, 180_000])
class TestFullDisk:
    """Files may not grow beyond a size, which looks like a full disk."""

    @pytest.fixture(autouse=True)
    def many_particles(self, gothic: Gothic) -> None:
        write_snapshot(gothic.folder / "many.h5", sphere(8192))

    def expect(self, gothic: Gothic, size: int, file: str, *arguments: str) -> None:
        limit = limited(resource.RLIMIT_FSIZE, size)
        message = gothic.failed(1, *arguments, limit=limit)
        assert f"{file}: cannot be written: " in message
        assert "free some space" in message

    @pytest.mark.parametrize("command", ["force", "direct"])
    def test_forces(self, gothic: Gothic, size: int, command: str) -> None:
        arguments = ("--input", "many.h5", "--output", "out.h5")
        self.expect(gothic, size, "out.h5", command, *arguments)

    def test_run(self, gothic: Gothic, size: int) -> None:
        gothic.done("run", "--input", "ic.h5", "--output", "out", "--steps", "3")
        before = contents(gothic.folder / "out")
        file = "snapshot_000.h5" if size == 180_000 else "steps.h5"
        arguments = ("run", "--input", "many.h5", "--output", "out", "--steps", "1")
        self.expect(gothic, size, f"out/{file}", *arguments)
        assert contents(gothic.folder / "out") == before

    def test_initial_conditions(self, gothic: Gothic, size: int) -> None:
        arguments = (MODEL, "--particles", "8192", "--output", "new.h5")
        limit = limited(resource.RLIMIT_FSIZE, size)
        message = gothic.failed(1, *arguments, program="gothic-ic", limit=limit)
        assert "new.h5: cannot be written: " in message


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

    @pytest.mark.parametrize("size", [64, 128])
    @pytest.mark.parametrize("command", ["force", "direct", "run"])
    def test_is_reported(self, gothic: Gothic, huge: Path, command: str, size: int) -> None:
        arguments = [command, "--input", str(huge), "--output", "out", "--threads", "1"]
        arguments += ["--steps", "1"] if command == "run" else []
        limit = limited(resource.RLIMIT_AS, size * MIB)
        message = gothic.failed(1, *arguments, limit=limit)
        assert message == "gothic: out of memory; use fewer particles or a machine with more"

    def test_is_reported_by_the_initial_conditions(self, gothic: Gothic) -> None:
        arguments = (MODEL, "--particles", "20000000", "--output", "new.h5", "--threads", "1")
        limit = limited(resource.RLIMIT_AS, 256 * MIB)
        message = gothic.failed(1, *arguments, program="gothic-ic", limit=limit)
        assert "out of memory; use fewer particles" in message


class TestSignals:
    """A run that is asked to stop stops tidily; one that is killed spoils nothing."""

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
    def test_stopped_run_leaves_readable_files(self, gothic: Gothic, number: int) -> None:
        process = start_long_run(gothic)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 3
        assert errors == ""
        folder = gothic.folder / "out"
        assert {path.name for path in folder.iterdir()} == {
            "steps.h5",
            "energy.h5",
            "lagrange.h5",
            "checkpoint.h5",
        }
        done = read_steps(folder)["step"][-1]
        assert done > 0
        assert len(read_energy(folder)["step"]) > 0
        command = ("run", "--input", "ic.h5", "--output", "out", "--time", "1e5", "--restart")
        gothic.call(*command, "--stop-after", "0.2s")
        assert read_steps(folder)["step"].tolist() == list(
            range(1, len(read_steps(folder)["step"]) + 1)
        )
        assert len(read_steps(folder)["step"]) > done

    def test_folder_belongs_to_one_run_at_a_time(self, gothic: Gothic) -> None:
        process = start_long_run(gothic)
        before = gothic.names()
        message = gothic.refused("run", "--input", "ic.h5", "--output", "out", "--steps", "1")
        assert "out: another run is writing to this folder; wait for it to end" in message
        assert gothic.names() == before
        process.kill()
        process.communicate(timeout=60)
        gothic.done("run", "--input", "ic.h5", "--output", "out", "--steps", "1")

    def test_killed_run_leaves_previous_results(self, gothic: Gothic) -> None:
        command = ("run", "--input", "ic.h5", "--output", "out", "--steps")
        gothic.done(*command, "3")
        before = contents(gothic.folder / "out")
        process = start_long_run(gothic)
        process.kill()
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        assert contents(gothic.folder / "out") == before
        gothic.done(*command, "5")
        assert len(read_steps(gothic.folder / "out")["step"]) == 5
        assert set(contents(gothic.folder / "out")) == set(before)
        assert not list((gothic.folder / "out").glob("*.partial"))
