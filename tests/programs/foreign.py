"""Snapshots as other codes write them, made by the descriptions of their formats alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import h5py
import numpy as np

from tests.programs.snapshots import Arrays, header_of

KPC, MSUN = 3.085678e21, 1.989e33
GALACTIC = (KPC, 1e10 * MSUN, 1e5)  # units of length, mass, velocity in cgs
Types = dict[int, Arrays]  # particles by their type
Make = Callable[[Path, Types], Path]  # writes particles into a folder

# So fine an accuracy opens all cells: the trees of other units and of two ranks do not matter.
FORCE = ("--softening", "50pc", "--accuracy", 2**-60, "--output", "out.h5")
GADGET_UNITS = "UnitLength_in_cm  {}   % kpc\nUnitMass_in_g {}\nUnitVelocity_in_cm_per_s {}\n"


def part(arrays: Arrays, first: int, end: int | None = None) -> Arrays:
    """Cut particles out."""
    return {name: values[first:end] for name, values in arrays.items()}


def counts_of(types: Types, length: int) -> np.ndarray:
    """Count the particles of each type."""
    return np.array([len(types[k]["Coordinates"]) if k in types else 0 for k in range(length)])


def split(types: Types, files: int) -> list[dict[int, Arrays]]:
    """Spread the particles over files."""
    result: list[dict[int, Arrays]] = [{} for _ in range(files)]
    for kind, arrays in types.items():
        borders = np.linspace(0, len(arrays["Coordinates"]), files + 1).astype(int)
        for k in range(files):
            result[k][kind] = part(arrays, borders[k], borders[k + 1])
    return result


def put_groups(file: h5py.File, types: Types, prefix: str = "PartType") -> None:
    """Write the particles of every type that has some."""
    for kind, arrays in types.items():
        if len(arrays["Coordinates"]) > 0:
            for name, values in arrays.items():
                file[f"{prefix}{kind}/{name}"] = values


def name_of(path: Path, k: int, files: int) -> Path:
    """Name one of several HDF5 files."""
    return path if files == 1 else path.with_name(f"{path.stem}.{k}{path.suffix}")


def write_gadget4(
    path: Path,
    types: Types,
    *,
    ntypes: int = 6,
    files: int = 1,
    units: Sequence[float] = GALACTIC,
    mass_table: Mapping[int, float] | None = None,
    header: Mapping[str, object] | None = None,
    parameters: Mapping[str, object] | None = None,
    config: Mapping[str, object] | None = None,
) -> Path:
    """Write HDF5 as GADGET-4 does: no units in /Header, 64-bit counts of NTypes types."""
    table = np.zeros(ntypes)
    for kind, mass in (mass_table or {}).items():
        table[kind] = mass
    for k, mine in enumerate(split(types, files)):
        with h5py.File(name_of(path, k, files), "w") as file:
            file.create_group("Header").attrs.update(
                {
                    "NumPart_ThisFile": counts_of(mine, ntypes).astype(np.uint64),
                    "NumPart_Total": counts_of(types, ntypes).astype(np.uint64),
                    "MassTable": table,
                    "Time": 0.0,
                    "Redshift": 0.0,
                    "BoxSize": 0.0,
                    "NumFilesPerSnapshot": np.int32(files),
                    "Git_commit": np.bytes_("unknown"),
                }
                | dict(header or {})
            )
            file.create_group("Config").attrs.update(
                {"NTypes": float(ntypes), "DOUBLEPRECISION": 1.0} | dict(config or {})
            )
            file.create_group("Parameters").attrs.update(
                {
                    "UnitLength_in_cm": units[0],
                    "UnitMass_in_g": units[1],
                    "UnitVelocity_in_cm_per_s": units[2],
                    "ComovingIntegrationOn": np.int32(0),
                    "HubbleParam": 1.0,
                    "Omega0": 0.0,
                    "OmegaLambda": 0.0,
                    "InitCondFile": np.bytes_("ics"),
                }
                | dict(parameters or {})
            )
            put_groups(file, mine)
    return name_of(path, 0, files)


def write_arepo(
    path: Path, types: Types, header: Mapping[str, object] | None = None, **config: object
) -> Path:
    """Write HDF5 as AREPO does: h and cosmology in /Header, units in /Parameters and /Header."""
    counts = counts_of(types, 6).astype(np.int32)
    with h5py.File(path, "w") as file:
        file.create_group("Header").attrs.update(
            {
                "NumPart_ThisFile": counts,
                "NumPart_Total": counts.astype(np.uint32),
                "NumPart_Total_HighWord": np.zeros(6, np.uint32),
                "MassTable": np.zeros(6),
                "Time": 0.0,
                "Redshift": 0.0,
                "BoxSize": 0.0,
                "NumFilesPerSnapshot": np.int32(1),
                "Omega0": 0.0,
                "OmegaLambda": 0.0,
                "HubbleParam": 1.0,
                "Flag_Sfr": np.int32(0),
                "Flag_Cooling": np.int32(0),
                "UnitLength_in_cm": GALACTIC[0],
                "UnitMass_in_g": GALACTIC[1],
                "UnitVelocity_in_cm_per_s": GALACTIC[2],
            }
            | dict(header or {})
        )
        file.create_group("Config").attrs.update({"SELFGRAVITY": np.bytes_("")} | config)
        put_groups(file, types)
    return path


def write_swift(
    path: Path,
    types: Types,
    *,
    files: int = 1,
    units: Sequence[float] = GALACTIC,
    scale_factor: float | None = None,
    periodic: bool = False,
    variable_strings: bool = False,
    box: Sequence[float] = (1000.0, 1000.0, 1000.0),
) -> Path:
    """Write HDF5 as SWIFT does: seven types, attributes of length 1, its own names of units."""

    def text(words: str) -> object:
        return words if variable_strings else np.bytes_(words)

    a = scale_factor or 1.0
    length, mass, velocity = units
    for k, mine in enumerate(split(types, files)):
        with h5py.File(name_of(path, k, files), "w") as file:
            file.create_group("Header").attrs.update(
                {
                    "Code": text("SWIFT"),
                    "BoxSize": np.array(box),
                    "Dimension": np.array([3], np.int32),
                    "Time": np.array([0.0]),
                    "Redshift": np.array([1 / a - 1]),
                    "Scale-factor": np.array([a]),
                    "NumPart_ThisFile": counts_of(mine, 7).astype(np.int64),
                    "NumPart_Total": counts_of(types, 7).astype(np.uint32),
                    "NumPart_Total_HighWord": np.zeros(7, np.uint32),
                    "MassTable": np.zeros(7),
                    "NumFilesPerSnapshot": np.array([files], np.int32),
                    "ThisFile": np.array([k], np.int32),
                    "OutputType": text("FullVolume"),
                }
            )
            file.create_group("Cosmology").attrs.update(
                {
                    "Cosmological run": np.array([scale_factor is not None], np.int32),
                    "Scale-factor": np.array([a]),
                    "Redshift": np.array([1 / a - 1]),
                    "h": np.array([0.7]),
                }
            )
            for group in ("Units", "InternalCodeUnits"):
                file.create_group(group).attrs.update(
                    {
                        "Unit length in cgs (U_L)": np.array([length]),
                        "Unit mass in cgs (U_M)": np.array([mass]),
                        "Unit time in cgs (U_t)": np.array([length / velocity]),
                        "Unit current in cgs (U_I)": np.array([1.0]),
                        "Unit temperature in cgs (U_T)": np.array([1.0]),
                    }
                )
            file.create_group("Parameters").attrs["InitialConditions:periodic"] = text(
                str(int(periodic))
            )
            put_groups(file, mine)
            for kind, alias in ((1, "DMParticles"), (4, "StarsParticles")):
                file[alias] = h5py.SoftLink(f"/PartType{kind}")
    return name_of(path, 0, files)


def write_gadget2(
    path: Path,
    types: Types,
    *,
    kind_of_format: int = 1,
    order: str = "<",
    real: str = "f4",
    integer: str = "u4",
    files: int = 1,
    mass_table: Mapping[int, float] | None = None,
    header: Mapping[str, float] | None = None,
) -> Path:
    """Write the binary format 1 or 2 of GADGET-2: a header of 256 bytes, and blocks."""
    table = np.zeros(6)
    for kind, mass in (mass_table or {}).items():
        table[kind] = mass
    told = {"time": 0, "redshift": 0, "box": 0, "omega": 0, "lambda": 0, "h": 0} | dict(
        header or {}
    )
    for k, mine in enumerate(split(types, files)):
        counts = counts_of(mine, 6)
        head = np.zeros(
            (),
            np.dtype(
                [
                    ("npart", "u4", 6),
                    ("mass", "f8", 6),
                    ("time", "f8"),
                    ("redshift", "f8"),
                    ("flags", "i4", 2),
                    ("total", "u4", 6),
                    ("cooling", "i4"),
                    ("files", "i4"),
                    ("box", "f8"),
                    ("omega", "f8"),
                    ("lambda", "f8"),
                    ("h", "f8"),
                    ("unused", "u1", 96),
                ]
            ).newbyteorder(order),
        )
        head["npart"], head["mass"], head["total"] = counts, table, counts_of(types, 6)
        head["files"] = files
        for name, value in told.items():
            head[name] = value

        def column(name: str, kinds: Sequence[int], dtype: str, mine: Types = mine) -> bytes:
            return b"".join(
                np.ascontiguousarray(mine[kind][name].astype(order + dtype)).tobytes()
                for kind in kinds
                if kind in mine
            )

        varied = [kind for kind in range(6) if table[kind] == 0]
        blocks = [
            (b"HEAD", head.tobytes()),
            (b"POS ", column("Coordinates", range(6), real)),
            (b"VEL ", column("Velocities", range(6), real)),
            (b"ID  ", column("ParticleIDs", range(6), integer)),
            (b"MASS", column("Masses", varied, real)),
            (b"POT ", b"\0" * 4 * int(counts.sum())),
        ]

        def marker(value: int) -> bytes:
            return np.array(value, order + "u4").tobytes()

        target = path if files == 1 else path.with_name(f"{path.name}.{k}")
        with target.open("wb") as out:
            for name, data in blocks:
                if name == b"MASS" and not data:
                    continue
                if kind_of_format == 2:
                    out.write(marker(8) + name + marker(len(data) + 8) + marker(8))
                out.write(marker(len(data)) + data + marker(len(data)))
    return path if files == 1 else path.with_name(f"{path.name}.0")


def write_tipsy(path: Path, types: Types, order: str = ">", eps: float = 0.05) -> Path:
    """Write TIPSY: a header, then gas, dark matter and stars record by record."""
    gas, dark, stars = (types.get(kind, {"Coordinates": []}) for kind in (0, 1, 4))
    counts = [len(particles["Coordinates"]) for particles in (gas, dark, stars)]
    with path.open("wb") as out:
        out.write(np.array(0.0, order + "f8").tobytes())
        out.write(np.array([sum(counts), 3, *counts, 0], order + "i4").tobytes())
        for particles, columns in ((gas, 5), (dark, 2), (stars, 4)):
            if len(particles["Coordinates"]) == 0:
                continue
            rows = np.zeros((len(particles["Coordinates"]), 7 + columns), order + "f4")
            rows[:, 0] = particles["Masses"]
            rows[:, 1:4], rows[:, 4:7] = particles["Coordinates"], particles["Velocities"]
            rows[:, -3 if columns == 5 else -2] = eps
            out.write(rows.tobytes())
    return path


def write_own(path: Path, types: Types) -> Path:
    """Write the particles in the format of GOTHIC, with its units."""
    counts = np.zeros(6, int)
    for kind, arrays in types.items():
        counts[kind] = len(arrays["Masses"])
    units = ("UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s")
    with h5py.File(path, "w") as file:
        header = header_of(counts) | dict(zip(units, GALACTIC, strict=True))
        file.create_group("Header").attrs.update(header)
        for kind, arrays in types.items():
            for name, values in arrays.items():
                file[f"PartType{kind}/{name}"] = values
    return path


def without_units(folder: Path, types: Types) -> Path:
    """Write HDF5 that names no units."""
    path = write_gadget4(folder / "s.hdf5", types)
    with h5py.File(path, "a") as file:
        del file["Parameters"]
    return path
