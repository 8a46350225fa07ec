"""A Slurm cluster of two nodes on this machine: controller, node daemons and their munge."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

# Daemons lie where a user's PATH may not lead.
SEARCHED = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "squeue", "scontrol", "scancel")
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED"}

# Nodes are said to be larger than this machine may be; GPUs are device files that everybody has. A
# job that was pre-empted waits as long as credentials live.
CONFIG = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=bf_interval=2,sched_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=10
ReturnToService=2
GresTypes=gpu
NodeName=DEFAULT CPUs=4 RealMemory=8000
NodeName=cpu NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} Feature=here
NodeName=gpu NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} Gres=gpu:fake:2
PartitionName=usual Nodes=cpu PriorityTier=1 MaxTime=60 Default=YES
PartitionName=urgent Nodes=cpu PriorityTier=2 MaxTime=60 PreemptMode=OFF
PartitionName=gpus Nodes=gpu MaxTime=60
"""
GPUS = """\
NodeName=gpu Name=gpu Type=fake File=/dev/null
NodeName=gpu Name=gpu Type=fake File=/dev/zero
"""


def which(program: str) -> str | None:
    """Find a program of Slurm or munge."""
    return shutil.which(program, path=SEARCHED)


def missing_programs() -> list[str]:
    """Name what a cluster needs and this machine has not."""
    return [name for name in PROGRAMS if not which(name)]


def free_ports(count: int) -> list[int]:
    """Find ports at which nothing listens."""
    sockets = [socket.create_server(("", 0)) for _ in range(count)]
    ports = [listening.getsockname()[1] for listening in sockets]
    for listening in sockets:
        listening.close()
    return ports


class Slurm:
    """The cluster; `stop` leaves nothing of it behind."""

    def __init__(self) -> None:
        # Munge wants a folder that everybody may enter; nobody else may enter pytest's folders.
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o755)
        path = os.pathsep.join([str(self.folder / "bin"), os.environ.get("PATH", os.defpath)])
        config = str(self.folder / "slurm.conf")
        self.environment = {**os.environ, "SLURM_CONF": config, "PATH": path}
        self.daemons: list[subprocess.Popen[bytes]] = []

    def configure(self) -> None:
        """Write the configuration and the key."""
        host = socket.gethostname().split(".")[0]
        user = psutil.Process().username()
        ports = free_ports(3)
        config = CONFIG.format(host=host, user=user, ports=ports, folder=self.folder)
        (self.folder / "slurm.conf").write_text(config)
        (self.folder / "gres.conf").write_text(GPUS)
        # Slurm does not look for cgroups of the older kind, so that a machine may do without any.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        (self.folder / "munge.key").write_bytes(secrets.token_bytes(128))
        (self.folder / "munge.key").chmod(0o400)
        for name in ("state", "spool-cpu", "spool-gpu", "bin"):
            (self.folder / name).mkdir()
        # Snakemake's job steps call these without the variable.
        for name in ("srun", "squeue", "scontrol"):
            client = self.folder / "bin" / name
            client.write_text(
                f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {which(name)} "$@"\n'
            )
            client.chmod(0o755)

    def start(self) -> None:
        """Start the daemons and wait until both nodes are idle."""
        self.configure()
        munge = {f"--{name}-file": f"munge.{name}" for name in ("key", "log", "pid", "seed")}
        files = [f"{option}={self.folder / name}" for option, name in munge.items()]
        socket_file = f"--socket={self.folder}/munge.socket"
        self.spawn("munged", "--foreground", "--origin=127.0.0.1", socket_file, *files)
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.spawn("slurmctld", "-D", "-i")
        self.spawn("slurmd", "-D", "-N", "cpu")
        self.spawn("slurmd", "-D", "-N", "gpu")
        nodes = ("scontrol", "--oneliner", "show", "nodes")
        self.wait(lambda: self.ask(*nodes).count("State=IDLE ") == 2, "the nodes")

    def spawn(self, name: str, *arguments: str) -> None:
        """Start a daemon in the foreground, which dies with these tests."""
        self.daemons.append(
            subprocess.Popen(
                ["setpriv", "--pdeathsig=TERM", which(name), *arguments],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=(self.folder / "daemons.log").open("ab"),
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        )

    def ask(self, *command: str) -> str:
        """Output of a client command; empty if it fails."""
        return subprocess.run(
            command, env=self.environment, stdout=subprocess.PIPE, text=True, check=False
        ).stdout

    def wait(self, happened: Callable[[], object], what: str, seconds: float = 300) -> None:
        """Wait until a function returns something true."""
        end = time.monotonic() + seconds
        while not happened():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                log = (self.folder / "daemons.log").read_text()
                raise TimeoutError(f"{what}: did not happen\n{log}")
            time.sleep(0.1)

    def jobs(self) -> list[dict[str, str]]:
        """Slurm's records of all jobs, in the order of their submission."""
        lines = self.ask("scontrol", "--oneliner", "show", "job").splitlines()
        return [dict(re.findall(r"(\S+?)=(\S*)", line)) for line in lines if "JobId=" in line]

    def jobs_of(self, folder: Path, rule: str) -> list[dict[str, str]]:
        """Slurm's records of the jobs of a rule of the workflow in a folder."""
        return [
            job
            for job in self.jobs()
            if job["WorkDir"] == str(folder) and job.get("Comment", "").startswith(f"rule_{rule}")
        ]

    def submit(self, *arguments: str) -> str:
        """Submit a job and return its number."""
        return self.ask("sbatch", "--parsable", f"--chdir={self.folder}", *arguments).strip()

    def start_workflow(self, folder: Path, *options: str) -> subprocess.Popen[str]:
        """Start Snakemake with ``study.yaml`` of a folder, asking early about its jobs."""
        command = [sys.executable, "-m", "snakemake", "--configfile", "study.yaml", *options]
        command += ["--slurm-init-seconds-before-status-checks", "1"]
        return subprocess.Popen(
            command,
            cwd=folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def job(self, number: str) -> dict[str, str]:
        """Slurm's record of a job."""
        return next(job for job in self.jobs() if job["JobId"] == number)

    def wait_for(self, number: str, state: str) -> None:
        """Wait until a job is in a state."""
        self.wait(lambda: self.job(number)["JobState"] == state, f"job {number} {state}")

    def clear(self) -> None:
        """Cancel all jobs and wait until the nodes are idle."""
        for job in self.jobs():
            if job["JobState"] not in ENDED:
                self.ask("scancel", job["JobId"])
        self.wait(lambda: all(job["JobState"] in ENDED for job in self.jobs()), "scancel")

    def stop(self) -> None:
        """End the daemons and whatever a job has left, and remove all files."""
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
        while left := [process for process in psutil.process_iter() if self.owns(process)]:
            for process in left:
                process.kill()
            time.sleep(0.1)
        shutil.rmtree(self.folder)

    def owns(self, process: psutil.Process) -> bool:
        """Whether a process was started in the cluster's folder or with its configuration."""
        try:
            folder = Path(process.cwd()) == self.folder
            return folder or process.environ().get("SLURM_CONF") == self.environment["SLURM_CONF"]
        except psutil.Error:
            return False
