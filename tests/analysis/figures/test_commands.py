"""Every figure has a command line."""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.study.figure_kinds import KINDS
from tests.analysis.galaxies import (
    disc_check,
    draw_disc,
    draw_plummer,
    plummer_check,
    write_snapshot,
)


def call(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    module: str,
    *words: object,
) -> tuple[int, str, str]:
    """Call a module as Python does with -m: exit status, output and errors."""
    monkeypatch.setattr(sys, "argv", [module, *map(str, words)])
    status = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the module is imported already
            runpy.run_module(module, run_name="__main__")
    except SystemExit as end:
        status = end.code
    return status, *capsys.readouterr()


MODULES = [*(f"analysis.figures.{kind}" for kind in KINDS), "analysis.reading.drift"]


@pytest.mark.parametrize("module", MODULES)
def test_help_tells_the_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], module: str
) -> None:
    status, out, error = call(monkeypatch, capsys, module, "--help")
    assert (status, error) == (0, "")
    assert out.startswith(f"usage: python -m {module} ")
    status, out, error = call(monkeypatch, capsys, module, "--colur", "red")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert error.startswith(f"python -m {module}: ")
    assert error.endswith("; see --help\n")


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write two states of a disc in a cluster, and the tables of this model and of another one."""
    folder = tmp_path_factory.mktemp("states")
    parts = {"cluster": draw_plummer(), "disc": draw_disc()}
    for number in range(2):
        write_snapshot(folder / f"snapshot_{number:03}.h5", parts, time=5.0 * number)
    check = pd.concat([plummer_check().assign(v_circ=np.nan), disc_check()])
    check.to_csv(folder / "check.csv", index=False)
    plummer_check("other").to_csv(folder / "other.csv", index=False)
    return folder


@pytest.mark.parametrize(
    ("words", "file", "told"),
    [
        (
            "map --snapshot {0} --time 5.001 --centre origin --sides x --width 9",
            "png",
            "at $t = 5$",
        ),
        ("movie --snapshots {0} --time 0 --width 9 --sides z", "gif", "2 frames from $t = 0$"),
        ("model --snapshot {0}/snapshot_001.h5 --check {0}/check.csv", "png", "001.h5 at $t = 5$"),
    ],
)
def test_figures_are_drawn_of_files(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    states: Path,
    tmp_path: Path,
    words: str,
    file: str,
    told: str,
) -> None:
    kind, *options = words.format(states).split()
    stem = tmp_path / "new" / "figure"
    done = call(monkeypatch, capsys, f"analysis.figures.{kind}", *options, "--stem", stem)
    assert done == (0, "", "")
    assert stem.with_suffix(f".{file}").exists()
    assert told in stem.with_suffix(".txt").read_text()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("figures.map --snapshot {0}", "has 2 states; choose one with --time"),
        ("figures.map --snapshot {0} --time 6", "time: is 6; states are from 0 to 5"),
        ("figures.map --snapshot {0}/nothing.h5", "nothing.h5: input: there is no such file"),
        ("figures.map --snapshot {0}/snapshot_000.h5 --model m31", "does not tell the model of"),
        ("figures.map --snapshot {1}", "has no snapshot_*.h5; run gothic with --snapshot-interval"),
        ("figures.movie --snapshots {0}/snapshot_000.h5", "is one snapshot; a film needs several"),
        ("figures.model --snapshot {0}/snapshot_000.h5 --check {0}/other.csv", "components other"),
        ("figures.equilibrium --drift {0}/check.csv", "is missing; give a table of changes"),
        ("figures.equilibrium --drift {0}/nothing.csv", "make it with analysis.reading.drift"),
        ("reading.drift table {0} --check {0}/other.csv", "the model has components other, but"),
        ("reading.drift table {0} --check {0}/check.csv --model king", "does not tell the model"),
    ],
)
def test_wrong_files_are_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    states: Path,
    tmp_path: Path,
    words: str,
    complaint: str,
) -> None:
    module, *options = words.format(states, tmp_path).split()
    output = ("--output" if module == "reading.drift" else "--stem", tmp_path / "figure")
    status, out, error = call(monkeypatch, capsys, f"analysis.{module}", *options, *output)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert complaint in error
    assert list(tmp_path.iterdir()) == []


def test_changes_of_snapshots_that_no_program_has_written_are_tabulated_and_drawn(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    states: Path,
    tmp_path: Path,
) -> None:
    table, stem = tmp_path / "changes.csv", tmp_path / "drift"
    words = ("table", "--check", states / "check.csv", "--output", table, states)
    assert call(monkeypatch, capsys, "analysis.reading.drift", *words) == (0, "", "")
    words = ("--drift", table, "--stem", stem)
    assert call(monkeypatch, capsys, "analysis.figures.equilibrium", *words) == (0, "", "")
    assert stem.with_suffix(".txt").read_text().startswith("snapshot snapshot_000.h5, left to")
    before = table.read_bytes()
    words = ("--drift", table, "--stem", table.with_suffix(""))
    status, _, error = call(monkeypatch, capsys, "analysis.figures.equilibrium", *words)
    assert (status, table.read_bytes()) == (2, before)
    assert "is read, and would be written over; choose another output" in error


def test_folder_that_cannot_be_made_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], states: Path
) -> None:
    words = ("--snapshot", states / "snapshot_000.h5", "--stem", "/proc/none/map")
    done = call(monkeypatch, capsys, "analysis.figures.map", *words)
    assert done == (1, "", "/proc/none: No such file or directory\n")
