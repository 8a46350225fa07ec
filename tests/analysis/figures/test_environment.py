from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.figures import environment
from analysis.study.tables import Study

MADE = {"device_name": "CPU", "compiler": "GNU 12", "version": "1.2.3", "revision": "abc"}


def test_every_machine_has_one_row_with_the_parts_that_tables_tell() -> None:
    machine = "node=a1, system=Linux 6.1, cpu=Xeon, 8 cores, memory=16 GB"
    runs = pd.DataFrame([MADE, MADE | {"revision": "def"}]).assign(machine=machine)
    bench = pd.DataFrame([MADE, MADE]).assign(seconds=[1.0, 2.0])
    table = environment.environments([runs, bench])
    assert list(table["revision"]) == ["abc", "def", "abc"]
    assert list(table["node"]) == ["a1", "a1", ""]
    assert list(table["cpu"])[:2] == ["Xeon, 8 cores"] * 2
    shown = environment.shown(table.rename(columns={"memory": "gpu_memory"}))
    names = ["device", "compiler", "gothic", "revision", "node", "system", "cpu", "gpu memory"]
    assert list(shown) == names
    assert "tell no more" not in environment.caption(table)
    assert "tell no more" in environment.caption(environment.environments([bench]))


def test_table_is_made_of_all_tables_of_a_study(tmp_path: Path) -> None:
    study = Study(tmp_path)
    with pytest.raises(DataError, match="no table tells what made it"):
        environment.make(study, {}, tmp_path / "machines")
    pd.DataFrame([MADE]).to_csv(tmp_path / "runs.csv", index=False)
    pd.DataFrame([MADE | {"device_name": "GPU"}]).to_csv(tmp_path / "bench_peak.csv", index=False)
    environment.make(study, {}, tmp_path / "machines")
    text = (tmp_path / "machines.md").read_text()
    assert text.count("\n") == 4
    assert "| GPU | GNU 12 | 1.2.3 | abc |" in text
    assert {path.name for path in study.read} == {"runs.csv", "bench_peak.csv"}
