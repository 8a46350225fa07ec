"""The row of a run: its columns, and how they follow from the files of the programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis.errors import DataError
from analysis.reading.csv_tables import MADE
from analysis.reading.files import (
    FORCE_STAGES,
    STAGES,
    pick,
    read_attributes,
    read_forces,
    read_log,
    states_of,
)
from analysis.reading.snapshots import Snapshot, read_snapshot

if TYPE_CHECKING:
    from gothic import Forces

PERCENTILES = (50, 90, 99)
ELAPSED = ("wall", "read", "bootstrap", "write")
ERRORS = (*(f"error_{p}" for p in PERCENTILES), "error_max", "compared")
# Of a force: pairs in all, and those with higher moments.
PAIRS = ("interactions", "quadrupole_interactions", "octupole_interactions")
FORCE = (
    "force_s",
    "force_choice_s",
    "force_order",
    *(f"force_{name}_s" for name in FORCE_STAGES),
    *(f"force_{n}" for n in PAIRS),
)
FILES = ("path", "ic")
# What a row holds after the parameters and `FILES`.
MEASURED = (
    *ERRORS,
    *FORCE,
    "steps",
    "simulated_time",
    *(f"{name}_s" for name in ELAPSED),
    "parts",
    "elapsed_per_step_s",
    "stages_per_step_s",
    "elapsed_per_time_s",
    *(f"{stage}_s" for stage in STAGES),
    "slowest_walk_s",
    "active_fraction",
    "rebuilds",
    "interactions",
    "cells_judged",
    "memory_bytes",
    "softening_used",
    "accuracy_found",
    "sampled_error_99",
    "error_power",
    "energy_drift",
    "energy_drift_max",
    "angular_momentum_change",
    "snapshots",
    *MADE,
)
COUNTS = (
    "compared",
    "force_order",
    *(f"force_{name}" for name in PAIRS),
    "steps",
    "parts",
    "rebuilds",
)
COUNTS += ("interactions", "cells_judged", "snapshots", "threads")
# What grows with the time that a run reaches; so do the changes of components.
GROWING = ("energy_drift", "energy_drift_max", "angular_momentum_change")
# What a run made of a parameter: a number in the units of its particles.
USED = "_used"
# Measures of a component at the end, such as halo_r_50, and their changes since the start, as
# E / E_start - 1: radii that hold so much per cent of its mass and, where states are kept, the
# median height over the middle of its layer, and the dispersion of v_z.
RADII = ("r_10", "r_50", "r_90")
LAYER = ("z_50", "sigma_z")
CHANGE = "_change"
OF_COMPONENT = re.compile(rf"(.+)_({'|'.join((*RADII, *LAYER))})({CHANGE})?")
TEXTS = MADE[1:]
NEEDED = ("dt", "active", "rebuilt", "interactions", "cells_judged", "total", *STAGES.values())


def of_component(column: str) -> tuple[str, str]:
    """Name component and measure, such as halo and r_50, of a column; both are empty for others."""
    found = OF_COMPONENT.fullmatch(column)
    return (found[1], found[2]) if found else ("", "")


def is_measured(column: str) -> bool:
    """Whether a column of the table of runs tells what a run did, not what it was asked for."""
    return column in MEASURED or column.endswith(USED) or of_component(column)[0] != ""


def is_growing(column: str) -> bool:
    """Whether a measure grows with the time that a run reaches."""
    return column in GROWING or (of_component(column)[0] != "" and column.endswith(CHANGE))


def relative_errors(reference: Forces, forces: Forces) -> np.ndarray:
    """Relative error of the acceleration vector, abs(a - a_direct) / abs(a_direct).

    The measure of Miki & Umemura (2017), section 4.2, for the particles of the reference, in its
    order, shape (M,). A `DataError` if one of them is missing, an ID occurs twice, or a reference
    acceleration vanishes.
    """
    ids = pd.Index(forces.ids)
    if not ids.is_unique:
        raise DataError(f"particle ID {ids[ids.duplicated()][0]} occurs twice")
    rows = ids.get_indexer(reference.ids)
    if (missing := reference.ids[rows < 0]).size:
        raise DataError(
            f"{missing.size} of {len(reference.ids)} reference particles are missing, the first is "
            f"ID {missing[0]}; both files must come from one input"
        )
    exact = reference.acceleration.astype(np.float64)
    norm = np.linalg.norm(exact, axis=1)
    if not norm.all():
        raise DataError(f"the reference force on particle {reference.ids[np.argmin(norm)]} is zero")
    return np.linalg.norm(forces.acceleration[rows] - exact, axis=1) / norm


def summarise(errors: np.ndarray) -> dict[str, float]:
    """Percentiles and maximum of errors, as ``error_50 ... error_99, error_max``."""
    summary = {f"error_{p}": float(np.percentile(errors, p)) for p in PERCENTILES}
    return summary | {"error_max": float(errors.max())}


def columns_of_forces(path: Path, reference: Path | None) -> dict[str, float | int | str]:
    """Reduce a file of ``gothic force`` to `FORCE`, number of particles and `MADE`.

    Beside a file of ``gothic direct`` also to `ERRORS`. A `DataError` if a file is damaged or both
    do not belong together.
    """
    forces = read_forces(path)
    told = read_attributes(path, "Timing")
    chosen = {"accuracy_found": "accuracy", "force_order": "order", "force_choice_s": "choice"}
    timing = pick(path, "Timing", (*FORCE_STAGES, *PAIRS, "threads"))
    return {
        **(errors_of(forces, path, reference) if reference else {}),
        "particles": len(forces.ids),
        "force_s": sum(float(timing[stage]) for stage in FORCE_STAGES),
        **{f"force_{stage}_s": timing[stage] for stage in FORCE_STAGES},
        **{f"force_{name}": timing[name] for name in PAIRS},
        **{name: told[key] for name, key in chosen.items() if key in told},
        "threads": timing["threads"],
        **made_by(path),
    }


def errors_of(forces: Forces, path: Path, reference: Path) -> dict[str, float | int]:
    """Compare the forces of a file with those of ``gothic direct``."""
    exact = read_forces(reference)
    try:
        return {**summarise(relative_errors(exact, forces)), "compared": len(exact.ids)}
    except DataError as error:
        raise DataError(f"{path} against {reference}: {error}") from error


def made_by(path: Path) -> dict[str, str]:
    """Read the provenance of a file, under the names of the columns."""
    found = pick(path, "Provenance", ("device", "machine", "version", "revision", "compiler"))
    return {"device_name": found.pop("device"), **found}


def columns_of_run(folder: Path, with_units: Iterable[str] = ()) -> dict[str, float | int | str]:
    """Reduce the logs of a run to the other columns of `MEASURED`, and its number of particles.

    Elapsed times count the wall time of the whole run, start-up, files and tuning included (Miki &
    Umemura 2017, section 4.2); times of stages are the timers' means over its steps,
    and ``stages_per_step_s`` is the mean of all stages together. ``parts`` is how many times the
    run was started: more than once if it was stopped and went on, in which case elapsed times
    count every start, but not what was done in vain since the last checkpoint.

    ``softening_used``, and such a column for each parameter ``with_units``, is what the run made of
    it; Lagrangian radii and, of runs that keep states, thicknesses have columns by component.

    A `DataError` if a log is damaged, cut short, or lacks a column.
    """
    log = folder / "steps.h5"
    steps = read_log(log)
    if missing := [column for column in NEEDED if column not in steps]:
        raise DataError(f"{log}: dataset {missing[0]} of /Steps is missing")
    timing = pick(log, "Timing", (*ELAPSED, "steps", "particles", "threads", "parts", "memory"))
    options = read_attributes(log, "Options")
    count, simulated_time = len(steps["dt"]), float(steps["dt"].sum())
    if count != timing["steps"]:
        raise DataError(
            f"{log}: {count} steps are logged, but /Timing tells {timing['steps']}; delete it and "
            "run snakemake again"
        )
    errors = read_log(folder / "force_errors.h5")
    last = errors[errors["component"] < 0].iloc[-1]
    energy = read_log(folder / "energy.h5")
    drift = (energy["total"] / energy["total"][0] - 1).to_numpy()
    turn = energy[[f"angular_momentum_{axis}" for axis in "xyz"]].to_numpy()
    states = states_of(folder)
    return {
        "particles": timing["particles"],
        "steps": count,
        "simulated_time": simulated_time,
        **{f"{name}_s": timing[name] for name in ELAPSED},
        "parts": timing["parts"],
        "elapsed_per_step_s": timing["wall"] / count,
        "stages_per_step_s": float(steps["total"].mean()),
        "elapsed_per_time_s": timing["wall"] / simulated_time,
        **{f"{stage}_s": float(steps[column].mean()) for stage, column in STAGES.items()},
        "slowest_walk_s": float(steps["walk"].max()),
        "active_fraction": float(steps["active"].mean() / timing["particles"]),
        "rebuilds": int(steps["rebuilt"].sum()),
        "interactions": int(steps["interactions"].sum()),
        "cells_judged": int(steps["cells_judged"].sum()),
        "memory_bytes": float(timing["memory"]),
        **used(options, ["softening", *with_units]),
        "accuracy_found": float(last["accuracy"]),
        "sampled_error_99": float(last["percentile_99"]),
        "error_power": float(last["power"]),
        "energy_drift": float(drift[-1]),
        "energy_drift_max": float(np.abs(drift).max()),
        "angular_momentum_change": change_of(turn),
        "snapshots": len(states),
        **radii_at_the_end(folder / "lagrange.h5"),
        **layers_at_the_end(states),
        "threads": timing["threads"],
        **made_by(log),
    }


def used(options: Mapping[str, object], parameters: Iterable[str]) -> dict[str, float]:
    """Read the numbers that a run has used for some parameters, in the units of its particles.

    If components have their own, such as ``halo=0.5,disc=0.1``, each has a column, and the smallest
    stands for all.
    """
    found = {}
    for name in parameters:
        text = str(options.get(name.replace("_", "-"), ""))
        parts = [part.rpartition("=") for part in text.split(",")]
        if not all(is_number(value) for _, _, value in parts):
            continue
        own = {f"{component}_{name}{USED}": float(value) for component, _, value in parts}
        found[f"{name}{USED}"] = min(own.values())
        if len(parts) > 1:
            found |= own
    return found


def change_of(vectors: np.ndarray) -> float:
    """Compare the last vector with the first: abs(v - v_start) / abs(v_start), NaN if that is 0."""
    length = float(np.linalg.norm(vectors[0]))
    return float(np.linalg.norm(vectors[-1] - vectors[0])) / length if length > 0 else np.nan


def is_number(text: object) -> bool:
    """Whether a text is a number."""
    try:
        float(text)
    except (TypeError, ValueError):
        return False
    return True


def radii_at_the_end(log: Path) -> dict[str, float]:
    """Find the last `RADII` of each component, and their changes since the start."""
    table = read_log(log)
    names = table.attrs.get("ComponentNames", {})
    found = {}
    for component, rows in table.groupby("component"):
        name = names.get(str(component), component)
        for radius in RADII:
            found |= ends(f"{name}_{radius}", rows[radius].iloc[0], rows[radius].iloc[-1])
    return found


def layers_at_the_end(states: Sequence[Path]) -> dict[str, float]:
    """Find the last measures of each component's `LAYER`, and their changes since the first."""
    if len(states) < 2:
        return {}
    first, last = (layers_of(read_snapshot(states[n])) for n in (0, -1))
    found = {}
    for column, end in last.items():
        found |= ends(column, first[column], end)
    return found


def layers_of(snapshot: Snapshot) -> dict[str, float]:
    """Find the median height and the dispersion of v_z of each component with two particles."""
    found = {}
    for name, part in snapshot.components.items():
        if len(part) > 1:
            z = part.position[:, 2]
            values = (np.median(np.abs(z - np.median(z))), np.std(part.velocity[:, 2]))
            found |= {f"{name}_{measure}": v for measure, v in zip(LAYER, values, strict=True)}
    return found


def ends(column: str, start: float, end: float) -> dict[str, float]:
    """Return a measure at the end and, of a positive one, its relative change since the start."""
    change = {f"{column}{CHANGE}": float(end / start - 1)} if start > 0 else {}
    return {column: float(end), **change}
