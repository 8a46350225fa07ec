"""A run of a parameter study: force errors of the initial state, the run itself, its row.

python -m analysis.measure FOLDER --program GOTHIC --ic IC.h5 [--reference REFERENCE.h5]

The folder's path tells the parameters. Files are made in a folder of this attempt alone and moved
at the end, the row last. A run that was stopped ends with exit status 3, and the next attempt goes
on from its checkpoint; see `analysis.attempts`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from analysis.accuracy import summarise_forces
from analysis.attempts import attempted, digest, is_current, move_results
from analysis.cli import main
from analysis.files import STAGES, DataError, pick, read_forces, read_log
from analysis.space import LENGTHS, SAMPLE, Parameters, Value, parameters_of
from analysis.step_log import ELAPSED, summarise_log
from analysis.sweep import Setting, acceleration_unit

MODELS = Path(__file__).parents[1] / "config" / "models"
OF_STEPS = ("step", "eta", *LENGTHS, "dt", "dt_max", "rebuild_interval", "rebuild_rule")
ERRORS = ("error_50", "error_90", "error_99", "error_max", "compared")
FORCE = ("force_s", "force_walk_s", "force_interactions")
RATES = ("elapsed_per_step_s", "stages_per_step_s", "elapsed_per_time_s")
COUNTS = ("active_fraction", "rebuilds", "interactions", "cells_judged")
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
    setting = Setting(str(parameters["criterion"]), float(parameters["accuracy"]))
    given = {"threads": threads} | parameters | {"accuracy": setting.option(unit)}
    of_force, of_run = [], []
    for name, value in given.items():
        if name in (*SAMPLE, "repeat") or (name == "softening" and value == 0):
            continue
        option = "mac" if name == "criterion" else name.replace("_", "-")
        (of_run if name in OF_STEPS else of_force).extend([f"--{option}", str(value)])
    return of_force, of_run


def call(*command: str | Path) -> None:
    """Run a program, which ends with this one; its failure ends this one as well.

    Signals that ask to stop reach the program, and this one waits for what it makes of them.
    """
    words = ["setpriv", "--pdeathsig", "KILL", *map(str, command)]
    with subprocess.Popen(words) as process:
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
        print(f"{command[0]}: ended by {signal.Signals(-status).name}", file=sys.stderr)
        sys.exit(1)
    if status:
        sys.exit(status)


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
        "energy_drift": float(drift[-1]),
        "energy_drift_max": float(np.abs(drift).max()),
        "device_name": provenance["device"],
        **provenance,
    }
    return {name: row[name] for name in MEASURED if name in row}


def task_of(given: argparse.Namespace, arguments: list[str]) -> str:
    """Tell what an attempt is to do; a checkpoint serves attempts with the same task alone."""
    ic = given.ic.stat()
    task = {"program": digest(given.program), "ic": [ic.st_size, ic.st_mtime_ns]}
    return json.dumps(task | {"arguments": arguments}, indent=1) + "\n"


def measure(given: argparse.Namespace, parameters: Parameters) -> None:
    """Make a run, and its row."""
    snapshot = "--snapshot" if given.snapshot else "--no-snapshot"
    task = task_of(given, [*itertools.chain(*options(parameters, 0)), snapshot])
    of_force, of_run = options(parameters, given.threads)
    row = {**parameters, "path": str(given.folder), "ic": str(given.ic)}
    with attempted(given.folder, task) as attempt:
        if given.reference:
            forces = attempt / "force.h5"
            call(given.program, "force", "--input", given.ic, "--output", forces, *of_force)
            row |= errors_of_forces(given.reference, forces)
            forces.unlink()
        resuming = ("--restart", "--checkpoint-interval", given.checkpoint_interval)
        command = [given.program, "run", "--input", given.ic, "--output", attempt]
        call(*command, *of_force, *of_run, snapshot, *resuming)
        row |= summarise_run(attempt)
        (attempt / "run.json").write_text(json.dumps(row, indent=1) + "\n")
        if not is_current(attempt):  # gothic makes a folder that is gone anew
            raise DataError(f"{given.folder}: a later attempt has taken over")
        move_results(attempt, given.folder)


def requeue() -> None:
    """Put the present job of Slurm into its queue again, where the run goes on.

    A job that is no longer running is left to Slurm: it is being pre-empted or cancelled.
    """
    job = os.environ["SLURM_JOB_ID"]
    state = subprocess.run(
        ["squeue", "--noheader", "--jobs", job, "--format=%T"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    ).stdout.strip()
    if state == "RUNNING":
        subprocess.run(["scontrol", "requeue", job], check=False)


def run() -> None:
    """Make a run and its row."""
    parser = argparse.ArgumentParser(prog="python -m analysis.measure", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the run, whose path tells parameters")
    parser.add_argument("--program", type=Path, required=True, help="gothic")
    parser.add_argument("--ic", type=Path, required=True, help="initial conditions")
    parser.add_argument("--reference", type=Path, help="direct sums; without them no force errors")
    parser.add_argument("--snapshot", action="store_true", help="keep the state at the end")
    parser.add_argument("--threads", type=int, default=0, help="CPU threads, if the path is silent")
    parser.add_argument("--checkpoint-interval", default="30min", help="as of gothic run")
    parser.add_argument(
        "--requeue",
        action="store_true",
        help="put the job of Slurm into its queue again if stopped",
    )
    given = parser.parse_args()
    # The package gothic that was built with the program: on a cluster, for this kind of node.
    sys.path.insert(0, str(given.program.resolve().parents[1] / "python"))
    given.folder.mkdir(parents=True, exist_ok=True)
    try:
        measure(given, parameters_of(given.folder))
    except SystemExit as ended:
        if ended.code == STOPPED:
            print(f"{given.folder}: stopped; the same command goes on from its checkpoint")
            if given.requeue:
                requeue()
        raise


if __name__ == "__main__":
    main(run)
