"""Bad input is refused with one line that names file, field and remedy."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.programs.gothic import Gothic
from tests.programs.snapshots import sphere, write_snapshot

COMMANDS = {
    "run": ("run", "--input", "bad.h5", "--output", "out", "--steps", "2"),
    "force": ("force", "--input", "bad.h5", "--output", "out.h5"),
    "direct": ("direct", "--input", "bad.h5", "--output", "out.h5"),
}

Writer = Callable[[Path], object]


def header(**entries: object) -> Writer:
    """Make a function that writes a file whose header has these entries; None removes one."""
    return lambda path: write_snapshot(path, sphere(16), header=entries)


def particles(name: str, index: object, value: object) -> Writer:
    """Make a function that writes a file with some values of a dataset replaced."""
    arrays = sphere(16)
    arrays[name][index] = value
    return lambda path: write_snapshot(path, arrays)


def truncated(path: Path) -> None:
    write_snapshot(path, sphere(16))
    path.write_bytes(path.read_bytes()[:-100])


WIDE = "out of the range of single precision; choose other units"
BAD: dict[str, tuple[Writer, list[str]]] = {
    "missing": (lambda _: None, ["input: there is no such file; check the name"]),
    "folder": (Path.mkdir, ["input: ", "folder; give the name of a file"]),
    "pipe": (os.mkfifo, ["input: is a device or a pipe; give the name of a file"]),
    "text": (
        lambda path: path.write_text("x y z\n" * 100),
        ["input: is no snapshot in a known format; give HDF5 of GADGET, AREPO, SWIFT or gothic-ic"],
    ),
    "truncated": (truncated, ["truncated", "write or copy it again"]),
    "no numbers": (header(NumPart_ThisFile=None), ["/Header/NumPart_ThisFile", "missing", "add"]),
    "empty": (lambda path: write_snapshot(path, sphere(0)), ["no particles", "at least one"]),
    "not counted": (header(NumPart_ThisFile=np.zeros(6, int)), ["/PartType1: has particles"]),
    "too few": (header(NumPart_ThisFile=[0, 2**31 - 1, 0, 0, 0, 0]), ["shape", "[2147483647, 3]"]),
    "far too few": (
        header(NumPart_ThisFile=np.array([0, 2**32 + 5, 0, 0, 0, 0], np.uint64)),
        ["shape", "[4294967301, 3]"],
    ),
    "several files": (
        header(NumFilesPerSnapshot=4),
        ["input: is one of 4 files", "call them NAME.0.hdf5"],
    ),
    "no unit": (header(UnitMass_in_g=None), ["/Header/UnitMass_in_g", "missing", "add it"]),
    "no softening": (header(Softening=None), ["/Header/Softening", "--softening"]),
    "softening 0": (header(Softening=0.0), ["/Header/Softening", "--softening"]),
    "softening 1e-25": (header(Softening=1e-25), ["/Header/Softening", "single precision"]),
    "no number": (
        particles("Coordinates", (3, 1), np.nan),
        ["/PartType1/Coordinates", f"ID {sphere(16)['ParticleIDs'][3]} ", "NaN", "remove"],
    ),
    "positions of 1e19": (particles("Coordinates", ..., 1e19), ["Coordinates: one is ", WIDE]),
    "position of 3e38": (particles("Coordinates", 0, 3e38), ["Coordinates: one is ", WIDE]),
    "masses of 1e38": (particles("Masses", ..., 1e38), ["Masses: their sum is ", WIDE]),
    "mass of 3e38": (particles("Masses", 0, 3e38), ["Masses: their sum is ", WIDE]),
    "masses of 1e-44": (particles("Masses", ..., 1e-44), ["Masses: their sum is ", WIDE]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_snapshot_is_refused_by_every_command(gothic: Gothic, case: str) -> None:
    write, complaints = BAD[case]
    write(gothic.folder / "bad.h5")
    for command in COMMANDS.values():
        message = gothic.refused(*command)
        for complaint in ["bad.h5: ", *complaints]:
            assert complaint in message


@pytest.mark.parametrize(
    ("keys", "complaints"),
    [
        ("type = 'hernquits'\nmass = 3", [":2: ", "potential.type", "did you mean 'hernquist'?"]),
        (
            "type = 'hernquist'\nmass = 1e40",
            ["external potential: sqrt(G mass)", "single precision", "other units"],
        ),
        ("type = 'nfw'\nmass = 54", [":3: potential.mass: ", "give scale_mass (what mass meant"]),
        ("type = 'nfw'\nscale_mass = 1\nm200 = 2", ["potential.m200: is given beside scale_mass"]),
    ],
)
def test_bad_field_is_refused(gothic: Gothic, keys: str, complaints: list[str]) -> None:
    (gothic.folder / "field.toml").write_text(f"[[potential]]\n{keys}\nscale = 0.5\n")
    header()(gothic.folder / "bad.h5")
    for command in COMMANDS.values():
        message = gothic.refused(*command, "--external", "field.toml")
        for complaint in complaints:
            assert complaint in message


@pytest.mark.parametrize("command", ["force", "direct"])
def test_bad_points_are_refused(gothic: Gothic, command: str) -> None:
    with h5py.File(gothic.folder / "points.h5", "w") as file:
        file["Coordinates"] = np.full((2, 3), np.nan)
    header()(gothic.folder / "bad.h5")
    message = gothic.refused(*COMMANDS[command], "--at", "points.h5")
    for complaint in ("points.h5: ", "/Coordinates", "row 0", "NaN"):
        assert complaint in message
