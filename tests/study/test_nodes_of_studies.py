from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.study.workflow import ROOT, Workflow

STUDY = {
    "study": "small",
    "runs": {"list": [{"model": "plummer", "particles": 256, "steps": 2, "accuracy": 0.1}]},
}
CPU = {"devices": ["cpu"], "threads": 2}


def refusal(folder: Path, nodes: dict[str, object], device: str = "cpu") -> str:
    """Write a study with node types and say why the workflow refuses it."""
    STUDY["runs"]["defaults"] = {"device": device}
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(STUDY | {"nodes": nodes}))
    refused = Workflow(folder, path).run("--dry-run")
    assert refused.returncode != 0
    return refused.stdout


@pytest.mark.parametrize(
    ("nodes", "device", "complaint"),
    [
        ({"plain": CPU}, "cuda", "nodes: no type takes work on cuda; add cuda to the devices of"),
        ({"one": CPU, "two": CPU}, "cpu", "nodes: several types take runs on cpu; leave them to"),
        ({"plain": {"devices": ["cpu"]}}, "cpu", "nodes.plain.threads: is missing; add it"),
        ({"plain": CPU | {"thread": 1}}, "cpu", "nodes.plain.thread: unknown key; did you mean"),
        ({"a/b": CPU}, "cpu", "'a/b' does not match"),
    ],
)
def test_wrong_nodes_are_refused(
    tmp_path: Path, nodes: dict[str, object], device: str, complaint: str
) -> None:
    assert complaint in refusal(tmp_path, nodes, device)


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
