"""Reading the simulator's HDF5 files; every complaint names the file and the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

PROVENANCE = ("version", "revision", "compiler", "device")
# Stages of a force, and those of a step with the columns of the step log that hold their seconds;
# its column groups counts groups.
FORCE_STAGES = ("keys", "sort", "build", "groups", "moments", "walk")
STAGES = {
    "predict": "predict",
    "keys": "keys",
    "sort": "sort",
    "build": "build",
    "groups": "groups_time",
    "moments": "moments",
    "walk": "walk",
    "correct": "correct",
}


class DataError(ValueError):
    """A result file is missing, damaged, or does not fit the others."""


@contextmanager
def open_file(path: Path) -> Iterator[h5py.File]:
    """Open a file for reading.

    Raises
    ------
    DataError
        If the file is missing, truncated or not HDF5, or if reading from it fails inside the block.
    """
    if not path.exists():
        raise DataError(f"{path}: no such file; run snakemake to make it")
    try:
        with h5py.File(path, "r") as file:
            yield file
    except (OSError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(
            f"{path}: truncated or not HDF5 ({reason}); delete it and run snakemake again"
        ) from error


def read_attributes(path: Path, group: str) -> dict[str, float | int | str]:
    """Read all attributes of a group as Python scalars and strings."""
    with open_file(path) as file:
        if group not in file:
            raise DataError(f"{path}: group /{group} is missing; was it written by gothic?")
        return {name: _scalar(value) for name, value in file[group].attrs.items()}


def pick(path: Path, group: str, names: tuple[str, ...]) -> dict[str, float | int | str]:
    """Read the named attributes of a group; all of them must be there."""
    attributes = read_attributes(path, group)
    for name in names:
        if name not in attributes:
            raise DataError(f"{path}: attribute {name} of /{group} is missing")
    return {name: attributes[name] for name in names}


def read_columns(path: Path, group: str) -> dict[str, np.ndarray]:
    """Read a group of one-dimensional datasets of equal length by their names."""
    with open_file(path) as file:
        if group not in file:
            raise DataError(f"{path}: group /{group} is missing; was it written by gothic run?")
        columns = {name: data[()] for name, data in file[group].items()}
    lengths = {name: np.shape(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1 or len(next(iter(lengths.values()))) != 1:
        raise DataError(f"{path}: columns of /{group} differ in length: {lengths}")
    return columns


@dataclass(frozen=True)
class Forces:
    """Accelerations of particles.

    Attributes
    ----------
    ids
        Particle IDs, shape (N,).
    acceleration
        Accelerations in the units of the file, shape (N, 3).
    """

    ids: np.ndarray
    acceleration: np.ndarray


def read_forces(path: Path) -> Forces:
    """Read the accelerations of all particle types in a file of ``gothic force`` or ``direct``.

    Raises
    ------
    DataError
        If datasets are missing, shapes do not fit, or a value is not finite.
    """
    ids, accelerations = [], []
    with open_file(path) as file:
        for name in sorted(group for group in file if group.startswith("PartType")):
            for dataset in ("ParticleIDs", "Acceleration"):
                if dataset not in file[name]:
                    raise DataError(f"{path}: /{name}/{dataset} is missing")
            ids.append(file[name]["ParticleIDs"][()])
            accelerations.append(file[name]["Acceleration"][()].astype(np.float64))
            if accelerations[-1].shape != (len(ids[-1]), 3):
                raise DataError(
                    f"{path}: /{name}/Acceleration has shape {accelerations[-1].shape}, "
                    f"{(len(ids[-1]), 3)} is needed for its {len(ids[-1])} particles"
                )
    if not ids:
        raise DataError(f"{path}: there is no group PartTypeN; was it written by gothic?")
    forces = Forces(np.concatenate(ids), np.concatenate(accelerations))
    finite = np.isfinite(forces.acceleration).all(axis=1)
    if not finite.all():
        raise DataError(
            f"{path}: the acceleration of particle {forces.ids[np.argmin(finite)]} is not finite"
        )
    return forces


def _scalar(value: object) -> float | int | str:
    """Turn an attribute into a Python scalar or string."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(-1)[0]
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value  # type: ignore[return-value]
