"""Runs that are killed or stopped at any moment: what is there is whole, and they can go on."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.faults.checkpoints import NAMES, datasets, expect_sound, is_whole
from tests.programs.gothic import Gothic, contents
from tests.programs.snapshots import sphere, write_snapshot
from tests.programs.test_restart import expect_equal, progress

RUN = ("run", "--input", "ic.h5", "--device", "cpu", "--threads", "1")


class Interrupted:
    """A run in ``parts`` that is interrupted, and the same run in ``whole`` that is not."""

    def __init__(self, gothic: Gothic, given: tuple[str, ...], seed: int) -> None:
        self.gothic = gothic
        self.given = given
        self.random = np.random.default_rng(seed)
        self.whole = gothic.folder / "whole"
        self.parts = gothic.folder / "parts"
        start = time.monotonic()
        gothic.done(*RUN, *given, "--output", "whole")
        self.seconds = time.monotonic() - start

    def moments(self) -> Iterator[float]:
        """Draw seconds: some from the very beginning on, and some after the end of the run."""
        while True:
            yield float(self.random.choice([0.2, 0.6, 1.2]) * self.random.random() * self.seconds)

    def start(self) -> subprocess.Popen[str]:
        return self.gothic.start(*RUN, *self.given, "--output", "parts", "--restart")

    def interrupt(self, number: int, seconds: float) -> int:
        """Start the run, send a signal after a while and return the exit status."""
        process = self.start()
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        process.communicate(timeout=600)
        return process.returncode

    def go_on(self) -> None:
        """Let the run come to its end, which must be that of the whole one."""
        result = self.gothic.call(*RUN, *self.given, "--output", "parts", "--restart")
        assert result.returncode == 0, result.stderr
        assert all(": is missing; going on from " in line for line in result.stderr.splitlines())
        expect_equal(self.whole, self.parts)

    def begin_again(self) -> None:
        shutil.rmtree(self.parts)


def newest_step(folder: Path) -> float:
    """Find how far the checkpoints are; there is one after the first."""
    steps = [progress(folder / name)["step"] for name in NAMES if (folder / name).exists()]
    return max(steps, default=0)


OFTEN = ("--checkpoint-interval", "1e-9")
RUNS = {
    "checkpoints": (64, ("--steps", "40", *OFTEN)),
    "snapshots": (256, ("--time", "0.2", "--snapshot-interval", "0.01")),
    "both": (512, ("--time", "0.1", "--snapshot-interval", "0.01", "--compression", "9", *OFTEN)),
    "shared steps": (
        2048,
        ("--steps", "30", "--step", "shared", "--checkpoint-interval", "0.005s"),
    ),
}


@pytest.fixture(
    params=[
        name if name == "checkpoints" else pytest.param(name, marks=pytest.mark.long)
        for name in RUNS
    ]
)
def run(gothic: Gothic, request: pytest.FixtureRequest) -> Interrupted:
    count, given = RUNS[request.param]
    write_snapshot(gothic.folder / "ic.h5", sphere(count))
    return Interrupted(gothic, given, count)


@pytest.mark.parametrize("wanted", [8, pytest.param(60, marks=pytest.mark.long)])
def test_killed_run_goes_on(run: Interrupted, wanted: int) -> None:
    kills, reached = 0, 0.0
    for moment in run.moments():
        status = run.interrupt(signal.SIGKILL, moment)
        if run.parts.exists():
            expect_sound(run.parts, run.whole)
            assert newest_step(run.parts) >= reached
            reached = newest_step(run.parts)
        if status == 0:
            expect_equal(run.whole, run.parts)
            run.begin_again()
            reached = 0
            continue
        assert status == -signal.SIGKILL
        kills += 1
        if kills == wanted:
            break
    run.go_on()
    assert not list(run.parts.glob("snapshot*.partial"))


@pytest.mark.parametrize("rest", [1.0, 0.5, 0.0], ids="{} of it".format)
def test_kill_between_two_names(gothic: Gothic, rest: float) -> None:
    """The newest checkpoint is the previous one already, the next has not got its name yet."""
    run = Interrupted(gothic, ("--steps", "30", *OFTEN), 1)
    assert run.interrupt(signal.SIGTERM, 0.5 * run.seconds) in (0, 3, -signal.SIGTERM)
    gothic.call(*RUN, *run.given, "--output", "parts", "--restart", "--stop-after", "1e-9s")
    newest, previous = (run.parts / name for name in NAMES)
    data = newest.read_bytes()
    newest.rename(previous)
    (run.parts / "checkpoint.h5.partial").write_bytes(data[: int(rest * len(data))])
    run.go_on()
    assert not list(run.parts.glob("*.partial"))


@pytest.fixture
def hang_up() -> Iterator[Callable[[signal.Handlers], object]]:
    """Set what programs that the test starts do of SIGHUP, which is ignored below nohup."""
    before = signal.getsignal(signal.SIGHUP)
    yield lambda action: signal.signal(signal.SIGHUP, action)
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    ("number", "wanted"),
    [(signal.SIGTERM, 3)]
    + [
        pytest.param(number, 20, marks=pytest.mark.long)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP)
    ],
)
class TestSignals:
    """A run that is asked to stop writes a checkpoint, or dies before it has begun."""

    @pytest.fixture(autouse=True)
    def without_nohup(self, hang_up: Callable[[signal.Handlers], object]) -> None:
        hang_up(signal.SIG_DFL)

    def test_stopped_at_any_moment(self, gothic: Gothic, number: int, wanted: int) -> None:
        run = Interrupted(gothic, ("--time", "2", "--snapshot-interval", "0.5"), number)
        signals = 0
        for moment in run.moments():
            before = contents(run.parts)
            status = run.interrupt(number, moment)
            if status == 0:
                expect_equal(run.whole, run.parts)
                run.begin_again()
                continue
            assert status in (3, -number)
            if status == 3:
                assert is_whole(run.parts / "checkpoint.h5")
                steps = datasets(run.parts / "steps.h5")["Steps/step"]
                assert len(steps) == progress(run.parts / "checkpoint.h5")["step"]
                assert not list(run.parts.glob("*.partial"))
            else:
                assert contents(run.parts) == before
            signals += 1
            if signals == wanted:
                break
        run.go_on()


class SlowRun:
    """A run whose steps take long enough for a second signal, with a checkpoint of its start."""

    def __init__(self, gothic: Gothic) -> None:
        write_snapshot(gothic.folder / "ic.h5", sphere(16384))
        given = ("--steps", "2000", "--step", "shared", "--accuracy", "1e-12")
        self.gothic = gothic
        self.command = (*RUN, *given, "--output", "parts")
        self.folder = gothic.folder / "parts"
        gothic.call(*self.command, "--stop-after", "1e-9s")

    def interrupt_twice(self, number: int) -> int:
        """Go on, send two signals within a step, and return the exit status."""
        process = self.gothic.start(*self.command, "--restart")
        while not (self.folder / "lagrange.h5.partial").exists():
            time.sleep(0.01)
        for _ in range(2):
            process.send_signal(number)
            time.sleep(0.03)
        process.communicate(timeout=600)
        return process.returncode


@pytest.fixture
def slow_run(gothic: Gothic) -> SlowRun:
    return SlowRun(gothic)


def test_second_interrupt_ends_a_run_at_once(slow_run: SlowRun) -> None:
    status = 3
    while status == 3:
        before = contents(slow_run.folder)
        status = slow_run.interrupt_twice(signal.SIGINT)
    assert status == -signal.SIGINT
    assert contents(slow_run.folder) == before


def test_nohup_keeps_a_run_from_stopping_with_its_terminal(
    gothic: Gothic, hang_up: Callable[[signal.Handlers], object]
) -> None:
    hang_up(signal.SIG_IGN)
    run = Interrupted(gothic, ("--time", "2"), 1)
    assert run.interrupt(signal.SIGHUP, 0.5 * run.seconds) == 0
    expect_equal(run.whole, run.parts)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_batch_systems_may_tell_a_run_twice(slow_run: SlowRun, number: int) -> None:
    before = contents(slow_run.folder)
    assert slow_run.interrupt_twice(number) == 3
    assert is_whole(slow_run.folder / "checkpoint.h5")
    assert contents(slow_run.folder) != before


@pytest.mark.parametrize("budget", ["1e-9", "1e-9min"])
def test_budget_in_any_unit(gothic: Gothic, budget: str) -> None:
    given = (*RUN, "--output", "out", "--steps", "9")
    result = gothic.call(*given, "--stop-after", budget)
    assert (result.returncode, result.stderr) == (3, "")
    assert progress(gothic.folder / "out" / "checkpoint.h5")["step"] == 1


def test_budget_is_kept(gothic: Gothic) -> None:
    start = time.monotonic()
    result = gothic.call(*RUN, "--output", "out", "--time", "1e5", "--stop-after", "1s")
    seconds = time.monotonic() - start
    assert result.returncode == 3
    assert 1 <= seconds < 600
    assert progress(gothic.folder / "out" / "checkpoint.h5")["wall"] >= 1
