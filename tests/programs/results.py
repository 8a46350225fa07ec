"""The files that a run has written."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

import h5py
import numpy as np

from analysis.reading.files import read_attributes

# Columns of logs that are seconds.
SECONDS = {
    *("predict", "keys", "sort", "build", "groups_time", "moments", "walk", "correct", "total"),
    *("exchange", "waiting", "imbalance", "seconds"),
}
LOGS = ("steps", "energy", "force_errors", "lagrange")


def datasets(path: Path) -> dict[str, np.ndarray]:
    """Read all datasets of a file."""
    found = {}

    def collect(place: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset):
            found[place] = item[()]

    with h5py.File(path) as file:
        file.visititems(collect)
    return found


def group_of(log: str) -> str:
    """Name the group in the file of a log."""
    return "".join(word.capitalize() for word in log.split("_"))


def read_log(folder: Path, name: str) -> dict[str, np.ndarray]:
    """Read the table of one of the `LOGS`."""
    with h5py.File(folder / f"{name}.h5") as file:
        return {column: data[()] for column, data in file[group_of(name)].items()}


def results(folder: Path) -> dict[str, np.ndarray]:
    """Read all datasets of all files of a run but checkpoints and seconds."""
    return {
        f"{path.name}/{place}": values
        for path in folder.glob("*.h5")
        if not path.name.startswith("checkpoint")
        for place, values in datasets(path).items()
        if place.rpartition("/")[2] not in SECONDS
    }


def expect_equal(first: Path, second: Path) -> None:
    """Expect the same numbers of two runs, to the last bit."""
    one, other = results(first), results(second)
    assert set(one) == set(other)
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name], err_msg=name)


def progress(path: Path) -> dict[str, float]:
    """Read how far a run was at a checkpoint."""
    with h5py.File(path) as file:
        return dict(file["Progress"].attrs)


def expect_provenance(path: Path, command: str, given: dict[str, str]) -> None:
    """Expect where a file comes from, and the options given under their plain names."""
    provenance = read_attributes(path, "Provenance")
    assert provenance["program"] == f"gothic {command}"
    assert re.fullmatch(r"\d+\.\d+\.\d+", provenance["version"])
    assert re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?|unknown", provenance["revision"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", provenance["date"])
    assert f" {command} --input" in provenance["command_line"]
    for name in ("compiler", "device"):
        assert provenance[name]
    machine = dict(fact.split("=") for fact in provenance["machine"].split(", "))
    assert machine["node"] == platform.node()
    assert machine["cores"] == str(len(os.sched_getaffinity(0)))
    assert 0 < float(machine["memory"].removesuffix(" GiB")) < 1e6
    assert platform.release() in machine["system"]
    assert machine["cpu"]
    options = read_attributes(path, "Options")
    for name, value in given.items():
        assert options[name] == value or float(options[name]) == float(value)


def read_bytes(text: str) -> float:
    """Read a number of bytes with its prefix."""
    number, unit = text.split()
    return float(number) * {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
