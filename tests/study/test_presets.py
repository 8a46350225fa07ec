from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from snakemake.utils import validate

from analysis.sweep import FIDUCIAL, settings
from tests.study.workflow import ROOT, Workflow

PRESETS = [
    path
    for path in sorted((ROOT / "config").glob("*.yaml"))
    if "sweep" in yaml.safe_load(path.read_text())
]


def load(path: Path) -> dict:
    config = yaml.safe_load(path.read_text())
    validate(config, str(ROOT / "config" / "schema.yaml"))
    return config


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_preset_fits_the_schema_and_holds_the_fiducial_run(path: Path) -> None:
    config = load(path)
    assert config["study"] == path.stem
    assert FIDUCIAL in settings(config["sweep"])
    assert "block" in config["timing"]["modes"]


def test_paper_preset_is_the_sweep_of_the_paper() -> None:
    config = load(ROOT / "config" / "paper.yaml")
    assert config["particles"] == 2**23
    assert config["timing"] == {
        "steps": 1024,
        "modes": ["block", "shared"],
        "eta": 0.5,
        "repeats": 1,
    }
    found = settings(config["sweep"])
    for criterion in ("acceleration", "multipole"):
        accuracies = [s.accuracy for s in found if s.criterion == criterion]
        assert accuracies == [2.0**-n for n in range(2, 20)]
    angles = [s.accuracy for s in found if s.criterion == "opening"]
    assert angles == pytest.approx([0.1 * n for n in range(9, 0, -1)])


@pytest.mark.parametrize("name", ["quick", "paper", "h200"])
def test_nfw_sphere_and_m31_are_studied(name: str) -> None:
    assert load(ROOT / "config" / f"{name}.yaml")["models"] == ["nfw", "m31"]


def test_paper_preset_doubles_the_particles_beyond_those_of_the_paper() -> None:
    scaling = load(ROOT / "config" / "paper.yaml")["scaling"]
    assert scaling == {
        "models": ["nfw", "m31"],
        "particles": [2**n for n in range(10, 26)],
        "steps": 1024,
        "repeats": 1,
    }


@pytest.mark.parametrize("name", ["quick", "paper", "h200"])
def test_every_figure_of_the_paper_is_asked_for(name: str) -> None:
    config = load(ROOT / "config" / f"{name}.yaml")
    for section in ("scaling", "crossover"):
        assert config[section]["models"] == ["nfw", "m31"]
    assert config["crossover"]["particles"][:8] == [2**n for n in range(8, 16)]
    assert config["trace"] == {"models": [], "steps": 101}
    assert config["order"]["rounds"] >= 2
    assert config["timing"]["modes"] == ["block", "shared"]


def test_h200_preset_runs_on_a_gpu() -> None:
    config = load(ROOT / "config" / "h200.yaml")
    assert config["device"] == "cuda"
    assert config["programs"] == ""
    assert config["particles"] == 2**23
    assert config["scaling"]["particles"] == [2**n for n in range(10, 29)]


def test_quick_preset_ends_the_scaling_with_runs_that_it_makes_anyway() -> None:
    config = load(ROOT / "config" / "quick.yaml")
    assert config["scaling"]["particles"] == [2**n for n in range(10, 18)]
    assert config["scaling"]["particles"][-1] == config["particles"]
    assert config["scaling"]["steps"] == config["timing"]["steps"]
    assert config["scaling"]["repeats"] == config["timing"]["repeats"]


def test_without_particles_nothing_is_scaled(tmp_path: Path) -> None:
    preset = yaml.safe_load((ROOT / "config" / "test.yaml").read_text())
    del preset["scaling"]
    (tmp_path / "plain.yaml").write_text(yaml.safe_dump(preset))
    (tmp_path / "gothic").touch()
    (tmp_path / "gothic-ic").touch()
    workflow = Workflow(tmp_path, tmp_path / "plain.yaml", tmp_path)
    planned = workflow.jobs("--dry-run")
    assert "timed_run" in planned
    assert not any("scaling" in rule or "breakdown" in rule for rule in planned)


def test_every_model_file_has_its_figure(tmp_path: Path) -> None:
    (tmp_path / "gothic").touch()
    (tmp_path / "gothic-ic").touch()
    workflow = Workflow(tmp_path, ROOT / "config" / "test.yaml", tmp_path)
    planned = workflow.run("--dry-run", "--", "models").stdout
    for path in (ROOT / "config" / "models").glob("*.toml"):
        assert f"model_{path.stem}.pdf" in planned
    assert "timed_run" not in planned


def test_galaxy_runs_for_myr_and_sphere_for_dynamical_times(tmp_path: Path) -> None:
    preset = yaml.safe_load((ROOT / "config" / "test.yaml").read_text())
    preset["equilibrium"] |= {"models": ["nfw", "m31"], "duration": {"m31": 500}}
    (tmp_path / "quiet.yaml").write_text(yaml.safe_dump(preset))
    (tmp_path / "gothic").touch()
    (tmp_path / "gothic-ic").touch()
    workflow = Workflow(tmp_path, tmp_path / "quiet.yaml", tmp_path)
    planned = workflow.run("--dry-run", "--printshellcmds", "--", "equilibrium").stdout
    commands = [line for line in planned.splitlines() if "analysis.equilibrium part" in line]
    assert len(commands) == 4
    for command in commands:
        assert ("--myr 500" in command) == ("m31_N" in command)
        assert ("--dynamical-times 0.5" in command) == ("nfw_N" in command)


@pytest.mark.parametrize("models", [["nfw"], ["plummer", "hernquist"]])
def test_scaling_is_made_for_the_models_that_ask_for_it(tmp_path: Path, models: list[str]) -> None:
    preset = yaml.safe_load((ROOT / "config" / "test.yaml").read_text())
    preset["models"] = ["nfw", "plummer", "hernquist"]
    preset["scaling"]["models"] = models
    (tmp_path / "scaled.yaml").write_text(yaml.safe_dump(preset))
    (tmp_path / "gothic").touch()
    (tmp_path / "gothic-ic").touch()
    planned = Workflow(tmp_path, tmp_path / "scaled.yaml", tmp_path).run("--dry-run").stdout
    for model in preset["models"]:
        assert (f"breakdown_vs_particles_{model}.pdf" in planned) == (model in models)
        assert f"elapsed_vs_error_{model}.pdf" in planned


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("equilibrium: {parts: 0}", "equilibrium.parts: 0 is less than the minimum of 1"),
        ("equilibrium: {duration: {m31: 0}}", "equilibrium.duration.m31: 0 is less than or equal"),
        ("model: nfw", "model: several models can be given now; write models: [nfw]"),
        ("models: nfw", "models: 'nfw' is not of type 'array'"),
        ("models: []", "models: []"),
        ("scaling: {models: [NFW]}", "scaling.models.0: 'NFW' does not match"),
        ("order: {rounds: -1}", "order.rounds: -1 is less than the minimum of 0"),
        ("stepz: 3", "stepz: unknown key; known are study,"),
        ("timing: {stepz: 3}", "timing.stepz: unknown key; did you mean steps?"),
        ("timing: {steps: 0}", "timing.steps: 0 is less than the minimum of 1"),
        ("scaling: {sizes: [64]}", "scaling.sizes: unknown key; known are"),
        ("scaling: {particles: [1]}", "scaling.particles.0: 1 is less than the minimum of 2"),
        ("particles: many", "particles: 'many' is not of type 'integer'"),
        ("device: gpu", "device: 'gpu' does not match"),
        ("sweep: {bonsai: {angles: [0.5]}}", "sweep.bonsai: unknown key; known are acceleration,"),
    ],
)
def test_wrong_configuration_is_refused_in_one_line(
    tmp_path: Path, line: str, complaint: str
) -> None:
    preset = yaml.safe_load((ROOT / "config" / "test.yaml").read_text()) | yaml.safe_load(line)
    config = tmp_path / "wrong.yaml"
    config.write_text(yaml.safe_dump(preset))
    refused = Workflow(tmp_path, config).run("--dry-run")
    assert refused.returncode != 0
    assert complaint in refused.stdout
    assert "config/schema.yaml" in refused.stdout
    assert "Failed validating" not in refused.stdout


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
