from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gothic
import numpy as np
import pytest

from analysis.accuracy import match_ids, relative_errors, summarise, summarise_forces
from analysis.files import DataError, read_forces


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


def test_foreign_reference_names_both_files(
    tmp_path: Path, write_forces: Callable[..., Path]
) -> None:
    reference = write_forces(tmp_path / "ref.h5", {1: ([1, 2], np.ones((2, 3)))})
    force = write_forces(tmp_path / "force.h5", {1: ([1, 3], np.ones((2, 3)))})
    with pytest.raises(DataError, match=r"force\.h5 against .*ref\.h5: 1 of 2"):
        summarise_forces(reference, read_forces(reference), force)
