"""What the speed of the programs is measured on, and what one measurement is."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.files import DataError, pick
from analysis.tables import read_steps

MODELS = Path("config/models")
# Whatever the environment of the caller says.
ENVIRONMENT = {"OMP_WAIT_POLICY": "passive", "OMP_PROC_BIND": "false", "OMP_DYNAMIC": "false"}
# Names of the stages, and of their columns in a step log.
STAGES = {
    "keys": "keys",
    "sort": "sort",
    "build": "build",
    "groups": "groups_time",
    "moments": "moments",
    "predict": "predict",
    "walk": "walk",
    "correct": "correct",
    "step": "total",
}
EQUAL_STEPS = (
    "run",
    "--no-snapshot",
    "--step",
    "shared",
    "--dt",
    "1e-6",
    "--rebuild-interval",
    "1",
)
BLOCK_STEPS = ("run", "--no-snapshot", "--step", "block", "--rebuild-interval", "8")
CUT_GROUPS = ("--ball", "seb", "--group-extent", "4")


@dataclass(frozen=True)
class Process:
    """A process that has ended: what it wrote, a folder or a file, and its wall time."""

    output: Path
    seconds: float


def equal_steps(processes: Sequence[Process]) -> dict[str, float]:
    """Take the least time of steps that do the same work; the first has no new tree."""
    return pd.concat([stages_of(process).iloc[1:] for process in processes]).min().to_dict()


def different_steps(processes: Sequence[Process]) -> dict[str, float]:
    """Sum over steps, each with the least time that it took in any of the processes."""
    runs = pd.concat([stages_of(process) for process in processes])
    return runs.groupby(level=0).min().sum().to_dict()


def stages_of(process: Process) -> pd.DataFrame:
    """Read the seconds of the stages, one row per step."""
    steps = read_steps(process.output / "steps.h5")
    return pd.DataFrame({stage: steps[column] for stage, column in STAGES.items()})


def direct_sum(processes: Sequence[Process]) -> dict[str, float]:
    """Take the least time of a direct sum."""
    seconds = [pick(process.output, "Timing", ("direct",))["direct"] for process in processes]
    return {"direct": float(min(seconds))}


def whole_process(processes: Sequence[Process]) -> dict[str, float]:
    """Take the least wall time."""
    return {"initial conditions": min(process.seconds for process in processes)}


@dataclass(frozen=True)
class Problem:
    """Something to be measured.

    What disturbs a process makes it slower, never faster. So a measurement is the least time of
    several repeats, which are steps of a process or processes.

    Attributes
    ----------
    model
        A file of ``config/models`` without suffix.
    sizes
        Number of particles, and further options that set the size, by the kind of device, ``cpu``
        or ``cuda``.
    stages
        Those that are judged.
    read
        Reduces the processes of a measurement to the seconds of each stage.
    options
        Words for ``gothic``, or none for ``gothic-ic``.
    processes
        How many make a measurement.
    threads
        CPU threads.
    """

    model: str
    sizes: Mapping[str, tuple[int, str]]
    stages: Sequence[str]
    read: Callable[[Sequence[Process]], dict[str, float]]
    options: Sequence[str] = ()
    processes: int = 1
    threads: int = 1

    def sample(self, device: str) -> tuple[str, int] | None:
        """Model and number of the particles that are read, if any are."""
        return (self.model, self.sizes[kind_of(device)][0]) if self.options else None

    def command(self, programs: Path, device: str, samples: Path, output: Path) -> list[str]:
        """Write the command line of one process."""
        particles, size = self.sizes[kind_of(device)]
        threads = ["--threads", str(self.threads)]
        if not self.options:
            return [*drawing(programs, self.model, particles, output), *threads]
        words = [str(programs / "gothic"), *self.options, "--input"]
        words += [str(sample_path(samples, self.model, particles)), "--output", str(output)]
        return [*words, "--device", device, *threads, *size.split()]

    def measure(self, programs: Path, device: str, samples: Path) -> dict[str, float]:
        """Measure once; returns the seconds of each stage."""
        with tempfile.TemporaryDirectory(prefix="gothic-speed-") as folder:
            processes = []
            for number in range(self.processes):
                output = Path(folder) / f"{number}.h5"
                command = self.command(programs, device, samples, output)
                start = time.perf_counter()
                execute(command)
                processes.append(Process(output, time.perf_counter() - start))
            seconds = self.read(processes)
        return {stage: seconds[stage] for stage in self.stages}


PROBLEMS = {
    "nfw": Problem(
        "nfw",
        {"cpu": (8192, "--steps 24"), "cuda": (1048576, "--steps 40")},
        ("keys", "sort", "build", "moments", "predict", "walk", "correct", "step"),
        equal_steps,
        EQUAL_STEPS,
    ),
    "m31, cut groups": Problem(
        "m31",
        {"cpu": (8192, "--steps 16"), "cuda": (1048576, "--steps 40")},
        ("groups", "moments", "walk", "step"),
        equal_steps,
        (*EQUAL_STEPS, *CUT_GROUPS),
    ),
    "m31, block steps": Problem(
        "m31",
        {"cpu": (8192, "--steps 48"), "cuda": (1048576, "--steps 128")},
        ("moments", "predict", "walk", "correct", "step"),
        different_steps,
        BLOCK_STEPS,
        processes=2,
    ),
    "nfw, 2 threads": Problem(
        "nfw", {"cpu": (8192, "--steps 24")}, ("step",), equal_steps, EQUAL_STEPS, threads=2
    ),
    "nfw, direct": Problem(
        "nfw",
        {"cpu": (8192, "--targets 1024"), "cuda": (65536, "")},
        ("direct",),
        direct_sum,
        ("direct",),
        processes=3,
    ),
    "nfw, drawn": Problem(
        "nfw", {"cpu": (32768, "")}, ("initial conditions",), whole_process, processes=2
    ),
    "m31, drawn": Problem("m31", {"cpu": (8192, "")}, ("initial conditions",), whole_process),
}


def kind_of(device: str) -> str:
    """Kind of a device that the option ``--device`` names."""
    return device.split(":")[0]


def problems_for(device: str) -> dict[str, Problem]:
    """Select the problems that have a size for a kind of device and threads enough.

    Raises
    ------
    DataError
        If there are none.
    """
    cores = os.cpu_count() or 1
    found = {
        name: problem
        for name, problem in PROBLEMS.items()
        if kind_of(device) in problem.sizes and problem.threads <= cores
    }
    if not found:
        raise DataError(f"--device {device}: nothing is measured there; name cpu, cuda or cuda:N")
    return found


def sample_path(samples: Path, model: str, particles: int) -> Path:
    """Name the file of initial conditions."""
    return samples / f"{model}_N{particles}.h5"


def drawing(programs: Path, model: str, particles: int, output: Path) -> list[str]:
    """Write the command line that makes initial conditions."""
    words = [str(programs / "gothic-ic"), str(MODELS / f"{model}.toml")]
    return [*words, "--particles", str(particles), "--output", str(output)]


def draw_samples(
    programs: Path, problems: Mapping[str, Problem], device: str, samples: Path
) -> None:
    """Make the initial conditions that problems read."""
    wanted = {problem.sample(device) for problem in problems.values()} - {None}
    for model, particles in sorted(wanted):
        execute(drawing(programs, model, particles, sample_path(samples, model, particles)))


def execute(words: Sequence[str]) -> None:
    """Run a program; what it prints is not kept.

    Raises
    ------
    DataError
        If it fails, with the last line that it wrote.
    """
    environment = {**os.environ, **ENVIRONMENT}
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        lines = ended.stderr.strip().splitlines() or [f"exit status {ended.returncode}"]
        raise DataError(
            f"{' '.join(words)}: {lines[-1]}; the revision may be too old for these options"
        )
