from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.examples.m31_gigayear import (
    captions,
    draw_tables,
    energy,
    radii,
    shown_of,
    snapshots_of,
)
from analysis.reading.snapshots import Particles, Snapshot
from tests.analysis.galaxies import KPC


def test_first_and_last_state_are_shown_and_one_between() -> None:
    paths = [Path(f"snapshot_{n:03}.h5") for n in range(11)]
    assert shown_of(paths) == [paths[0], paths[5], paths[10]]
    assert shown_of(paths[:2]) == paths[:2]


def test_run_without_snapshots_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="less than two snapshots; run gothic with"):
        snapshots_of(tmp_path)


FACTS = {"name": "M31", "particles": 4096, "eta": 0.2, "accuracy": 2.0**-9, "mac": "opening"}
FACTS |= {"device_name": "CPU", "compiler": "GNU 12", "version": "1.2.3", "revision": "abc"}


def test_radii_change_relative_to_the_start(
    tmp_path: Path, plummer: Particles, disc: Particles
) -> None:
    with h5py.File(tmp_path / "lagrange.h5", "w") as file:
        file["Lagrange/time"] = [0.0, 0.0, 0.5, 0.5]
        file["Lagrange/component"] = [0, 1, 0, 1]
        for name in ("r_10", "r_50", "r_90"):
            file[f"Lagrange/{name}"] = [1.0, 10.0, 1.1, 10.0]
        file.create_group("ComponentNames").attrs.update(
            {"0": np.bytes_("halo"), "1": np.bytes_("disc")}
        )
    parts = {"halo": plummer, "disc": disc}
    table = radii(tmp_path, Snapshot(0.0, KPC, parts, frozenset({"disc"})))
    assert table["scatter"].between(1e-3, 0.1).all()
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


def test_figures_are_drawn_again_of_tables(tmp_path: Path) -> None:
    myr = np.arange(0.0, 1000.0, 100.0)
    spin = np.where(myr > 600, 1e-3, 1e-5)
    columns = {"myr": myr, "energy": 1e-6 * myr, "spin": spin, "virial_ratio": 1.0}
    table = pd.DataFrame(columns).assign(**FACTS)
    text = captions({"energy": table})["energy"]
    assert "until 600 Myr it is within a tenth" in text
    assert "N = 2^12 = 4096 particles, left to itself; block steps with eta 0.2, opening" in text
    draw_tables({"energy": table}, tmp_path)
    assert (tmp_path / "gigayear_energy.png").exists()
    assert (tmp_path / "gigayear_energy.txt").read_text() == f"{text}\n"
