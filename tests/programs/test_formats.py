"""Files of the programs, opened by the packages that others analyse them with."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import h5py
import numpy as np
import pytest

from tests.conftest import ROOT
from tests.programs.gothic import Gothic

# The packages have other values of the solar mass and of Newton's constant than GADGET.
CONSTANTS = 1e-3

PHYSICAL = """
softening = 0.05
[units]  # 1e10 solar masses, kpc, km/s
length_in_cm = 3.085678e21
mass_in_g = 1.989e43
velocity_in_cm_per_s = 1e5
[[component]]
name = "halo"
profile = "nfw"
mass = 20.0
scale = 5.0
cutoff = 50.0
cutoff_width = 5.0
[[component]]
name = "bulge"
profile = "hernquist"
mass = 1.0
scale = 0.5
cutoff = 10.0
cutoff_width = 1.0
type = 4
"""


@pytest.fixture(scope="module")
def files(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a galaxy in physical units, a sphere in model units, and what becomes of them."""
    folder = tmp_path_factory.mktemp("formats")
    gothic = Gothic(programs, folder)
    for name in ("galaxy_tipsy", "nfw_tipsy", "run_tipsy"):
        (folder / name).mkdir()
    (folder / "galaxy.toml").write_text(PHYSICAL)
    nfw = ROOT / "config" / "models" / "nfw.toml"
    for model, name in (("galaxy.toml", "galaxy"), (nfw, "nfw")):
        gothic.make(model, "--particles", 2000, "--output", f"{name}.h5")
        gothic.make("convert", f"{name}.h5", f"{name}_tipsy/{name}.tipsy")
    gothic.make("convert", "galaxy_tipsy/galaxy.tipsy", "back.h5")
    often = ("--snapshot-interval", 2**-11, "--compression", 6)
    gothic.done("run", "--input", "galaxy.h5", "--output", "run", "--time", 2**-10, *often)
    gothic.make("convert", "run/snapshot_002.h5", "run_tipsy/end.tipsy")
    return folder


def particles(path: Path) -> dict[int, dict[str, np.ndarray]]:
    """Read all datasets of all types, as they are stored."""
    with h5py.File(path) as file:
        return {
            kind: {name: data[()] for name, data in file[f"PartType{kind}"].items()}
            for kind in range(6)
            if f"PartType{kind}" in file
        }


def total(path: Path) -> tuple[float, float]:
    """Sum mass and kinetic energy in the units of the file."""
    kinds = particles(path).values()
    mass = np.concatenate([arrays["Masses"] for arrays in kinds]).astype(float)
    velocity = np.concatenate([arrays["Velocities"] for arrays in kinds]).astype(float)
    return mass.sum(), (mass * np.square(velocity).sum(axis=1)).sum() / 2


def time_in_gigayears(path: Path) -> float:
    """Read the time of a file whose unit is kpc / (km/s)."""
    with h5py.File(path) as file:
        return 0.977792 * file["Header"].attrs["Time"]


# --- yt


@pytest.fixture(scope="module")
def load_with_yt() -> Callable:
    import yt

    yt.set_log_level("error")
    return yt.load


@pytest.mark.parametrize("name", ["galaxy.h5", "run/snapshot_001.h5"])
def test_yt_opens_physical_units(files: Path, load_with_yt: Callable, name: str) -> None:
    dataset = load_with_yt(files / name)
    data = dataset.all_data()
    stored = particles(files / name)
    assert set(stored) == {1, 4}
    for kind, arrays in stored.items():
        group = f"PartType{kind}"
        order = np.argsort(data[group, "ParticleIDs"].v)
        for field, unit, wanted in (
            ("particle_mass", "Msun", 1e10 * arrays["Masses"]),
            ("particle_position", "kpc", arrays["Coordinates"]),
            ("particle_velocity", "km/s", arrays["Velocities"]),
        ):
            values = data[group, field].to(unit).v[order]
            np.testing.assert_allclose(values, wanted, rtol=CONSTANTS)
        for field in ("Component", "Acceleration", "Potential"):
            if field in arrays:
                values = data[group, field].v[order]
                np.testing.assert_array_equal(values, arrays[field])
    time = time_in_gigayears(files / name)
    np.testing.assert_allclose(dataset.current_time.to("Gyr").v, time, rtol=CONSTANTS)


def test_yt_opens_model_units(files: Path, load_with_yt: Callable) -> None:
    with h5py.File(files / "nfw.h5") as file:
        units = dict(file["Units"].attrs)
    dataset = load_with_yt(files / "nfw.h5", unit_base=units)
    assert dataset.length_unit.to("cm").v == 1
    assert dataset.mass_unit.to("g").v == 1
    assert dataset.time_unit.to("s").v == 1
    data = dataset.all_data()
    arrays = particles(files / "nfw.h5")[1]
    order = np.argsort(data["PartType1", "ParticleIDs"].v)
    for name in ("Masses", "Coordinates", "Velocities"):
        np.testing.assert_array_equal(data["PartType1", name].v[order], arrays[name])


# --- pynbody


@pytest.fixture
def pynbody() -> Iterator[ModuleType]:
    """Provide the package, which warns that files of isolated galaxies are not cosmological."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pynbody

        yield pynbody


@pytest.mark.parametrize(
    ("name", "source_name"),
    [
        ("galaxy.h5", "galaxy.h5"),
        ("galaxy_tipsy/galaxy.tipsy", "galaxy.h5"),
        ("run/snapshot_001.h5", "run/snapshot_001.h5"),
        ("run_tipsy/end.tipsy", "run/snapshot_002.h5"),
    ],
)
def test_pynbody_opens_physical_units(
    files: Path, pynbody: ModuleType, name: str, source_name: str
) -> None:
    source = files / source_name
    stored = particles(source)
    galaxy = pynbody.load(str(files / name))
    assert len(galaxy.dm) == len(stored[1]["Masses"])
    assert len(galaxy.star) == len(stored[4]["Masses"])
    assert len(galaxy) == 2000
    for family, arrays in ((galaxy.dm, stored[1]), (galaxy.star, stored[4])):
        positions = np.asarray(family["pos"].in_units("kpc"))
        np.testing.assert_allclose(positions, arrays["Coordinates"], rtol=CONSTANTS)
        velocities = np.asarray(family["vel"].in_units("km s**-1"))
        np.testing.assert_allclose(velocities, arrays["Velocities"], rtol=CONSTANTS)

    mass, kinetic = total(source)
    assert float(galaxy["mass"].sum().in_units("Msol")) == pytest.approx(1e10 * mass, rel=CONSTANTS)
    energy = (galaxy["mass"] * galaxy["ke"]).sum().in_units("Msol km**2 s**-2")
    assert float(energy) == pytest.approx(1e10 * kinetic, rel=2 * CONSTANTS)
    time = time_in_gigayears(source)
    assert float(galaxy.properties["time"].in_units("Gyr")) == pytest.approx(time, rel=CONSTANTS)


def test_pynbody_knows_the_softening_of_tipsy(files: Path, pynbody: ModuleType) -> None:
    galaxy = pynbody.load(str(files / "galaxy_tipsy" / "galaxy.tipsy"))
    np.testing.assert_allclose(np.asarray(galaxy["eps"].in_units("kpc")), 0.05, rtol=1e-6)


@pytest.mark.parametrize("name", ["nfw.h5", "nfw_tipsy/nfw.tipsy"])
def test_pynbody_opens_model_units(files: Path, pynbody: ModuleType, name: str) -> None:
    sphere = pynbody.load(str(files / name))
    arrays = particles(files / "nfw.h5")[1]
    assert len(sphere.dm) == len(sphere) == 2000
    for ours, theirs in (("Masses", "mass"), ("Coordinates", "pos"), ("Velocities", "vel")):
        np.testing.assert_array_equal(np.asarray(sphere[theirs]), arrays[ours])


# --- The files themselves


def test_snapshot_has_the_names_of_its_components(files: Path) -> None:
    path = files / "run" / "snapshot_001.h5"
    with h5py.File(path) as file:
        components = {key: data[()] for key, data in file["Components"].items()}
        for kind in ("PartType1", "PartType4"):
            assert {"Component", "Acceleration", "Potential"} <= set(file[kind])
            assert {data.compression for data in file[kind].values()} == {"gzip"}
    assert components["Name"].tolist() == [b"halo", b"bulge"]
    assert components["Type"].tolist() == [1, 4]
    assert components["Softening"].tolist() == [0.05, 0.05]
    for kind, arrays in particles(path).items():
        assert set(components["Type"][arrays["Component"]]) == {kind}


def test_tipsy_is_as_good_as_hdf5(files: Path) -> None:
    before, after = particles(files / "galaxy.h5"), particles(files / "back.h5")
    for kind, arrays in before.items():
        for name in ("Masses", "Coordinates"):
            np.testing.assert_array_equal(after[kind][name], arrays[name])
        np.testing.assert_allclose(after[kind]["Velocities"], arrays["Velocities"], rtol=2.0**-22)
    with h5py.File(files / "back.h5") as file:
        assert file["Header"].attrs["Softening"] == 0.05


def test_generator_writes_tipsy(files: Path, programs: Path) -> None:
    gothic = Gothic(programs, files)
    converted = (files / "galaxy_tipsy" / "galaxy.tipsy").read_bytes()
    for place in (("galaxy.std",), ("x.data", "--format", "tipsy")):
        gothic.make("galaxy.toml", "--particles", 2000, "--output", *place)
        assert (files / place[0]).read_bytes() == converted


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ic.h5", "ic.dat"), "ic.dat: output: its suffix tells no format"),
        (("no.h5", "b.h5"), "no.h5: input: there is no such file; check the name"),
        (("ic.h5", "ic.h5"), "ic.h5: output: is the input; choose another name"),
        (("ic.h5",), "output is required; see gothic-ic convert --help"),
        (("ic.h5", "b.h5", "--format", "fits"), "--format: fits is none of hdf5, tipsy"),
    ],
)
def test_conversion_refuses_what_it_cannot_do(
    gothic: Gothic, arguments: tuple[str, ...], message: str
) -> None:
    assert message in gothic.refused("convert", *arguments, program="gothic-ic")
