"""Instructions of the host's stages, counted by valgrind: a second opinion without noise."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd

from analysis.files import DataError
from analysis.speed.problems import CUT_GROUPS, drawing, execute

PARTICLES = 4096
CLOCK = "std::chrono::_V2::steady_clock::now()"
# What lies between the readings of the clock in `gothic force`: reading and uploading the
# particles, the tree, a first force with the opening angle, the force, the output.
LAPS = (
    *("start", "read", "upload"),
    *("keys", "sort", "sort", "build"),
    *("first groups", "first moments", "first walk", "first end"),
    *("groups", "moments", "walk"),
    *("end", "write", "exit"),
)
Rows = list[tuple[str, str, int]]
COUNTED = ("keys", "sort", "build", "groups", "moments", "walk")


def count_all(programs: Mapping[str, Path]) -> pd.DataFrame:
    """Count the instructions of several builds.

    Parameters
    ----------
    programs
        Folders of programs that valgrind can run, by the names that they get in the table.

    Returns
    -------
    pandas.DataFrame
        ``program``, ``problem`` and ``stage`` as where they are timed, ``instructions``.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = [
            (name, pool.submit(count, folder))
            for name, build in programs.items()
            for count, folder in ((of_force, build), (of_cut_groups, build), (of_drawing, build))
        ]
        rows = [(name, *row) for name, found in counted for row in found.result()]
    return pd.DataFrame(rows, columns=["program", "problem", "stage", "instructions"])


def of_force(programs: Path) -> Rows:
    """Count those of every stage of a force."""
    return [("nfw", *found) for found in count_force(programs, "nfw").items()]


def of_cut_groups(programs: Path) -> Rows:
    """Count those of the stages of a force that differ where groups are cut."""
    found = count_force(programs, "m31", *CUT_GROUPS)
    return [("m31, cut groups", stage, found[stage]) for stage in ("groups", "moments", "walk")]


def of_drawing(programs: Path) -> Rows:
    """Count those of whole processes that make initial conditions."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="gothic-speed-") as folder:
        for model in ("nfw", "m31"):
            words = [*drawing(programs, model, PARTICLES, Path(folder) / f"{model}.h5")]
            counted = sum(laps([*words, "--threads", "1"], Path(folder)))
            rows.append((f"{model}, drawn", "process", counted))
    return rows


def count_force(programs: Path, model: str, *options: str) -> dict[str, int]:
    """Count the instructions of each stage of ``gothic force``."""
    with tempfile.TemporaryDirectory(prefix="gothic-speed-") as name:
        folder = Path(name)
        sample = folder / "sample.h5"
        execute([drawing(programs, model, PARTICLES, sample)])
        words = [str(programs / "gothic"), "force", "--input", str(sample)]
        words += ["--output", str(folder / "force.h5"), "--device", "cpu", "--threads", "1"]
        return stages(laps([*words, *options], folder, f"--dump-before={CLOCK}"))


def laps(words: Sequence[str], folder: Path, *options: str) -> list[int]:
    """Count the instructions of a program, from one dump to the next if there are several.

    Those that the clock triggers tell the stages apart just as when they are timed: no function has
    to be known by its name, and it does not matter which were inlined.

    Raises
    ------
    DataError
        If there is no valgrind, or the program fails.
    """
    if shutil.which("valgrind") is None:
        raise DataError("valgrind: no such program; tools/setup.sh speed installs it")
    output = folder / "callgrind.out"
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}"]
    execute([[*valgrind, "--combine-dumps=yes", *options, *words]])
    return [int(number) for number in re.findall(r"^summary: (\d+)", output.read_text(), re.M)]


def stages(counts: list[int]) -> dict[str, int]:
    """Sum the laps of each stage of ``gothic force``.

    Raises
    ------
    DataError
        If they are not as many as `LAPS`.
    """
    if len(counts) != len(LAPS):
        raise DataError(f"gothic force has {len(counts)} laps, {len(LAPS)} are known; adapt LAPS")
    found = dict.fromkeys(COUNTED, 0)
    for stage, number in zip(LAPS, counts, strict=True):
        if stage in found:
            found[stage] += number
    return found
