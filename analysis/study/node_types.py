"""Node types of a cluster: which one takes a run, and what a job asks for there."""

from __future__ import annotations

from collections.abc import Mapping

GPUS = ("gpu", "gres")  # resources of a job that has a GPU for itself
EXCLUSIVE = "--exclusive"
# What starts a program on several ranks, here and on a cluster.
MPIRUN = "mpirun -n {ranks}"
SRUN = "srun --mpi=pmix --kill-on-bad-exit=1 -n {ranks} --cpus-per-task={threads}"
# Runs are told two minutes before the time of their job is over, so that they write a checkpoint;
# short ones, in minutes, are not worth it.
WARNED = "--signal=TERM@120"
SHORT = 30


def node_of(nodes: Mapping[str, Mapping[str, object]], device: str) -> str:
    """Name the node type that takes runs on a device, such as cuda; empty if none does.

    Every node has a CPU: what runs there goes to the first type where no other asks for it.
    """
    kind = device.split(":")[0]
    taking = [name for name, node in nodes.items() if kind in node["devices"]]
    if not taking and kind == "cpu":
        taking = list(nodes)
    return taking[0] if taking else ""


def launched(launcher: str, ranks: int, threads: int) -> str:
    """Write what starts a program on several ranks of so many threads; nothing for one rank."""
    if ranks == 1:
        return ""
    return launcher.replace("{ranks}", str(ranks)).replace("{threads}", str(threads))


def asked(node: Mapping[str, object], runs: int = 0, ranks: int = 1) -> dict[str, int | str]:
    """List the resources that a job asks for on a node type.

    A job of runs, which are timed, has its device to itself, a GPU for each rank or else the whole
    node, and the run times of all of them together; a time in words, such as 2h, is the time
    of the job.
    """
    resources = dict(node["resources"])
    if not runs:
        return resources
    if ranks > 1:
        # With mpi the job is no step of Slurm itself, but starts steps of several tasks.
        resources |= {"mpi": "srun", "tasks": ranks}
        if "gpu" in resources:
            gpus = ranks * int(resources["gpu"])
            resources |= {"gpu": gpus, "tasks_per_gpu": 0}  # tasks count for the whole job
    if isinstance(resources.get("runtime"), int):
        resources["runtime"] *= runs
    extra = str(resources.get("slurm_extra", ""))
    if not any(name in resources for name in GPUS):
        extra += f" {EXCLUSIVE}"
    if resources.get("runtime", 0) not in range(SHORT) and "--signal" not in extra:
        extra += f" {WARNED}"
    return resources | ({"slurm_extra": extra.strip()} if extra else {})
