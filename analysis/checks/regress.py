"""Numbers of fixed problems against a baseline, or against another build, number by number."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import yaml

from analysis.checks import heating
from analysis.checks.particles import columns, errors, provenance, read
from analysis.errors import DataError
from analysis.programs import Programs

BASELINES = Path(__file__).parent / "baselines"
TABLE = yaml.safe_load(Path(__file__).with_name("regress.yaml").read_text())
PERCENTILES = (50, 90, 99)
# What the process of a run asks of its device.
WORK = ("launches", "waits", "copied_bytes", "allocations")
# Sums of NumPy, whose order depends on the processor.
SUMS = {"relative": 1e-9, "why": "order of NumPy's sums"}

Number = int | float | str | list[int]
Problem = Mapping[str, Any]


@dataclass(frozen=True)
class Measured:
    """The numbers that one pair of programs gives on one machine, by column by problem.

    The origin is device, compiler, revision and date of the runs; in a baseline also why it last
    changed.
    """

    origin: dict[str, str]
    problems: dict[str, dict[str, Number]]

    @property
    def name(self) -> str:
        """Name of its baseline: ``cpu`` for all processors, or ``nvidia-h200``."""
        device = self.origin["device"]
        if device.startswith("NVIDIA"):
            return re.sub(r"[^a-z0-9]+", "-", device.lower())
        return "cpu"

    @property
    def exact_among(self) -> tuple[str, str]:
        """Compiler and make of the device: numbers agree bit by bit where both are the same.

        The estimates of roots come from an instruction that each maker implements, so that CPUs of
        Intel and AMD may differ.
        """
        device = self.origin["device"]
        make = next((maker for maker in ("Intel", "AMD") if maker in device), device)
        return self.origin["compiler"], make


def measure(programs: Programs, device: str) -> Measured:
    """Run all problems in the folder of the programs' files."""
    problems = {name: complete(problem) for name, problem in TABLE["problems"].items()}
    samples = {sample_of(problem): problem for problem in problems.values()}
    # The problems are small: each has one core. Results do not depend on the threads.
    workers = (os.cpu_count() or 1) if device == "cpu" else 1
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda problem: draw(programs, problem), samples.values()))
        found = list(pool.map(lambda item: run(programs, device, *item), problems.items()))
    told = provenance(programs.path(next(iter(problems))) / "steps.h5")
    origin = {name: told[name] for name in ("device", "compiler", "revision")}
    origin["date"] = datetime.now(UTC).date().isoformat()
    return Measured(origin, dict(zip(problems, found, strict=True)))


def complete(problem: Problem, defaults: Mapping[str, Any] = TABLE["defaults"]) -> Problem:
    """Fill in what a problem has from the defaults."""
    options = {part: defaults[part] | problem.get(part, {}) for part in ("force", "run")}
    return {**defaults, **problem, **options}


def sample_of(problem: Problem) -> str:
    """Name of the particles of a problem and their direct sums."""
    return "_".join(str(problem[key]) for key in ("model", "particles", "softening"))


def direct(programs: Programs, snapshot: str, problem: Problem) -> np.ndarray:
    """Sum the accelerations of a snapshot's particles in double precision."""
    output = snapshot.replace(".h5", "_direct.h5")
    files = ("--input", snapshot, "--output", output, "--threads", 1, "--device", "cpu")
    programs.call("gothic", "direct", *files, "--softening", problem["softening"])
    return read(programs.path(output))["Acceleration"]


def words(options: Mapping[str, Any]) -> list[Any]:
    """Write options as the command line has them."""
    return [word for name, value in options.items() for word in (f"--{name}", value)]


def draw(programs: Programs, problem: Problem) -> None:
    """Make the particles of a problem, and direct sums of their forces in double precision."""
    sample = sample_of(problem)
    programs.draw(problem["model"], problem["particles"], f"{sample}.h5", "--threads", 1)
    direct(programs, f"{sample}.h5", problem)


def run(programs: Programs, device: str, name: str, problem: Problem) -> dict[str, Number]:
    """Make the forces and the run of a problem, and return its numbers."""
    sample = sample_of(problem)
    force = f"{name}.h5"
    given = {"input": f"{sample}.h5", "device": device, "threads": 1}
    given |= {"softening": problem["softening"]} | problem["force"]
    programs.call("gothic", "force", *words(given | {"output": force}))
    programs.run(name, *words(given | problem["run"]))
    forces = read(programs.path(force))
    found = errors(forces, read(programs.path(f"{sample}_direct.h5"))["Acceleration"])
    end = f"{name}/snapshot_000.h5"
    last = read(programs.path(end))
    steps = columns(programs.path(name) / "steps.h5", "Steps")
    energy = columns(programs.path(name) / "energy.h5", "Energy")["total"]
    drift = energy / energy[0] - 1
    start = ("Component", "Masses", "Coordinates", "Velocities")
    numbers = {
        "initial_conditions": digest(read(programs.path(f"{sample}.h5")), start),
        "forces": digest(forces, ("Acceleration", "Potential")),
        "final_state": digest(last, start),
        **{f"error_{p}": float(np.percentile(found, p)) for p in PERCENTILES},
        "error_max": float(found.max()),
        "force_interactions": pairs(programs.path(force)),
        "steps": len(steps["dt"]),
        "simulated_time": float(steps["dt"].sum()),
        "interactions": int(steps["interactions"].sum()),
        "cells_judged": int(steps["cells_judged"].sum()),
        "rebuilds": int(steps["rebuilt"].sum()),
        "energy_drift": float(drift[-1]),
        "energy_drift_max": float(np.abs(drift).max()),
        "active": steps["active"].tolist(),
        **timing(programs.path(name) / "steps.h5", WORK),
        "written_bytes": sum(path.stat().st_size for path in programs.path(name).glob("*.h5")),
    }
    if problem["run"].get("step") == "shared":  # so that the last accelerations are of one time
        numbers["power"] = heating.power(last, direct(programs, end, problem))
    return numbers


def pairs(force: Path) -> int:
    """Read the number of pairs of a file of ``gothic force``."""
    return timing(force, ("interactions",))["interactions"]


def timing(path: Path, names: tuple[str, ...]) -> dict[str, int]:
    """Read counts among the attributes of /Timing; earlier revisions lack some."""
    with h5py.File(path) as file:
        attributes = file["Timing"].attrs
        return {name: int(attributes[name]) for name in names if name in attributes}


def digest(table: Mapping[str, np.ndarray], names: tuple[str, ...]) -> str:
    """Checksum of some columns, every bit of them."""
    return hashlib.sha256(b"".join(table[name].tobytes() for name in names)).hexdigest()[:16]


def moved(baseline: Measured, now: Measured, exact: bool) -> Iterator[str]:
    """Tell of every problem that is missing or new, and of every number beyond its bound."""
    for name in baseline.problems.keys() | now.problems.keys():
        if name not in now.problems:
            yield f"{name}: in the baseline, but was not run"
        elif name not in baseline.problems:
            yield f"{name}: not in the baseline"
    for name, numbers in now.problems.items():
        for column, bound in TABLE["bounds"].items():
            then, after = baseline.problems.get(name, numbers).get(column), numbers.get(column)
            if then is None and after is None:
                continue
            if exact and column != "written_bytes":  # files have the names of folders in them
                bound = SUMS if is_sum(column) else {"absolute": 0}
            if not holds(bound, then, after):
                yield f"{name}: {column}{difference(then, after)}, bound {spell(bound)}"


def is_sum(column: str) -> bool:
    """Whether NumPy has summed a number, so that its last bits depend on the processor."""
    return column.startswith(("error_", "power"))


def holds(bound: Mapping[str, Any], then: Number | None, now: Number) -> bool:
    """Whether a number, a text or every number of a list is as near to the other as it must be."""
    relative, absolute = bound.get("relative", 0), bound.get("absolute", 0)
    if "relative" not in bound and "absolute" not in bound:
        return True
    if type(then) is not type(now) or isinstance(then, str) or np.shape(then) != np.shape(now):
        return then == now
    return bool(np.isclose(now, then, rtol=relative, atol=absolute).all())


def spell(bound: Mapping[str, Any]) -> str:
    """Write a bound as failures show it."""
    if relative := bound.get("relative"):
        return f"within {100 * relative:g} %"
    return f"within {bound['absolute']:g}" if bound["absolute"] else "exact"


def difference(then: Number | None, now: Number | None) -> str:
    """Write both values; of lists of one length, those that differ most."""
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        step = int(np.argmax(np.abs(np.subtract(now, then))))
        return f" of step {step}: baseline {then[step]}, now {now[step]}"
    return f": baseline {then}, now {now}"


def read_baseline(now: Measured, folder: Path = BASELINES) -> Measured:
    """Read the baseline that some numbers are compared with."""
    path = folder / f"{now.name}.yaml"
    if not path.exists():
        raise DataError(f'{path}: no such baseline; make regress-update WHY="..." makes it')
    origin = yaml.safe_load(path.read_text())
    problems = origin.pop("problems")
    return Measured(origin, problems)


def write_baseline(now: Measured, why: str, folder: Path = BASELINES) -> Path:
    """Make some numbers the baseline, a number or a list of them to a line."""
    path = folder / f"{now.name}.yaml"
    if not why.strip():
        raise DataError(f'{path}: say why it changes: make regress-update WHY="..."')
    content = {"why": why, **now.origin, "problems": now.problems}
    text = yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=100)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(text)
    unfinished.rename(path)
    return path
