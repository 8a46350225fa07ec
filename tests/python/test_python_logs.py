"""Logs and forces that the programs wrote become tables and arrays."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.programs.gothic import Gothic

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)


def test_logs_have_their_columns_and_attributes(program: Gothic) -> None:
    program.done("run", "--input", "ic.h5", "--output", "run", "--steps", 5, "--eta", 0.25)
    for name, (group, _) in gothic.logs.LOGS.items():
        path = program.folder / "run" / f"{name}.h5"
        table = gothic.read_log(path)
        with h5py.File(path) as file:
            columns = {column: data[()] for column, data in file[group].items()}
        assert set(table.columns) == set(columns)
        for column, values in columns.items():
            np.testing.assert_array_equal(table[column], values)
        assert table.attrs["Provenance"]["program"] == "gothic run"
        assert table.attrs["Options"]["eta"] == "0.25"
        assert table.attrs["Units"]["time"] == "time"
        assert all(table.attrs["Meanings"][column] for column in columns)
    assert gothic.read_log(program.folder / "run" / "steps.h5").attrs["Timing"]["steps"] == 5


def write_forces(path: Path, types: dict[int, tuple[list[int], np.ndarray]]) -> Path:
    """Write a force file: IDs and accelerations of each type of particles."""
    with h5py.File(path, "w") as file:
        for number, (ids, acceleration) in types.items():
            group = file.create_group(f"PartType{number}")
            group["ParticleIDs"] = np.array(ids, np.uint64)
            group["Acceleration"] = acceleration
            group["Potential"] = np.zeros(len(ids))
        file.create_group("Timing").attrs["walk"] = 0.5
        file.create_group("Provenance").attrs["device"] = np.bytes_("CPU")
    return path


def test_forces_of_all_types_are_read(tmp_path: Path) -> None:
    halo, disc = np.arange(6.0).reshape(2, 3), np.arange(9.0).reshape(3, 3)
    path = write_forces(tmp_path / "f.h5", {1: ([5, 2], halo), 4: ([9, 1, 3], disc)})
    forces = gothic.read_forces(path)
    np.testing.assert_array_equal(forces.ids, [5, 2, 9, 1, 3])
    np.testing.assert_array_equal(forces.acceleration, np.concatenate([halo, disc]))
    assert (forces.timing, forces.device) == ({"walk": 0.5}, "CPU")


NOT_FINITE = np.where(np.arange(9).reshape(3, 3) == 5, np.nan, 1)


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ({1: ([5, 42, 7], NOT_FINITE)}, "particle 42 is not finite"),
        ({1: ([1, 2], np.ones((2, 2)))}, "/PartType1: shapes do not fit"),
        ({}, "no group PartTypeN"),
    ],
)
def test_broken_forces_are_refused(
    tmp_path: Path, types: dict[int, tuple[list[int], np.ndarray]], message: str
) -> None:
    with pytest.raises(gothic.InputError, match=message):
        gothic.read_forces(write_forces(tmp_path / "f.h5", types))


@pytest.mark.parametrize("keep", [0, 100, 0.5, 0.99])
def test_truncated_file_is_refused(tmp_path: Path, keep: float) -> None:
    path = write_forces(tmp_path / "f.h5", {1: (list(range(5000)), np.ones((5000, 3)))})
    data = path.read_bytes()
    path.write_bytes(data[: keep if isinstance(keep, int) else int(keep * len(data))])
    with pytest.raises(gothic.InputError, match=r"f\.h5: cannot be read"):
        gothic.read_forces(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "there is no such file"),
        ({"Other": [1]}, "has no /Steps, /Energy, /ForceErrors or /Lagrange"),
        ({"Steps/step": [1, 2, 3], "Steps/dt": [1, 2]}, "/Steps: .* same length"),
    ],
)
def test_what_is_no_log_is_refused(
    tmp_path: Path, data: dict[str, list[int]] | None, message: str
) -> None:
    path = tmp_path / "steps.h5"
    if data is not None:
        with h5py.File(path, "w") as file:
            file.update(data)
    with pytest.raises(gothic.InputError, match=message):
        gothic.read_log(path)
