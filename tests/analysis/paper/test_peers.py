from __future__ import annotations

from analysis.paper.peers import read, summary, tables
from tests.conftest import ROOT


def test_page_has_the_tables() -> None:
    page = (ROOT / "docs" / "compare.md").read_text()
    found = list(tables())
    assert len(found) == 2
    for table in found:
        assert table in page, "docs/compare.md is stale; python -m analysis.paper.peers prints it"


def test_readme_has_the_summary() -> None:
    assert summary() in (ROOT / "README.md").read_text(), "python -m analysis.paper.peers prints it"


def test_table_has_one_row_for_each_error_and_one_time_of_ours() -> None:
    rows = read()
    kind = ["device", "model", "particles", "error_99"]
    assert not rows.duplicated([*kind, "code"]).any()
    assert (rows.groupby(kind)["our_seconds"].nunique() == 1).all()
    assert (rows[["seconds", "our_seconds"]] > 0).all(axis=None)
    for _, line in rows.groupby(["code", *kind[:-1]]):
        ordered = line.sort_values("error_99", ascending=False)
        assert ordered["seconds"].is_monotonic_increasing
        assert ordered["our_seconds"].is_monotonic_increasing


def test_page_says_which_numbers_are_not_of_one_run() -> None:
    rows = read()
    apart = set(rows.loc[rows["one_run"] == 0, "code"])
    assert apart == {"Bonsai", "Ryoanji"}
    page = (ROOT / "docs" / "compare.md").read_text()
    text = page.split("**These are not of one run.**")[1].split("\n\n")[0]
    assert all(code in text for code in apart)
    assert set(rows["our_revision"]) == {"18b24ef"}
