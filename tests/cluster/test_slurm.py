"""The cluster of the tests is one, and leaves nothing behind."""

from __future__ import annotations

import psutil
import pytest

from tests.cluster.slurm import Slurm, missing_programs

pytestmark = pytest.mark.long


def test_gpu_belongs_to_one_job(slurm: Slurm) -> None:
    jobs = [
        slurm.submit("--partition=gpus", "--gpus=fake:1", "--wrap", "echo $CUDA_VISIBLE_DEVICES")
        for _ in range(2)
    ]
    for job in jobs:
        slurm.wait_for(job, "COMPLETED")
    outputs = [(slurm.folder / f"slurm-{job}.out").read_text().strip() for job in jobs]
    assert set(outputs) <= {"0", "1"}


def alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


@pytest.mark.skipif(bool(missing_programs()), reason="Slurm is not installed")
def test_nothing_is_left_of_a_cluster() -> None:
    with Slurm() as cluster:
        job = cluster.submit("--wrap", "setsid sleep 1000")
        cluster.wait_for(job, "RUNNING")
        cluster.wait(lambda: "sleep" in {p.name() for p in cluster.processes()}, "the job")
        processes = cluster.processes()
        names = {process.name() for process in processes}
        ports = {
            connection.laddr.port
            for process in processes
            for connection in process.net_connections()
            if connection.status == psutil.CONN_LISTEN
        }
    assert {"munged", "slurmctld", "slurmd", "slurmstepd"} <= names
    assert not [process for process in processes if alive(process)]
    assert not cluster.folder.exists()
    listening = {c.laddr.port for c in psutil.net_connections() if c.status == psutil.CONN_LISTEN}
    assert not ports & listening
