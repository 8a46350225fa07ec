"""What a run tells while it is going on, and before it begins."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.reading.files import read_attributes
from tests.programs.gothic import Gothic
from tests.programs.results import read_bytes, read_log
from tests.programs.snapshots import Arrays, sphere, write_snapshot

RUN = ("run", "--input", "ic.h5", "--output", "out")
MODELS = Path(__file__).parents[2] / "config" / "models"


def events(text: str) -> list[dict[str, object]]:
    """Parse lines of JSON."""
    return [json.loads(line) for line in text.splitlines()]


PRINTED = {
    "gothic": ["--help", "--version", "run --help"],
    "gothic-ic": ["--help", "--version", "model.toml --check"],
}
PRINTED["gothic"] += [
    f"run --input ic.h5 --output out --steps 2 {how}" for how in ("--log json", "--dry-run")
]
PRINTED["gothic-ic"] += ["model.toml --particles 4096 --output drawn.h5"]
PRINTED["gothic"] += ["bench walk --input ic.h5 --repeats 1"]


@pytest.mark.parametrize(
    ("program", "words"), [(program, words) for program in PRINTED for words in PRINTED[program]]
)
class TestStandardOutput:
    """What is printed there arrives, or the program fails."""

    @pytest.fixture
    def command(self, gothic: Gothic, program: str, words: str) -> list[str]:
        model = "[[component]]\nname = 'a'\nprofile = 'plummer'\nmass = 1\nscale = 1\n"
        (gothic.folder / "model.toml").write_text(model)
        return gothic.command(program, *words.split())

    def test_full_disk_is_a_failure(self, gothic: Gothic, command: list[str], program: str) -> None:
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                command,
                cwd=gothic.folder,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                timeout=600,
            )
        *warnings, last = done.stderr.splitlines()
        assert (done.returncode, last) == (
            1,
            f"{program}: standard output: cannot be written; free some space or choose another "
            "place",
        )
        assert all(line.startswith(f"{program}: warning: ") for line in warnings)

    def test_closed_pipe_is_quiet(self, gothic: Gothic, command: list[str]) -> None:
        ours, theirs = os.pipe()
        os.close(ours)
        try:
            done = subprocess.run(
                command,
                cwd=gothic.folder,
                stdout=theirs,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                timeout=600,
            )
        finally:
            os.close(theirs)
        assert done.returncode in (0, -signal.SIGPIPE)
        assert "standard output" not in done.stderr


class TestJson:
    """Objects for programs."""

    def test_events_come_in_order_with_the_values_of_the_run(self, gothic: Gothic) -> None:
        write_snapshot(gothic.folder / "ic.h5", sphere(16384))
        told = events(gothic.done(*RUN, "--time", "1", "--log", "json"))
        start, *between, end = told
        assert (start["event"], end["event"], end["reason"]) == ("start", "end", "finished")
        assert {event["event"] for event in between} <= {"progress", "snapshot", "checkpoint"}
        for key in ("time", "step", "wall_s"):
            values = [event[key] for event in told]
            assert values == sorted(values), key
        assert (start["time"], start["end_time"], start["particles"]) == (0, 1, 16384)
        assert (end["time"], end["eta_s"]) == (1, 0)
        steps = read_attributes(gothic.folder / "out" / "steps.h5", "Timing")["steps"]
        assert end["step"] == steps
        assert abs(end["energy_error"]) < 0.1
        (snapshot,) = (event for event in told if event["event"] == "snapshot")
        assert snapshot["file"] == "out/snapshot_000.h5"

    def test_stopped_run_says_so(self, gothic: Gothic) -> None:
        given = ("--time", "1e4", "--log", "json", "--energy-bound", "0")
        process = gothic.start(*RUN, *given)
        first = process.stdout.readline() + process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=600)
        assert process.returncode == 3
        assert re.fullmatch(
            r"gothic: stopped at time \S+; the same command with --restart continues\n", errors
        )
        assert [event["event"] for event in events(first)] == ["start", "progress"]
        assert (events(rest)[-1]["event"], events(rest)[-1]["reason"]) == ("end", "stopped")

    def test_run_goes_on_when_nobody_listens(self, gothic: Gothic) -> None:
        process = gothic.start(*RUN, "--steps", "200", "--log", "json")
        process.stdout.close()
        assert process.wait(timeout=600) == 0
        assert (gothic.folder / "out" / "snapshot_000.h5").exists()


class TestLogs:
    """Logs of a run that goes on."""

    def test_can_be_read_at_any_time(self, gothic: Gothic) -> None:
        process = gothic.start(*RUN, "--steps", "1000000", "--eta", "1e-3", "--energy-bound", "0")
        rows = dict.fromkeys(("steps", "energy", "lagrange"), 0)
        deadline = time.monotonic() + 60
        while min(rows.values()) == 0 or rows["steps"] < 100:
            assert time.monotonic() < deadline, rows
            time.sleep(0.1)
            for name in rows:
                path = gothic.folder / "out" / f"{name}.h5.partial"
                with (
                    contextlib.suppress(FileNotFoundError, BlockingIOError),
                    h5py.File(path) as file,
                ):
                    columns = [data[()] for data in file[name.capitalize()].values()]
                    assert len({len(column) for column in columns}) == 1
                    assert len(columns[0]) >= rows[name]
                    rows[name] = len(columns[0])
        with h5py.File(gothic.folder / "out" / "steps.h5.partial") as held:
            before = len(held["Steps/step"])
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            assert process.returncode == 3
        step = read_log(gothic.folder / "out", "steps")["step"]
        assert len(step) > before
        np.testing.assert_array_equal(step, np.arange(len(step)) + 1)


class TestText:
    """A line for readers."""

    def test_is_written_in_place_on_a_terminal(self, gothic: Gothic) -> None:
        text = gothic.on_terminal(*RUN, "--time", "0.5")
        assert text.count("\n") == 4
        assert text.startswith("\rt 0 of 0.5, step 0, ")
        assert "\rout/snapshot_000.h5 is of t 0.5\x1b[K\r\n" in text
        last, _, advice, _ = text.split("\r")[-4:]
        assert advice.startswith("for a smaller change of the energy: ")
        assert last.endswith("\x1b[K")
        assert re.match(
            r"t 0\.5 of 0\.5, step \d+, finished after .*, .* steps/s, .* pairs/s, dE/E ", last
        )

    @pytest.mark.parametrize("log", ["none", "json"])
    def test_can_be_left_out(self, gothic: Gothic, log: str) -> None:
        assert gothic.on_terminal(*RUN, "--steps", "2", "--log", log) == ""

    def test_can_be_asked_for_in_files_and_pipes(self, gothic: Gothic) -> None:
        result = gothic.call(*RUN, "--steps", "2", "--log", "text")
        assert (result.returncode, result.stdout) == (0, "")
        first, of_snapshot, last, end = result.stderr.split("\n")
        assert re.fullmatch(
            r"t 0, step 0 of 2, \d+ particles on .*, virial ratio 0\.\d+, 99 %.*", first
        )
        assert (of_snapshot, end) == ("out/snapshot_000.h5 is of t 0.125", "")
        assert re.fullmatch(r"t [0-9.]+, step 2 of 2, finished after [^\r\x1b]*", last)


def binary(separation: float, mass: float, far: float = 10) -> Arrays:
    """Make a light sphere with a heavy binary, 1001 and 1002, and one body far away.

    The binary is on a circular orbit for a softening that is its separation.
    """
    arrays = sphere(64)
    arrays["Masses"] *= 1e-3
    arrays["ParticleIDs"] += 10
    speed = (mass / separation / 2**2.5) ** 0.5
    more = {
        "Coordinates": np.array([[0, 0, 0], [separation, 0, 0], [far, 0, 0]], np.float32),
        "Velocities": np.array([[0, -speed, 0], [0, speed, 0], [0, 0, 0]], np.float32),
        "Masses": np.array([mass, mass, 1e-3], np.float32),
        "ParticleIDs": np.array([1001, 1002, 1003], np.uint64),
    }
    return {name: np.concatenate([arrays[name], more[name]]) for name in arrays}


class TestStuckRun:
    """A run that will never end says so, and why."""

    def test_names_the_particle_that_wants_too_short_a_step(self, gothic: Gothic) -> None:
        write_snapshot(gothic.folder / "ic.h5", binary(1e-6, 1, far=1e7))
        result = gothic.call(*RUN, "--steps", "20", "--softening", "1e-6")
        assert result.returncode == 0
        found = re.fullmatch(
            r"gothic: warning: a particle wants a step below .*, the shortest that this run can "
            r"count: particle 1001 at \(.* acceleration (\S+), .* step (\S+); "
            r"use a larger --softening or a larger --eta.*\n",
            result.stderr,
        )
        acceleration, step = map(float, found.groups())
        assert step == pytest.approx(0.5 * (1e-6 / acceleration) ** 0.5, rel=1e-3)

    def test_is_told_when_steps_never_reach_the_end(self, gothic: Gothic) -> None:
        write_snapshot(gothic.folder / "ic.h5", binary(1e-3, 1e3))
        process = gothic.start(*RUN, "--time", "2e3", "--softening", "1e-3", "--log", "json")
        warning = next(line for line in process.stdout if '"warning"' in line)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=600)
        message = json.loads(warning)["message"]
        assert re.match(r"[0-9.e+]+ steps remain, .+ at this pace: ", message)
        assert re.search(r"particle \d+ at \(", message)
        assert errors.startswith(f"gothic: warning: {message}\n")

    @pytest.mark.parametrize("dry", [True, False])
    def test_many_steps_are_told_early(self, gothic: Gothic, dry: bool) -> None:
        options = ("--time", "1", "--softening", "1e-11", "--energy-bound", "0")
        process = gothic.start(*RUN, *options, f"--dry-run={str(dry).lower()}")
        warning = process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        told = r"gothic: warning: \S+e\+0\d steps remain, .* at this pace: particle \d+ .*softening"
        assert re.match(told, warning), warning

    @pytest.mark.parametrize("late", [1e16, 1e30])
    def test_time_that_cannot_advance_is_refused(self, gothic: Gothic, late: float) -> None:
        write_snapshot(gothic.folder / "ic.h5", sphere(64), header={"Time": late})
        message = gothic.refused(*RUN, "--time", "1")
        assert "ic.h5: /Header/Time: 1e+" in message
        assert message.endswith("so late that --time 1 hardly changes it; set /Header/Time to 0")

    def test_far_too_long_times_are_refused_in_short(self, gothic: Gothic) -> None:
        assert len(gothic.refused(*RUN, "--time", "1e300")) < 120

    def test_first_particle_that_is_not_finite_is_named(self, gothic: Gothic) -> None:
        write_snapshot(gothic.folder / "ic.h5", binary(1e-6, 1e18))
        options = ("--softening", "1e-6", "--step", "shared", "--dt", "1")
        result = gothic.call(*RUN, "--steps", "2000", *options)
        assert result.returncode == 1
        message = result.stderr.splitlines()[-1]
        assert message.startswith("gothic: the energy became infinite at time ")
        assert re.search(r"particle \d+ at \(.*\) with the velocity .* first that is not", message)


M31 = ("run", "--input", "m31.h5", "--output", "out", "--overwrite", "--time", "0.25")
INEXACT = (
    *("--softening", "1", "--step", "shared", "--dt", "2^-11", "--order", "point"),
    *("--energy-bound", "0.001", "--error-interval", "4"),
)
INEXACT_STEPS = ("--energy-bound", "0.002", "--error-interval", "8")


class TestEnergy:
    """What is told of the energy, and the remedy where it changes too much."""

    @pytest.mark.parametrize(
        ("options", "wrong", "right", "cause"),
        [
            (INEXACT_STEPS, ("--eta", "0.5"), ("--eta", "0.1"), "steps are too long"),
            (INEXACT, ("--accuracy", "16"), ("--accuracy", "2^-13"), "forces are too inexact"),
        ],
        ids=["steps", "forces"],
    )
    def test_advice_names_the_measured_cause_and_helps(
        self,
        gothic: Gothic,
        options: tuple[str, ...],
        wrong: tuple[str, ...],
        right: tuple[str, ...],
        cause: str,
    ) -> None:
        gothic.make(MODELS / "m31.toml", "--particles", 4096, "--output", "m31.h5")
        changes = []
        for given in (wrong, right):
            result = gothic.call(*M31, *options, *given, "--log", "json")
            assert result.returncode == 0
            if given == wrong:
                told = rf"has changed by .*: the {cause}, [^;]*; use a smaller {wrong[0][2:]}"
                assert re.search(told, result.stderr), result.stderr
            changes.append(abs(events(result.stdout)[-1]["largest_energy_error"]))
        assert changes[1] < changes[0] / 2

    def test_batch_log_tells_the_start_and_the_end(self, gothic: Gothic) -> None:
        result = gothic.call(*RUN, "--time", "0.5")
        assert (result.returncode, result.stderr) == (0, "")
        first, last, advice, end = result.stdout.split("\n")
        assert re.fullmatch(r"t 0 of 0\.5, .*, virial ratio \d\.\d+, 99 %.*", first)
        assert re.fullmatch(
            r"t 0\.5 of 0\.5, step \d+, finished after .*, dE/E -?\d.*; "
            r"largest dE/E -?\d\S*; results are in out",
            last,
        )
        assert re.fullmatch(
            r"for a smaller change of the energy: the (steps|forces) .*; use .*", advice
        )
        assert end == ""

    def test_start_far_from_equilibrium_is_told(self, gothic: Gothic) -> None:
        arrays = sphere(512)
        arrays["Velocities"] *= 1e-3  # of other units
        write_snapshot(gothic.folder / "ic.h5", arrays)
        for more in ("--dry-run", "--dry-run=false"):
            result = gothic.call(*RUN, "--steps", "1", more)
            assert result.returncode == 0
            assert "virial ratio" in result.stdout
            assert re.match(
                r"gothic: warning: the virial ratio is \S+e-07 at the start, .*collapse.*units",
                result.stderr,
            )


class TestDryRun:
    """What a run will take, told before it begins."""

    def told(self, text: str) -> dict[str, tuple[str, str]]:
        """Read the lines of name, value and remark."""
        rows = re.findall(r"^  (\S.*?)  +(\S.*?)(?:  +(\S.*))?$", text, re.MULTILINE)
        return {name: (value, remark) for name, value, remark in rows}

    def test_tells_every_option_and_where_it_comes_from(self, gothic: Gothic) -> None:
        config = "# sizes\naccuracy = 0.25\n\nstep = 'shared'\ndry-run = true\n"
        (gothic.folder / "run.toml").write_text(config)
        before = gothic.names()
        told = self.told(gothic.done(*RUN, "--time=1", "--config", "run.toml", "--threads", "1"))
        assert gothic.names() == before
        assert (
            told.items()
            >= {
                "accuracy": ("0.25", "run.toml:2"),
                "step": ("shared", "run.toml:4"),
                "dry-run": ("true", "run.toml:5"),
                "softening": ("0.05", "ic.h5"),
                "time": ("1", "command line"),
                "threads": ("1", "command line"),
                "eta": ("0.5", "default"),
                "steps": ("-", "default"),
            }.items()
        )
        assert int(told["leaf-capacity"][0]) > 1
        assert told["leaf-capacity"][1] == told["group-size"][1] == "device"
        assert told["root"] in (("newton", "device"), ("estimate", "device"))
        gothic.done(*RUN, "--steps", "1", "--config", "run.toml", "--dry-run=false")
        stored = read_attributes(gothic.folder / "out" / "steps.h5", "Options")
        assert stored.keys() - {"input.digest"} <= told.keys()

    @pytest.mark.parametrize(
        ("count", "options"),
        [
            (2048, ()),
            (100_000, ()),
            (100_000, ("--checkpoint-interval=0", "--no-final-checkpoint")),
        ],
    )
    def test_memory_and_disk_are_those_of_the_run(
        self, gothic: Gothic, count: int, options: tuple[str, ...]
    ) -> None:
        write_snapshot(gothic.folder / "ic.h5", sphere(count))
        run = (*RUN, "--steps", "2", "--device", "cpu", *options)
        told = self.told(gothic.done(*run, "--dry-run"))
        gothic.done(*run)
        peak = read_attributes(gothic.folder / "out" / "steps.h5", "Timing")["memory"]
        told_peak = read_bytes(told["of the host, at most"][0])
        assert told_peak == pytest.approx(peak, rel=0.1, abs=8e6)
        size = (gothic.folder / "out" / "snapshot_000.h5").stat().st_size
        assert read_bytes(told["each snapshot"][0]) == pytest.approx(size, rel=0.05, abs=40e3)

    def test_too_little_disk_is_warned_of(self, gothic: Gothic) -> None:
        result = gothic.call(*RUN, "--steps", "1000000000000000", "--dry-run")
        assert result.returncode == 0
        warning = r"gothic: warning: out: .*B are needed and .*B are free; free some space .*\n"
        assert re.fullmatch(warning, result.stderr)
