from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from functools import cache

import pytest
import yaml

from analysis.configuration import numbered
from analysis.criteria import FIDUCIAL
from analysis.kinds import figures_of
from analysis.schema import filled, rules, run_defaults
from analysis.space import Parameters, runs_by_path
from tests.study.workflow import ROOT


@cache
def load(name: str) -> dict:
    config = yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text())
    return filled(numbered(config), rules())


def runs_of(name: str) -> Sequence[Parameters]:
    return list(runs_by_path(load(name)["runs"], run_defaults()).values())


def test_paper_has_the_settings_of_the_paper() -> None:
    sweep = [r for r in runs_of("paper") if r["particles"] == 2**23 and r["steps"] == 1024]
    for model in ("nfw", "m31"):
        for step in ("block", "shared"):
            mine = [r for r in sweep if (r["model"], r["step"]) == (model, step)]
            for criterion in ("acceleration", "multipole"):
                found = [r["accuracy"] for r in mine if r["criterion"] == criterion]
                assert found == [2.0**-n for n in range(2, 20)]
            angles = [r["accuracy"] for r in mine if r["criterion"] == "opening"]
            assert angles == pytest.approx([0.1 * n for n in range(9, 0, -1)])
    sizes = {r["particles"] for r in runs_of("paper")}
    assert sizes == {2**n for n in range(10, 26)}


@pytest.mark.parametrize("name", ["h200", "full"])
def test_other_studies_draw_every_kind_of_the_paper(name: str) -> None:
    drawn, of_paper = (
        {figure["kind"] for figure in figures_of(load(one), runs_of(one))}
        for one in (name, "paper")
    )
    assert drawn >= of_paper


@pytest.mark.parametrize("name", ["quick", "full", "paper", "h200"])
def test_study_is_of_both_models_and_has_the_fiducial_run(name: str) -> None:
    assert load(name)["study"] == name
    assert {run["model"] for run in runs_of(name)} == {"nfw", "m31"}
    assert any(FIDUCIAL.items() <= run.items() for run in runs_of(name))


def test_h200_is_studied_on_its_gpu() -> None:
    assert {run["device"] for run in runs_of("h200")} == {"cuda"}
    assert max(run["particles"] for run in runs_of("h200")) == 2**28


def test_every_model_has_its_figure() -> None:
    drawn = {figure["where"]["model"] for figure in figures_of(load("models"), [])}
    assert drawn == {path.stem for path in (ROOT / "config" / "models").glob("*.toml")}


@pytest.mark.parametrize("name", ["test", "study_example"])
def test_workflow_passes_the_linter(name: str) -> None:
    linted = subprocess.run(
        [sys.executable, "-m", "snakemake", "--lint", "--configfile", f"config/{name}.yaml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert linted.returncode == 0, linted.stderr
