"""Logs become tables."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from tests.programs.gothic import Gothic

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)


def test_logs_have_their_columns_and_attributes(program: Gothic) -> None:
    program.done("run", "--input", "ic.h5", "--output", "run", "--steps", 5, "--eta", 0.25)
    for name, group in (("steps", "Steps"), ("energy", "Energy"), ("lagrange", "Lagrange")):
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
    timing = gothic.read_log(program.folder / "run" / "steps.h5").attrs["Timing"]
    assert timing["steps"] == 5
    assert timing["particles"] == 512
    assert timing["wall"] > 0
    radii = gothic.read_log(program.folder / "run" / "lagrange.h5")
    assert (radii["r_50"] < radii["r_90"]).all()


def test_steps_of_a_simulation_make_the_same_table(ball: gothic.Snapshot) -> None:
    table = pd.DataFrame(gothic.Simulation(ball).run(steps=4))
    assert tuple(table.columns) == gothic.Step._fields
    assert table["step"].tolist() == [1, 2, 3, 4]


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


def test_broken_forces_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.h5"
    broken = np.ones((3, 3))
    broken[1, 2] = np.nan
    for types, message in (
        ({1: ([5, 42, 7], broken)}, "particle 42 is not finite"),
        ({1: ([1, 2], np.ones((2, 2)))}, "PartType1/Acceleration has the shape"),
        ({}, "no group PartTypeN"),
    ):
        with pytest.raises(gothic.InputError, match=message):
            gothic.read_forces(write_forces(path, types))


@pytest.mark.parametrize("keep", [0, 100, 0.5, 0.99])
def test_truncated_file_is_refused(tmp_path: Path, keep: float) -> None:
    path = write_forces(tmp_path / "f.h5", {1: (list(range(5000)), np.ones((5000, 3)))})
    data = path.read_bytes()
    path.write_bytes(data[: keep if isinstance(keep, int) else int(keep * len(data))])
    with pytest.raises(gothic.InputError, match=r"f\.h5: cannot be read"):
        gothic.read_forces(path)


def test_columns_of_unequal_length_are_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "steps.h5", "w") as file:
        file["Steps/step"] = np.arange(3)
        file["Steps/dt"] = np.arange(2.0)
    with pytest.raises(gothic.InputError, match="differ in length"):
        gothic.read_log(tmp_path / "steps.h5")


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(gothic.InputError, match="there is no such file"):
        gothic.read_log(tmp_path / "steps.h5")
    (tmp_path / "steps.h5").write_text("no HDF5")
    with pytest.raises(gothic.InputError, match="cannot be read"):
        gothic.read_log(tmp_path / "steps.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["Other"] = 1
    with pytest.raises(gothic.InputError, match="has no /Steps, /Energy or /Lagrange"):
        gothic.read_log(tmp_path / "other.h5")
