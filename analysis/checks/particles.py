"""Reading and writing particles, independently of the programs."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

Table = dict[str, np.ndarray]

# The published softening, at any number of particles; without it models follow their number.
PUBLISHED = ("--softening", 0.015625)


def read(path: Path) -> Table:
    """Read the datasets of all particles in double precision, in the order of the IDs."""
    with h5py.File(path) as file:
        groups = [group for name, group in sorted(file.items()) if name.startswith("PartType")]
        columns = {
            name: np.concatenate([group[name][()] for group in groups]) for name in groups[0]
        }
    order = np.argsort(columns["ParticleIDs"])
    return {name: column[order].astype(float) for name, column in columns.items()}


def provenance(path: Path) -> dict[str, str]:
    """Read what a file tells of its origin, every attribute of it."""
    with h5py.File(path) as file:
        found = dict(file["Provenance"].attrs)
    return {name: v.decode() if isinstance(v, bytes) else str(v) for name, v in found.items()}


def columns(path: Path, group: str) -> Table:
    """Read the datasets of a group."""
    with h5py.File(path) as file:
        return {name: data[()] for name, data in file[group].items()}


def write(
    path: Path, position: np.ndarray, velocity: np.ndarray, mass: np.ndarray, softening: float
) -> None:
    """Write particles of one type as a snapshot in model units."""
    count = np.array([0, len(mass), 0, 0, 0, 0], np.int32)
    with h5py.File(path, "w") as file:
        units = ("UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s")
        file.create_group("Header").attrs.update(
            {
                "NumPart_ThisFile": count,
                "NumPart_Total": count.astype(np.uint32),
                "MassTable": np.zeros(6),
                "Time": 0.0,
                "NumFilesPerSnapshot": 1,
                "Softening": softening,
                **dict.fromkeys(units, 1.0),
            }
        )
        file["PartType1/Coordinates"] = position.astype(np.float32)
        file["PartType1/Velocities"] = velocity.astype(np.float32)
        file["PartType1/Masses"] = mass.astype(np.float32)
        file["PartType1/ParticleIDs"] = np.arange(1, len(mass) + 1, dtype=np.uint64)


def errors(found: Table, exact: np.ndarray) -> np.ndarray:
    """Relative errors of accelerations, abs(a - a_exact) / abs(a_exact)."""
    difference = np.linalg.norm(found["Acceleration"] - exact, axis=1)
    return difference / np.linalg.norm(exact, axis=1)
