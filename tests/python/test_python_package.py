"""The package can be imported, has the options of the table, and its wheel stands alone."""

from __future__ import annotations

import re
import subprocess
import sys
import typing
import venv
from pathlib import Path

import numpy as np
import pytest

from analysis.checks.builds import build_working_tree, fixed_target
from python.option_table import commands
from tests.programs.gothic import Gothic

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)

ROOT = Path(__file__).parents[2]


def test_version_is_that_of_the_program(program: Gothic) -> None:
    assert program.done("--version").strip() == gothic.__version__
    assert re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?|unknown", gothic.__revision__)


@pytest.mark.parametrize(
    ("command", "typed"),
    [
        ("gothic force", gothic.TreeForceOptions),
        ("gothic direct", gothic.DirectForceOptions),
        ("gothic run", gothic.SimulationOptions),
        ("gothic-ic", gothic.ModelOptions),
    ],
)
def test_options_of_the_table_are_typed_and_documented(command: str, typed: type) -> None:
    options = [option for option in commands()[command].options.values() if option.python]
    assert list(typing.get_type_hints(typed)) == [
        option.name.replace("-", "_") for option in options
    ]
    for option in options:
        assert re.search(rf"^ +{option.name.replace('-', '_')}$", typed.__doc__, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "value"), [("eta", "-2"), ("step", "leap"), ("dt", "5 pc"), ("group-size", "3")]
)
def test_refusals_are_those_of_the_program(program: Gothic, name: str, value: str) -> None:
    from gothic import option_values

    refusal = option_values.refusal("gothic run", name, value)
    assert option_values.values_of("gothic run", name) in refusal
    assert program.refused("run", f"--{name}={value}").strip() == f"gothic: --{name}: {refusal}"


def test_simulations_take_every_option() -> None:
    options = commands()["gothic run"].options
    defaults = {
        name.replace("-", "_"): option.default
        for name, option in options.items()
        if option.python and isinstance(option.default, str | int | float)
    }
    snapshot = gothic.Snapshot([[0, 0, 0], [1, 0, 0]], 1, softening=0.1)
    (first,) = gothic.Simulation(snapshot, **defaults).run(steps=1)
    (second,) = gothic.Simulation(snapshot).run(steps=1)
    assert (first.dt, first.interactions) == (second.dt, second.interactions)


@pytest.mark.skipif(not (ROOT / "build" / "bin" / "gothic").exists(), reason="run make build first")
def test_package_of_the_build_can_be_imported_anywhere(tmp_path: Path) -> None:
    result = subprocess.run(
        [ROOT / ".venv" / "bin" / "python", "-c", "import gothic; print(gothic.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(result.stdout.strip()) == ROOT / "build" / "python" / "gothic" / "__init__.py"


def test_lacking_packages_are_named(tmp_path: Path) -> None:
    code = (
        "import sys, gothic; sys.modules['pandas'] = None\n"
        "try: gothic.read_log('steps.h5')\n"
        "except ImportError as error: print(error)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "pandas is missing: logs need" in result.stdout


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Make a virtual environment that has NumPy and nothing else, and return its Python."""
    venv.create(tmp_path / "bare", with_pip=False)
    (packages,) = (tmp_path / "bare").glob("lib/python*/site-packages")
    for part in Path(np.__file__).parents[1].glob("numpy*"):
        (packages / part.name).symlink_to(part)
    return tmp_path / "bare" / "bin" / "python"


@pytest.mark.parametrize(("wanted", "level"), [("AUTO", "Warning"), ("ON", "Error")])
def test_build_says_what_is_missing(bare: Path, tmp_path: Path, wanted: str, level: str) -> None:
    options = f"-G Ninja -DGOTHIC_CUDA=OFF -DGOTHIC_TESTS=OFF -DGOTHIC_PYTHON={wanted}".split()
    result = subprocess.run(
        ["cmake", "-S", ROOT, "-B", tmp_path / "build", *options, f"-DPython_EXECUTABLE={bare}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == (1 if wanted == "ON" else 0)
    assert f"CMake {level} at python/CMakeLists.txt" in result.stderr
    assert "nanobind is missing:" in result.stderr


WHEEL = "wheel --quiet --no-deps --no-build-isolation --disable-pip-version-check"
USE = """
import gothic, importlib.metadata
sphere = {"name": "a", "profile": "plummer", "mass": 1, "scale": 1}
model = {"softening": 0.1, "component": [sphere]}
snapshot = gothic.make_model(model, particles=100)
error = abs(gothic.tree_forces(snapshot).potential / gothic.direct_forces(snapshot).potential - 1)
assert error.max() < 0.1
assert len(gothic.Simulation(snapshot).run(steps=2)) == 2
assert importlib.metadata.version("gothic") == gothic.__version__
print(gothic.__file__)
"""


@pytest.mark.long
def test_wheel_stands_alone(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made of the objects that `make regress` compiles, which are not for this processor."""
    monkeypatch.chdir(ROOT)
    options = fixed_target("cpu")
    build = build_working_tree(options).parent.resolve()
    settings = [f"cmake.define.{option.removeprefix('-D')}" for option in options]
    settings += [f"build-dir={build}"]
    pip = [sys.executable, "-m", "pip"]
    words = [*WHEEL.split(), *(f"--config-settings={setting}" for setting in settings)]
    subprocess.run([*pip, *words, "--wheel-dir", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("gothic-*.whl")
    install = ["--python", bare, "install", "--quiet", "--no-deps", wheel]
    subprocess.run([*pip, *install], check=True)
    result = subprocess.run(
        [bare, "-I", "-c", USE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert Path(result.stdout.strip()).is_relative_to(tmp_path / "bare")
