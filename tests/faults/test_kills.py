"""Runs that are killed or stopped at any moment: what is there is whole, and they can go on."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.faults.checkpoints import NAMES, expect_sound, is_whole
from tests.programs.gothic import Gothic, contents, finish, ranks_of, said, wait_for
from tests.programs.results import expect_equal, progress, read_log
from tests.programs.snapshots import sphere, write_snapshot

RUN = ("run", "--input", "ic.h5", "--device", "cpu", "--threads", "1", "--energy-bound", "0")


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

    def interrupt(self, number: int, seconds: float) -> int:
        """Start the run, send a signal after a while and return the exit status."""
        process = self.gothic.start(*RUN, *self.given, "--output", "parts", "--restart-or-start")
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.strike(process, number)
        finish(process)
        return process.returncode

    def strike(self, process: subprocess.Popen[str], number: int) -> None:
        """Send a signal to the run or, if it has several ranks, to one of them."""
        if self.gothic.ranks == 1:
            process.send_signal(number)
            return
        while process.poll() is None:
            if ranks := ranks_of(process):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(self.random.choice(ranks)), number)
                return

    def go_on(self) -> None:
        """Let the run come to its end, where it must equal the whole run."""
        result = self.gothic.call(*RUN, *self.given, "--output", "parts", "--restart-or-start")
        assert result.returncode == 0, result.stderr
        known = (": is missing; going on from ", " before its first checkpoint; starting again")
        assert all(any(word in line for word in known) for line in said(result.stderr))
        expect_equal(self.whole, self.parts)


def newest_step(folder: Path) -> float:
    """Find how far the checkpoints are; there is one after the first."""
    steps = [progress(folder / name)["step"] for name in NAMES if (folder / name).exists()]
    return max(steps, default=0)


OFTEN = ("--checkpoint-interval", "1e-9")
SNAPSHOTS = ("--snapshot-interval", "0.01")
SHARED = ("--steps", "30", "--step", "shared", "--checkpoint-interval", "0.005s")


@pytest.mark.parametrize(
    ("ranks", "particles", "given", "wanted"),
    [
        pytest.param(1, 64, ("--steps", "40", *OFTEN), 8, id="some"),
        pytest.param(2, 64, ("--steps", "40", *OFTEN), 4, id="some-2-ranks"),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (
                (1, 64, ("--steps", "40", *OFTEN), 60),
                (1, 256, ("--time", "0.2", *SNAPSHOTS), 60),
                (1, 512, ("--time", "0.1", *SNAPSHOTS, "--compression", "9", *OFTEN), 60),
                (1, 2048, SHARED, 60),
                # mpirun waits for a second when a rank was killed.
                (2, 512, ("--time", "0.1", *SNAPSHOTS, *OFTEN), 20),
                (4, 512, ("--steps", "20", *OFTEN), 20),
            )
        ),
    ],
)
def test_killed_run_goes_on(
    gothic: Gothic, ranks: int, particles: int, given: tuple[str, ...], wanted: int
) -> None:
    write_snapshot(gothic.folder / "ic.h5", sphere(particles))
    run = Interrupted(gothic.on(ranks), given, particles)
    kills, reached = 0, 0.0
    for moment in run.moments():
        status = run.interrupt(signal.SIGKILL, moment)
        if run.parts.exists():
            expect_sound(run.parts, run.whole)
            assert newest_step(run.parts) >= reached
            reached = newest_step(run.parts)
        if status == 0:
            expect_equal(run.whole, run.parts)
            shutil.rmtree(run.parts)
            reached = 0
            continue
        assert status in (-signal.SIGKILL, 128 + signal.SIGKILL)
        kills += 1
        if kills == wanted:
            break
    run.go_on()
    assert not list(run.parts.glob("snapshot*.partial"))


def test_kill_between_two_names(gothic: Gothic) -> None:
    """The newest checkpoint is the previous one already, the next has not got its name yet."""
    run = Interrupted(gothic, ("--steps", "30", *OFTEN), 1)
    gothic.call(*RUN, *run.given, "--output", "parts", "--stop-after", "1e-9s")
    newest, previous = (run.parts / name for name in NAMES)
    data = newest.read_bytes()
    newest.rename(previous)
    (run.parts / "checkpoint.h5.partial").write_bytes(data[: len(data) // 2])
    run.go_on()
    assert not list(run.parts.glob("*.partial"))


def test_folder_is_free_again_when_its_run_is_killed(gothic: Gothic) -> None:
    """While a run goes on, no other run may write to its folder."""
    command = ("run", "--input", "ic.h5", "--output", "out")
    process = gothic.start(*command, "--time", "1e5")
    wait_for(gothic.folder / "out" / "energy.h5.partial")
    other = gothic.call(*command, "--steps", "1")
    assert other.returncode == 2
    assert "out: another run is writing to this folder; wait for it to end" in other.stderr
    process.kill()
    process.communicate(timeout=600)
    gothic.done(*command, "--steps", "5", "--overwrite")
    assert len(read_log(gothic.folder / "out", "steps")["step"]) == 5
    assert not list((gothic.folder / "out").glob("*.partial"))


@pytest.fixture
def hang_up() -> Iterator[Callable[[signal.Handlers], object]]:
    """Set how programs that the test starts react to SIGHUP, which they ignore below nohup."""
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
def test_run_that_is_asked_to_stop_writes_a_checkpoint_or_has_not_begun(
    gothic: Gothic, hang_up: Callable[[signal.Handlers], object], number: int, wanted: int
) -> None:
    hang_up(signal.SIG_DFL)
    run = Interrupted(gothic, ("--time", "2", "--snapshot-interval", "0.5"), number)
    signals = 0
    for moment in run.moments():
        before = contents(run.parts)
        status = run.interrupt(number, moment)
        if status == 0:
            expect_equal(run.whole, run.parts)
            shutil.rmtree(run.parts)
            continue
        assert status in (3, -number)
        if status == 3:
            assert is_whole(run.parts / "checkpoint.h5")
            steps = read_log(run.parts, "steps")["step"]
            assert len(steps) == progress(run.parts / "checkpoint.h5")["step"]
            assert not list(run.parts.glob("*.partial"))
        else:
            assert contents(run.parts) == before
        signals += 1
        if signals == wanted:
            break
    run.go_on()


def test_nohup_keeps_a_run_from_stopping_with_its_terminal(
    gothic: Gothic, hang_up: Callable[[signal.Handlers], object]
) -> None:
    hang_up(signal.SIG_IGN)
    run = Interrupted(gothic, ("--time", "2"), 1)
    assert run.interrupt(signal.SIGHUP, 0.5 * run.seconds) == 0
    expect_equal(run.whole, run.parts)


def interrupt_twice(gothic: Gothic, number: int) -> tuple[int, bool]:
    """Send two signals within one long step; tell the exit status and whether files changed."""
    write_snapshot(gothic.folder / "ic.h5", sphere(16384))
    given = ("--steps", "2000", "--step", "shared", "--accuracy", "1e-12", "--output", "parts")
    gothic.call(*RUN, *given, "--restart-or-start", "--stop-after", "1e-9s")
    before = contents(gothic.folder / "parts")
    process = gothic.start(*RUN, *given, "--restart-or-start")
    wait_for(gothic.folder / "parts" / "lagrange.h5.partial")
    for _ in range(2):
        process.send_signal(number)
        time.sleep(0.03)
    process.communicate(timeout=600)
    return process.returncode, contents(gothic.folder / "parts") != before


def test_second_interrupt_ends_a_run_at_once(gothic: Gothic) -> None:
    status, changed = 3, True
    while status == 3:  # both signals came between two steps
        status, changed = interrupt_twice(gothic, signal.SIGINT)
    assert (status, changed) == (-signal.SIGINT, False)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_batch_systems_may_tell_a_run_twice(gothic: Gothic, number: int) -> None:
    assert interrupt_twice(gothic, number) == (3, True)
    assert is_whole(gothic.folder / "parts" / "checkpoint.h5")


def test_budget_is_kept(gothic: Gothic) -> None:
    start = time.monotonic()
    result = gothic.call(*RUN, "--output", "out", "--time", "1e5", "--stop-after", "1s")
    seconds = time.monotonic() - start
    assert result.returncode == 3
    assert 1 <= seconds < 600
    assert progress(gothic.folder / "out" / "checkpoint.h5")["wall"] >= 1
