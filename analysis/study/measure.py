"""Runs of a study, one after the other: force errors of the initial state, the run, its row.

python -m analysis.study.measure results/STUDY --program GOTHIC RUN...

The path of a run, below results/STUDY/runs, tells its parameters. Its files are made in a folder of
this attempt alone and moved at the end, the row last. A run whose row is there and was made of the
same program, particles and options is left as it is. A run that was stopped ends the job with exit
status 3, and the next attempt goes on from its checkpoint; see `analysis.study.attempts`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from analysis.errors import DataError, main
from analysis.reading.files import head_of, package, units_of, use_package_of
from analysis.study.accuracy_unit import acceleration_unit
from analysis.study.attempts import ProgramError, attempted, is_current, move_results
from analysis.study.parameters import (
    Parameters,
    Value,
    keeps_states,
    parameters_of,
    pull,
    sample,
)
from analysis.study.run_row import columns_of_forces, columns_of_run
from analysis.study.schema import files_of, run_defaults, varied_options
from python.option_table import Option, commands

STOPPED = 3  # exit status of a run that goes on later
TIED = ("setpriv", "--pdeathsig", "KILL")  # a program ends with the one that has started it


def options(
    parameters: Mapping[str, Value], unit: float, threads: int
) -> tuple[list[str], list[str]]:
    """Write parameters as options of ``gothic force``, and the further ones of ``gothic run``.

    Parameters
    ----------
    unit
        That of `acceleration_unit`, in the units of the particles.
    threads
        CPU threads, if the parameters have none.
    """
    given = {"threads": threads} | parameters | {"accuracy": float(parameters["accuracy"])}
    if parameters["criterion"] == "multipole":
        given["accuracy"] *= unit
    if parameters.get("force_error"):
        del given["accuracy"]
    of_force, of_run = [], []
    for name, value in given.items():
        option = varied_options().get(name)
        if option is None or (option.default is None and value == run_defaults().get(name)):
            continue
        known = option.name in commands()["gothic force"].options
        (of_force if known else of_run).extend(words_of(option, value))
    return of_force, of_run


def words_of(option: Option, value: Value) -> list[str]:
    """Write an option with its value on a command line."""
    if option.type != "flag":
        return [f"--{option.name}", str(value)]
    given = value != option.default
    return [f"--{option.name}" if value else f"--no-{option.name}"] * given


def quantities_with_units(parameters: Mapping[str, Value]) -> list[str]:
    """Name the parameters that are one length or time, and are given with its unit."""
    return [
        name
        for name, option in varied_options().items()
        if option.type == "number" and option.unit and isinstance(parameters.get(name), str)
    ]


def duration_options(parameters: Mapping[str, Value], ic: Path) -> list[str]:
    """Write a time that depends on the particles, and the times of snapshots, as options."""
    if "steps" in parameters:
        return []
    words, time = [], parameters.get("time")
    if time is None:
        time = duration(parameters, ic)
        words = ["--time", repr(time)]
    if count := int(parameters.get("snapshot_count", 0)):
        start = head_of(ic)[1]
        times = [repr(start + time * part / count) for part in range(1, count + 1)]
        words += ["--snapshot-times", ",".join(times)]
    return words


def duration(parameters: Mapping[str, Value], ic: Path) -> float:
    """Find the time that a run takes, in units of its particles."""
    from analysis.reading.drift import dynamical_time  # few runs need it, and it takes seconds
    from analysis.reading.snapshots import read_snapshot

    snapshot = read_snapshot(ic)
    if "dynamical_times" in parameters:
        return parameters["dynamical_times"] * dynamical_time(snapshot)
    if not snapshot.units.physical:
        raise DataError(f"{ic}: has no physical units; give the run a time instead of myr")
    return parameters["myr"] * snapshot.units.myr


def call(log: IO[str], *command: str | Path, launcher: str = "") -> None:
    """Run a program, which ends with this one and writes into a log, by a launcher if it is named.

    Signals that ask to stop reach the program as SIGUSR1, which launchers pass on, and this one
    waits for what it makes of them; a second SIGINT kills it. A `ProgramError` if it fails.
    """
    starting = launcher.split()
    if starting and not shutil.which(starting[0]):
        raise DataError(f"{starting[0]}: is not here; install Open MPI, or name another launcher")
    words = [*TIED, *starting, *(TIED if starting else ()), *map(str, command)]
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        process_group=0,  # apart from this one, which alone hears a terminal
    ) as process:

        def stop(number: int, _: object) -> None:
            process.send_signal(signal.SIGUSR1)
            if number == signal.SIGINT:
                signal.signal(number, lambda *_: process.kill())

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, stop)
        status = process.wait()
    if status in (-signal.SIGILL, 128 + signal.SIGILL):
        raise DataError(
            f"{command[0]}: was built for another processor; let the constraint of its node type "
            "allow one kind only, or remove its folder, so that it is built anew"
        )
    if status < 0:
        log.write(f"{command[0]}: ended by {signal.Signals(-status).name}\n")
    if status:
        raise ProgramError(status)


@cache
def digest(path: Path) -> str:
    """Compute the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stamp(path: Path) -> list[int]:
    """Tell apart the states of a file that is large: by its size and time."""
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]


@dataclass(frozen=True)
class Run:
    """A run by its files: its folder, its particles, and direct sums if there are any."""

    folder: Path
    parameters: Parameters
    ic: Path
    exact: Path | None

    @classmethod
    def of(cls, given: argparse.Namespace, path: str) -> Run:
        """Name the files of the run at a path below STUDY/runs."""
        parameters = parameters_of(Path(path))
        start = given.study / "ic" / sample(parameters)
        exact = start / pull(parameters) / "reference.h5" if given.references else None
        ic = Path(parameters["input"]) if "input" in parameters else start / "ic.h5"
        return cls(given.study / "runs" / path, parameters, ic, exact)

    @property
    def advances(self) -> bool:
        """Whether particles are advanced; a run without steps has its initial forces alone."""
        return self.parameters.get("steps") != 0

    def options(self, threads: int) -> tuple[list[str], list[str]]:
        """Write its parameters as `options` in the units of its particles."""
        unit = acceleration_unit(units_of(self.ic))
        return options(self.parameters, unit, threads)

    def task(self, given: argparse.Namespace) -> str:
        """Tell what an attempt is to do; checkpoints and rows serve the same task alone."""
        of_force, of_run = self.options(0)
        task = {"program": digest(given.program), "ic": stamp(self.ic)}
        task["arguments"] = [*of_force, *of_run, given.snapshots]
        if files := files_of(self.parameters):
            task["files"] = {name: digest(Path(name)) for name in files}
        if self.exact:
            task["reference"] = stamp(self.exact)
        return json.dumps(task, indent=1) + "\n"

    def is_done(self, task: str) -> bool:
        """Whether its row is there and of the same task."""
        try:
            return json.loads((self.folder / "run.json").read_text())["task"] == task
        except (OSError, ValueError, KeyError):
            return False


class Job:
    """Makes runs by the options of the command line; forces that are the same only once."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.forces: dict[tuple[str, ...], dict[str, float | int | str]] = {}

    def make(self, path: str) -> None:
        """Make a run and its row, unless they are there."""
        run = Run.of(self.given, path)
        run.folder.mkdir(parents=True, exist_ok=True)
        task = run.task(self.given)
        if run.is_done(task):
            return
        with (run.folder / "run.log").open("w") as log:
            try:
                self.attempt(run, task, log)
            except DataError as error:
                log.write(f"{error}\n")
                raise

    def attempt(self, run: Run, task: str, log: IO[str]) -> None:
        """Make a run in a folder of its own and move its files."""
        of_force, of_run = run.options(self.given.threads)
        row = {**run.parameters, "path": str(run.folder), "ic": str(run.ic), "task": task}
        with attempted(run.folder, task) as attempt:
            if run.exact or not run.advances:
                row |= self.force(run, attempt / "force.h5", of_force, log)
            if run.advances:
                self.advance(run, attempt, [*of_force, *of_run], log)
                row |= columns_of_run(attempt, quantities_with_units(run.parameters))
            (attempt / "run.json").write_text(json.dumps(row, indent=1) + "\n")
            if not is_current(attempt):  # gothic makes a folder that is gone anew
                raise DataError(f"{run.folder}: a later attempt has taken over")
            move_results(attempt, run.folder)

    def force(
        self, run: Run, file: Path, of_force: list[str], log: IO[str]
    ) -> dict[str, float | int | str]:
        """Evaluate forces, unless a run of this job that advances particles had the same."""
        key = (str(run.exact), str(run.ic), *of_force)
        if key not in self.forces or not run.advances:
            command = (self.given.program, "force", "--input", run.ic, "--output", file)
            call(log, *command, *of_force, launcher=self.given.launcher)
            self.forces[key] = columns_of_forces(file, run.exact)
            file.unlink()
        return self.forces[key]

    def advance(self, run: Run, folder: Path, words: list[str], log: IO[str]) -> None:
        """Make the files of a run."""
        several = keeps_states(run.parameters)
        kept = several or self.given.snapshots != "none"
        command = [self.given.program, "run", "--input", run.ic, "--output", folder]
        further = ["--snapshot" if kept else "--no-snapshot", "--restart-or-start"]
        further += ["--checkpoint-interval", self.given.checkpoint_interval]
        further += ["--no-final-checkpoint"]
        times = duration_options(run.parameters, run.ic)
        call(log, *command, *words, *times, *further, launcher=self.given.launcher)
        if self.given.snapshots == "removed" and not several:
            (folder / "snapshot_000.h5").unlink()


def requeue() -> None:
    """Put the present job of Slurm into its queue again, where its runs go on.

    A job that is no longer running is left to Slurm: it is being pre-empted or cancelled.
    """
    job = os.environ.get("SLURM_JOB_ID")
    if job is None:
        return
    state = subprocess.run(
        ["squeue", "--noheader", "--jobs", job, "--format=%T"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    ).stdout.strip()
    if state == "RUNNING":
        subprocess.run(["scontrol", "requeue", job], check=False)


def make_all(given: argparse.Namespace) -> int:
    """Make the runs, all of them even if one fails, and return the exit status."""
    with package():  # which reads the runs: missing, it is told before they are made
        job, failed = Job(given), False
    for run in given.runs:
        log = given.study / "runs" / run / "run.log"
        try:
            job.make(run)
        except ProgramError as ended:
            if ended.status == STOPPED:
                print(f"{run}: stopped; the same command goes on from its checkpoint")
                if given.requeue:
                    requeue()
                return STOPPED
            print(f"{log}: failed\n{log.read_text()}", file=sys.stderr)
            failed = True
        except DataError as error:
            print(f"{run}: {error}", file=sys.stderr)
            failed = True
    return int(failed)


def run() -> None:
    """Make the runs of a job."""
    parser = argparse.ArgumentParser(prog="python -m analysis.study.measure", description=__doc__)
    parser.add_argument("study", type=Path, help="folder of the study, results/STUDY")
    parser.add_argument("runs", nargs="+", help="their paths below STUDY/runs")
    parser.add_argument("--program", type=Path, required=True, help="gothic")
    parser.add_argument(
        "--references", action="store_true", help="compare forces with the direct sums in STUDY/ic"
    )
    parser.add_argument("--snapshots", choices=("kept", "removed", "none"), default="none")
    parser.add_argument("--launcher", default="", help="what starts the program on several ranks")
    parser.add_argument("--threads", type=int, default=0, help="CPU threads, if the path is silent")
    parser.add_argument("--checkpoint-interval", default="30min", help="as of gothic run")
    parser.add_argument(
        "--requeue", action="store_true", help="put the job of Slurm into its queue if stopped"
    )
    given = parser.parse_args()
    use_package_of(given.program.parent)
    sys.exit(make_all(given))


if __name__ == "__main__":
    main(run)
