"""Entries of a history hold what was measured; revisions are those that changed the programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.checks import history, record, regress, speed
from analysis.checks.record import ANCHOR, Recorder, revisions_in, source_revision
from analysis.errors import DataError
from tests.checks.lab import git

SMALL = speed.Problem(
    "plummer", 256, f"{speed.EQUAL_STEPS} --steps 3", ("walk",), speed.equal_steps
)


@pytest.fixture
def recorder(programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """Make entries of the programs at hand, by small problems."""
    monkeypatch.setattr(record, "build_revision", lambda *_: programs)
    monkeypatch.setattr(speed, "ON_CPU", {"small": SMALL})
    monkeypatch.setattr(record, "POINTS", {"cpu": {("nfw", 12): (7,)}})
    monkeypatch.setattr(record, "WHOLE", {"cpu": (8,)})
    monkeypatch.setattr(record, "CALLS", {"force": record.CALLS["force"]})
    monkeypatch.setattr(record, "TARGETS", 256)
    monkeypatch.setitem(
        regress.TABLE, "problems", {"nfw": {"particles": 1024, "run": {"steps": 4}}}
    )
    try:
        return Recorder(tmp_path / "history.jsonl", "cpu")
    except DataError as error:
        pytest.skip(str(error))  # a clone without the anchor


def test_entry_has_numbers_errors_times_and_all_that_files_tell(recorder: Recorder) -> None:
    revision = source_revision("HEAD")
    assert not recorder.has(revision)
    repeats = [recorder.record(revision) for _ in range(2)]
    assert recorder.has(revision)
    assert not recorder.has(recorder.anchor)

    entry, again = history.read_entries(recorder.history)
    assert [entry, again] == repeats
    assert entry["numbers"] == again["numbers"]
    assert entry["errors"] == again["errors"]
    assert entry["revision"] == revision
    assert entry["anchor"].startswith(ANCHOR)
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


def test_entries_of_other_machines_and_anchors_do_not_count(recorder: Recorder) -> None:
    mine = recorder.key("a" * 40)
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
