"""Small snapshots, written independently of the project's own input and output."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

Arrays = dict[str, np.ndarray]


def sphere(count: int, seed: int = 1) -> Arrays:
    """Draw a ball of slowly moving particles, with IDs in random order."""
    random = np.random.default_rng(seed)
    directions = random.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radii = np.cbrt(random.random(count))
    return {
        "Coordinates": (radii[:, None] * directions).astype(np.float32),
        "Velocities": (0.3 * random.normal(size=(count, 3))).astype(np.float32),
        "Masses": np.full(count, 1 / max(count, 1), np.float32),
        "ParticleIDs": random.permutation(count).astype(np.uint64) + 1,
    }


def header_of(numbers: np.ndarray) -> dict[str, object]:
    """Describe a snapshot with so many particles of each type."""
    return {
        "NumPart_ThisFile": numbers,
        "NumPart_Total": numbers.astype(np.uint32),
        "MassTable": np.zeros(6),
        "Time": 0.0,
        "NumFilesPerSnapshot": 1,
        "UnitLength_in_cm": 1.0,
        "UnitMass_in_g": 1.0,
        "UnitVelocity_in_cm_per_s": 1.0,
        "Softening": 0.05,
    }


def write_snapshot(
    path: Path,
    arrays: Arrays,
    *,
    kind: int = 1,
    header: dict[str, object] | None = None,
) -> None:
    """Write particles of one type; entries of ``header`` that are None are left out."""
    numbers = np.zeros(6, np.int32)
    numbers[kind] = len(arrays.get("Coordinates", arrays.get("Masses", ())))
    attributes = header_of(numbers) | (header or {})
    with h5py.File(path, "w") as file:
        file.create_group("Header").attrs.update(
            {name: value for name, value in attributes.items() if value is not None}
        )
        for name, values in arrays.items():
            file[f"PartType{kind}/{name}"] = values


def write_vast_snapshot(path: Path, count: int) -> None:
    """Write a snapshot whose particles are a hole in the file, which takes no room on the disk."""
    numbers = np.array([0, count, 0, 0, 0, 0], np.uint32)
    unwritten = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    unwritten.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    unwritten.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    with h5py.File(path, "w") as file:
        file.create_group("Header").attrs.update(header_of(numbers) | {"MassTable": np.ones(6)})
        group = file.create_group("PartType1").id
        for name in (b"Coordinates", b"Velocities"):
            space = h5py.h5s.create_simple((count, 3))
            h5py.h5d.create(group, name, h5py.h5t.NATIVE_FLOAT, space, unwritten)


def write_two_types(path: Path, mass: float = 1) -> Arrays:
    """Write a sphere of 400 particles of type 1 and 112 of type 4, which have the higher IDs."""
    arrays = sphere(512)
    arrays["Masses"] *= np.float32(mass)
    dark = arrays["ParticleIDs"] <= 400
    stars = {name: values[~dark] for name, values in arrays.items()}
    write_snapshot(path, stars, kind=4, header={"NumPart_ThisFile": [0, 400, 0, 0, 112, 0]})
    with h5py.File(path, "a") as file:
        for name, values in arrays.items():
            file[f"PartType1/{name}"] = values[dark]
    return arrays


def read_forces(path: Path, kind: int = 1) -> Arrays:
    """Read the datasets of one particle type."""
    with h5py.File(path) as file:
        return {name: data[()] for name, data in file[f"PartType{kind}"].items()}


def read_both(path: Path) -> Arrays:
    """Read the particles of types 1 and 4."""
    dark, stars = read_forces(path, 1), read_forces(path, 4)
    return {name: np.concatenate([dark[name], stars[name]]) for name in dark}


def direct_sum(arrays: Arrays, softening: float) -> tuple[np.ndarray, np.ndarray]:
    """Sum Plummer-softened forces in double precision: accelerations and potentials."""
    position = arrays["Coordinates"].astype(float)
    mass = arrays["Masses"].astype(float)
    apart = position[None] - position[:, None]
    inverse = (np.square(apart).sum(axis=2) + softening**2) ** -0.5
    acceleration = np.einsum("j,ij,ijk->ik", mass, inverse**3, apart)
    np.fill_diagonal(inverse, 0)
    return acceleration, -inverse @ mass
