"""Measures two builds against each other.

python -m analysis.speed.record --programs BASE_BIN NEW_BIN --output FOLDER

Writes FOLDER/raw.csv, one row per measured stage, and FOLDER/facts.json, what was measured where.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.cli import main
from analysis.files import PROVENANCE, DataError, pick
from analysis.speed.problems import (
    ENVIRONMENT,
    Problem,
    draw_samples,
    execute,
    kind_of,
    problems_for,
)
from analysis.speed.verdict import FEWEST_PAIRS

PAIRS = 15
PROGRAMS = ("gothic", "gothic-ic")
COLUMNS = ["round", "problem", "place", "program", "stage", "seconds"]


@contextmanager
def copied(builds: Mapping[str, Path]) -> Iterator[dict[str, Path]]:
    """Copy the programs of builds to paths of equal length.

    The path of a program lies on its stack and shifts it; and a build that is renewed meanwhile
    must not change what is measured.
    """
    with tempfile.TemporaryDirectory(prefix="gothic-speed-") as folder:
        places = {}
        for number, (name, build) in enumerate(builds.items()):
            places[name] = Path(folder) / str(number)
            places[name].mkdir()
            for program in PROGRAMS:
                if not (build / program).is_file():
                    raise DataError(f"{build / program}: no such program; build it first")
                shutil.copy(build / program, places[name])
        yield places


def record(
    builds: Mapping[str, Path],
    problems: Mapping[str, Problem],
    device: str,
    rounds: int,
    rng: np.random.Generator,
) -> tuple[pd.DataFrame, dict[str, object]]:
    """Measure builds against each other.

    In a round every problem is measured once with all builds. Problems come in random order, builds
    start in random order, and the core that they share is a random one.

    Parameters
    ----------
    builds
        Folders of programs, by the names that they get in the table. The first draws the particles.
    problems
        By their names, those of `problems_for`.
    device
        As ``--device`` takes it.
    rounds
        How often everything is measured.
    rng
        Draws the order and the cores.

    Returns
    -------
    tuple
        The table, with the columns ``round``, ``problem``, ``place`` (of the build, in the order in
        which they started), ``program``, ``stage`` and ``seconds``; and the facts about it:
        ``date``, ``device``, ``driver``, ``environment`` and, for every build, ``programs``.
    """
    cores = sorted(os.sched_getaffinity(0))
    rows = []
    with copied(builds) as programs, tempfile.TemporaryDirectory(prefix="gothic-speed-") as folder:
        samples = Path(folder)
        draw_samples(next(iter(programs.values())), problems, device, samples)
        facts = facts_of(programs, device, samples)
        for number in range(rounds):
            for problem in rng.permutation(list(problems)):
                names = rng.permutation(list(programs))
                places = [programs[name] for name in names]
                measured = problems[problem].measure(places, device, samples, rng.choice(cores))
                for place, (name, found) in enumerate(zip(names, measured, strict=True)):
                    rows += [(number, problem, place, name, *item) for item in found.items()]
    return pd.DataFrame(rows, columns=COLUMNS), facts


def facts_of(programs: Mapping[str, Path], device: str, samples: Path) -> dict[str, object]:
    """Find what is measured, and where; programs that do not run are found out here."""
    made = {}
    sample = str(next(samples.iterdir()))
    for name, folder in programs.items():
        output = samples / f"facts_{name}"
        words = [str(folder / "gothic"), "force", "--input", sample, "--output", str(output)]
        execute([[*words, "--device", device]])
        made[name] = pick(output, "Provenance", PROVENANCE)
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "device": next(iter(made.values()))["device"],
        "driver": driver_of(device),
        "environment": ENVIRONMENT,
        "programs": made,
    }


def driver_of(device: str) -> str:
    """Name what stands between the program and the device: a GPU's driver, or the kernel."""
    if kind_of(device) == "cpu":
        return f"{platform.system()} {platform.release()}"
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    return f"NVIDIA {subprocess.check_output(query, text=True).split()[0]}"


def check_pairs(pairs: int) -> None:
    """Refuse fewer pairs than an interval can be found from."""
    if pairs < FEWEST_PAIRS:
        raise DataError(f"--pairs {pairs}: too few to judge by; take at least {FEWEST_PAIRS}")


def save_record(table: pd.DataFrame, facts: Mapping[str, object], folder: Path) -> None:
    """Write facts.json and raw.csv, which is there only when it is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "facts.json").write_text(json.dumps(facts, indent=2) + "\n")
    partial = folder / "raw.csv.partial"
    table.to_csv(partial, index=False)
    partial.rename(folder / "raw.csv")


def load_record(folder: Path) -> tuple[pd.DataFrame, dict[str, object]]:
    """Read what `save_record` wrote."""
    for name in ("raw.csv", "facts.json"):
        if not (folder / name).is_file():
            raise DataError(f"{folder / name}: no such file; run python -m analysis.speed.record")
    return pd.read_csv(folder / "raw.csv"), json.loads((folder / "facts.json").read_text())


def run() -> None:
    """Record a comparison."""
    parser = argparse.ArgumentParser(prog="python -m analysis.speed.record", description=__doc__)
    parser.add_argument(
        "--programs",
        type=Path,
        nargs=2,
        required=True,
        metavar=("BASE_BIN", "NEW_BIN"),
        help="folders of gothic and gothic-ic",
    )
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N (default: cpu)")
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"default: {PAIRS}")
    parser.add_argument("--output", type=Path, required=True, help="folder to write")
    given = parser.parse_args()
    check_pairs(given.pairs)
    builds = dict(zip(("base", "new"), given.programs, strict=True))
    recorded = record(
        builds, problems_for(given.device), given.device, given.pairs, np.random.default_rng()
    )
    save_record(*recorded, given.output)


if __name__ == "__main__":
    main(run)
