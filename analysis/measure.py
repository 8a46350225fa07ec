"""A run of a parameter study: force errors of the initial state, the run itself, its row.

python -m analysis.measure FOLDER --program GOTHIC --ic IC.h5 [--reference REFERENCE.h5]

The folder's path tells the parameters. Files are made in a folder of this attempt alone and moved
at the end, the row last. An earlier attempt that still goes on loses its folder, and so never gets
there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from analysis.accuracy import relative_errors, summarise
from analysis.cli import main
from analysis.files import (
    FORCE_STAGES,
    STAGES,
    DataError,
    pick,
    read_attributes,
    read_columns,
    read_forces,
)
from analysis.space import LENGTHS, SAMPLE, Parameters, Value, parameters_of
from analysis.sweep import Setting, acceleration_unit

MODELS = Path(__file__).parents[1] / "config" / "models"
OF_STEPS = ("step", "eta", *LENGTHS, "dt", "dt_max", "rebuild_interval", "rebuild_rule")
ERRORS = ("error_50", "error_90", "error_99", "error_max", "compared")
FORCE = ("force_s", "force_walk_s", "force_interactions")
ELAPSED = ("wall_s", "read_s", "bootstrap_s", "write_s")
RATES = ("elapsed_per_step_s", "stages_per_step_s", "elapsed_per_time_s")
COUNTS = ("active_fraction", "rebuilds", "interactions", "cells_judged")
ENERGY = ("energy_drift", "energy_drift_max")
PROVENANCE = ("threads", "device_name", "version", "revision", "compiler")
# What a row holds after the parameters, `path` and `ic`.
MEASURED = (
    *ERRORS,
    *FORCE,
    "steps",
    "simulated_time",
    *ELAPSED,
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
    """Run a program, which ends with this one; its failure ends this one as well."""
    words = ["setpriv", "--pdeathsig", "KILL", *map(str, command)]
    status = subprocess.run(words, check=False).returncode
    if status == -signal.SIGILL:
        raise DataError(
            f"{command[0]}: was built for another processor; let the constraint of its node type "
            "allow one kind only, or remove its folder, so that it is built anew"
        )
    if status:
        sys.exit(status if status > 0 else 1)


def errors_of_forces(reference: Path, forces: Path) -> dict[str, float | int]:
    """Reduce a force evaluation to its errors, seconds and interactions."""
    exact = read_forces(reference)
    timing = pick(forces, "Timing", (*FORCE_STAGES, "interactions"))
    return {
        **summarise(relative_errors(exact, read_forces(forces))),
        "compared": len(exact.ids),
        "force_s": sum(timing[stage] for stage in FORCE_STAGES),
        "force_walk_s": timing["walk"],
        "force_interactions": timing["interactions"],
    }


def summarise_run(path: Path) -> dict[str, float | int | str]:
    """Reduce the logs of a run in a folder to the measured columns of its row.

    Elapsed times count the wall time of the whole run; those of stages are means over its steps.
    """
    log = path / "steps.h5"
    steps = read_columns(log, "Steps")
    total = read_columns(path / "energy.h5", "Energy")["total"]
    timing = read_attributes(log, "Timing")
    provenance = read_attributes(log, "Provenance")
    count, simulated_time = len(steps["dt"]), float(steps["dt"].sum())
    if count != timing["steps"]:
        raise DataError(f"{log}: {count} steps are logged, but /Timing tells {timing['steps']}")
    drift = total / total[0] - 1
    return {
        "steps": count,
        "simulated_time": simulated_time,
        **{name: timing[name.removesuffix("_s")] for name in ELAPSED},
        "elapsed_per_step_s": timing["wall"] / count,
        "stages_per_step_s": float(steps["total"].mean()),
        "elapsed_per_time_s": timing["wall"] / simulated_time,
        **{f"{stage}_s": float(steps[column].mean()) for stage, column in STAGES.items()},
        "active_fraction": float(steps["active"].mean() / timing["particles"]),
        "rebuilds": int(steps["rebuilt"].sum()),
        "interactions": int(steps["interactions"].sum()),
        "cells_judged": int(steps["cells_judged"].sum()),
        "energy_drift": float(drift[-1]),
        "energy_drift_max": float(np.abs(drift).max()),
        "threads": timing["threads"],
        "device_name": provenance["device"],
        **{name: provenance[name] for name in PROVENANCE[2:]},
    }


def measure(given: argparse.Namespace, parameters: Parameters, attempt: Path) -> None:
    """Make the files of a run in the folder of an attempt."""
    of_force, of_run = options(parameters, given.threads)
    row = {**parameters, "path": str(given.folder), "ic": str(given.ic)}
    if given.reference:
        forces = attempt / "force.h5"
        call(given.program, "force", "--input", given.ic, "--output", forces, *of_force)
        row |= errors_of_forces(given.reference, forces)
        forces.unlink()
    snapshot = "--snapshot" if given.snapshot else "--no-snapshot"
    command = [given.program, "run", "--input", given.ic, "--output", attempt]
    call(*command, *of_force, *of_run, snapshot)
    row |= summarise_run(attempt)
    (attempt / "run.json").write_text(json.dumps(row, indent=1) + "\n")


def run() -> None:
    """Make a run and its row."""
    parser = argparse.ArgumentParser(prog="python -m analysis.measure", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the run, whose path tells parameters")
    parser.add_argument("--program", type=Path, required=True, help="gothic")
    parser.add_argument("--ic", type=Path, required=True, help="initial conditions")
    parser.add_argument("--reference", type=Path, help="direct sums; without them no force errors")
    parser.add_argument("--snapshot", action="store_true", help="keep the state at the end")
    parser.add_argument("--threads", type=int, default=0, help="CPU threads, if the path is silent")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for earlier in given.folder.glob("attempt-*"):
        shutil.rmtree(earlier, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="attempt-", dir=given.folder) as name:
        attempt = Path(name)
        mark = attempt / "mark"
        mark.touch()
        measure(given, parameters_of(given.folder), attempt)
        if not mark.exists():  # gothic makes a folder that is gone anew
            raise DataError(f"{given.folder}: a later attempt has taken over")
        mark.unlink()
        for file in sorted(attempt.iterdir(), key=lambda path: path.name == "run.json"):
            file.replace(given.folder / file.name)


if __name__ == "__main__":
    main(run)
