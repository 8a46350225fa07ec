from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.reading.csv_tables import FACTS, head_of_table, read_table, write_table
from tests.conftest import ROOT

MADE = {"threads": 2, "device_name": 'GPU: "fast", #1', "machine": "node=n"}
MADE |= {"version": "1.2.3", "revision": "1234567"}
MEASURED = sorted((ROOT / "analysis" / "measured").glob("*/*/*.csv"))


@pytest.fixture
def table() -> pd.DataFrame:
    seconds = np.random.default_rng(1).random(4)
    return pd.DataFrame({"device": "auto", "seconds": seconds, "count": [1, 2, 3, 4]})


def head(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line.startswith("#")]


def test_what_made_all_rows_stands_once(table: pd.DataFrame, tmp_path: Path) -> None:
    path, made = tmp_path / "table.csv", table.assign(**MADE)
    write_table(made, path)
    assert head(path)[1:3] == [r'# device: "GPU: \"fast\", #1"', '# machine: "node=n"']
    pd.testing.assert_frame_equal(read_table(path), made)
    pd.testing.assert_frame_equal(pd.read_csv(path, comment="#"), table)


def test_rows_that_were_made_differently_say_how(table: pd.DataFrame, tmp_path: Path) -> None:
    differing = {"revision": ["b", "a", "b", "b"], "compiler": ["GNU", "GNU", "GNU", None]}
    path, made = tmp_path / "table.csv", table.assign(**MADE | differing)
    write_table(made, path)
    assert list(pd.read_csv(path, comment="#")["made_by"]) == [1, 2, 1, 3]
    assert head(path)[-1] == '#   3: {"revision": "b"}'
    pd.testing.assert_frame_equal(read_table(path), made, check_like=True, check_dtype=False)


def test_table_without_a_head_is_read_as_it_is(table: pd.DataFrame, tmp_path: Path) -> None:
    path, made = tmp_path / "table.csv", table.assign(**MADE)
    made.to_csv(path, index=False)
    pd.testing.assert_frame_equal(read_table(path), made)


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: "/".join(path.parts[-3:]))
def test_measured_table_tells_once_what_made_every_row(path: Path) -> None:
    rows = pd.read_csv(path, comment="#")
    assert not set(FACTS) & set(rows)
    assert read_table(path)[["device_name", "revision"]].notna().all(axis=None)
    assert head_of_table(path)["study"]
