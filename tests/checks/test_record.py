"""Entries of a history hold what was measured; revisions are those that changed the programs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from analysis.checks import history, record, regress, speed
from analysis.checks.__main__ import check_record
from analysis.checks.record import Recorder, revisions_in, source_revision
from analysis.errors import DataError
from tests.checks.lab import git

ANCHOR = f"{record.ANCHOR}~30"  # that of today may be the latest revision
SMALL = speed.Problem(
    "plummer", 256, f"{speed.EQUAL_STEPS} --steps 3", ("walk",), speed.equal_steps
)


@pytest.fixture(autouse=True)
def small_problems(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all revisions be the programs at hand, and measure them by small problems."""
    try:
        source_revision(ANCHOR)
    except DataError:
        pytest.skip("this clone lacks the anchor")
    monkeypatch.setattr(record, "ANCHOR", ANCHOR)
    monkeypatch.setattr(record, "build_revision", lambda *_: programs)
    monkeypatch.setattr(speed, "ON_CPU", {"small": SMALL})
    monkeypatch.setattr(record, "POINTS", {"cpu": {("nfw", 12): (7,)}})
    monkeypatch.setattr(record, "WHOLE", {"cpu": (8,)})
    monkeypatch.setattr(record, "CALLS", {"force": record.CALLS["force"]})
    monkeypatch.setattr(record, "TARGETS", 256)
    problem = {"particles": 1024, "run": {"steps": 4}}
    monkeypatch.setitem(regress.TABLE, "problems", {"nfw": problem})


def run(path: Path, *revisions: str, again: bool = False) -> list[history.Entry]:
    """Record revisions, and read the history."""
    given = argparse.Namespace(
        history=path, device="cpu", pairs=record.PAIRS, revisions=list(revisions), again=again
    )
    assert check_record(given)
    return history.read_entries(path)


def test_entries_have_numbers_errors_times_and_all_that_files_tell(tmp_path: Path) -> None:
    entries = run(tmp_path / "history.jsonl", "HEAD")
    anchor, entry = entries
    assert [anchor["revision"], entry["revision"]] == list(map(source_revision, (ANCHOR, "HEAD")))
    assert entry["anchor"] == anchor["anchor"] == anchor["revision"]
    assert {"revision", "version", "compiler", "device"} <= entry["provenance"].keys()
    assert entry["numbers"]["nfw"].keys() >= {"digest", "error_99", "interactions"}
    (found,) = entry["errors"].values()
    assert 0 < found["error_50"] < found["error_99"] < 2e-2
    assert found["pairs"] > 1e5
    stages = {(row["problem"], row["stage"]) for row in entry["times"]}
    assert stages == {
        ("small", "walk"),
        ("nfw 2^12, 2^-7", "process"),
        ("nfw 2^8, force", "process"),
    }
    assert all(row["low"] <= row["ratio"] <= row["high"] for row in entry["times"])
    # Both are of the same programs.
    assert entry["numbers"] == anchor["numbers"]
    assert entry["errors"] == anchor["errors"]
    assert run(tmp_path / "history.jsonl", "HEAD") == entries
    assert len(run(tmp_path / "history.jsonl", "HEAD", again=True)) == 3


def test_revision_that_does_not_build_is_told_and_the_others_are_recorded(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = source_revision(f"{ANCHOR}~30")

    def build(revision: str, _: object) -> Path:
        if revision == old:
            raise DataError("build.log: cmake failed; read its end")
        return programs

    monkeypatch.setattr(record, "build_revision", build)
    with pytest.raises(DataError, match=f"{old[:12]}: not recorded, for the reasons above"):
        run(tmp_path / "history.jsonl", old, "HEAD")
    found = [entry["revision"] for entry in history.read_entries(tmp_path / "history.jsonl")]
    assert found == list(map(source_revision, (ANCHOR, "HEAD")))


def test_entries_of_other_machines_and_anchors_do_not_count(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "history.jsonl", "cpu")
    mine = recorder.key("a" * 40) | {"commits": 1, "recorded": "2026-01-01"}
    for change in ({"device": "other"}, {"anchor": "b" * 40}, {"compiler": "other"}):
        recorder.history.write_text(json.dumps(mine | change) + "\n")
        assert not recorder.has("a" * 40)
    recorder.history.write_text(json.dumps(mine) + "\n")
    assert recorder.has("a" * 40)


def test_revisions_are_those_that_changed_the_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet")
    commits = []
    for name in ("src", "docs", "ic", "CMakeLists.txt", "docs"):
        (tmp_path / name).write_text(f"{len(commits)}")
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "--quiet", "-m", name)
        commits.append(git(tmp_path, "rev-parse", "HEAD").strip())
    monkeypatch.chdir(tmp_path)
    assert revisions_in(["HEAD"]) == [commits[3]]
    assert revisions_in([commits[1], commits[0]]) == [commits[0]]
    assert revisions_in([f"{commits[0]}..HEAD", "HEAD~1"]) == [commits[2], commits[3]]
    assert revisions_in([f"{commits[1]}.."]) == [commits[2], commits[3]]
    with pytest.raises(DataError, match="nothing: no such revision; see git log"):
        revisions_in(["nothing..HEAD"])
