"""Snapshots of other codes run with the right units."""

from __future__ import annotations

import warnings
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.programs.foreign import (
    FORCE,
    GADGET_UNITS,
    GALACTIC,
    KPC,
    MSUN,
    Make,
    Types,
    part,
    without_units,
    write_arepo,
    write_gadget2,
    write_gadget4,
    write_own,
    write_swift,
    write_tipsy,
)
from tests.programs.gothic import NEEDS_MPIRUN, Gothic
from tests.programs.snapshots import read_forces

A, H = 0.25, 0.7  # scale factor and h of comoving files
MPC = (1e3 * KPC, 1e10 * MSUN, 1e5)  # units of the default parameters of GADGET-4


def scaled(types: Types, length: float, mass: float, velocity: float) -> Types:
    """Divide positions, masses and velocities."""
    by = {"Coordinates": length, "Masses": mass, "Velocities": velocity, "ParticleIDs": None}
    return {
        kind: {
            name: values if by[name] is None else values.astype(np.float64) / by[name]
            for name, values in arrays.items()
        }
        for kind, arrays in types.items()
    }


def accelerations(path: Path, kind: int) -> np.ndarray:
    """Read accelerations of a file of forces, in cgs, in the order of the IDs."""
    with h5py.File(path) as file:
        units = dict(file["Header"].attrs)
    unit = units["UnitVelocity_in_cm_per_s"] ** 2 / units["UnitLength_in_cm"]
    return read_forces(path, kind)["Acceleration"].astype(float) * unit


def with_masses(types: Types, kind: int, mass: float) -> Types:
    """Give all particles of a type one mass."""
    count = len(types[kind]["Masses"])
    return types | {kind: types[kind] | {"Masses": np.full(count, mass, np.float32)}}


def without(types: Types, kind: int, name: str) -> Types:
    """Take one array of a type away."""
    return types | {kind: {key: v for key, v in types[kind].items() if key != name}}


def gadget4_comoving(path: Path, types: Types, a: float, files: int = 1) -> Path:
    """Write comoving particles in units of 1/h, as GADGET-4 stores them."""
    return write_gadget4(
        path / "snap_007.hdf5",
        scaled(types, a / H, 1 / H, a**0.5),
        files=files,
        header={"Time": a, "Redshift": 1 / a - 1},
        parameters={"ComovingIntegrationOn": 1, "HubbleParam": H, "Omega0": 0.3},
    )


def gadget2_with_units(path: Path, types: Types) -> Path:
    """Write a binary file in Mpc, whose units are in a file of parameters as GADGET has them."""
    (path / "s.param").write_text(GADGET_UNITS.format(*MPC))
    return write_gadget2(path / "s", scaled(types, 1e3, 1, 1), real="f8")


def tipsy_with_units(path: Path, types: Types) -> Path:
    """Write TIPSY, where G = 1, in kpc and 1e10 solar masses."""
    (path / "s.param").write_text("dKpcUnit = 1\ndMsolUnit = 1e10\n")
    return write_tipsy(path / "s.tipsy", scaled(types, 1, 1, 43007.1**0.5))


# How each file is written, and words of what the program tells of it.
FOREIGN: dict[str, tuple[Make, list[str]]] = {
    "GADGET-4": (lambda p, t: write_gadget4(p / "s.hdf5", t), []),
    "GADGET-4 in Mpc": (
        lambda p, t: write_gadget4(p / "s.hdf5", scaled(t, 1e3, 1, 1), units=MPC),
        [],
    ),
    "GADGET-4 of 5 types, 3 files": (
        lambda p, t: write_gadget4(p / "s.hdf5", t, ntypes=5, files=3),
        [],
    ),
    "GADGET-4 of 16 types": (lambda p, t: write_gadget4(p / "s.hdf5", t, ntypes=16), []),
    "GADGET-4 with h": (
        lambda p, t: write_gadget4(
            p / "s.hdf5", scaled(t, 1 / H, 1 / H, 1), parameters={"HubbleParam": H}
        ),
        ["converted from units of 1/h", "h = 0.7"],
    ),
    "GADGET-4 comoving": (
        lambda p, t: gadget4_comoving(p, t, A),
        ["converted from comoving", "a = 0.25, h = 0.7", "without the Hubble flow"],
    ),
    "GADGET-4 comoving at z = 0, 2 files": (
        lambda p, t: gadget4_comoving(p, t, 1, 2),
        ["converted from comoving", "a = 1, h = 0.7"],
    ),
    "AREPO comoving at z = 0": (
        lambda p, t: write_arepo(
            p / "s.hdf5",
            scaled(t, 1 / H, 1 / H, 1),
            header={"Time": 1.0, "HubbleParam": H, "Omega0": 0.3, "OmegaLambda": 0.7},
        ),
        ["converted from comoving", "a = 1, h = 0.7"],
    ),
    "AREPO without periodic gravity": (
        lambda p, t: write_arepo(
            p / "s.hdf5", t, header={"BoxSize": 650.0}, GRAVITY_NOT_PERIODIC=np.bytes_("")
        ),
        [],
    ),
    "SWIFT": (lambda p, t: write_swift(p / "s.hdf5", t), []),
    "SWIFT in Mpc, 2 files": (
        lambda p, t: write_swift(
            p / "s.hdf5", scaled(t, 1e3, 1, 1), units=MPC, files=2, variable_strings=True
        ),
        [],
    ),
    "SWIFT comoving": (
        lambda p, t: write_swift(
            p / "s.hdf5", scaled(t, A, 1, 1), scale_factor=A, box=(0.0, 0.0, 0.0)
        ),
        ["converted from comoving", "a = 0.25", "without the Hubble flow"],
    ),
    "GADGET-2 format 1": (lambda p, t: write_gadget2(p / "s", t), ["kpc, 1e10 solar masses"]),
    "GADGET-2 format 2": (
        lambda p, t: write_gadget2(p / "s", t, kind_of_format=2, order=">", integer="u8"),
        ["kpc, 1e10 solar masses"],
    ),
    "GADGET-2 in 3 files": (
        lambda p, t: write_gadget2(p / "snap_003", t, kind_of_format=2, files=3),
        ["kpc, 1e10 solar masses"],
    ),
    "GADGET-2 comoving": (
        lambda p, t: write_gadget2(
            p / "s",
            scaled(t, A / H, 1 / H, A**0.5),
            real="f8",
            header={"time": A, "redshift": 1 / A - 1, "h": H, "omega": 0.3},
        ),
        ["kpc, 1e10 solar masses", "converted from comoving", "a = 0.25, h = 0.7"],
    ),
    "GADGET-2 with units": (gadget2_with_units, []),
    "TIPSY": (tipsy_with_units, []),
}


@NEEDS_MPIRUN
@pytest.mark.parametrize("case", FOREIGN)
def test_forces_are_those_of_the_same_particles(gothic: Gothic, types: Types, case: str) -> None:
    write, words = FOREIGN[case]
    write_own(gothic.folder / "own.h5", types)
    gothic.done("force", "--input", "own.h5", *FORCE)
    wanted = [accelerations(gothic.folder / "out.h5", kind) for kind in (1, 4)]
    path = write(gothic.folder, types)
    for ranks in (1, 2):
        result = gothic.on(ranks).call("force", "--input", path, *FORCE)
        assert result.returncode == 0, result.stderr
        told = [line for line in result.stderr.splitlines() if line.startswith("gothic: ")]
        assert all(any(word in line for line in told) for word in words), result.stderr
        assert len(told) <= len(words)
        for kind, forces in zip((1, 4), wanted, strict=True):
            found = accelerations(gothic.folder / "out.h5", kind)
            np.testing.assert_allclose(found, forces, rtol=0, atol=2e-6 * np.abs(forces).max())


@pytest.mark.parametrize("case", FOREIGN)
def test_conversion_and_python_read_the_same(gothic: Gothic, types: Types, case: str) -> None:
    import gothic as package

    path = FOREIGN[case][0](gothic.folder, types)
    gothic.make("convert", path, "converted.h5")
    converted = package.read(gothic.folder / "converted.h5")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        snapshot = package.read(path)
    words = FOREIGN[case][1]
    assert all(any(word in str(one.message) for one in told) for word in words)
    assert len(told) <= len(words)
    for name, stored in (
        ("positions", "Coordinates"),
        ("velocities", "Velocities"),
        ("masses", "Masses"),
    ):
        wanted = np.concatenate([types[kind][stored] for kind in (1, 4)])
        scale = snapshot.units.length_in_cm / KPC if name == "positions" else 1
        for read in (snapshot, converted):
            np.testing.assert_allclose(getattr(read, name) * scale, wanted, rtol=1e-6, atol=1e-6)
    assert snapshot.units == pytest.approx(converted.units)
    assert snapshot.time == converted.time == 0


@pytest.mark.parametrize(
    "case",
    [
        "GADGET-4 in Mpc",
        "GADGET-4 of 16 types",
        "GADGET-4 with h",
        "GADGET-4 comoving",
        "AREPO comoving at z = 0",
        "GADGET-2 with units",
    ],
)
def test_pynbody_takes_the_files_for_the_same_particles(
    tmp_path: Path, types: Types, case: str
) -> None:
    """The files that the tests write are those of the formats: another package agrees."""
    path = FOREIGN[case][0](tmp_path, types)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pynbody

        galaxy = pynbody.load(str(path))
        galaxy.physical_units()
        for family, kind in ((galaxy.dm, 1), (galaxy.star, 4)):
            for name, unit, stored in (
                ("pos", "kpc", "Coordinates"),
                ("vel", "km s**-1", "Velocities"),
                ("mass", "1e10 Msol", "Masses"),
            ):
                found = np.asarray(family[name].in_units(unit))
                # The package has another solar mass.
                np.testing.assert_allclose(found, types[kind][stored], rtol=1e-3)


def test_types_masses_and_ids_are_those_of_the_file(gothic: Gothic, types: Types) -> None:
    import gothic as package

    many = {k: part(types[1], 10 * k, 10 * k + 10) for k in (0, 1, 3, 7, 11)}
    many = without(with_masses(many, 7, 0.5), 7, "Masses")
    path = write_gadget4(gothic.folder / "s.hdf5", many, ntypes=12, files=2, mass_table={7: 0.5})
    with pytest.warns(UserWarning, match="types above 5 became type 1"):
        snapshot = package.read(path)
    assert snapshot.types.tolist() == [0] * 10 + [1] * 10 + [3] * 10 + [1] * 20
    assert snapshot.components.tolist() == [k for k in many for _ in range(10)]
    assert (snapshot.masses[30:40] == np.float32(0.5)).all()
    np.testing.assert_array_equal(
        snapshot.ids, np.concatenate([arrays["ParticleIDs"] for arrays in many.values()])
    )


def test_masses_of_gadget2_come_from_the_header(gothic: Gothic, types: Types) -> None:
    import gothic as package

    same = with_masses(types, 1, 0.25)
    path = write_gadget2(gothic.folder / "s", same, mass_table={1: 0.25}, files=2)
    with pytest.warns(UserWarning, match="has no units"):
        snapshot = package.read(path)
    wanted = np.concatenate([same[kind]["Masses"] for kind in (1, 4)])
    np.testing.assert_array_equal(snapshot.masses, wanted)


def test_the_only_file_of_units_in_a_folder_is_told(gothic: Gothic, types: Types) -> None:
    path = without_units(gothic.folder, types)
    (gothic.folder / "run.param").write_text(GADGET_UNITS.format(*GALACTIC))
    result = gothic.call("force", "--input", path, *FORCE)
    assert result.returncode == 0, result.stderr
    assert "s.hdf5: has the units of run.param, the only .param of its folder" in result.stderr
    (gothic.folder / "run.param").rename(gothic.folder / "s.param")
    gothic.done("force", "--input", path, *FORCE)


def test_a_run_starts_from_a_foreign_file(gothic: Gothic, types: Types) -> None:
    path = gadget4_comoving(gothic.folder, types, A, files=2)
    result = gothic.call(
        "run", "--input", path, "--output", "out", "--time", "0.001Myr", "--softening", "50pc"
    )
    assert result.returncode == 0, result.stderr
    with h5py.File(gothic.folder / "out" / "snapshot_000.h5") as file:
        header = dict(file["Header"].attrs)
        moved = file["PartType1/Coordinates"][()] - types[1]["Coordinates"]
    assert header["UnitLength_in_cm"] == KPC
    assert header["Time"] == pytest.approx(0.001 / 977.8, rel=1e-3)
    np.testing.assert_allclose(moved, header["Time"] * types[1]["Velocities"], atol=1e-5)
