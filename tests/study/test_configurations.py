"""What the files of config/ study, and on which nodes."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
import yaml

from analysis.paper.criteria import FIDUCIAL
from analysis.study.configuration import complaints, numbered
from analysis.study.figure_kinds import figures_of
from analysis.study.parameters import Parameters, runs_by_path
from analysis.study.schema import filled, rules, run_defaults
from tests.conftest import ROOT
from tests.study.workflow import Workflow


@cache
def load(name: str) -> dict:
    config = yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text())
    return filled(numbered(config), rules())


def runs_of(name: str) -> Sequence[Parameters]:
    return list(runs_by_path(load(name)["runs"], run_defaults()).values())


def test_paper_has_the_settings_of_the_paper() -> None:
    runs = [r for r in runs_of("paper") if r["as_published"] == "all"]
    sweep = [r for r in runs if r["particles"] == 2**23 and r["repeat"] == 1]
    wanted = {
        "acceleration": [2.0**-n for n in range(2, 20)],
        "multipole": [2.0**-n for n in range(2, 20)],
        "opening": pytest.approx([0.1 * n for n in range(9, 0, -1)]),
    }
    lengths = {"block": {256, 1024}, "shared": {64, 256}}
    for model, step in itertools.product(("nfw", "m31"), ("block", "shared")):
        mine = [r for r in sweep if (r["model"], r["step"]) == (model, step)]
        mine = [r for r in mine if r["steps"] in lengths[step]]
        for criterion, accuracies in wanted.items():
            alike = [r for r in mine if r["criterion"] == criterion]
            assert list(dict.fromkeys(r["accuracy"] for r in alike)) == accuracies
    assert {r["particles"] for r in runs} == {2**n for n in range(10, 29)}
    assert {r["device"] for r in runs} == {"cuda"}


def test_every_long_run_of_the_paper_has_short_ones_that_are_repeated() -> None:
    keys = ("model", "as_published", "particles", "criterion", "accuracy", "step")
    runs = [r for r in runs_of("paper") if r["as_published"] == "all" and r["particles"] == 2**23]
    repeated = {tuple(r[key] for key in keys) for r in runs if r["repeat"] == 3}
    assert {tuple(r[key] for key in keys) for r in runs if r["model"] != "plummer"} <= repeated


@pytest.mark.parametrize("name", ["full", "paper"])
def test_study_has_the_published_algorithm_and_ours(name: str) -> None:
    both = {"none", "all"}
    for model in ("nfw", "m31"):
        for step in ("block", "shared"):
            alike = [r for r in runs_of(name) if (r["model"], r["step"]) == (model, step)]
            assert {r["as_published"] for r in alike if r["accuracy"] == 2.0**-7} == both


@pytest.mark.parametrize("name", ["quick", "full", "paper"])
def test_study_is_of_both_models_and_has_the_fiducial_run(name: str) -> None:
    assert load(name)["study"] == name
    assert {run["model"] for run in runs_of(name)} - {"plummer"} == {"nfw", "m31"}
    assert any(FIDUCIAL.items() <= run.items() for run in runs_of(name))


def kinds_of(name: str) -> set[str]:
    return {figure["kind"] for figure in figures_of(load(name), runs_of(name))}


def test_study_of_two_cores_draws_every_kind_of_the_paper() -> None:
    assert kinds_of("full") >= kinds_of("paper")


def test_every_model_has_its_figure() -> None:
    drawn = {figure["where"]["model"] for figure in figures_of(load("models"), [])}
    assert drawn == {path.stem for path in (ROOT / "config" / "models").glob("*.toml")}


CPU = {"devices": ["cpu"], "threads": 2}
GRES = CPU | {"resources": {"gres": "gpu:1"}}


@pytest.mark.parametrize(
    ("nodes", "device", "complaint"),
    [
        ({"plain": CPU}, "cuda", "nodes: no type takes work on cuda; add cuda to the devices of"),
        ({"one": CPU, "two": CPU}, "cpu", "nodes: several types take runs on cpu; leave them to"),
        ({"plain": {"devices": ["cpu"]}}, "cpu", "nodes.plain.threads: is missing; add it"),
        ({"plain": CPU | {"thread": 1}}, "cpu", "nodes.plain.thread: unknown key; did you mean"),
        ({"a/b": CPU}, "cpu", "'a/b' does not match"),
        ({"plain": GRES}, "cpu", "nodes.plain.resources.gres: are those of a node; write gpu and"),
    ],
)
def test_wrong_nodes_are_refused(nodes: dict[str, object], device: str, complaint: str) -> None:
    run = {"model": "plummer", "particles": 256, "steps": 2, "accuracy": 0.1, "device": device}
    run["ranks"] = 2
    study = {"study": "small", "runs": {"list": [run]}, "nodes": nodes}
    assert complaint in "\n".join(complaints(study, [], {}))


def test_study_on_a_cluster_needs_nodes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "snakemake"]
    command += ["--workflow-profile", "config/profiles/slurm"]
    command += ["--configfile", "config/study_example.yaml", "--directory", str(tmp_path)]
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "needs nodes, from a file like config/nodes_example.yaml" in refused.stderr


def test_example_of_nodes_fits_the_example_of_a_study(tmp_path: Path) -> None:
    texts = [(ROOT / "config" / f"{name}_example.yaml").read_text() for name in ("study", "nodes")]
    (tmp_path / "both.yaml").write_text("\n".join(texts))
    planned = Workflow(tmp_path, tmp_path / "both.yaml").run("--dry-run")
    assert planned.returncode == 0, planned.stdout
    assert "gpu_model=h100" in planned.stdout
