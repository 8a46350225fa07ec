"""A nightly job that measures on a node of a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checks.lab import Lab
from tests.cluster.slurm import Slurm


@pytest.mark.long
def test_night_is_measured_by_a_job(tmp_path: Path, slurm: Slurm) -> None:
    lab = Lab(tmp_path)
    command = ("sbatch", "--wait", "config/ci/nightly.sbatch")
    done = lab.night("one", "cpu", *command, **slurm.environment)
    assert done.returncode == 0, done.stderr
    assert lab.kept() == ["one on cpu"]
