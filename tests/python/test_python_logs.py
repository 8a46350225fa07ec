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
