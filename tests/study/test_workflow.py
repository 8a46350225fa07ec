"""Every kind of figure, of the study config/test.yaml."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.reading.model_check import deviation
from analysis.study.figure_kinds import KINDS
from analysis.study.runs import description, load
from tests.conftest import ROOT
from tests.study.workflow import Workflow

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Path:
    """Make the study, and return its folder."""
    folder = tmp_path_factory.mktemp("study")
    done = Workflow(folder, ROOT / "config" / "test.yaml", programs).run()
    logs = "".join(f"{log}:\n{log.read_text()}" for log in folder.rglob("logs/*.log"))
    assert done.returncode == 0, done.stdout + logs
    return folder / "results" / "test"


def table(study: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(study / "figures" / f"{name}.csv")


def test_every_kind_is_drawn(study: Path) -> None:
    figures = description(study)["figures"]
    assert {figure["kind"] for figure in figures} == KINDS.keys() - {"plot"}
    for figure in figures:
        for suffix in KINDS[figure["kind"]].files:
            assert (study / "figures" / f"{figure['name']}.{suffix}").stat().st_size > 0


@pytest.mark.parametrize("model", ["nfw", "plummer"])
def test_errors_fall_with_accuracy_and_particles_are_those_of_the_model(
    study: Path, model: str
) -> None:
    rows = table(study, f"elapsed_vs_error_{model}")
    assert len(rows) == 16
    assert (rows["elapsed_per_step_s"] > rows["stages_per_step_s"]).all()
    for _, line in rows[rows["step"] == "block"].groupby("criterion"):
        for error in ("error_50", "error_90", "error_99"):
            errors = line.sort_values("accuracy")[error].to_numpy()
            assert (np.diff(errors) > 0).all()
            assert 0 < errors[0] < errors[-1] < 1
    profiles = table(study, f"model_{model}")
    assert profiles["count"].sum() > 4000
    for quantity in ("density", "mass", "sigma_r", "sigma_phi"):
        assert deviation(profiles, quantity) < 2


def test_lengths_are_in_dynamical_times_and_million_years(study: Path) -> None:
    drift = table(study, "equilibrium_plummer")
    assert list(drift["dynamical_times"].unique()) == pytest.approx([0, 0.25, 0.5], abs=1e-6)
    assert drift["change"].abs().max() < 6 * drift["scatter"].max()
    times = table(study, "movie_m31")["time"].unique()
    assert list(times) == pytest.approx([0, 1, 2], abs=0.05)


def test_states_that_were_only_timed_are_removed(study: Path) -> None:
    kept = {path.parent for path in study.glob("runs/**/snapshot_*.h5")}
    runs = load(study)
    paths = runs.loc[runs["snapshot_count"] > 0, "path"]
    assert kept == {study.parents[1] / path for path in paths}
