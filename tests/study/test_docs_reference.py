"""docs/reference.md tells of every option, key, dataset and attribute that there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.files import DataError
from analysis.reference import Meanings, page
from tests.study.workflow import ROOT


def test_reference_is_up_to_date(programs: Path, tmp_path: Path) -> None:
    written = (ROOT / "docs" / "reference.md").read_text()
    assert page(programs, tmp_path) == written, "docs/reference.md is stale; run make docs"


def test_what_nobody_has_explained_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "meanings.yaml"
    path.write_text(
        'snapshot: {/Header/Time: [time, "of the state"], /Header/Gone: ["", "none"]}\n'
    )
    meanings = Meanings(path)
    assert meanings.of("snapshot", "/Header/Time") == ["time", "of the state"]
    with pytest.raises(DataError, match="/Header/New is missing; add its unit and meaning"):
        meanings.of("snapshot", "/Header/New")
    with pytest.raises(DataError, match="/Header/Gone is in no file; remove it"):
        meanings.finish()
