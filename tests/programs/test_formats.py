"""Files of the programs, opened by packages that users analyse them with."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import venv
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import h5py
import numpy as np
import pytest

from tests.conftest import ROOT
from tests.programs.gothic import Gothic
from tests.programs.snapshots import Arrays, read_forces

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
    """Make a galaxy in physical units, a sphere in model units, and files of runs with them."""
    folder = tmp_path_factory.mktemp("formats")
    gothic = Gothic(programs, folder)
    for name in ("galaxy_tipsy", "nfw_tipsy", "run_tipsy"):  # one file of units in each
        (folder / name).mkdir()
    (folder / "galaxy.toml").write_text(PHYSICAL)
    nfw = ROOT / "config" / "models" / "nfw.toml"
    for model, name in (("galaxy.toml", "galaxy"), (nfw, "nfw")):
        gothic.make(model, "--particles", 2000, "--output", f"{name}.h5")
        gothic.make("convert", f"{name}.h5", f"{name}_tipsy/{name}.tipsy")
    often = ("--snapshot-interval", 2**-11, "--compression", 6)
    gothic.done("run", "--input", "galaxy.h5", "--output", "run", "--time", 2**-10, *often)
    gothic.make("convert", "run/snapshot_002.h5", "run_tipsy/end.tipsy")
    return folder


@pytest.fixture(scope="module")
def yt() -> ModuleType:
    import yt

    yt.set_log_level("error")
    return yt


@pytest.fixture
def pynbody() -> Iterator[ModuleType]:
    """Provide the package, which warns that files of isolated galaxies are not cosmological."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pynbody

        yield pynbody


def time_in_gigayears(path: Path) -> float:
    """Read the time of a file whose unit is kpc / (km/s)."""
    with h5py.File(path) as file:
        return 0.977792 * file["Header"].attrs["Time"]


@pytest.mark.parametrize("name", ["galaxy.h5", "run/snapshot_001.h5"])
def test_yt_opens_physical_units(files: Path, yt: ModuleType, name: str) -> None:
    dataset = yt.load(files / name)
    data = dataset.all_data()
    for kind in (1, 4):
        stored = read_forces(files / name, kind)
        group = f"PartType{kind}"
        order = np.argsort(data[group, "ParticleIDs"].v)
        for field, unit, wanted in (
            ("particle_mass", "Msun", 1e10 * stored["Masses"]),
            ("particle_position", "kpc", stored["Coordinates"]),
            ("particle_velocity", "km/s", stored["Velocities"]),
        ):
            values = data[group, field].to(unit).v[order]
            np.testing.assert_allclose(values, wanted, rtol=CONSTANTS)
        for field in {"Component", "Acceleration", "Potential"} & stored.keys():
            np.testing.assert_array_equal(data[group, field].v[order], stored[field])
    time = time_in_gigayears(files / name)
    np.testing.assert_allclose(dataset.current_time.to("Gyr").v, time, rtol=CONSTANTS)


def test_yt_opens_model_units(files: Path, yt: ModuleType) -> None:
    with h5py.File(files / "nfw.h5") as file:
        dataset = yt.load(files / "nfw.h5", unit_base=dict(file["Units"].attrs))
    units = (dataset.length_unit.to("cm"), dataset.mass_unit.to("g"), dataset.time_unit.to("s"))
    assert [unit.v for unit in units] == [1, 1, 1]
    data = dataset.all_data()
    stored = read_forces(files / "nfw.h5")
    order = np.argsort(data["PartType1", "ParticleIDs"].v)
    for name in ("Masses", "Coordinates", "Velocities"):
        np.testing.assert_array_equal(data["PartType1", name].v[order], stored[name])


def run_code_of(page: str, package: str, folder: Path) -> dict[str, Any]:
    """Run the Python code of a page from the first block that imports a package; return names."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    (first,) = (number for number, code in enumerate(blocks) if f"import {package}\n" in code)
    names: dict[str, Any] = {}
    with contextlib.chdir(folder):
        exec("\n".join(blocks[first:]), names)
    return names


@pytest.fixture(scope="module")
def m31(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make m31.h5 and a run of it, as README.md does, with few particles."""
    folder = tmp_path_factory.mktemp("m31")
    gothic = Gothic(programs, folder)
    model = ROOT / "config" / "models" / "m31.toml"
    gothic.make(model, "--particles", 4096, "--output", "m31.h5")
    gothic.done("run", "--input", "m31.h5", "--output", "result", "--time", 2**-12)
    return folder


def stars_within(path: Path, width: float, axes: int) -> float:
    """Sum the masses of stars in a box about the origin, seen along z where axes are 2."""
    stars = read_forces(path, 4)
    inside = (np.abs(stars["Coordinates"][:, :axes]) < width / 2).all(axis=1)
    return stars["Masses"][inside].sum(dtype=float)


@pytest.mark.parametrize(
    ("page", "name"), [("README.md", "result/snapshot_000.h5"), ("docs/formats.md", "m31.h5")]
)
def test_yt_draws_a_galaxy_by_the_lines_of_the_pages(
    m31: Path, yt: ModuleType, page: str, name: str
) -> None:
    names = run_code_of(page, "yt", m31)
    assert (m31 / "stars.png").stat().st_size > 10000
    drawn = np.nansum(names["stars"].frb["PartType4", "particle_mass"].to("Msun").v)
    assert drawn == pytest.approx(1e10 * stars_within(m31 / name, 40, 2), rel=CONSTANTS)
    if "surface_density" not in names:
        return
    assert (m31 / "surface_density.png").stat().st_size > 10000
    column = names["surface_density"].frb["stream", "density"].to("Msun/kpc**2").v
    wanted = 1e10 * stars_within(m31 / name, 40, 3)
    assert column.mean() * 40**2 == pytest.approx(wanted, rel=0.01)


def test_limits_of_yt_are_those_that_the_page_tells(m31: Path, yt: ModuleType) -> None:
    field = ("PartType4", "particle_mass")
    with pytest.raises(Exception, match="Could not find unit symbol 'unitary'"):
        yt.ParticleProjectionPlot(yt.load(m31 / "m31.h5"), "z", field)
    small = yt.load(m31 / "m31.h5", bounding_box=[[-10, 10]] * 3)
    assert small.periodicity == (False, False, False)
    left = small.all_data()["all", "particle_mass"].sum().to("Msun").v
    assert left < 0.5e10 * sum(read_forces(m31 / "m31.h5", kind)["Masses"].sum() for kind in (1, 4))
    with pytest.raises(NotImplementedError):
        yt.ProjectionPlot(small, "z", ("deposit", "PartType4_density"))


def test_pynbody_warns_of_units_as_the_page_tells(m31: Path) -> None:
    import pynbody

    words = "Unable to infer units from HDF attributes"
    assert words in (ROOT / "docs" / "formats.md").read_text()
    with pytest.warns(UserWarning, match=words):
        position = pynbody.load(str(m31 / "m31.h5")).star["pos"].in_units("kpc")
    stored = read_forces(m31 / "m31.h5", 4)["Coordinates"]
    np.testing.assert_allclose(position, stored, rtol=CONSTANTS)


def kinetic_energy(arrays: Arrays) -> float:
    return arrays["Masses"] @ np.square(arrays["Velocities"].astype(float)).sum(axis=1) / 2


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("galaxy.h5", "galaxy.h5"),
        ("galaxy_tipsy/galaxy.tipsy", "galaxy.h5"),
        ("run/snapshot_001.h5", "run/snapshot_001.h5"),
        ("run_tipsy/end.tipsy", "run/snapshot_002.h5"),
    ],
)
def test_pynbody_opens_physical_units(
    files: Path, pynbody: ModuleType, name: str, source: str
) -> None:
    galaxy = pynbody.load(str(files / name))
    assert len(galaxy) == 2000
    for family, kind in ((galaxy.dm, 1), (galaxy.star, 4)):
        stored = read_forces(files / source, kind)
        for field, unit, wanted in (
            ("mass", "Msol", 1e10 * stored["Masses"]),
            ("pos", "kpc", stored["Coordinates"]),
            ("vel", "km s**-1", stored["Velocities"]),
        ):
            values = np.asarray(family[field].in_units(unit))
            np.testing.assert_allclose(values, wanted, rtol=CONSTANTS)
        energy = (family["mass"] * family["ke"]).sum().in_units("Msol km**2 s**-2")
        wanted = 1e10 * kinetic_energy(stored)
        assert float(energy) == pytest.approx(wanted, rel=2 * CONSTANTS)
    time = time_in_gigayears(files / source)
    assert float(galaxy.properties["time"].in_units("Gyr")) == pytest.approx(time, rel=CONSTANTS)
    if name == "galaxy_tipsy/galaxy.tipsy":
        np.testing.assert_allclose(np.asarray(galaxy["eps"].in_units("kpc")), 0.05, rtol=1e-6)


@pytest.mark.parametrize("name", ["nfw.h5", "nfw_tipsy/nfw.tipsy"])
def test_pynbody_opens_model_units(files: Path, pynbody: ModuleType, name: str) -> None:
    sphere = pynbody.load(str(files / name))
    assert len(sphere.dm) == len(sphere) == 2000
    stored = read_forces(files / "nfw.h5")
    for ours, theirs in (("Masses", "mass"), ("Coordinates", "pos"), ("Velocities", "vel")):
        np.testing.assert_array_equal(np.asarray(sphere[theirs]), stored[ours])


def test_snapshot_of_a_run_has_names_and_models_of_its_components(files: Path) -> None:
    with h5py.File(files / "run" / "snapshot_001.h5") as file:
        components = {key: data[()].tolist() for key, data in file["Components"].items()}
        for kind, number in ((1, 0), (4, 1)):
            assert set(file[f"PartType{kind}/Component"][()]) == {number}
    (digest,) = set(components.pop("ModelDigest"))
    assert len(digest) == 16
    assert components == {
        "Name": [b"halo", b"bulge"],
        "Type": [1, 4],
        "Softening": [0.05, 0.05],
        "Model": [b"galaxy", b"galaxy"],
    }


@pytest.mark.long
def test_newest_packages_do_as_well(programs: Path, tmp_path: Path) -> None:
    """The packages of requirements.lock are tested above; here the newest that can be installed."""
    venv.create(tmp_path / "newest", with_pip=True)
    python = tmp_path / "newest" / "bin" / "python"
    packages = ["yt", "pynbody", "h5py", "matplotlib", "pytest"]
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    installed = subprocess.run([*pip, *packages], capture_output=True, text=True, check=False)
    if installed.returncode != 0:
        pytest.skip(f"they cannot be installed: {installed.stderr.strip().splitlines()[-1]}")
    chosen = ["-m", "pytest", "-p", "no:cacheprovider", "-k", "opens or draws", __file__]
    result = subprocess.run(
        [python, *chosen],
        cwd=ROOT,
        env=os.environ | {"GOTHIC_PROGRAMS": str(programs), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    assert re.search(r"^=+ 1[0-9] passed, [0-9]+ deselected", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("place", [("galaxy.std",), ("x.data", "--format", "tipsy")])
def test_generator_writes_tipsy(files: Path, programs: Path, place: tuple[str, ...]) -> None:
    Gothic(programs, files).make("galaxy.toml", "--particles", 2000, "--output", *place)
    converted = (files / "galaxy_tipsy" / "galaxy.tipsy").read_bytes()
    assert (files / place[0]).read_bytes() == converted
