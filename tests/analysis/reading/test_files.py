from __future__ import annotations

import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.errors import DataError
from analysis.reading.files import pick, read_attributes, read_log


def test_missing_parts_are_named(tmp_path: Path) -> None:
    path = tmp_path / "f.h5"
    with h5py.File(path, "w") as file:
        file.create_group("Timing").attrs["wall"] = np.array([1.5])
    with pytest.raises(DataError, match="attributes of /Options are missing"):
        read_attributes(path, "Options")
    with pytest.raises(DataError, match="attribute steps of /Timing is missing"):
        pick(path, "Timing", ("wall", "steps"))
    assert pick(path, "Timing", ("wall",)) == {"wall": 1.5}


def test_complaints_of_the_package_are_those_of_the_study(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent\.h5: there is no such file"):
        read_log(tmp_path / "absent.h5")


def test_missing_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gothic", None)
    with pytest.raises(DataError, match=r"the package gothic is missing .*; run make build"):
        read_log(tmp_path / "steps.h5")
