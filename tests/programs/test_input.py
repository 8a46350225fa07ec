"""Bad input is refused with one line that names file, field and remedy; odd input works."""

from __future__ import annotations

from collections.abc import Callable

import h5py
import numpy as np
import pytest

from tests.programs.gothic import Gothic
from tests.programs.snapshots import Arrays, direct_sum, read_forces, sphere, write_snapshot

COMMANDS = {
    "run": ("run", "--input", "bad.h5", "--output", "out", "--steps", "2"),
    "force": ("force", "--input", "bad.h5", "--output", "out.h5"),
    "direct": ("direct", "--input", "bad.h5", "--output", "out.h5"),
}


def without(name: str) -> Callable[[Arrays], None]:
    def remove(arrays: Arrays) -> None:
        del arrays[name]

    return remove


def setting(name: str, index: object, value: float) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name][index] = value

    return change


def replacing(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Arrays], None]:
    def replace(arrays: Arrays) -> None:
        arrays[name] = change(arrays[name])

    return replace


BAD_ARRAYS = {
    "no positions": (without("Coordinates"), ["/Coordinates", "missing", "add it"]),
    "no velocities": (without("Velocities"), ["/Velocities", "missing", "add it"]),
    "no masses": (without("Masses"), ["/Masses", "missing", "MassTable", "add either"]),
    "NaN in positions": (
        setting("Coordinates", (3, 1), np.nan),
        ["/Coordinates", "ID 4 ", "NaN", "remove"],
    ),
    "infinite velocity": (
        setting("Velocities", (7, 0), -np.inf),
        ["/Velocities", "ID 8 ", "infinite", "remove"],
    ),
    "NaN mass": (setting("Masses", 5, np.nan), ["/Masses", "ID 6 ", "NaN", "remove"]),
    "beyond single precision": (
        replacing("Coordinates", lambda r: r.astype(float) * 1e300),
        ["/Coordinates", "beyond single precision"],
    ),
    "negative mass": (setting("Masses", 2, -1), ["/Masses", "ID 3 ", "negative", "positive"]),
    "no mass at all": (setting("Masses", slice(None), 0), ["/Masses", "all masses are zero"]),
    "ID twice": (setting("ParticleIDs", 4, 9), ["/ParticleIDs", "ID 9 ", "its own"]),
    "flat positions": (replacing("Coordinates", np.ravel), ["/Coordinates", "shape", "[16, 3]"]),
    "too few velocities": (
        replacing("Velocities", lambda v: v[1:]),
        ["/Velocities", "[15, 3]", "[16, 3]"],
    ),
    "two masses each": (
        replacing("Masses", lambda m: np.stack([m, m], 1)),
        ["/Masses", "[16, 2]", "[16]"],
    ),
    "positions in words": (
        replacing("Coordinates", lambda r: r.astype("S8")),
        ["/Coordinates", "type", "numbers"],
    ),
    "IDs with fractions": (
        replacing("ParticleIDs", lambda i: i + 0.5),
        ["/ParticleIDs", "type", "integers"],
    ),
}

BAD_HEADERS = {
    "no numbers": ({"NumPart_ThisFile": None}, ["/Header/NumPart_ThisFile", "missing", "add"]),
    "no particles": (
        {"NumPart_ThisFile": np.zeros(6, int)},
        ["/Header/NumPart_ThisFile", "no particles", "at least one"],
    ),
    "too few numbers": ({"NumPart_ThisFile": [0, 16]}, ["/Header/NumPart_ThisFile", "needs 6"]),
    "more particles than there are": (
        {"NumPart_ThisFile": [0, 2**31 - 1, 0, 0, 0, 0]},
        ["/Coordinates", "shape", "[2147483647, 3]"],
    ),
    "other type counted": ({"NumPart_ThisFile": [0, 0, 16, 0, 0, 0]}, ["/PartType2", "missing"]),
    "several files": ({"NumFilesPerSnapshot": 4}, ["/Header/NumFilesPerSnapshot", "join"]),
    "no time": ({"Time": None}, ["/Header/Time", "missing", "add it"]),
    "time that is no number": ({"Time": np.nan}, ["/Header/Time", "finite", "correct"]),
    "no unit": ({"UnitMass_in_g": None}, ["/Header/UnitMass_in_g", "missing", "add it"]),
    "unit of zero": ({"UnitLength_in_cm": 0.0}, ["/Header/UnitLength_in_cm", "positive"]),
    "no softening": ({"Softening": None}, ["/Header/Softening", "--softening"]),
    "softening of zero": ({"Softening": 0.0}, ["/Header/Softening", "--softening"]),
    "negative softening": ({"Softening": -1.0}, ["/Header/Softening", "negative"]),
    "softening too small": ({"Softening": 1e-25}, ["/Header/Softening", "single precision"]),
}


def ordered_sphere(count: int) -> Arrays:
    return sphere(count) | {"ParticleIDs": np.arange(1, count + 1, dtype=np.uint64)}


def expect_refused(gothic: Gothic, command: str, complaints: list[str]) -> None:
    message = gothic.refused(*COMMANDS[command])
    for complaint in ["bad.h5: ", *complaints]:
        assert complaint in message


@pytest.mark.parametrize("case", BAD_ARRAYS)
def test_bad_particles_are_refused(gothic: Gothic, case: str) -> None:
    change, complaints = BAD_ARRAYS[case]
    arrays = ordered_sphere(16)
    change(arrays)
    header = {"NumPart_ThisFile": [0, 16, 0, 0, 0, 0]}
    write_snapshot(gothic.folder / "bad.h5", arrays, header=header)
    expect_refused(gothic, "force", ["/PartType1", *complaints])


@pytest.mark.parametrize("case", BAD_HEADERS)
def test_bad_header_is_refused(gothic: Gothic, case: str) -> None:
    header, complaints = BAD_HEADERS[case]
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

    @pytest.mark.parametrize("content", [b"", b"position mass velocity\n" * 100])
    def test_not_hdf5(self, gothic: Gothic, command: str, content: bytes) -> None:
        (gothic.folder / "bad.h5").write_bytes(content)
        expect_refused(gothic, command, ["input", "not an HDF5 file", "GADGET"])

    @pytest.mark.parametrize("left", [0.3, 0.9, 0.999])
    def test_truncated_file(self, gothic: Gothic, command: str, left: float) -> None:
        whole = (gothic.folder / "ic.h5").read_bytes()
        (gothic.folder / "bad.h5").write_bytes(whole[: int(left * len(whole))])
        expect_refused(gothic, command, ["truncated", "write or copy it again"])

    def test_other_hdf5(self, gothic: Gothic, command: str) -> None:
        with h5py.File(gothic.folder / "bad.h5", "w") as file:
            file["numbers"] = [1, 2, 3]
        expect_refused(gothic, command, ["/Header", "missing", "GADGET"])

    def test_no_softening_anywhere(self, gothic: Gothic, command: str) -> None:
        write_snapshot(gothic.folder / "bad.h5", sphere(8), header={"Softening": None})
        expect_refused(gothic, command, ["/Header/Softening", "--softening"])


def forces(gothic: Gothic, arrays: Arrays, *options: str) -> tuple[Arrays, Arrays]:
    """Tree forces with a vanishing accuracy parameter, and direct sums by the program."""
    write_snapshot(gothic.folder / "odd.h5", arrays)
    for command in ("force", "direct"):
        more = ("--accuracy", "1e-7", *options) if command == "force" else ()
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


def advance(gothic: Gothic, steps: int = 8) -> None:
    """Run, and expect finite results."""
    gothic.done("run", "--input", "odd.h5", "--output", "out", "--steps", steps)
    for name, values in read_forces(gothic.folder / "out" / "snapshot_000.h5").items():
        assert np.isfinite(values).all(), name


@pytest.mark.parametrize("count", [1, 2, 3, 31, 33])
def test_few_particles_work(gothic: Gothic, count: int) -> None:
    arrays = sphere(count)
    tree, direct = forces(gothic, arrays)
    compare(arrays, tree, 1e-5)
    compare(arrays, direct, 1e-6)
    advance(gothic)


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


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_coincident_particles_work(gothic: Gothic, share: float) -> None:
    arrays = sphere(256)
    arrays["Coordinates"][: int(share * 256)] = (0.25, -0.5, 1)
    tree, direct = forces(gothic, arrays)
    compare(arrays, tree, 1e-5)
    compare(arrays, direct, 1e-6)
    advance(gothic)


def test_particles_without_mass_work(gothic: Gothic) -> None:
    arrays = sphere(256)
    arrays["Masses"][::2] = 0
    tree, direct = forces(gothic, arrays)
    compare(arrays, tree, 1e-5)
    compare(arrays, direct, 1e-6)
    advance(gothic)


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
