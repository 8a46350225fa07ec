from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.slurm import Slurm, missing_programs


@pytest.fixture(scope="session")
def cluster() -> Iterator[Slurm]:
    """Start a Slurm cluster on this machine, once for all tests."""
    if missing := missing_programs():
        pytest.skip(f"Slurm: {', '.join(missing)} missing; tools/setup.sh test installs it")
    slurm = Slurm()
    try:
        slurm.start()
        yield slurm
    finally:
        slurm.stop()


@pytest.fixture
def slurm(cluster: Slurm) -> Iterator[Slurm]:
    """Give a test the cluster, and cancel the jobs that it leaves."""
    yield cluster
    cluster.clear()
