"""Accelerations of any code become a point that a plot can show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.examples.compare import add, point, read_array
from analysis.study.overlay import points_of
from tests.conftest import ROOT

gothic = pytest.importorskip("gothic")


@pytest.fixture
def files(tmp_path: Path, programs: Path) -> dict[str, Path]:
    """Write particles, direct sums for some of them, and a tree force in the order of the IDs."""
    found = {name: tmp_path / f"{name}.h5" for name in ("ic", "direct")}
    model = ROOT / "config" / "models" / "plummer.toml"
    words = [programs / "gothic-ic", model, "--particles", "2000", "--output", found["ic"]]
    subprocess.run(words, check=True, capture_output=True)
    words = ["direct", "--input", found["ic"], "--targets", "500", "--output", found["direct"]]
    subprocess.run([programs / "gothic", *words], check=True, capture_output=True)
    particles = gothic.read(found["ic"])
    order = np.argsort(particles.ids)
    forces = gothic.tree_forces(particles, accuracy=2**-4).acceleration[order]
    exact = gothic.direct_forces(particles).acceleration[order]
    np.save(tmp_path / "tree.npy", forces)
    np.save(tmp_path / "exact.npy", exact)
    np.savetxt(tmp_path / "tree.txt", forces, fmt="%.9e")
    np.savetxt(tmp_path / "tree.csv", forces, fmt="%.9e", delimiter=",")
    with h5py.File(tmp_path / "tree.h5", "w") as file:
        file["mine/acc"] = forces
    return found | {name: tmp_path / name for name in ("tree.npy", "exact.npy")}


def made(files: dict[str, Path], accelerations: Path, *seconds: float) -> dict:
    given = (files["ic"], files["direct"], accelerations)
    return point("Other", *given, list(seconds or (1.0,)), "mine/acc")


def test_exact_forces_have_no_error_and_tree_forces_have(files: dict[str, Path]) -> None:
    assert made(files, files["exact.npy"])["error_max"] < 1e-12
    row = made(files, files["tree.npy"], 3.0, 1.0, 2.0)
    assert 1e-4 < row["error_50"] < row["error_99"] < 0.1
    assert (row["seconds"], row["least_s"], row["greatest_s"]) == (2, 1, 3)
    assert (row["compared"], row["repeats"]) == (500, 3)


@pytest.mark.parametrize("name", ["tree.txt", "tree.csv", "tree.h5"])
def test_kinds_of_files_are_the_same(name: str, files: dict[str, Path]) -> None:
    one, other = made(files, files["tree.npy"]), made(files, files["ic"].with_name(name))
    assert other["error_99"] == pytest.approx(one["error_99"], rel=1e-4)


def test_forces_may_be_those_of_the_reference_alone(files: dict[str, Path]) -> None:
    exact = gothic.read_forces(files["direct"])
    path = files["ic"].with_name("some.npy")
    np.save(path, exact.acceleration[np.argsort(exact.ids)])
    assert made(files, path)["error_max"] == 0


def test_points_of_several_codes_are_laid_over_a_plot(files: dict[str, Path]) -> None:
    table = files["ic"].with_name("points.csv")
    for seconds in (1.0, 2.0):
        add(made(files, files["tree.npy"], seconds), table)
    overlay = {"file": str(table), "x": "error_99", "y": "seconds"}
    assert list(points_of(overlay)["y"]) == [1, 2]
    assert pd.read_csv(table)["label"].tolist() == ["Other", "Other"]


def test_what_does_not_fit_is_refused(files: dict[str, Path], tmp_path: Path) -> None:
    np.save(tmp_path / "few.npy", np.zeros((7, 3)))
    with pytest.raises(DataError, match="has 7 rows; give one for each of the 2000 particles"):
        made(files, tmp_path / "few.npy")
    np.save(tmp_path / "flat.npy", np.zeros(7))
    with pytest.raises(DataError, match=r"has the shape \(7,\); accelerations have"):
        read_array(tmp_path / "flat.npy", "")
    np.save(tmp_path / "nan.npy", np.full((7, 3), np.nan))
    with pytest.raises(DataError, match="an acceleration is not finite"):
        read_array(tmp_path / "nan.npy", "")
    with pytest.raises(DataError, match="cannot be read"):
        read_array(files["ic"], "Gone")


def test_command_adds_a_row(files: dict[str, Path]) -> None:
    table = files["ic"].with_name("points.csv")
    command = [sys.executable, "-m", "analysis.examples.compare", "--input", files["ic"]]
    command += ["--reference", files["direct"], "--accelerations", files["tree.npy"]]
    command += ["--seconds", "0.5", "0.4", "--label", "Mine", "--output", table]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Mine: 99 % error ")
    assert list(pd.read_csv(table)["seconds"]) == [0.45]
    command[-1] = files["ic"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "would be written over" in done.stderr) == (2, True)
