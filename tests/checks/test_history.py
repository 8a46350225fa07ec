"""Histories of made-up revisions, whose times scatter as those of pairs do, and a measured one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.checks import history, trend
from analysis.checks.history import complaints, judge_all, moved_numbers, pieces, quantities
from analysis.checks.verdict import compare
from analysis.errors import DataError
from analysis.reading.csv_tables import read_table
from tests.checks.noise import NOISES, Noise, bursts
from tests.conftest import ROOT

PAIRS = 10
STAGES = [(p, stage) for p in ("a", "b", "c") for stage in ("walk", "step", "correct", "process")]


def times(
    rng: np.random.Generator, slower: dict[tuple[str, str], float], noise: Noise
) -> list[dict]:
    """Judge made-up pairs, in which a stage may be slower."""
    rows = []
    for problem, stage in STAGES:
        logs = noise(rng, (PAIRS, 2))
        logs[:, 1] += np.log1p(slower.get((problem, stage), 0.0))
        for number, (base, new) in enumerate(np.exp(logs)):
            rows += [(number, problem, "base", stage, base), (number, problem, "new", stage, new)]
    columns = ["round", "problem", "program", "stage", "seconds"]
    return compare(pd.DataFrame(rows, columns=columns)).to_dict("records")


def revision(number: int) -> str:
    """Name the revision of so many commits."""
    return f"{number:012x}{0:028x}"


def entry(
    number: int,
    rng: np.random.Generator,
    error: float = 1e-3,
    noise: Noise = bursts,
    **slower: float,
) -> dict:
    """Make an entry of the revision with so many commits; `slower` is by stage of problem b."""
    numbers = {"digest": f"{error}", "error_99": error, "force_interactions": 100000}
    return {
        "revision": revision(number),
        "device": "Processor",
        "compiler": "GNU",
        "anchor": revision(1),
        "commits": number,
        "committed": "2026-01-01T00:00:00+00:00",
        "recorded": "2026-01-02T00:00:00+00:00",
        "provenance": {"machine": "a node"},
        "errors": {"nfw 2^14, 2^-5": {"error_99": error, "pairs": 1000}},
        "numbers": {"nfw": numbers},
        "times": times(rng, {("b", stage): much for stage, much in slower.items()}, noise),
    }


def require_no_alarm(series: list[dict]) -> None:
    """Fail if the first entries of a history, however many, show a drift or a large step."""
    for count in range(1, len(series) + 1):
        judged = judge_all(series[:count])
        assert not list(complaints(judged, series[:count]))
        assert not any(one.large_steps for one in judged)


@pytest.mark.parametrize("noise", NOISES)
def test_forty_repeats_of_one_revision_raise_no_alarm(noise: Noise) -> None:
    rng = np.random.default_rng(1)
    require_no_alarm([entry(7, rng, noise=noise) for _ in range(40)])


def test_forty_measured_repeats_of_one_revision_raise_no_alarm() -> None:
    measured = read_table(Path(__file__).with_name("forty_repeats.csv"))
    made_up = entry(7, np.random.default_rng(1))
    series = [
        {**made_up, "times": rows.to_dict("records")} for _, rows in measured.groupby("recording")
    ]
    assert len(series) == 40
    require_no_alarm(series)


@pytest.mark.parametrize("slower", [0.06, 0.1])
def test_slowdown_is_found_with_its_revision_stage_and_size(slower: float) -> None:
    rng = np.random.default_rng(5)
    series = [entry(number, rng, walk=slower * (number >= 12)) for number in range(1, 21)]
    judged = judge_all(series)
    (line,) = complaints(judged, series)
    assert line.startswith("b, walk: +")
    assert f"{12:012x} +" in line
    (one,) = (one for one in judged if one.drifted)
    assert np.exp(one.level) == pytest.approx(1 + slower, rel=0.01)
    assert [place for place, _ in one.large_steps] == [11]


def test_slowdown_of_the_last_night_is_found() -> None:
    rng = np.random.default_rng(6)
    series = [entry(number, rng, process=0.1 * (number == 8)) for number in range(1, 9)]
    (line,) = complaints(judge_all(series), series)
    assert line.startswith("b, process: +")
    assert f"{8:012x} +" in line


def test_small_steps_add_up_to_a_drift() -> None:
    rng = np.random.default_rng(7)
    series = [entry(number, rng, step=1.005**number - 1) for number in range(1, 16)]
    (line,) = complaints(judge_all(series), series)
    assert line.startswith("b, step: +")


def test_gain_that_is_lost_again_is_told() -> None:
    rng = np.random.default_rng(8)
    series = [entry(n, rng, walk=-0.1 * (5 <= n < 12)) for n in range(1, 21)]
    (line,) = complaints(judge_all(series), series)
    assert line.startswith("b, walk: +")
    best = re.search(r"since its best level, (\S+) % from the anchor", line)[1]
    assert float(best) == pytest.approx(-10, abs=1)
    assert f"{12:012x} +1" in line


def test_short_stage_may_vary_with_the_layout_of_code() -> None:
    rng = np.random.default_rng(9)
    series = [entry(number, rng, correct=0.08 * (number > 5)) for number in range(1, 21)]
    assert not list(complaints(judge_all(series), series))


def test_errors_that_grow_are_told_whatever_the_times() -> None:
    rng = np.random.default_rng(10)
    series = [entry(n, rng, error=1e-3 if n < 6 else 1.04e-3) for n in range(1, 11)]
    lines = list(complaints(judge_all(series), series))
    assert [line.split(":")[0] for line in lines] == ["nfw 2^14, 2^-5, error_99", "nfw, error_99"]
    assert all(f"{6:012x} +4.0 %" in line for line in lines)
    assert moved_numbers(series) == {5: ["nfw"]}


def test_steps_of_exact_numbers_are_found_to_the_place() -> None:
    logs = np.repeat([0.0, 0.3, 0.1], [4, 1, 7])
    assert pieces(logs, np.full(12, 1e-6), 20.0) == [0, 4, 5]
    assert pieces(np.zeros(1), np.ones(1), 20.0) == [0]


def test_weight_of_an_entry_follows_its_interval() -> None:
    logs = np.array([0, 0, 0, 0.5, 0, 0, 0.0])
    errors = np.full(7, 0.01)
    assert pieces(logs, errors, 20.0) == [0, 3, 4]
    errors[3] = 0.5
    assert pieces(logs, errors, 20.0) == [0]


def test_only_entries_of_one_machine_compiler_and_anchor_are_compared() -> None:
    rng = np.random.default_rng(11)
    entries = [entry(1, rng), entry(2, rng) | {"device": "other"}, entry(3, rng)]
    found = history.series_of(entries)
    assert [len(series) for series in found.values()] == [2, 1]


def test_quantity_that_an_entry_lacks_keeps_the_places_of_the_others() -> None:
    rng = np.random.default_rng(12)
    series = [entry(number, rng) for number in range(1, 5)]
    series[1]["times"] = [row for row in series[1]["times"] if row["problem"] != "c"]
    (walk,) = (q for q in quantities(series) if (q.problem, q.stage) == ("c", "walk"))
    assert walk.places.tolist() == [0, 2, 3]


def test_numbers_are_over_those_of_the_anchor_wherever_it_stands() -> None:
    rng = np.random.default_rng(15)
    series = [entry(number, rng, error=1e-3 * 2**number) for number in range(3)]
    (error,) = (q for q in quantities(series) if (q.problem, q.stage) == ("nfw", "error_99"))
    assert np.exp(error.logs) == pytest.approx([0.5, 1, 2])


def test_lines_that_are_no_entries_are_named(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    with pytest.raises(DataError, match="no such history; make record begins one"):
        history.read_entries(path)
    path.write_text(json.dumps(entry(1, np.random.default_rng())) + '\n{"revision": "a"}\n')
    with pytest.raises(DataError, match=r"history.jsonl:2: is no entry .*; remove the line"):
        history.read_entries(path)


@pytest.mark.parametrize(("slower", "status"), [(0.0, 0), (0.1, 1)])
def test_command_draws_and_fails_on_a_drift(tmp_path: Path, slower: float, status: int) -> None:
    rng = np.random.default_rng(13)
    entries = [entry(number, rng, walk=slower * (number > 4)) for number in range(1, 9)]
    lines = [json.dumps(one) + "\n" for one in reversed(entries)]
    (tmp_path / "history.jsonl").write_text("".join(lines))
    words = [sys.executable, "-m", "analysis.checks", "history"]
    words += ["--history", str(tmp_path / "history.jsonl"), "--output", str(tmp_path / "drawn")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert ("b, walk: +" in done.stdout) is bool(status)
    stem = tmp_path / "drawn" / "history_1_processor"
    written = {path.suffix for path in stem.parent.glob(f"{stem.name}.*")}
    assert written == {".pdf", ".png", ".csv", ".txt"}
    table = pd.read_csv(stem.with_suffix(".csv"), dtype=str)
    assert table["revision"].drop_duplicates().tolist() == [one["revision"] for one in entries]
    assert ("drifted" in stem.with_name(f"{stem.name}_table.md").read_text()) is bool(status)


def test_caption_tells_the_machine() -> None:
    series = [entry(1, np.random.default_rng(14))]
    assert "Device: Processor; GNU; a node; 2026-01-02" in trend.caption(series)
