from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.files import DataError, pick, read_attributes, read_columns, read_forces


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent\.h5: no such file"):
        read_forces(tmp_path / "absent.h5")


@pytest.mark.parametrize("keep", [0, 100, 0.5, 0.99])
def test_truncated_file_is_named(
    tmp_path: Path, write_forces: Callable[..., Path], keep: float
) -> None:
    whole = write_forces(tmp_path / "whole.h5", {1: (np.arange(5000), np.ones((5000, 3)))})
    data = whole.read_bytes()
    cut = tmp_path / "cut.h5"
    cut.write_bytes(data[: keep if isinstance(keep, int) else int(keep * len(data))])
    with pytest.raises(DataError, match=r"cut\.h5: truncated or not HDF5"):
        read_forces(cut)


def test_forces_of_all_types_are_read(tmp_path: Path, write_forces: Callable[..., Path]) -> None:
    halo, disc = np.arange(6.0).reshape(2, 3), np.arange(9.0).reshape(3, 3)
    path = write_forces(tmp_path / "f.h5", {1: ([5, 2], halo), 4: ([9, 1, 3], disc)})
    forces = read_forces(path)
    np.testing.assert_array_equal(forces.ids, [5, 2, 9, 1, 3])
    np.testing.assert_array_equal(forces.acceleration, np.concatenate([halo, disc]))


def test_value_that_is_not_finite_names_its_particle(
    tmp_path: Path, write_forces: Callable[..., Path]
) -> None:
    acceleration = np.ones((3, 3))
    acceleration[1, 2] = np.nan
    path = write_forces(tmp_path / "f.h5", {1: ([5, 42, 7], acceleration)})
    with pytest.raises(DataError, match="particle 42 is not finite"):
        read_forces(path)


def test_wrong_shape_is_named(tmp_path: Path, write_forces: Callable[..., Path]) -> None:
    path = write_forces(tmp_path / "f.h5", {1: ([1, 2], np.ones((2, 2)))})
    with pytest.raises(DataError, match="PartType1/Acceleration has shape"):
        read_forces(path)


def test_missing_parts_are_named(tmp_path: Path) -> None:
    path = tmp_path / "f.h5"
    with h5py.File(path, "w") as file:
        file.create_group("Timing").attrs["wall"] = np.array([1.5])
    with pytest.raises(DataError, match="no group PartTypeN"):
        read_forces(path)
    with pytest.raises(DataError, match="group /Options is missing"):
        read_attributes(path, "Options")
    with pytest.raises(DataError, match="attribute steps of /Timing is missing"):
        pick(path, "Timing", ("wall", "steps"))
    assert pick(path, "Timing", ("wall",)) == {"wall": 1.5}


def test_columns_of_unequal_length_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.h5"
    with h5py.File(path, "w") as file:
        file["Steps/step"] = np.arange(3)
        file["Steps/dt"] = np.arange(2.0)
    with pytest.raises(DataError, match="differ in length"):
        read_columns(path, "Steps")
