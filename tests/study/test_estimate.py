"""What a study takes is told before it starts."""

from __future__ import annotations

from pathlib import Path

from tests.study.workflow import Workflow

STUDY = """
study: one
hours: 1.0e-9
reference: {}
runs:
  defaults: {model: plummer, particles: 2^8, accuracy: 2^-7, steps: 10}
  list: [{repeats: 2}]
"""


def test_workflow_tells_what_a_study_takes_and_refuses_a_long_one(
    programs: Path, tmp_path: Path
) -> None:
    config = tmp_path / "one.yaml"
    config.write_text(STUDY)
    workflow = Workflow(tmp_path, config, programs)
    done = workflow.run("--dry-run")
    assert done.returncode == 0, done.stdout
    assert "study one: 2 runs, 0 benches, 1 direct sum" in done.stdout
    assert "more than the 1e-09 h that a study takes unasked" in done.stdout
    assert not (tmp_path / "results").exists()
    done = workflow.run("--show-failed-logs")
    assert done.returncode == 1
    assert "more than the 1e-09 h that a study takes unasked" in done.stdout
    assert not list((tmp_path / "results").rglob("*.h5"))
