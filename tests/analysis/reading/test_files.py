from __future__ import annotations

import importlib
import sys
from pathlib import Path

import gothic
import h5py
import numpy as np
import pytest

from analysis.errors import DataError, main
from analysis.reading.files import head_of, pick, read_attributes, read_log


def test_missing_parts_are_named(tmp_path: Path) -> None:
    path = tmp_path / "f.h5"
    with h5py.File(path, "w") as file:
        file.create_group("Timing").attrs["wall"] = np.array([1.5])
    with pytest.raises(DataError, match="attributes of /Options are missing"):
        read_attributes(path, "Options")
    with pytest.raises(DataError, match="attribute steps of /Timing is missing"):
        pick(path, "Timing", ("wall", "steps"))
    assert pick(path, "Timing", ("wall",)) == {"wall": 1.5}


@pytest.mark.parametrize("own", [True, False])
def test_units_and_time_are_those_that_a_run_takes(tmp_path: Path, own: bool) -> None:
    path = tmp_path / "f.h5"
    units = gothic.Units(3e21, 2e43, 1e5)
    gothic.Snapshot([[0, 0, 0]], 1.0, units=units, time=2.5).write(path)
    if not own:  # as of another code
        with h5py.File(path, "a") as file:
            del file["Provenance"], file["Units"]
    assert head_of(path) == (units, 2.5)


def test_complaints_of_the_package_are_those_of_the_study(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent\.h5: there is no such file"):
        read_log(tmp_path / "absent.h5")


def test_missing_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gothic", None)
    with pytest.raises(DataError, match=r"the package gothic is missing .*; run make build"):
        read_log(tmp_path / "steps.h5")


KEPT = {
    "analysis.reading.drift": "table --check m31.csv --output ./m31.csv state.h5",
    "analysis.figures.equilibrium": "--drift m31.csv --stem m31",
    "analysis.figures.plot": "runs.parquet --x eta --y error_99 --output runs",
}


@pytest.mark.parametrize("module", KEPT)
def test_commands_do_not_write_over_what_they_read(
    module: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("m31.csv", "runs.parquet", "runs.csv", "state.h5"):
        Path(name).write_text("mine")
    monkeypatch.setattr(sys, "argv", [module, *KEPT[module].split()])
    with pytest.raises(SystemExit, match="2"):
        main(importlib.import_module(module).run)
    assert ".csv: is read, and would be written over; choose another output" in (
        capsys.readouterr().err
    )
    assert {path.read_text() for path in tmp_path.iterdir()} == {"mine"}
