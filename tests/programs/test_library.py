"""The libraries as other projects use them: installed, with headers and a CMake package."""

from __future__ import annotations

import subprocess
from pathlib import Path

import gothic
import pytest

from tests.conftest import ROOT

EXAMPLE = ROOT / "docs" / "library"


@pytest.fixture(scope="module")
def example(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install GOTHIC, build the example with it, and return the example's program."""
    folder = tmp_path_factory.mktemp("library")
    prefix, build = folder / "prefix", folder / "build"
    for words in (
        ["cmake", "--install", programs.parent, "--prefix", prefix],
        ["cmake", "-S", EXAMPLE, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"],
        ["cmake", "--build", build],
    ):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    program = subprocess.run(
        [prefix / "bin" / "gothic", "--version"], capture_output=True, text=True, check=True
    )
    assert program.stdout.strip() == gothic.__version__
    return build / "example"


def test_example_runs_a_galaxy(example: Path, tmp_path: Path) -> None:
    model, file = ROOT / "config/models/plummer.toml", tmp_path / "end.h5"
    done = subprocess.run(
        [example, model, "4096", "1", file], capture_output=True, text=True, check=True
    )
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert 0 < float(told["error_99"]) < 0.01
    assert abs(float(told["energy_change"])) < 1e-3
    assert int(told["steps"]) > 10
    end = gothic.read(file)
    assert len(end.ids) == 4096
    assert end.time == 1


def test_example_gives_the_numbers_of_the_programs(
    example: Path, programs: Path, tmp_path: Path
) -> None:
    model, file = ROOT / "config/models/hernquist.toml", tmp_path / "end.h5"
    subprocess.run([example, model, "2048", "0.25", file], check=True, capture_output=True)
    galaxy = gothic.make_model(model, particles=2048, seed=1)
    simulation = gothic.Simulation(galaxy, time=0.25)
    simulation.run()
    assert (gothic.read(file).positions == simulation.snapshot().positions).all()


def test_example_says_what_is_wrong(example: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [example, tmp_path / "none.toml", "64", "1", tmp_path / "end.h5"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "none.toml" in done.stderr


def test_page_shows_the_example() -> None:
    page = (ROOT / "docs" / "library.md").read_text()
    for file in ("CMakeLists.txt", "example.cpp"):
        lines = (EXAMPLE / file).read_text().splitlines()
        code = "\n".join(line for line in lines if not line.startswith("# A project"))
        assert code in page, f"docs/library.md shows another {file}"
