from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.figures import findings as figure
from analysis.paper.findings import judged, page, sentence, verdicts
from analysis.paper.judgements import JUDGES, findings, overall, statements
from analysis.paper.verdicts import (
    CONFIRMED,
    CONTRADICTED,
    DEPENDS,
    PARTLY,
    UNDECIDED,
    UNTESTABLE,
    VERDICTS,
    by_formula,
    in_parts,
)
from analysis.reading.origin import NAMES
from tests.analysis.benches import crossover_table
from tests.analysis.paper.conftest import REPEATED, Written, sweep_rows
from tests.conftest import ROOT


def test_every_statement_has_a_judge_or_a_reason() -> None:
    assert len(statements()) == 33
    assert {one.judge for one in statements()} - {""} == JUDGES.keys()
    for one in statements():
        assert bool(one.judge) != bool(one.untestable), one.statement
        assert bool(one.judge) == bool(one.needs), one.statement
        assert one.section.startswith(("section ", "abstract", "appendix ")), one.statement
        assert one.statement.endswith("."), one.statement
        assert set(one.models) <= NAMES.keys(), one.statement
        assert set(one.why) <= set(VERDICTS), one.statement
        assert "|" not in one.statement + one.paper, one.statement


@pytest.mark.parametrize(
    ("number", "formula", "verdict"),
    [
        (True, True, CONFIRMED),
        (False, True, DEPENDS),
        (True, False, PARTLY),
        (False, False, CONTRADICTED),
    ],
)
def test_number_of_other_hardware_that_follows_its_formula_is_no_contradiction(
    number: bool, formula: bool, verdict: str
) -> None:
    assert by_formula(number, formula) == verdict


def test_parts_are_counted_whatever_their_type() -> None:
    values = pd.Series([1.0, 2.0])
    assert in_parts(values[0] > 0, values[1] > 0) == CONFIRMED
    assert in_parts(values[0] > 0, False) == PARTLY
    assert in_parts(values[0] < 0, False) == CONTRADICTED


@pytest.mark.parametrize(
    ("gpu", "cpu", "of_time", "of_count"),
    [
        ([CONFIRMED, CONFIRMED], [UNDECIDED, CONFIRMED], CONFIRMED, CONFIRMED),
        ([CONFIRMED, CONTRADICTED], [UNDECIDED], PARTLY, PARTLY),
        ([CONFIRMED], [CONTRADICTED], DEPENDS, PARTLY),
        ([UNDECIDED], [UNDECIDED], UNDECIDED, UNDECIDED),
        ([UNTESTABLE], [UNTESTABLE], UNTESTABLE, UNTESTABLE),
    ],
)
def test_verdicts_of_models_and_devices_are_joined(
    gpu: list[str], cpu: list[str], of_time: str, of_count: str
) -> None:
    devices = ["GPU"] * len(gpu) + ["CPU"] * len(cpu)
    rows = pd.DataFrame({"device_name": devices, "verdict": gpu + cpu})
    assert overall(rows, time=True) == of_time
    assert overall(rows, time=False) == of_count


def test_study_is_judged_by_what_it_has(written: Written) -> None:
    rows = sweep_rows(lambda *_: {"wall": 3.0})
    study = written(rows, crossover=crossover_table([256, 2**17], 1e4, **REPEATED)).study
    table = findings(study)
    assert set(table["number"]) == set(range(1, 34))
    known = table[~table["lacking"]].set_index(["number", "model"])["verdict"]
    assert known[2, "m31"] == CONFIRMED
    assert known[22, "nfw"] == CONFIRMED
    lacking = table[table["lacking"]].set_index(["number", "model"])
    assert set(lacking["verdict"]) == {UNDECIDED}
    assert lacking["numbers"][12, "m31"] == "no table bench_sharing.csv"
    assert set(table["verdict"]) <= set(VERDICTS)


def test_figure_shows_every_statement(written: Written, tmp_path: Path) -> None:
    study = written(sweep_rows(lambda *_: {"wall": 3.0})).study
    figure.make(study, {}, tmp_path / "findings")
    shown = (tmp_path / "findings.md").read_text().splitlines()
    assert shown[0] == "| where | published | numbers | model | here | our numbers |"
    assert len(shown) == 2 + len(findings(study))
    caption = (tmp_path / "findings.txt").read_text()
    assert "3 cannot be tested here" in caption
    assert "Device: CPU" in caption


# --- The page


def devices(folder: Path, written: Written) -> Path:
    """Put tables of studies that do and do not show findings, and none of one, into a folder."""
    study = written(sweep_rows(lambda *_: {"wall": 3.0})).study
    for name, kind in {"mine": "findings", "other": "plot"}.items():
        (folder / "box" / name).mkdir(parents=True)
        for path in study.folder.glob("runs.*"):
            shutil.copy(path, folder / "box" / name)
        told = {"runs": [], "figures": [{"kind": kind}]}
        (folder / "box" / name / "study.json").write_text(json.dumps(told))
    (folder / "box" / "empty").mkdir()
    shutil.copy(folder / "box/mine/study.json", folder / "box/empty")
    return folder


def test_page_follows_from_tables(tmp_path: Path, written: Written) -> None:
    folder = devices(tmp_path, written)
    table = judged(folder)
    assert set(table["study"]) == {"box/mine"}  # the others have nothing to judge by
    assert verdicts(table)[2] == CONFIRMED
    text = page(folder)
    assert "| box/mine | CPU | M31 2^20 | `runs`: abc |" in text
    assert "| box/mine | M31 | confirmed | gain in pairs 1.00; " in text
    assert sentence(table) in text
    assert "It needs gothic bench sharing on a GPU (config/paper.yaml" in text


def test_page_needs_tables(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no tables of a study"):
        page(tmp_path)


def test_page_is_what_the_tables_give() -> None:
    written = (ROOT / "docs/findings.md").read_text()
    assert written == page(), "run .venv/bin/python -m analysis.paper.findings"


def test_readme_counts_the_verdicts() -> None:
    table = judged(ROOT / "analysis/measured")
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert sentence(table) in readme
