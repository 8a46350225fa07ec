"""The number of the release, and the packages that the ways to install it name."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import yaml

from tests.conftest import ROOT

REPOSITORY = ROOT / "config" / "spack" / "spack_repo" / "gothic"
RECIPE = REPOSITORY / "packages" / "gothic" / "package.py"
# Packages of Debian, conda-forge and Spack.
PACKAGES = {
    "g++": ("cxx-compiler", "cxx"),
    "cmake": ("cmake", "cmake"),
    "ninja-build": ("ninja", "ninja"),
    "git": ("git", "git"),
    "python3-venv": ("python", "python"),
    "libhdf5-dev": ("hdf5", "hdf5"),
    "libcli11-dev": ("cli11", "cli11"),
    "libtomlplusplus-dev": ("tomlplusplus", "tomlplusplus"),
    "libfmt-dev": ("fmt", "fmt"),
    "nlohmann-json3-dev": ("nlohmann_json", "nlohmann-json"),
    "libutfcpp-dev": ("utfcpp", "utf8cpp"),
    "librandom123-dev": ("random123", "random123"),
    "libboost-dev": ("libboost-headers", "boost"),
    "libopenmpi-dev": ("openmpi", "mpi"),
}
OF_TESTS_AND_RUNS = {"libgtest-dev", "openmpi-bin", "python3-dev"}
BROUGHT_BY_HDF5 = {"zlib-api"}  # by its package on Debian and conda-forge


def version() -> str:
    """Read the one place of the version."""
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(gothic VERSION (\S+)", text)[1]


def test_files_name_one_version() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version()
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first[1].rstrip(",") == version()


@pytest.mark.parametrize("program", ["gothic", "gothic-ic"])
def test_programs_tell_the_version(program: str, programs: Path) -> None:
    words = [programs / program, "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == version()


def test_conda_has_the_packages_of_debian() -> None:
    script = (ROOT / "tools" / "setup.sh").read_text()
    debian = set(re.search(r"^packages=\((.*?)\)", script, re.DOTALL | re.MULTILINE)[1].split())
    assert debian == PACKAGES.keys() | OF_TESTS_AND_RUNS
    conda = yaml.safe_load((ROOT / "config" / "environment.yaml").read_text())["dependencies"]
    named = {re.match(r"[\w-]+", package)[0] for package in conda}
    assert {name for name, _ in PACKAGES.values()} <= named


# --- The recipe for Spack, with stand-ins for the words of its language


class Recorded:
    """What a recipe says."""

    said: dict[str, set[str]]

    def define(self, name: str, value: object) -> str:
        text = value if isinstance(value, str) else "ON" if value else "OFF"
        return f"-D{name}={text}"

    def define_from_variant(self, name: str, variant: str) -> str:
        return self.define(name, variant in self.spec.variants)


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> type[Recorded]:
    said: dict[str, set[str]] = {}

    def word(name: str) -> object:
        return lambda what, **_: said.setdefault(name, set()).add(what)

    systems = "spack_repo.builtin.build_systems"
    words = ("version", "license", "variant", "depends_on")
    modules = {
        "spack.package": {name: word(name) for name in words},
        f"{systems}.cmake": {"CMakePackage": Recorded, "generator": word("generator")},
        f"{systems}.cuda": {"CudaPackage": type("CudaPackage", (), {})},
    }
    for name, content in modules.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    spec = importlib.util.spec_from_file_location("recipe", RECIPE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.Gothic.said = said
    return module.Gothic


def test_recipe_has_the_packages_of_debian(recipe: type[Recorded]) -> None:
    assert recipe.git == f"file://{ROOT}"
    named = {name.split("@")[0] for name in recipe.said["depends_on"]} | recipe.said["generator"]
    assert named - BROUGHT_BY_HDF5 == {name for _, name in PACKAGES.values()}
    oldest = re.search(
        r"cmake_minimum_required\(VERSION (\S+)\)", (ROOT / "CMakeLists.txt").read_text()
    )
    assert f"cmake@{oldest[1]}:" in recipe.said["depends_on"]


def test_arguments_of_the_recipe_configure_the_programs(
    recipe: type[Recorded], tmp_path: Path
) -> None:
    package = recipe()
    package.spec = SimpleNamespace(variants=("mpi",), satisfies=lambda what: what == "+mpi")
    words = ["cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", *package.cmake_args()]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Manually-specified variables were not used" not in done.stderr
    done = subprocess.run(
        ["ninja", "-C", tmp_path, "-n"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    for target in ("gothic", "gothic-ic"):
        assert f"bin/{target}\n" in done.stdout
