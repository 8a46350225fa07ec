"""Bad input is refused with one line that names file, field and remedy; odd input works."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.gothic import Gothic
from tests.programs.snapshots import Arrays, direct_sum, read_forces, sphere, write_snapshot

COMMANDS = {
    "run": ("run", "--input", "bad.h5", "--output", "out", "--steps", "2"),
    "force": ("force", "--input", "bad.h5", "--output", "out.h5"),
    "direct": ("direct", "--input", "bad.h5", "--output", "out.h5"),
}


def expect_refused(gothic: Gothic, command: str, complaints: list[str]) -> None:
    message = gothic.refused(*COMMANDS[command])
    for complaint in ["bad.h5: ", *complaints]:
        assert complaint in message


@pytest.mark.parametrize(
    ("header", "complaints"),
    [
        ({"NumPart_ThisFile": None}, ["/Header/NumPart_ThisFile", "missing", "add"]),
        ({"NumPart_ThisFile": np.zeros(6, int)}, ["no particles", "at least one"]),
        ({"NumPart_ThisFile": [0, 2**31 - 1, 0, 0, 0, 0]}, ["shape", "[2147483647, 3]"]),
        ({"NumFilesPerSnapshot": 4}, ["/Header/NumFilesPerSnapshot", "join"]),
        ({"UnitMass_in_g": None}, ["/Header/UnitMass_in_g", "missing", "add it"]),
        ({"Softening": 0.0}, ["/Header/Softening", "--softening"]),
        ({"Softening": 1e-25}, ["/Header/Softening", "single precision"]),
    ],
    ids=str,
)
def test_bad_header_is_refused(
    gothic: Gothic, header: dict[str, object], complaints: list[str]
) -> None:
    write_snapshot(gothic.folder / "bad.h5", sphere(16), header=header)
    expect_refused(gothic, "force", complaints)


@pytest.mark.parametrize("command", COMMANDS)
class TestEveryCommand:
    """What can be wrong with a file as a whole."""

    def test_missing_file(self, gothic: Gothic, command: str) -> None:
        expect_refused(gothic, command, ["input", "no such file", "check the name"])

    def test_folder(self, gothic: Gothic, command: str) -> None:
        (gothic.folder / "bad.h5").mkdir()
        expect_refused(gothic, command, ["input", "folder", "give the name of a file"])

    def test_not_hdf5(self, gothic: Gothic, command: str) -> None:
        (gothic.folder / "bad.h5").write_bytes(b"position mass velocity\n" * 100)
        expect_refused(gothic, command, ["input", "not an HDF5 file", "GADGET"])

    def test_truncated_file(self, gothic: Gothic, command: str) -> None:
        whole = (gothic.folder / "ic.h5").read_bytes()
        (gothic.folder / "bad.h5").write_bytes(whole[: len(whole) // 2])
        expect_refused(gothic, command, ["truncated", "write or copy it again"])

    def test_bad_particles(self, gothic: Gothic, command: str) -> None:
        arrays = sphere(16)
        arrays["Coordinates"][3, 1] = np.nan
        write_snapshot(gothic.folder / "bad.h5", arrays)
        name = f"ID {arrays['ParticleIDs'][3]} "
        expect_refused(gothic, command, ["/PartType1/Coordinates", name, "NaN", "remove"])

    def test_no_softening_anywhere(self, gothic: Gothic, command: str) -> None:
        write_snapshot(gothic.folder / "bad.h5", sphere(8), header={"Softening": None})
        expect_refused(gothic, command, ["/Header/Softening", "--softening"])


def forces(gothic: Gothic, arrays: Arrays) -> tuple[Arrays, Arrays]:
    """Tree forces with a vanishing accuracy parameter, and direct sums by the program."""
    write_snapshot(gothic.folder / "odd.h5", arrays)
    for command in ("force", "direct"):
        more = ("--accuracy", "1e-7") if command == "force" else ()
        gothic.done(command, "--input", "odd.h5", "--output", f"{command}.h5", *more)
    return read_forces(gothic.folder / "force.h5"), read_forces(gothic.folder / "direct.h5")


def compare(arrays: Arrays, found: Arrays, tolerance: float) -> None:
    """Expect the forces of an independent direct sum, in the order of the IDs."""
    order = np.argsort(arrays["ParticleIDs"])
    acceleration, potential = (values[order] for values in direct_sum(arrays, 0.05))
    assert found["ParticleIDs"].tolist() == sorted(arrays["ParticleIDs"])
    scale = np.abs(acceleration).max() + 1e-30
    np.testing.assert_allclose(found["Acceleration"], acceleration, atol=tolerance * scale)
    np.testing.assert_allclose(
        found["Potential"], potential, atol=tolerance * (np.abs(potential).max() + 1e-30)
    )


def coincident(share: float) -> Arrays:
    arrays = sphere(256)
    arrays["Coordinates"][: int(share * 256)] = (0.25, -0.5, 1)
    return arrays


def massless() -> Arrays:
    arrays = sphere(256)
    arrays["Masses"][::2] = 0
    return arrays


ODD = {f"{count} particles": sphere(count) for count in (1, 2, 3, 31, 33)}
ODD |= {"half in a point": coincident(0.5), "all in a point": coincident(1)}
ODD |= {"half without mass": massless()}


@pytest.mark.parametrize("case", ODD)
def test_odd_particles_work(gothic: Gothic, case: str) -> None:
    arrays = ODD[case]
    tree, direct = forces(gothic, arrays)
    compare(arrays, tree, 1e-5)
    compare(arrays, direct, 1e-6)
    gothic.done("run", "--input", "odd.h5", "--output", "out", "--steps", 8)
    for name, values in read_forces(gothic.folder / "out" / "snapshot_000.h5").items():
        assert np.isfinite(values).all(), name


def test_single_particle_moves_straight(gothic: Gothic) -> None:
    arrays = sphere(1)
    write_snapshot(gothic.folder / "odd.h5", arrays)
    gothic.done("run", "--input", "odd.h5", "--output", "out", "--time", "3")
    found = read_forces(gothic.folder / "out" / "snapshot_000.h5")
    expected = arrays["Coordinates"] + 3 * arrays["Velocities"]
    np.testing.assert_allclose(found["Coordinates"], expected, rtol=1e-6)
    own = 1 / 0.05  # what must not be in the potential, but for the error of the root
    assert abs(found["Potential"]) < 1e-4 * own
    assert (found["Acceleration"] == 0).all()


def test_mass_may_come_from_the_header(gothic: Gothic) -> None:
    arrays = sphere(64)
    del arrays["Masses"]
    header = {"MassTable": [0, 1 / 64, 0, 0, 0, 0]}
    write_snapshot(gothic.folder / "table.h5", arrays, header=header)
    gothic.done("direct", "--input", "table.h5", "--output", "out.h5")
    compare(sphere(64), read_forces(gothic.folder / "out.h5"), 1e-6)


def test_option_goes_before_the_softening_of_the_file(gothic: Gothic) -> None:
    arrays = sphere(64)
    write_snapshot(gothic.folder / "soft.h5", arrays, header={"Softening": 0.5})
    command = ("direct", "--input", "soft.h5", "--output", "out.h5", "--softening", "0.05")
    gothic.done(*command)
    compare(arrays, read_forces(gothic.folder / "out.h5"), 1e-6)
