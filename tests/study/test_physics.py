"""A study of fields, keys of models, own initial conditions and snapshots."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import yaml

from analysis.reading.files import read_attributes, states_of
from analysis.study.runs import load, select
from tests.conftest import ROOT
from tests.programs.results import datasets
from tests.study.workflow import Workflow, rows

FIELD = "my fields/halo.toml"
STUDY = {
    "study": "physics",
    "reference": {"targets": 64},
    "runs": {
        "defaults": {
            "model": "own/ball.toml",
            "particles": 256,
            "quiet_start": True,
            "accuracy": "2^-7",
            "time": 0.125,
            "device": "cpu",
        },
        "grids": [{"cluster.scale": [1, 2], "external": FIELD, "snapshot_interval": 0.0625}],
        "list": [
            {"input": "own/ic.h5", "snapshot_times": "2.05,2.1", "compression": 1},
            {"input": "own/ic.h5", "snapshot_count": 2, "external": FIELD},
            {"cluster.scale": 2},
        ],
    },
}


def write_field(folder: Path, mass: float) -> None:
    (folder / FIELD).write_text(f'[[potential]]\ntype = "hernquist"\nmass = {mass}\nscale = 2.0\n')


def write_input(folder: Path, programs: Path, seed: int) -> None:
    """Draw a Plummer sphere that starts at time 2."""
    path = folder / "own" / "ic.h5"
    words = ["--particles", "128", "--seed", str(seed), "--output", path]
    subprocess.run([programs / "gothic-ic", folder / "own" / "ball.toml", *words], check=True)
    with h5py.File(path, "a") as file:
        file["Header"].attrs["Time"] = 2.0


@pytest.fixture(scope="module")
def workflow(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Workflow:
    folder = tmp_path_factory.mktemp("physics")
    (folder / "own").mkdir()
    (folder / "my fields").mkdir()
    shutil.copy(ROOT / "config" / "models" / "plummer.toml", folder / "own" / "ball.toml")
    write_field(folder, 5.0)
    write_input(folder, programs, 1)
    config = folder / "study.yaml"
    config.write_text(yaml.safe_dump(STUDY))
    workflow = Workflow(folder, config, programs)
    workflow.jobs()
    return workflow


@pytest.fixture(scope="module")
def runs(workflow: Workflow) -> pd.DataFrame:
    return load(workflow.folder / "results" / "physics")


def made_again(workflow: Workflow) -> pd.DataFrame:
    """Run the workflow, and select the rows of the runs that it has made again."""
    before = rows(workflow.folder)
    workflow.jobs()
    after = rows(workflow.folder)
    table = load(workflow.folder / "results" / "physics")
    changed = {path.parent for path in after if after[path] != before.get(path)}
    return table[[workflow.folder / path in changed for path in table["path"]]]


def test_table_has_a_column_for_each_key(runs: pd.DataFrame) -> None:
    assert len(runs) == 5
    drawn = runs[runs["model"] == "own/ball.toml"]
    found = set(drawn[["cluster.scale", "external"]].itertuples(index=False, name=None))
    assert found == {(1.0, FIELD), (2.0, FIELD), (2.0, "")}
    assert drawn["quiet_start"].all()
    own = runs[runs["input"] == "own/ic.h5"]
    assert set(own["model"]) == {"ic"}
    assert set(own["particles"]) == {128}
    assert set(own["ic"]) == {"own/ic.h5"}
    assert own["seed"].isna().all()
    assert own["cluster.scale"].isna().all()


def test_fields_act_in_runs_and_in_what_they_are_compared_with(
    workflow: Workflow, runs: pd.DataFrame
) -> None:
    assert (runs["error_99"] < 0.02).all()
    for row in runs.itertuples():
        options = read_attributes(workflow.folder / row.path / "steps.h5", "Options")
        assert ("mass = 5.0" in options.get("external.text", "")) == (row.external == FIELD)


def test_model_with_changed_keys_makes_the_same_particles_by_hand(
    workflow: Workflow, runs: pd.DataFrame, tmp_path: Path
) -> None:
    smaller, ic = (
        workflow.folder / select(runs, **{"cluster.scale": scale})["ic"].iloc[0] for scale in (1, 2)
    )
    model = ic.parents[3] / "model.toml"
    assert model.read_text().startswith("# own/ball.toml\n# (SHA-256 ")
    assert tomllib.loads(model.read_text())["component"][0]["scale"] == 2
    words = ["--particles", "256", "--quiet-start", "--output", tmp_path / "ic.h5"]
    subprocess.run([workflow.programs / "gothic-ic", model, *words], check=True)
    again, made = datasets(tmp_path / "ic.h5"), datasets(ic)
    assert all(np.array_equal(again[name], made[name]) for name in made)
    position = "PartType4/Coordinates"
    np.testing.assert_allclose(made[position], 2 * datasets(smaller)[position], rtol=1e-5)


def test_snapshots_are_kept_and_found(workflow: Workflow, runs: pd.DataFrame) -> None:
    times = {}
    for row in runs.itertuples():
        states = states_of(workflow.folder / row.path)
        assert row.snapshots == len(states)
        found = [read_attributes(path, "Header")["Time"] for path in states]
        times[row.model, row.snapshot_count, row.snapshot_interval] = found
    assert times["own/ball.toml", 0, 0.0625] == pytest.approx([0, 0.0625, 0.125])
    assert times["own/ball.toml", 0, 0] == []
    assert times["ic", 0, 0] == pytest.approx([2, 2.05, 2.1, 2.125])
    assert times["ic", 2, 0] == pytest.approx([2, 2.0625, 2.125])


def test_nothing_changed_makes_nothing_again(workflow: Workflow, runs: pd.DataFrame) -> None:
    assert len(runs) == 5
    assert workflow.jobs() <= {"programs"}


def test_changed_field_makes_its_runs_again_and_no_others(workflow: Workflow) -> None:
    write_field(workflow.folder, 6.0)
    again = made_again(workflow)
    assert list(again["external"]) == [FIELD] * 3
    assert (again["error_99"] < 0.02).all()


def test_changed_input_makes_its_runs_again_and_no_others(workflow: Workflow) -> None:
    write_input(workflow.folder, workflow.programs, 2)
    again = made_again(workflow)
    assert list(again["input"]) == ["own/ic.h5"] * 2
    assert (again["error_99"] < 0.02).all()


def test_changed_model_file_makes_its_runs_again_and_no_others(workflow: Workflow) -> None:
    model = workflow.folder / "own" / "ball.toml"
    model.write_text(model.read_text().replace("mass = 1.0", "mass = 1.5"))
    again = made_again(workflow)
    assert list(again["model"]) == ["own/ball.toml"] * 3
    masses = datasets(workflow.folder / again["ic"].iloc[0])["PartType4/Masses"]
    assert masses.sum() == pytest.approx(1.5, rel=1e-5)
