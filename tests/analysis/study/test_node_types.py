from __future__ import annotations

import pytest

from analysis.study.node_types import SRUN, asked, launched, node_of

NODES = {
    "plain": {"devices": ["cpu"], "resources": {"mem_mb": 1000}},
    "fast": {"devices": ["cuda", "auto"], "resources": {"mem_mb": 2000, "gpu": 1}},
}


@pytest.mark.parametrize(
    ("device", "node"), [("cpu", "plain"), ("cuda", "fast"), ("cuda:1", "fast"), ("auto", "fast")]
)
def test_runs_go_to_the_nodes_with_their_device(device: str, node: str) -> None:
    assert node_of(NODES, device) == node


def test_every_node_has_a_cpu_but_not_a_gpu() -> None:
    assert node_of({"fast": NODES["fast"]}, "cpu") == "fast"
    assert node_of({"plain": NODES["plain"]}, "cuda") == ""
    assert node_of({}, "cpu") == ""


def test_timed_job_asks_for_a_gpu_or_a_whole_node() -> None:
    assert asked(NODES["plain"], runs=0) == {"mem_mb": 1000}
    assert asked(NODES["plain"], runs=1) == {"mem_mb": 1000, "slurm_extra": "--exclusive"}
    assert asked(NODES["fast"], runs=1) == NODES["fast"]["resources"]
    extra = {"resources": {"slurm_extra": "--nice=10"}}
    assert asked(extra, runs=1) == {"slurm_extra": "--nice=10 --exclusive"}


def test_long_run_is_told_before_its_time_is_over() -> None:
    of_hours = {"resources": {"runtime": 120, "gpu": 1}}
    assert asked(of_hours, runs=1)["slurm_extra"] == "--signal=TERM@120"
    assert asked(of_hours, runs=0) == of_hours["resources"]
    assert "slurm_extra" not in asked({"resources": {"runtime": 29, "gpu": 1}}, runs=1)
    many = asked({"resources": {"runtime": 10, "gpu": 1}}, runs=20)
    assert many == {"runtime": 200, "gpu": 1, "slurm_extra": "--signal=TERM@120"}
    own = {"resources": {"runtime": "2h", "slurm_extra": "--signal=TERM@600"}}
    assert asked(own, runs=1)["slurm_extra"] == "--signal=TERM@600 --exclusive"


def test_job_asks_for_a_task_and_a_gpu_for_each_rank() -> None:
    assert asked(NODES["fast"], runs=1, ranks=4).items() >= {"tasks": 4, "gpu": 4}.items()
    on_cpus = asked(NODES["plain"], runs=1, ranks=4)
    assert (on_cpus["tasks"], on_cpus["slurm_extra"]) == (4, "--exclusive")
    assert "gpu" not in on_cpus
    assert "tasks" not in asked(NODES["fast"], runs=1, ranks=1)


def test_launcher_is_told_ranks_and_threads_of_each() -> None:
    assert launched(SRUN, 4, 8).endswith("-n 4 --cpus-per-task=8")
    assert launched(SRUN, 1, 8) == ""
