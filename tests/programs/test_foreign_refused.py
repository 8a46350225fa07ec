"""What forces do not know in snapshots of other codes, and damage to them, is refused."""

from __future__ import annotations

import struct
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.programs.foreign import (
    FORCE,
    GADGET_UNITS,
    GALACTIC,
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
from tests.programs.snapshots import sphere, write_snapshot


def gassy(types: Types) -> Types:
    """Make gas of the first particles."""
    gas = part(types[1], 0, 20) | {"InternalEnergy": np.ones(20, np.float32)}
    return {0: gas, 1: part(types[1], 20), 4: types[4]}


GAS: dict[str, Make] = {
    "GADGET-4": lambda p, t: write_gadget4(p / "s.hdf5", gassy(t)),
    "SWIFT": lambda p, t: write_swift(p / "s.hdf5", gassy(t)),
    "GADGET-2": lambda p, t: write_gadget2(p / "s", gassy(t)),
    "TIPSY": lambda p, t: write_tipsy(p / "s", gassy(t)),
}


@pytest.mark.parametrize("case", GAS)
def test_gas_is_refused_or_taken_as_collisionless(gothic: Gothic, types: Types, case: str) -> None:
    import gothic as package

    path = GAS[case](gothic.folder, types)
    message = gothic.refused("force", "--input", path, *FORCE)
    assert "the file holds gas, 20 particles; remove them, or add --gas collisionless" in message
    with pytest.raises(package.InputError, match="add gas='collisionless'"):
        package.read(path)
    gothic.make("convert", path, "all.h5", "--gas", "collisionless")
    taken = package.read(gothic.folder / "all.h5")
    assert len(taken) == 512
    assert (taken.types == 0).sum() == 20


BOXES: dict[str, Make] = {
    "GADGET-4": lambda p, t: write_gadget4(
        p / "s.hdf5", t, header={"BoxSize": 50.0}, config={"PERIODIC": 1.0}
    ),
    "AREPO": lambda p, t: write_arepo(p / "s.hdf5", t, header={"BoxSize": 50.0}),
    "SWIFT": lambda p, t: write_swift(p / "s.hdf5", t, periodic=True, box=(50.0, 50.0, 50.0)),
    "GADGET-2": lambda p, t: write_gadget2(p / "s", t, header={"box": 50.0}),
}


@pytest.mark.parametrize("case", BOXES)
def test_boxes_are_refused_or_ignored(gothic: Gothic, types: Types, case: str) -> None:
    path = BOXES[case](gothic.folder, types)
    message = gothic.refused("force", "--input", path, *FORCE)
    assert "BoxSize: is 50, but space is not periodic here; cut out the system" in message
    assert "add --box ignore if the particles do not fill the box" in message
    result = gothic.call("force", "--input", path, *FORCE, "--box", "ignore")
    assert result.returncode == 0, result.stderr


def gadget2_bytes(at: int, value: bytes) -> Make:
    """Replace bytes of a binary file."""

    def make(folder: Path, types: Types) -> Path:
        path = write_gadget2(folder / "s", types)
        data = bytearray(path.read_bytes())
        data[at : at + len(value)] = value
        path.write_bytes(data)
        return path

    return make


def write_bytes(path: Path, data: bytes) -> Path:
    """Write a file."""
    path.write_bytes(data)
    return path


def gadget2_cut(length: int) -> Make:
    """Cut a binary file off."""

    def make(folder: Path, types: Types) -> Path:
        path = write_gadget2(folder / "s", types)
        path.write_bytes(path.read_bytes()[:length])
        return path

    return make


def lacking(make: Make, name: str) -> Make:
    """Remove one file of several."""

    def made(folder: Path, types: Types) -> Path:
        path = make(folder, types)
        (folder / name).unlink()
        return path

    return made


def changed(make: Make, name: str, attribute: str, value: object) -> Make:
    """Change an attribute of the header of one file."""

    def made(folder: Path, types: Types) -> Path:
        path = make(folder, types)
        with h5py.File(folder / name, "a") as file:
            file["Header"].attrs[attribute] = value
        return path

    return made


def several(folder: Path, types: Types) -> Path:
    """Write three files of GADGET-4."""
    return write_gadget4(folder / "s.hdf5", types, files=3)


NONE: Types = {1: part(sphere(1), 1)}
NOT_GOOD: dict[str, tuple[Make, list[str]]] = {
    "header of GADGET-2 cut off": (gadget2_cut(200), ["HEAD: has no header of 256 bytes"]),
    "GADGET-2 cut off in the positions": (gadget2_cut(400), ["POS : is no block of 6144 or 12288"]),
    "GADGET-2 cut off in the masses": (gadget2_cut(16500), ["MASS: is no block", "copy"]),
    "wrong marker after the header": (
        gadget2_bytes(260, struct.pack("<I", 255)),
        ["HEAD: has no header of 256 bytes", "GADGET2_HEADER"],
    ),
    "header of GADGET-4 in binary": (
        lambda p, _: write_bytes(p / "s", struct.pack("<I", 192) + bytes(192) + b"\xc0\0\0\0"),
        ["HEAD: has no header of 256 bytes; write it again, with GADGET-4 as HDF5"],
    ),
    "wrong marker of positions": (
        gadget2_bytes(264, struct.pack("<I", 6140)),
        ["POS : is no block of 6144 or 12288 bytes, as the particles in the header take"],
    ),
    "counts of GADGET-2 that disagree": (
        gadget2_bytes(8, struct.pack("<I", 301)),
        ["POS : is no block", "as the particles in the header take"],
    ),
    "absurd counts of GADGET-2": (
        gadget2_bytes(4, struct.pack("<6I", *[2**32 - 1] * 6)),
        ["POS : is no block", "copy the file again"],
    ),
    "no particles in GADGET-2": (
        lambda p, _: write_gadget2(p / "s", NONE),
        ["npart: the file holds no particles; give at least one"],
    ),
    "no particles in GADGET-4": (
        lambda p, _: write_gadget4(p / "s.hdf5", NONE),
        ["/Header/NumPart_ThisFile: the file holds no particles; give at least one"],
    ),
    "a file of GADGET-2 is missing": (
        lacking(lambda p, t: write_gadget2(p / "s", t, files=3), "s.1"),
        ["input: is one of 3 files of a snapshot, and s.1 is missing; copy it"],
    ),
    "a file of GADGET-4 is missing": (
        lacking(several, "s.2.hdf5"),
        ["input: is one of 3 files of a snapshot, and s.2.hdf5 is missing; copy it"],
    ),
    "files of other times": (
        changed(several, "s.1.hdf5", "Time", 2.0),
        ["s.1.hdf5: input: the time is 2, but 0 in s.0.hdf5; give files of one snapshot"],
    ),
    "files of other snapshots": (
        changed(several, "s.1.hdf5", "NumFilesPerSnapshot", 4),
        ["s.1.hdf5: input: the number of files is 4, but 3 in s.0.hdf5"],
    ),
    "absurd number of files": (
        changed(several, "s.0.hdf5", "NumFilesPerSnapshot", 2**31 - 1),
        ["input: ", "the number of files is 3, but 2147483647 in s.0.hdf5"],
    ),
    "files that do not hold all": (
        changed(several, "s.0.hdf5", "NumPart_Total", np.array([0, 301, 0, 0, 212, 0])),
        ["input: its 3 files hold 300 particles of type 1, but the snapshot has 301; copy"],
    ),
    "no units": (
        without_units,
        ["/Header/UnitLength_in_cm: the attribute is missing", "units into s.param"],
    ),
    "no h": (
        lambda p, t: write_arepo(p / "s.hdf5", t, header={"Redshift": 1.0, "HubbleParam": 0.0}),
        ["/Header/HubbleParam: does not tell h, but the snapshot is comoving; add it"],
    ),
    "matter, but neither h nor expansion": (
        lambda p, t: write_arepo(
            p / "s.hdf5", t, header={"Omega0": 0.3, "HubbleParam": 0.0, "Time": 0.5}
        ),
        ["/Header/Omega0: is 0.3, but nothing tells h", "add HubbleParam"],
    ),
    "redshift without expansion": (
        lambda p, t: write_gadget4(p / "s.hdf5", t, header={"Redshift": 1.0}),
        ["/Header/Redshift: is 1 though", "ComovingIntegrationOn is 0; correct one"],
    ),
    "redshift of 1e300": (
        lambda p, t: write_arepo(p / "s.hdf5", t, header={"Redshift": 1e300}),
        ["/Header/Redshift: makes the scale factor 1e-300; correct it"],
    ),
    "redshift of -1": (
        lambda p, t: write_arepo(p / "s.hdf5", t, header={"Redshift": -1.0}),
        ["/Header/Redshift: makes the scale factor inf; correct it"],
    ),
}


@pytest.mark.parametrize("case", NOT_GOOD)
def test_foreign_files_that_are_not_good_are_refused(
    gothic: Gothic, types: Types, case: str
) -> None:
    write, complaints = NOT_GOOD[case]
    path = write(gothic.folder, types)
    message = gothic.refused("force", "--input", path, *FORCE)
    for complaint in complaints:
        assert complaint in message


def test_no_file_of_several_is_written_over(gothic: Gothic, types: Types) -> None:
    path = several(gothic.folder, types)
    output = ("--softening", 0.05, "--output", "s.1.hdf5")
    assert "is the input" in gothic.refused("force", "--input", path, *output)
    convert = ("convert", path, "s.2.hdf5")
    assert "is the input" in gothic.refused(*convert, program="gothic-ic")


def test_positions_beyond_single_precision_are_refused(gothic: Gothic) -> None:
    import gothic as package

    random = np.random.default_rng(3)
    positions = np.array([1e4, 0, 0]) + 1e-3 * random.normal(size=(4000, 3))
    arrays = sphere(4000) | {"Coordinates": positions}
    own = write_own(gothic.folder / "far.h5", {1: arrays})
    (gothic.folder / "far.param").write_text(GADGET_UNITS.format(*GALACTIC))
    binary = write_gadget2(gothic.folder / "far", {1: arrays}, real="f8")
    words = "single precision moves particles by "
    for path in (own, binary):
        message = gothic.refused("force", "--input", path, *FORCE)
        assert f"{path.name}: Coordinates: {words}" in message
        assert "subtract the centre of the system from the positions" in message
    with pytest.raises(package.InputError, match=f"arrays: positions: {words}"):
        package.Snapshot(positions, 1.0)
    near = package.Snapshot(positions - [1e4, 0, 0], 1.0)
    with pytest.raises(package.InputError, match=words):
        near.shifted(position=(1e4, 0, 0))


@NEEDS_MPIRUN
@pytest.mark.parametrize("ranks", [1, 2])
def test_systems_far_from_the_origin_are_warned_of(gothic: Gothic, ranks: int) -> None:
    near = sphere(512)
    far = near | {"Coordinates": near["Coordinates"] + np.float32(1e4)}
    for name, arrays in (("near.h5", near), ("far.h5", far)):
        write_snapshot(gothic.folder / name, arrays)
    options = ("--steps", 2, "--energy-bound", 0)
    for name, softening, warned in (
        ("far.h5", 0.01, True),
        ("far.h5", 0.05, False),  # steps of 1e-3 are a fiftieth of it
        ("near.h5", 1e-9, False),
    ):
        run = ("run", "--input", name, "--output", "out", "--overwrite", "--softening", softening)
        result = gothic.on(ranks).call(*run, *options)
        assert result.returncode == 0, result.stderr
        words = (
            f"gothic: warning: {name}: the system is 1.73e+04 away from the origin, where single "
            "precision has steps of 0.00098, 0.098 of the softening; subtract its centre"
        )
        assert result.stderr.count(words) == warned, result.stderr
        assert result.stderr.count("away from the origin") == warned
