"""Runs of a study, one after the other: force errors of the initial state, the run, its row.

python -m analysis.measure results/STUDY --program GOTHIC RUN...

The path of a run, below results/STUDY/runs, tells its parameters. Its files are made in a folder of
this attempt alone and moved at the end, the row last. A run whose row is there and was made of the
same program, particles and options is left as it is. A run that was stopped ends the job with exit
status 3, and the next attempt goes on from its checkpoint; see `analysis.attempts`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import IO

import numpy as np

from analysis.accuracy import summarise_forces
from analysis.attempts import ProgramError, attempted, digest, is_current, move_results
from analysis.cli import main
from analysis.criteria import acceleration_unit
from analysis.files import STAGES, DataError, package, pick, read_attributes, read_forces, read_log
from analysis.space import LENGTHS, SAMPLE, Parameters, Value, parameters_of, sample, spell
from analysis.step_log import ELAPSED, summarise_log

MODELS = Path(__file__).parents[1] / "config" / "models"
OF_STEPS = ("step", "eta", "steps", "time", "dt", "dt_max", "rebuild_interval", "rebuild_rule")
NO_OPTIONS = (*SAMPLE, *LENGTHS[2:], "snapshot_count", "repeat")
ERRORS = ("error_50", "error_90", "error_99", "error_max", "compared")
FORCE = ("force_s", "force_walk_s", "force_interactions")
RATES = ("elapsed_per_step_s", "stages_per_step_s", "elapsed_per_time_s")
COUNTS = ("active_fraction", "rebuilds", "interactions", "cells_judged", "memory_bytes")
ENERGY = ("energy_drift", "energy_drift_max")
PROVENANCE = ("threads", "device_name", "version", "revision", "compiler")
STOPPED = 3  # exit status of a run that goes on later
# What a row holds after the parameters, `path` and `ic`.
MEASURED = (
    *ERRORS,
    *FORCE,
    "steps",
    "simulated_time",
    *(f"{name}_s" for name in ELAPSED),
    "parts",
    *RATES,
    *(f"{stage}_s" for stage in STAGES),
    *COUNTS,
    *ENERGY,
    *PROVENANCE,
)


def options(parameters: Mapping[str, Value], threads: int) -> tuple[list[str], list[str]]:
    """Write parameters as options of ``gothic force``, and the further ones of ``gothic run``."""
    unit = acceleration_unit(MODELS / f"{parameters['model']}.toml")
    accuracy = float(parameters["accuracy"])
    if parameters["criterion"] == "multipole":
        accuracy *= unit
    of_force, of_run = [], []
    for name, value in ({"threads": threads} | parameters | {"accuracy": accuracy}).items():
        if name in NO_OPTIONS or (name == "softening" and value == 0):
            continue
        option = "mac" if name == "criterion" else name.replace("_", "-")
        (of_run if name in OF_STEPS else of_force).extend([f"--{option}", str(value)])
    return of_force, of_run


def duration_options(parameters: Mapping[str, Value], ic: Path) -> list[str]:
    """Write a time that depends on the particles, and the times of snapshots, as options."""
    if "steps" in parameters:
        return []
    words, time = [], parameters.get("time")
    if time is None:
        time = duration(parameters, ic)
        words = ["--time", repr(time)]
    if count := int(parameters.get("snapshot_count", 0)):
        times = [repr(time * part / count) for part in range(1, count + 1)]
        words += ["--snapshot-times", ",".join(times)]
    return words


def duration(parameters: Mapping[str, Value], ic: Path) -> float:
    """Find the time that a run takes, in units of its particles.

    Raises
    ------
    DataError
        If million years are asked for and the particles have no physical units.
    """
    from analysis.equilibrium import dynamical_time  # few runs need it, and it takes seconds
    from analysis.snapshots import read_snapshot

    snapshot = read_snapshot(ic)
    if "dynamical_times" in parameters:
        return parameters["dynamical_times"] * dynamical_time(snapshot)
    if not snapshot.units.physical:
        raise DataError(f"{ic}: has no physical units; give the run a time instead of myr")
    return parameters["myr"] * snapshot.units.myr


def call(log: IO[str], *command: str | Path) -> None:
    """Run a program, which ends with this one and writes into a log.

    Signals that ask to stop reach the program, and this one waits for what it makes of them.

    Raises
    ------
    ProgramError
        If it fails.
    """
    words = ["setpriv", "--pdeathsig", "KILL", *map(str, command)]
    with subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT) as process:
        signal.signal(signal.SIGINT, lambda *_: None)  # a terminal tells both
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, lambda number, _: process.send_signal(number))
        status = process.wait()
    if status == -signal.SIGILL:
        raise DataError(
            f"{command[0]}: was built for another processor; let the constraint of its node type "
            "allow one kind only, or remove its folder, so that it is built anew"
        )
    if status < 0:
        log.write(f"{command[0]}: ended by {signal.Signals(-status).name}\n")
    if status:
        raise ProgramError(status)


def errors_of_forces(reference: Path, forces: Path) -> dict[str, float | int]:
    """Reduce a force evaluation to the columns of a row."""
    found = summarise_forces(reference, read_forces(reference), forces)
    own = {"force_walk_s": found["walk_s"], "force_interactions": found["interactions"]}
    return {name: found[name] for name in (*ERRORS, "force_s")} | own


def summarise_run(path: Path) -> dict[str, float | int | str]:
    """Reduce the logs of a run in a folder to the measured columns of its row."""
    log = path / "steps.h5"
    total = read_log(path / "energy.h5")["total"]
    drift = (total / total[0] - 1).to_numpy()
    provenance = pick(log, "Provenance", ("device", *PROVENANCE[2:]))
    row = summarise_log(log) | {
        "memory_bytes": float(read_attributes(log, "Timing").get("memory", math.nan)),
        "energy_drift": float(drift[-1]),
        "energy_drift_max": float(np.abs(drift).max()),
        "device_name": provenance["device"],
        **provenance,
    }
    return {name: row[name] for name in MEASURED if name in row}


cached_digest = cache(digest)


def stamp(path: Path) -> list[int]:
    """Tell apart the states of a file that is large: by its size and time."""
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]


class Runs:
    """The runs of a job.

    Parameters
    ----------
    given
        Options of the command line.
    """

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.forces: dict[tuple[str, ...], dict[str, float | int]] = {}

    def make(self, run: str) -> None:
        """Make a run and its row, unless they are there."""
        folder = self.given.study / "runs" / run
        folder.mkdir(parents=True, exist_ok=True)
        parameters = parameters_of(Path(run))
        start = self.given.study / "ic" / sample(parameters)
        ic = start / "ic.h5"
        exact = None
        if self.given.references:
            exact = start / f"softening~{spell(parameters['softening'])}" / "reference.h5"
        task = self.task(parameters, ic, exact)
        if done(folder, task):
            return
        with (folder / "run.log").open("w") as log:
            try:
                self.attempt(folder, task, parameters, ic, exact, log)
            except DataError as error:
                log.write(f"{error}\n")
                raise

    def task(self, parameters: Parameters, ic: Path, exact: Path | None) -> str:
        """Tell what an attempt is to do; checkpoints and rows serve the same task alone."""
        task = {"program": cached_digest(self.given.program), "ic": stamp(ic)}
        task["arguments"] = [*itertools.chain(*options(parameters, 0)), self.given.snapshots]
        if exact:
            task["reference"] = stamp(exact)
        return json.dumps(task, indent=1) + "\n"

    def attempt(
        self,
        folder: Path,
        task: str,
        parameters: Parameters,
        ic: Path,
        exact: Path | None,
        log: IO[str],
    ) -> None:
        """Make a run in a folder of its own and move its files."""
        of_force, of_run = options(parameters, self.given.threads)
        row = {**parameters, "path": str(folder), "ic": str(ic), "task": task}
        snapshot = "--no-snapshot" if self.given.snapshots == "none" else "--snapshot"
        if parameters.get("snapshot_count"):
            snapshot = "--snapshot"
        with attempted(folder, task) as attempt:
            if exact:
                row |= self.errors(exact, ic, attempt / "force.h5", of_force, log)
            command = [self.given.program, "run", "--input", ic, "--output", attempt]
            resuming = ("--restart", "--checkpoint-interval", self.given.checkpoint_interval)
            times = duration_options(parameters, ic)
            call(log, *command, *of_force, *of_run, *times, snapshot, *resuming)
            row |= summarise_run(attempt)
            if self.given.snapshots == "removed" and not parameters.get("snapshot_count"):
                (attempt / "snapshot_000.h5").unlink()
            (attempt / "run.json").write_text(json.dumps(row, indent=1) + "\n")
            if not is_current(attempt):  # gothic makes a folder that is gone anew
                raise DataError(f"{folder}: a later attempt has taken over")
            move_results(attempt, folder)

    def errors(
        self, exact: Path, ic: Path, file: Path, of_force: list[str], log: IO[str]
    ) -> dict[str, float | int]:
        """Evaluate forces, once for all runs of this job whose forces are the same."""
        key = (str(exact), *of_force)
        if key not in self.forces:
            given = (self.given.program, "force", "--input", ic, "--output", file)
            call(log, *given, *of_force)
            self.forces[key] = errors_of_forces(exact, file)
            file.unlink()
        return self.forces[key]


def done(folder: Path, task: str) -> bool:
    """Whether the row of a run is there and of the same task."""
    try:
        return json.loads((folder / "run.json").read_text())["task"] == task
    except (OSError, ValueError, KeyError):
        return False


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
        runs, failed = Runs(given), False
    for run in given.runs:
        log = given.study / "runs" / run / "run.log"
        try:
            runs.make(run)
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
    parser = argparse.ArgumentParser(prog="python -m analysis.measure", description=__doc__)
    parser.add_argument("study", type=Path, help="folder of the study, results/STUDY")
    parser.add_argument("runs", nargs="+", help="their paths below STUDY/runs")
    parser.add_argument("--program", type=Path, required=True, help="gothic")
    parser.add_argument(
        "--references", action="store_true", help="compare forces with the direct sums in STUDY/ic"
    )
    parser.add_argument("--snapshots", choices=("kept", "removed", "none"), default="none")
    parser.add_argument("--threads", type=int, default=0, help="CPU threads, if the path is silent")
    parser.add_argument("--checkpoint-interval", default="30min", help="as of gothic run")
    parser.add_argument(
        "--requeue", action="store_true", help="put the job of Slurm into its queue if stopped"
    )
    given = parser.parse_args()
    # The package gothic that was built with the program: on a cluster, for this kind of node.
    sys.path.insert(0, str(given.program.resolve().parents[1] / "python"))
    sys.exit(make_all(given))


if __name__ == "__main__":
    main(run)
