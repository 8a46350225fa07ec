"""Force errors and counters of fixed problems against a baseline, number by number.

python -m analysis.regress RUNS.parquet [--baselines FOLDER] [--update WHY]

Prints a line for every number that moved; exit status 1 if any did. With --update the runs become
the baseline of their architecture.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from analysis.cli import main
from analysis.files import DataError, open_file, pick, read_columns
from analysis.runs import load, parameters_in

BASELINES = Path(__file__).parents[1] / "tests" / "regress"
REFERENCE = "cpu-512"  # for CPUs that have no baseline of their own
NAMED = ("model", "particles", "criterion", "accuracy", "step")
PARTICLES = ("ParticleIDs", "Component", "Masses", "Coordinates", "Velocities")

Number = int | float | str | list[int]
Problems = dict[str, dict[str, Number]]


@dataclass(frozen=True)
class Bound:
    """How far a number may be from its baseline.

    Attributes
    ----------
    relative, absolute
        The most is ``absolute + relative * abs(baseline)``.
    reason
        Why it is not less.
    """

    relative: float
    absolute: float
    reason: str

    def holds(self, then: Number, now: Number) -> bool:
        """Whether a number, a text or every number of a list is where it may be."""
        if type(then) is not type(now) or isinstance(then, str) or np.shape(then) != np.shape(now):
            return then == now or self.relative == np.inf
        return bool(np.isclose(now, then, rtol=self.relative, atol=self.absolute).all())

    def __str__(self) -> str:
        """Write the bound as failures show it."""
        parts = [f"{100 * self.relative:g} %"] * (self.relative > 0)
        parts += [f"{self.absolute:g}"] * (self.absolute > 0)
        return f"within {' + '.join(parts)}" if parts else "exact"


EXACT = Bound(0.0, 0.0, "counts steps and decisions, which no rounding has changed yet")
ROUNDING = "other order of sums and, with root auto, another estimate: 1.1 % seen"
BOUNDARY = "rounding opens a few cells more or less: 4e-5 seen"
DRIFT = "rounding and the estimate: 1.2e-6 seen"
# How far vectors of other widths, other compilers and other makes of CPU may be from a baseline:
# two to three times what was seen between builds for 128, 256 and 512 bits and with -O2.
BOUNDS = {
    "initial_conditions": Bound(np.inf, 0.0, "last bits of discs, without fused multiply-add"),
    "error_50": Bound(0.03, 0.0, ROUNDING),
    "error_90": Bound(0.03, 0.0, ROUNDING),
    "error_99": Bound(0.03, 0.0, ROUNDING),
    "error_max": Bound(0.03, 0.0, ROUNDING),
    "force_interactions": Bound(1e-4, 0.0, BOUNDARY),
    "steps": EXACT,
    "simulated_time": EXACT,
    "interactions": Bound(1e-4, 0.0, BOUNDARY),
    "cells_judged": Bound(1e-4, 0.0, BOUNDARY),
    "rebuilds": EXACT,
    "energy_drift": Bound(0.0, 4e-6, DRIFT),
    "energy_drift_max": Bound(0.0, 4e-6, DRIFT),
    "active": Bound(0.0, 2.0, "particles at the boundary of two time steps: 1 seen"),
}

SUMS = Bound(1e-9, 0.0, "sums in NumPy and in the reference, in an order that suits the processor")
# The same of a program on its device.
REPEATED = dict.fromkeys(BOUNDS, EXACT) | {
    column: SUMS for column in BOUNDS if column.startswith("error_")
}


@dataclass(frozen=True)
class Section:
    """The numbers of one architecture.

    Attributes
    ----------
    origin
        Device, compiler, revision and date of the files; in a baseline also why it last changed.
    problems
        Numbers by column by problem.
    """

    origin: dict[str, str]
    problems: Problems

    @property
    def name(self) -> str:
        """Name of the architecture: ``cpu-512`` by the bits of a vector, or ``nvidia-h200``."""
        device = self.origin["device"]
        if device.startswith("NVIDIA"):
            return re.sub(r"[^a-z0-9]+", "-", device.lower())
        width = re.search(r"(\d+)-bit vectors", self.origin["compiler"])
        return f"cpu-{width[1]}" if width else "cpu"

    def made_as(self, other: Section) -> bool:
        """Whether both are of one device and compiler, whose numbers repeat exactly."""
        return all(self.origin[key] == other.origin[key] for key in ("device", "compiler"))


def measure(runs: pd.DataFrame) -> Section:
    """Collect the numbers of all runs of a study.

    Parameters
    ----------
    runs
        Its table; the steps of the runs and their initial conditions are read from their files.

    Raises
    ------
    DataError
        If different programs or devices made them.
    """
    origin = {
        key: only(runs, column)
        for key, column in (("device", "device_name"), ("compiler", "compiler"), ("revision",) * 2)
    }
    logs = [Path(folder) / "steps.h5" for folder in runs["path"]]
    origin["date"] = pick(logs[0], "Provenance", ("date",))["date"]
    numbers = [
        {"initial_conditions": checksum(Path(row["ic"]))}
        | {column: row[column] for column in BOUNDS if column in row}
        | {"active": read_columns(log, "Steps")["active"].tolist()}
        for row, log in zip(runs.to_dict("records"), logs, strict=True)
    ]
    return Section(origin, dict(zip(problem_names(runs), numbers, strict=True)))


def only(runs: pd.DataFrame, column: str) -> str:
    """Return what all runs have in a column.

    Raises
    ------
    DataError
        If they differ.
    """
    found = sorted(runs[column].unique())
    if len(found) > 1:
        raise DataError(
            f"{runs['path'][0]}: runs of this study differ in {column}: {', '.join(found)}; "
            "delete the folder of the study and make them again"
        )
    return found[0]


def problem_names(runs: pd.DataFrame) -> list[str]:
    """Name runs by their main parameters, and by others where they are not as in most runs."""
    others = [name for name in parameters_in(runs) if name not in NAMED]
    usual = {name: runs[name].mode()[0] for name in others}
    return [
        " ".join(
            [f"{row[name]:g}" if name == "accuracy" else str(row[name]) for name in NAMED]
            + [f"{name}={row[name]}" for name in others if row[name] != usual[name]]
        )
        for row in runs.to_dict("records")
    ]


def checksum(path: Path) -> str:
    """Digest of the particles in the order of their IDs; the file itself tells its compiler."""
    with open_file(path) as file:
        kinds = [kind for name, kind in file.items() if name.startswith("PartType")]
        columns = [np.concatenate([kind[name][()] for kind in kinds]) for name in PARTICLES]
    order = np.argsort(columns[0], kind="stable")
    return hashlib.sha256(b"".join(column[order].tobytes() for column in columns)).hexdigest()[:16]


def moved(baseline: Section, now: Section) -> Iterator[str]:
    """Tell of every problem that is missing or new, and of every number beyond its bound."""
    bounds = REPEATED if baseline.made_as(now) else BOUNDS
    for name, numbers in baseline.problems.items():
        if name not in now.problems:
            yield f"{name}: in the baseline, but was not run"
            continue
        for column, bound in bounds.items():
            then, after = numbers.get(column), now.problems[name].get(column)
            if not bound.holds(then, after):
                yield f"{name}: {column}{difference(then, after)}, bound {bound}"
    for name in now.problems:
        if name not in baseline.problems:
            yield f"{name}: not in the baseline"


def difference(then: Number | None, now: Number | None) -> str:
    """Write both values; of lists of one length, those that differ most."""
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        step = int(np.argmax(np.abs(np.subtract(now, then))))
        return f" of step {step}: baseline {then[step]}, now {now[step]}"
    return f": baseline {then}, now {now}"


def read_section(path: Path) -> Section:
    """Read a baseline.

    Raises
    ------
    DataError
        If there is none.
    """
    if not path.exists():
        raise DataError(f'{path}: no such baseline; make regress-update WHY="..." makes it')
    origin = yaml.safe_load(path.read_text())
    problems = origin.pop("problems")
    return Section(origin, problems)


def write_section(section: Section, why: str, path: Path) -> None:
    """Write a baseline, a number or a list of them to a line."""
    content = {"why": why, **section.origin, "problems": section.problems}
    text = yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=100)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(text)
    unfinished.rename(path)


def compare(now: Section, folder: Path) -> tuple[Section, list[str]]:
    """Find the baseline of an architecture in a folder, and what moved."""
    path = folder / f"{now.name}.yaml"
    if now.name.startswith("cpu") and not path.exists():
        path = folder / f"{REFERENCE}.yaml"
    baseline = read_section(path)
    return baseline, list(moved(baseline, now))


def run() -> None:
    """Compare the runs with their baseline, or make them the baseline."""
    parser = argparse.ArgumentParser(prog="python -m analysis.regress", description=__doc__)
    parser.add_argument("runs", type=Path, help="runs.parquet of the study config/regress.yaml")
    parser.add_argument("--baselines", type=Path, default=BASELINES, help="folder of the baselines")
    parser.add_argument("--update", metavar="WHY", help="write the baseline; why it changes")
    given = parser.parse_args()
    now = measure(load(given.runs))
    path = given.baselines / f"{now.name}.yaml"
    if given.update is not None:
        if not given.update.strip():
            raise DataError(f'{path}: say why it changes: make regress-update WHY="..."')
        write_section(now, given.update, path)
        print(f"{path}: {len(now.problems)} problems; commit it with the change that moved them")
        return
    baseline, lines = compare(now, given.baselines)
    print(*lines, sep="\n", end="\n" * bool(lines))
    how = "exactly" if baseline.made_as(now) else "within the bounds across architectures"
    print(f"{len(now.problems)} problems against {baseline.name}, {how}: {len(lines)} moved")
    if lines:
        print('If that is meant, commit with the change: make regress-update WHY="..."')
        sys.exit(1)


if __name__ == "__main__":
    main(run)
