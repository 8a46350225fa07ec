from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.errors import DataError
from analysis.examples.m31_gigayear import energy, radii, shown_of, snapshots_of
from tests.analysis.galaxies import KPC


def test_first_and_last_state_are_shown_and_one_between() -> None:
    paths = [Path(f"snapshot_{n:03}.h5") for n in range(11)]
    assert shown_of(paths) == [paths[0], paths[5], paths[10]]
    assert shown_of(paths[:2]) == paths[:2]


def test_run_without_snapshots_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="less than two snapshots; run gothic with"):
        snapshots_of(tmp_path)


def test_radii_change_relative_to_the_start(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "lagrange.h5", "w") as file:
        file["Lagrange/time"] = [0.0, 0.0, 0.5, 0.5]
        file["Lagrange/component"] = [0, 1, 0, 1]
        for name in ("r_10", "r_50", "r_90"):
            file[f"Lagrange/{name}"] = [1.0, 10.0, 1.1, 10.0]
        file.create_group("ComponentNames").attrs.update(
            {"0": np.bytes_("halo"), "1": np.bytes_("disc")}
        )
    table = radii(tmp_path, KPC)
    last = table[table["myr"] > 0].set_index(["component", "fraction"])
    assert last["myr"].to_numpy() == pytest.approx(488.89, rel=1e-4)
    assert last.loc[("halo", 0.5), "change"] == pytest.approx(0.1)
    assert last.loc[("disc", 0.9), "change"] == 0


def test_energy_changes_relative_to_the_start(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "energy.h5", "w") as file:
        columns = {"time": [0.0, 1.0], "total": [-2.0, -2.002], "virial_ratio": [1.0, 1.01]}
        columns |= {f"angular_momentum_{axis}": [0.0, 0.0] for axis in "xy"}
        columns["angular_momentum_z"] = [5.0, 5.0]
        for name, column in columns.items():
            file[f"Energy/{name}"] = np.array(column)
    table = energy(tmp_path, KPC)
    assert table["energy"].tolist() == pytest.approx([0, 1e-3])
    assert table["spin"].tolist() == [0, 0]
    assert table["myr"].iloc[-1] == pytest.approx(977.79, rel=1e-4)
