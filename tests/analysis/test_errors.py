from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gothic
import numpy as np
import pandas as pd
import pytest

from analysis.accuracy import match_ids, relative_errors, summarise
from analysis.errors import error_table
from analysis.files import DataError


def forces_on(ids: np.ndarray, acceleration: np.ndarray) -> gothic.Forces:
    """Make what a file of forces holds."""
    return gothic.Forces(acceleration, np.zeros(len(ids)), {}, "CPU", ids=ids)


def known_errors(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations, and the same displaced across themselves by ID / 1e6 of their length."""
    rng = np.random.default_rng(3)
    exact = rng.normal(size=(len(ids), 3)) * 10.0 ** rng.uniform(-3, 3, size=(len(ids), 1))
    across = np.cross(exact, rng.normal(size=(len(ids), 3)))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    across *= np.linalg.norm(exact, axis=1, keepdims=True)
    return exact, exact + across * (ids / 1e6)[:, np.newaxis]


def test_errors_are_found_whatever_the_order_of_particles() -> None:
    ids = np.arange(1, 1001)
    exact, disturbed = known_errors(ids)
    order = np.random.default_rng(4).permutation(1000)
    some = slice(None, None, 7)
    errors = relative_errors(
        forces_on(ids[some], exact[some]), forces_on(ids[order], disturbed[order])
    )
    np.testing.assert_allclose(errors, ids[some] / 1e6, rtol=1e-9)


def test_percentiles_agree_with_order_statistics() -> None:
    errors = np.random.default_rng(5).permutation(np.arange(1001.0))
    assert summarise(errors) == {
        "error_50": 500.0,
        "error_90": 900.0,
        "error_99": 990.0,
        "error_max": 1000.0,
    }


def test_missing_particle_is_named() -> None:
    with pytest.raises(DataError, match=r"2 of 3 reference particles are missing.*ID 4"):
        match_ids(np.array([2, 4, 9]), np.array([1, 2, 3, 5]))


def test_repeated_id_is_named() -> None:
    with pytest.raises(DataError, match="ID 3 occurs twice in the force file"):
        match_ids(np.array([1]), np.array([1, 3, 3]))
    with pytest.raises(DataError, match="ID 7 occurs twice in the reference"):
        match_ids(np.array([7, 7]), np.array([7, 8]))


def test_vanishing_reference_is_refused() -> None:
    forces = forces_on(np.array([1, 2]), np.array([[1.0, 0, 0], [0, 0, 0]]))
    with pytest.raises(DataError, match="particle 2 is zero"):
        relative_errors(forces, forces)


def test_table_has_a_row_per_setting(tmp_path: Path, write_forces: Callable[..., Path]) -> None:
    ids = np.arange(1, 1002)
    exact, disturbed = known_errors(ids)
    half = slice(500, None)
    reference = write_forces(
        tmp_path / "ref.h5", {1: (ids[:500], exact[:500]), 4: (ids[half], exact[half])}
    )
    loose = write_forces(tmp_path / "acceleration_2pow-02.h5", {1: (ids, disturbed)})
    tight = write_forces(tmp_path / "opening_0.5.h5", {1: (ids, exact)})
    table = error_table("nfw", reference, [loose, tight])
    assert list(table["criterion"]) == ["acceleration", "opening"]
    assert list(table["accuracy"]) == [0.25, 0.5]
    assert list(table["compared"]) == [1001, 1001]
    np.testing.assert_allclose(table["error_50"], [501e-6, 0], rtol=1e-9)
    np.testing.assert_allclose(table["error_99"], [991e-6, 0], rtol=1e-9)
    np.testing.assert_allclose(table["force_s"], 2 - 0.5**5)
    assert list(table["revision"]) == ["abc", "abc"]


def test_foreign_reference_names_both_files(
    tmp_path: Path, write_forces: Callable[..., Path]
) -> None:
    reference = write_forces(tmp_path / "ref.h5", {1: ([1, 2], np.ones((2, 3)))})
    force = write_forces(tmp_path / "opening_0.5.h5", {1: ([1, 3], np.ones((2, 3)))})
    with pytest.raises(DataError, match=r"opening_0\.5\.h5 against .*ref\.h5: 1 of 2"):
        error_table("nfw", reference, [force])


def test_command_line_writes_the_table_and_tells_bad_input_in_one_line(
    tmp_path: Path, write_forces: Callable[..., Path]
) -> None:
    reference = write_forces(tmp_path / "ref.h5", {1: ([1, 2], np.ones((2, 3)))})
    force = write_forces(tmp_path / "opening_0.5.h5", {1: ([2, 1], np.ones((2, 3)))})
    command = [sys.executable, "-m", "analysis.errors", "--sample", "nfw"]
    command += ["--reference", str(reference), "--output", str(tmp_path / "errors.csv")]
    root = Path(__file__).parents[2]
    subprocess.run([*command, str(force)], cwd=root, check=True)
    assert list(pd.read_csv(tmp_path / "errors.csv")["error_max"]) == [0.0]
    broken = tmp_path / "opening_0.4.h5"
    broken.write_bytes(force.read_bytes()[:200])
    failed = subprocess.run([*command, str(broken)], cwd=root, capture_output=True, text=True)
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1
    assert str(broken) in failed.stderr
