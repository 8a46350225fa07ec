from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.analysis.conftest import FACTS
from tests.study.workflow import Workflow

ROOT = Path(__file__).parents[2]
NAMES = ["errors_nfw.csv", "scaling_nfw.csv", "timings_nfw.csv"]


@pytest.fixture
def study(
    tmp_path: Path, errors: pd.DataFrame, timings: pd.DataFrame, scaling: pd.DataFrame
) -> Path:
    """Write the tables of a finished study."""
    study = tmp_path / "study"
    (study / "nfw_N1024_s1").mkdir(parents=True)
    errors = errors.assign(sample="nfw_N1024_s1", threads=2, **FACTS)
    errors.to_csv(study / "nfw_N1024_s1" / "errors.csv", index=False)
    timings.to_csv(study / "nfw_N1024_s1" / "timings.csv", index=False)
    scaling.to_csv(study / "scaling_nfw.csv", index=False)
    return study


def keep(study: Path, name: str = "h200") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "analysis.measured", "--study", str(study)]
    command += ["--device-name", name, "--folder", str(study.parent / "measured")]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def refusal(study: Path, name: str = "h200") -> str:
    """Keep the tables of a study in vain, and return the only line of the complaint."""
    done = keep(study, name)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert not (study.parent / "measured").exists()
    return done.stderr


def test_tables_are_copied_under_the_name_of_their_model(study: Path) -> None:
    assert keep(study).returncode == 0
    folder = study.parent / "measured" / "h200"
    assert sorted(path.name for path in folder.iterdir()) == NAMES
    copied = (folder / "timings_nfw.csv").read_bytes()
    assert copied == (study / "nfw_N1024_s1" / "timings.csv").read_bytes()


@pytest.mark.parametrize(
    ("table", "pattern"),
    [("nfw_N1024_s1/errors.csv", "*/errors.csv"), ("scaling_nfw.csv", "scaling_*.csv")],
)
def test_missing_table_is_named(study: Path, table: str, pattern: str) -> None:
    (study / table).unlink()
    assert f"{pattern}: no such file" in refusal(study)


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("device", "GPU", "of different devices, CPU; GPU"),
        ("sample", "plummer_N64_s1", "of different models, nfw; plummer"),
        ("revision", "", "revision is missing"),
    ],
)
def test_tables_that_do_not_belong_together_are_refused(
    study: Path, column: str, value: str, complaint: str
) -> None:
    table = pd.read_csv(study / "scaling_nfw.csv")
    table.loc[1, column] = value
    table.to_csv(study / "scaling_nfw.csv", index=False)
    assert complaint in refusal(study)


def test_tables_of_two_samples_are_refused(study: Path) -> None:
    shutil.copytree(study / "nfw_N1024_s1", study / "nfw_N64_s1")
    assert "several files of one model" in refusal(study)


def add_model(study: Path, model: str) -> None:
    """Copy the tables of nfw, without its scaling, under the name of another model."""
    (study / f"{model}_N1024_s1").mkdir()
    for name in ("errors.csv", "timings.csv"):
        table = pd.read_csv(study / "nfw_N1024_s1" / name)
        table = table.assign(sample=f"{model}_N1024_s1")
        table.to_csv(study / f"{model}_N1024_s1" / name, index=False)


def test_tables_of_every_model_are_kept(study: Path) -> None:
    add_model(study, "milky_way")
    assert keep(study).returncode == 0
    folder = study.parent / "measured" / "h200"
    added = {"errors_milky_way.csv", "timings_milky_way.csv"}
    assert {path.name for path in folder.iterdir()} == {*NAMES, *added}


@pytest.mark.parametrize("name", ["errors", "timings"])
def test_model_needs_errors_and_timings(study: Path, name: str) -> None:
    add_model(study, "m31")
    (study / "m31_N1024_s1" / f"{name}.csv").unlink()
    assert f"no {name}.csv of model m31" in refusal(study)


def test_device_name_is_one_word(study: Path) -> None:
    assert "letters, digits" in refusal(study, "../h200")


def test_figures_are_drawn_without_programs(study: Path) -> None:
    root = study.parent / "copy"
    for folder in ("analysis", "config"):
        shutil.copytree(ROOT / folder, root / folder)
    shutil.copy(ROOT / "Snakefile", root)
    add_model(study, "m31")
    keep(study)
    shutil.copytree(study.parent / "measured", root / "analysis" / "measured", dirs_exist_ok=True)
    workflow = Workflow(study.parent / "work", root / "config" / "test.yaml", root=root)
    jobs = workflow.jobs("--", "measured")
    assert {rule for rule in jobs if not rule.startswith("measured")} == set()
    for name in ("elapsed_vs_error_nfw", "speedup_m31", "breakdown_vs_particles_nfw"):
        stem = workflow.folder / "results" / "figures" / "measured" / "h200" / name
        for suffix in (".pdf", ".png", ".csv", ".txt"):
            assert stem.with_suffix(suffix).stat().st_size > 0
    assert workflow.jobs("--dry-run", "--", "measured") == set()
