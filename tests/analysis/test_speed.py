"""What surrounds the verdicts of speed: measurements, builds, counts, files and the trend."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.checks.builds import commit_of
from analysis.files import DataError
from analysis.speed.history import append, entries, read
from analysis.speed.instructions import LAPS, stages
from analysis.speed.judge import judge
from analysis.speed.problems import (
    PROBLEMS,
    Problem,
    Process,
    different_steps,
    equal_steps,
    execute,
    problems_for,
)
from analysis.speed.record import record, save_record
from analysis.speed.trend import chains
from analysis.speed.validate import PATCH, rate, trials

ROOT = Path(__file__).parents[2]
FACTS = {
    "date": "2026-01-02T03:04:05+00:00",
    "device": "a device",
    "driver": "a driver",
    "environment": {},
    "programs": {
        name: {"version": "1", "revision": revision, "compiler": "GNU 12", "device": "a device"}
        for name, revision in (("base", "aaa"), ("new", "bbb"))
    },
}


def measured(ratio: float, rounds: int = 12) -> pd.DataFrame:
    """Rounds in which the walk takes `ratio` times as long with the program new."""
    rng = np.random.default_rng(5)
    rows = [
        (number, "nfw", 0, program, "walk", 0.5 * factor * rng.normal(1, 0.002))
        for number in range(rounds)
        for program, factor in (("base", 1.0), ("new", ratio))
    ]
    columns = ["round", "problem", "place", "program", "stage", "seconds"]
    return pd.DataFrame(rows, columns=columns)


def line(**changes: object) -> dict[str, object]:
    """Write a line of a history."""
    text = {"date": "2026-01-01", "device": "a device", "driver": "1", "compiler": "GNU 12"}
    text |= {"base": "aaa", "new": "bbb", "pairs": 15, "problem": "nfw", "stage": "walk"}
    text |= {"base_s": 2.0, "new_s": 3.0, "ratio": 1.1, "low": 1.0, "high": 1.2}
    return {**text, "verdict": "slower", **changes}


def test_equal_steps_count_with_their_median_after_the_first(
    write_run: Callable[..., Path],
) -> None:
    path = write_run("one", wall=1000.0, dt=1.0, steps=4)  # predict takes 0, keys i in step i
    assert equal_steps([Process(path.parent, 9.0)])["keys"] == 2.0


def test_different_steps_count_with_the_least_of_each(write_run: Callable[..., Path]) -> None:
    quick, slow = (write_run(name, wall=wall, dt=1.0) for name, wall in (("a", 10), ("b", 20)))
    both = different_steps([Process(path.parent, 9.0) for path in (slow, quick)])
    assert both == pytest.approx(different_steps([Process(quick.parent, 9.0)]))
    assert both["walk"] > both["keys"] > 0


def test_both_programs_are_measured_in_every_round(programs: Path) -> None:
    problem = Problem(
        "nfw", {"cpu": (256, "--steps 3")}, ("walk", "step"), equal_steps, PROBLEMS["nfw"].options
    )
    builds = {"base": programs, "new": programs}
    table, facts = record(builds, {"small": problem}, "cpu", 3, np.random.default_rng(1))
    assert len(table) == 3 * 2 * 2
    for _, rows in table.groupby(["round", "stage"]):
        assert set(rows["program"]) == {"base", "new"}
        assert set(rows["place"]) == {0, 1}
    assert (table["seconds"] > 0).all()
    first = table[(table["place"] == 0) & (table["stage"] == "walk")]["program"]
    assert len(set(first)) == 2  # neither always comes first
    assert facts["programs"]["base"] == facts["programs"]["new"]


def test_a_program_that_does_not_know_an_option_is_told(tmp_path: Path, programs: Path) -> None:
    old = tmp_path / "gothic"
    old.write_text("#!/bin/sh\necho 'gothic: --rebuild-interval: no such option' >&2\nexit 2\n")
    old.chmod(0o755)
    (tmp_path / "gothic-ic").symlink_to(programs / "gothic-ic")
    with pytest.raises(DataError, match="no such option; the revision may be too old"):
        record(
            {"base": tmp_path, "new": programs},
            {"nfw": PROBLEMS["nfw"]},
            "cpu",
            1,
            np.random.default_rng(1),
        )


def test_missing_programs_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gothic: no such program"):
        record({"base": tmp_path}, {}, "cpu", 1, np.random.default_rng(1))


def test_waiting_is_no_processor_time() -> None:
    (seconds,) = execute([["sleep", "0.2"]])
    assert seconds < 0.1


def test_devices_without_problems_are_refused() -> None:
    assert "nfw, direct on a GPU" in problems_for("cuda:1")
    with pytest.raises(DataError, match="--device auto: nothing is measured there"):
        problems_for("auto")


def test_an_unknown_revision_cannot_be_measured() -> None:
    with pytest.raises(DataError, match="no-such-revision: no such revision"):
        commit_of("no-such-revision")
    ended = subprocess.run(
        [sys.executable, "-m", "analysis.speed", "--base", "no-such-revision"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == ["no-such-revision: no such revision; see git log"]


@pytest.mark.parametrize(
    ("ratio", "verdict", "status"),
    [(1.06, "slower", 1), (0.94, "faster", 0), (1.001, "same", 0)],
)
def test_the_exit_status_tells_whether_something_is_slower(
    tmp_path: Path, ratio: float, verdict: str, status: int
) -> None:
    save_record(measured(ratio), FACTS, tmp_path)
    words = ["-m", "analysis.speed.judge", str(tmp_path)]
    words += ["--history", str(tmp_path / "history.jsonl")]
    ended = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, check=False)
    assert ended.returncode == status
    written = json.loads((tmp_path / "verdict.json").read_text())
    assert written["verdict"] == verdict
    assert written["stages"][0]["ratio"] == pytest.approx(ratio, rel=0.003)
    for kind in ("csv", "md", "pdf", "png", "txt"):
        assert (tmp_path / f"table.{kind}").stat().st_size > 0


def test_counted_instructions_stand_beside_the_seconds(tmp_path: Path) -> None:
    save_record(measured(1.0), FACTS, tmp_path)
    counted = [("base", "nfw", "walk", 1000), ("new", "nfw", "walk", 1070)]
    columns = ["program", "problem", "stage", "instructions"]
    pd.DataFrame(counted, columns=columns).to_csv(tmp_path / "instructions.csv", index=False)
    assert judge(tmp_path, tmp_path / "history.jsonl") == "same"  # seconds decide
    assert pd.read_csv(tmp_path / "table.csv")["instructions"].to_list() == [1.07]


def test_laps_are_summed_by_stage() -> None:
    counts = [10**number for number in range(len(LAPS))]
    found = stages(counts)
    assert found["keys"] == 10**3
    assert found["sort"] == 10**4 + 10**5  # the sort, and moving the particles
    assert found["walk"] == 10**13  # of the force, not of the first one
    with pytest.raises(DataError, match="adapt LAPS"):
        stages(counts[:-1])


def test_a_history_is_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "new" / "history.jsonl"
    append(path, [line()])
    append(path, [line(new="ccc")])
    assert read([path])["new"].to_list() == ["bbb", "ccc"]


def test_a_line_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    append(path, [line(), {"device": "a device"}])
    with pytest.raises(DataError, match=r"history\.jsonl:2: not a line"):
        read([path])


def test_entries_tell_what_was_compared_where() -> None:
    table = pd.DataFrame([line()])
    (entry,) = entries(table, FACTS, 15)
    assert (entry["base"], entry["new"], entry["driver"]) == ("aaa", "bbb", "a driver")


def test_ratios_are_chained_from_revision_to_revision(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    later = line(base="bbb", new="ccc", base_s=7.0, ratio=0.5, date="2026-01-02")
    append(path, [later, line()])
    chain = chains(read([path]))
    assert chain["revision"].to_list() == ["aaa", "bbb", "ccc"]
    assert chain["seconds"].to_list() == pytest.approx([2.0, 2.2, 1.1])


@pytest.mark.parametrize("name", ["device", "driver", "compiler"])
def test_nothing_is_compared_across_keys(tmp_path: Path, name: str) -> None:
    path = tmp_path / "history.jsonl"
    append(path, [line(), line(base="bbb", new="ccc", base_s=50.0, ratio=0.5, **{name: "other"})])
    chain = chains(read([path]))
    of_other = chain[chain[name] == "other"]
    assert of_other["revision"].to_list() == ["bbb", "ccc"]
    assert of_other["seconds"].to_list() == [50.0, 25.0]  # not from the 2.2 of the first device


def test_uncommitted_sources_are_no_part_of_the_trend(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    append(path, [line(), line(base="bbb", new="bbb-dirty")])
    assert set(chains(read([path]))["revision"]) == {"aaa", "bbb"}


def test_the_slower_walk_still_fits_the_sources() -> None:
    subprocess.run(["git", "apply", "--check", PATCH], cwd=ROOT, check=True)


def test_consecutive_rounds_make_a_trial() -> None:
    raw = pd.concat([measured(1.0, 10), measured(1.1, 10).assign(round=lambda t: t["round"] + 10)])
    judged = trials(raw, pairs=10)
    assert judged["verdict"].to_list() == ["same", "slower"]
    found = rate(judged, "slower")
    assert (found["times"], found["trials"], found["rate"]) == (1, 2, 0.5)
    assert 0 < found["low"] < 0.5 < found["high"] < 1
