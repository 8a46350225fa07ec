from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from snakemake.common.configfile import load_configfile

from analysis.configuration import run_defaults, with_numbers
from analysis.regress import (
    BOUNDS,
    REPEATED,
    Section,
    measure,
    moved,
    problem_names,
    read_section,
    write_section,
)
from analysis.runs import SCHEMA, save, table_of
from analysis.space import folder, runs_by_path
from tests.study.workflow import ROOT

DEFAULTS = run_defaults(load_configfile(SCHEMA))
BASELINES = sorted((ROOT / "tests" / "regress").glob("*.yaml"))
ORIGIN = {"device": "CPU", "compiler": "GNU 12, 512-bit vectors", "revision": "abc", "date": "now"}
ELSEWHERE = ORIGIN | {"compiler": "GNU 13, 512-bit vectors"}
NUMBERS = {
    "initial_conditions": "0123456789abcdef",
    "error_50": 1.1e-3,
    "error_90": 2.3e-3,
    "error_99": 3.7e-3,
    "error_max": 1.7e-2,
    "force_interactions": 11001664,
    "steps": 4,
    "simulated_time": 0.25,
    "interactions": 287786583,
    "cells_judged": 3077472,
    "rebuilds": 3,
    "energy_drift": -1.002e-3,
    "energy_drift_max": 1.003e-3,
    "active": [8192, 30, 512, 29],
}
BASELINE = Section(ORIGIN, {"nfw": NUMBERS, "m31": NUMBERS})


def changed(origin: dict[str, str], column: str, value: object) -> Section:
    return Section(origin, {"nfw": NUMBERS, "m31": NUMBERS | {column: value}})


def of_counts(value: object) -> bool:
    return isinstance(value, int | list)


def shifted(value: object, by: float) -> object:
    if isinstance(value, list):
        return [*value[:-1], shifted(value[-1], by)]
    return value + type(value)(by)


def test_every_number_is_compared() -> None:
    assert list(BOUNDS) == list(NUMBERS)


@pytest.mark.parametrize("column", BOUNDS)
def test_one_program_on_one_device_must_repeat_every_number(column: str) -> None:
    value = NUMBERS[column]
    least = 1 if of_counts(value) else 1e-16
    if column.startswith("error_"):
        least = 1.01e-9 * value
    tiny = value[::-1] if isinstance(value, str) else shifted(value, least)
    (line,) = moved(BASELINE, changed(ORIGIN, column, tiny))
    assert line.startswith(f"m31: {column}")
    assert line.endswith(f"bound {REPEATED[column]}")
    assert not list(moved(BASELINE, changed(ORIGIN, column, value)))


@pytest.mark.parametrize("column", [name for name in BOUNDS if name != "initial_conditions"])
@pytest.mark.parametrize("sign", [-1, 1])
def test_numbers_of_another_compiler_keep_within_their_bounds(column: str, sign: int) -> None:
    bound, value = BOUNDS[column], NUMBERS[column]
    most = bound.absolute + bound.relative * abs(value[-1] if isinstance(value, list) else value)
    least_more = most + 1 if of_counts(value) else 1.001 * most or 1e-15
    beyond = changed(ELSEWHERE, column, shifted(value, sign * least_more))
    within = changed(ELSEWHERE, column, shifted(value, sign * 0.999 * most))
    assert [line.split(":")[0] for line in moved(BASELINE, beyond)] == ["m31"]
    assert not list(moved(BASELINE, within))
    assert bound.reason


def test_line_tells_both_numbers_and_the_bound() -> None:
    (line,) = moved(BASELINE, changed(ELSEWHERE, "error_99", 5e-3))
    assert line == "m31: error_99: baseline 0.0037, now 0.005, bound within 3 %"
    (line,) = moved(BASELINE, changed(ORIGIN, "active", [8192, 30, 500, 29]))
    assert line == "m31: active of step 2: baseline 512, now 500, bound exact"


def test_sequence_of_other_length_and_number_that_is_not_there_have_moved() -> None:
    for column, value in (
        ("active", [8192, 30, 512]),
        ("error_50", None),
        ("error_90", float("nan")),
    ):
        (line,) = moved(BASELINE, changed(ELSEWHERE, column, value))
        assert column in line


def test_missing_and_additional_problems_are_told() -> None:
    now = Section(ORIGIN, {"nfw": NUMBERS, "king": NUMBERS})
    assert list(moved(BASELINE, now)) == [
        "m31: in the baseline, but was not run",
        "king: not in the baseline",
    ]


def test_architectures_are_told_apart_by_their_vectors() -> None:
    assert BASELINE.name == "cpu-512"
    gpu = ORIGIN | {"device": "NVIDIA H200"}
    assert Section(gpu, {}).name == "nvidia-h200"


def test_file_keeps_every_bit(tmp_path: Path) -> None:
    numbers = NUMBERS | {"error_50": 0.1 + 0.2, "energy_drift": -1e-05, "error_max": 1e-320}
    section = Section(ORIGIN, {"nfw 8192 acceleration 0.0078125 block": numbers})
    write_section(section, "a reason: with a colon", tmp_path / "here.yaml")
    read = read_section(tmp_path / "here.yaml")
    assert read.origin == ORIGIN | {"why": "a reason: with a colon"}
    assert not list(moved(read, section))


def test_baselines_hold_the_problems_of_the_study() -> None:
    config = load_configfile(ROOT / "config" / "regress.yaml")
    runs = runs_by_path(with_numbers(config["runs"]), DEFAULTS)
    names = problem_names(table_of({**run, "path": "", "ic": ""} for run in runs.values()))
    assert len(names) == len(set(names))
    assert BASELINES
    for path in BASELINES:
        section = read_section(path)
        assert set(section.problems) == set(names)
        assert section.name == path.stem
        assert section.origin["why"]


@dataclass(frozen=True)
class Laboratory:
    """Runs of a small problem, made by the programs as they are."""

    programs: Path
    place: Path

    def __post_init__(self) -> None:
        for seed in (1, 2):
            ic = self.place / f"ic{seed}.h5"
            model = ROOT / "config" / "models" / "nfw.toml"
            drawn = ("--particles", "1024", "--seed", seed, "--output", ic)
            self.call(self.programs / "gothic-ic", model, *drawn)
            forces = ("--output", self.place / f"reference{seed}.h5")
            self.call(self.programs / "gothic", "direct", "--input", ic, *forces)

    def call(self, *words: object) -> None:
        environment = os.environ | {"OMP_WAIT_POLICY": "passive"}
        subprocess.run([*map(str, words)], cwd=ROOT, env=environment, check=True)

    def run(self, threads: int = 2, **changes: object) -> Section:
        """Make a run, whose numbers are then told under the name of the one without changes."""
        run = {"model": "nfw", "particles": 1024, "accuracy": 2**-7, "steps": 8, "repeat": 1}
        parameters = {**DEFAULTS, **run, **changes}
        seed = parameters["seed"]
        path = self.place / folder(parameters, DEFAULTS)
        files = ("--ic", self.place / f"ic{seed}.h5", "--threads", threads)
        reference = ("--reference", self.place / f"reference{seed}.h5")
        program = ("--program", self.programs / "gothic")
        self.call(sys.executable, "-m", "analysis.measure", path, *program, *files, *reference)
        row = json.loads((path / "run.json").read_text())
        section = measure(table_of([row]))
        return Section(section.origin, {"nfw": next(iter(section.problems.values()))})


@pytest.fixture(scope="module")
def laboratory(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    return Laboratory(programs, tmp_path_factory.mktemp("regress"))


def test_program_repeats_every_number_with_any_number_of_threads(laboratory: Laboratory) -> None:
    assert not list(moved(laboratory.run(), laboratory.run(threads=1)))


@pytest.mark.parametrize(
    ("change", "columns"),
    [
        ({"accuracy": 0.99 * 2**-7}, {"error_50", "interactions"}),
        ({"leaf_capacity": 16}, {"error_50", "force_interactions", "cells_judged"}),
        ({"root": "newton"}, {"error_50"}),
        ({"eta": 0.49}, {"active"}),
        ({"rebuild_interval": 1}, {"rebuilds"}),
        ({"seed": 2}, {"initial_conditions", "error_max", "energy_drift"}),
    ],
)
def test_change_of_what_the_program_does_is_found(
    laboratory: Laboratory, change: dict[str, object], columns: set[str]
) -> None:
    lines = list(moved(laboratory.run(), laboratory.run(**change)))
    assert columns <= {line.split(": ")[1].split(" of step")[0] for line in lines}


def test_command_keeps_a_baseline_and_finds_what_moved(
    laboratory: Laboratory, tmp_path: Path
) -> None:
    def regress(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "analysis.regress", str(tmp_path)]
        command += ["--baselines", str(tmp_path), *words]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    laboratory.run()
    row = json.loads(next(laboratory.place.glob("**/run.json")).read_text())
    save(table_of([row]), tmp_path)
    refused = regress("--update", " ")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "WHY" in refused.stderr
    assert not list(tmp_path.glob("*.yaml"))
    assert regress("--update", "the first").returncode == 0
    same = regress()
    assert (same.returncode, same.stdout.count("\n")) == (0, 1)
    save(table_of([row | {"error_99": 1.0, "rebuilds": 7}]), tmp_path)
    moved_away = regress()
    assert moved_away.returncode == 1
    first, second, _, remedy = moved_away.stdout.splitlines()
    assert "error_99: baseline" in first
    assert "rebuilds: baseline" in second
    assert "make regress-update" in remedy
