"""Seconds of two builds, measured in pairs on small problems."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pandas as pd

from analysis.errors import DataError
from analysis.programs import MODELS
from analysis.reading.files import FORCE_STAGES, STAGES

PROGRAMS = ("gothic", "gothic-ic")
# Whatever the environment of the caller says.
ENVIRONMENT = {"OMP_WAIT_POLICY": "passive"}  # for revisions that used OpenMP
PUBLISHED = "--softening 0.015625"  # without it models follow the number of particles
EQUAL_STEPS = f"run {PUBLISHED} --no-snapshot --step shared --dt 1e-6 --rebuild-interval 1"
BLOCK_STEPS = f"run {PUBLISHED} --no-snapshot --step block --rebuild-interval 8"
# Reading, the first forces and the end: nearly all of it is no step.
ONE_STEP = "run --steps 1 --no-snapshot --no-final-checkpoint"
CUT_GROUPS = "--ball seb --group-extent"


@dataclass(frozen=True)
class Process:
    """A process that has ended: the folder or file that it wrote, and the seconds that it took.

    They are processor time on a CPU, where programs share a core, and elapsed time on a GPU.
    """

    output: Path
    seconds: float


def steps_of(process: Process) -> pd.DataFrame:
    """Read the seconds of the stages, one row per step; ``step`` is all of them."""
    with h5py.File(process.output / "steps.h5") as file:
        columns = STAGES | {"step": "total"}
        return pd.DataFrame({name: file["Steps"][column][()] for name, column in columns.items()})


def equal_steps(processes: Sequence[Process]) -> dict[str, float]:
    """Take the median of steps that do the same work; the first one builds no tree."""
    return pd.concat([steps_of(process).iloc[1:] for process in processes]).median().to_dict()


def different_steps(processes: Sequence[Process]) -> dict[str, float]:
    """Sum over steps, each with the least time that it took in any of the processes."""
    return pd.concat(map(steps_of, processes)).groupby(level=0).min().sum().to_dict()


def whole_process(processes: Sequence[Process]) -> dict[str, float]:
    """Take the least time of a process."""
    return {"process": min(process.seconds for process in processes)}


def direct_sum(processes: Sequence[Process]) -> dict[str, float]:
    """Take the least time of a direct sum."""
    seconds = []
    for process in processes:
        with h5py.File(process.output) as file:
            seconds.append(float(file["Timing"].attrs["direct"]))
    return {"direct": min(seconds)}


def force(processes: Sequence[Process]) -> dict[str, float]:
    """Take the least time of all stages of a force."""
    seconds = []
    for process in processes:
        with h5py.File(process.output) as file:
            seconds.append(sum(float(file["Timing"].attrs[stage]) for stage in FORCE_STAGES))
    return {"force": min(seconds)}


@dataclass(frozen=True)
class Problem:
    """Something to be measured."""

    model: str  # a file of config/models without suffix
    particles: int
    options: str  # words for gothic, or none where gothic-ic is measured
    stages: tuple[str, ...]  # the stages that are judged
    read: Callable[[Sequence[Process]], dict[str, float]]  # seconds of each stage
    processes: int = 1  # of each build in a measurement
    threads: int = 1

    def sample(self, folder: Path) -> Path:
        """Name the file of its particles."""
        return folder / f"{self.model}_{self.particles}.h5"

    def draw(self, programs: Path, output: Path) -> list[str]:
        """Write the command line that makes the particles."""
        words = [str(programs / "gothic-ic"), str(MODELS / f"{self.model}.toml")]
        return [*words, "--particles", str(self.particles), "--output", str(output)]

    def command(self, programs: Path, device: str, samples: Path, output: Path) -> list[str]:
        """Write the command line of one process."""
        threads = ["--threads", str(self.threads)]
        if not self.options:
            return [*self.draw(programs, output), *threads]
        files = ["--input", str(self.sample(samples)), "--output", str(output)]
        words = [str(programs / "gothic"), *self.options.split()]
        return [*words, *files, "--device", device, *threads]


TREE = ("keys", "sort", "build", "moments", "predict", "walk", "correct", "step")
CUT = ("groups", "moments", "walk", "step")
BLOCK = ("moments", "predict", "walk", "correct", "step")
ON_CPU = {
    "nfw": Problem("nfw", 4096, f"{EQUAL_STEPS} --steps 60", TREE, equal_steps),
    "m31, cut groups": Problem(
        "m31", 2048, f"{EQUAL_STEPS} {CUT_GROUPS} 32 --steps 100", CUT, equal_steps
    ),
    "m31, block steps": Problem(
        "m31", 8192, f"{BLOCK_STEPS} --steps 48", BLOCK, different_steps, processes=5
    ),
    "nfw, 2 threads": Problem(
        "nfw", 4096, f"{EQUAL_STEPS} --steps 60", ("step",), equal_steps, threads=2
    ),
    "nfw, direct": Problem("nfw", 8192, f"direct {PUBLISHED}", ("process",), whole_process),
    "m31, one step": Problem("m31", 4096, ONE_STEP, ("process",), whole_process, processes=3),
    "m31, one step, 2^20": Problem("m31", 1 << 20, ONE_STEP, ("process",), whole_process),
    "m31, files": Problem("m31", 1 << 17, "run --steps 1", ("process",), whole_process),
    "nfw, drawn": Problem("nfw", 32768, "", ("process",), whole_process),
    "m31, drawn": Problem("m31", 8192, "", ("process",), whole_process),
}
ON_GPU = {
    "nfw": Problem("nfw", 1048576, f"{EQUAL_STEPS} --steps 40", TREE, equal_steps),
    "m31, cut groups": Problem(
        "m31", 1048576, f"{EQUAL_STEPS} {CUT_GROUPS} 4 --steps 40", CUT, equal_steps
    ),
    "m31, block steps": Problem(
        "m31", 1048576, f"{BLOCK_STEPS} --steps 128", BLOCK, different_steps, processes=5
    ),
    "m31, one step": Problem("m31", 4096, ONE_STEP, ("process",), whole_process, processes=3),
    "m31, one step, 2^20": Problem("m31", 1 << 20, ONE_STEP, ("process",), whole_process),
    "m31, files": Problem("m31", 1 << 20, "run --steps 1", ("process",), whole_process),
    "nfw, direct": Problem(
        "nfw", 65536, f"direct {PUBLISHED}", ("direct",), direct_sum, processes=3
    ),
}


def problems_for(device: str) -> dict[str, Problem]:
    """Select the problems of a device that need no more threads than there are cores."""
    kinds = {"cpu": ON_CPU, "cuda": ON_GPU}
    kind = device.split(":")[0]
    if kind not in kinds:
        raise DataError(f"--device {device}: nothing is measured there; name cpu, cuda or cuda:N")
    cores = len(os.sched_getaffinity(0))
    return {name: problem for name, problem in kinds[kind].items() if problem.threads <= cores}


def measure_pairs(
    builds: Mapping[str, Path], problems: Mapping[str, Problem], device: str, rounds: int
) -> pd.DataFrame:
    """Measure builds against each other.

    In a round every problem is measured once with all builds. Problems come in random order, builds
    start in random order, and the core that they share is a random one. The programs are copied to
    paths of equal length first, since the path of a program lies on its stack and shifts it.

    Parameters
    ----------
    builds
        Folders of programs, by the names that they get in the table. The first draws the particles.

    Returns
    -------
    pandas.DataFrame
        With the columns ``round``, ``problem``, ``program``, ``stage`` and ``seconds``.
    """
    rng = np.random.default_rng()
    cores = sorted(os.sched_getaffinity(0))
    rows = []
    with tempfile.TemporaryDirectory(prefix="gothic-speed-") as name:
        folder = Path(name)
        copies = {
            name: copied(build, folder / str(number))
            for number, (name, build) in enumerate(builds.items())
        }
        for problem in problems.values():
            if problem.options and not problem.sample(folder).exists():
                execute([problem.draw(next(iter(copies.values())), problem.sample(folder))])
        for number in range(rounds):
            for problem in rng.permutation(list(problems)):
                order = rng.permutation(list(copies))
                places = [copies[name] for name in order]
                core = int(rng.choice(cores))
                found = measure_once(problems[problem], places, device, folder, core)
                for program, seconds in zip(order, found, strict=True):
                    rows += [(number, problem, program, *item) for item in seconds.items()]
    return pd.DataFrame(rows, columns=["round", "problem", "program", "stage", "seconds"])


def copied(build: Path, place: Path) -> Path:
    """Copy the programs of a build to a new folder."""
    place.mkdir()
    for program in PROGRAMS:
        if not (build / program).is_file():
            raise DataError(f"{build / program}: no such program; build it first")
        shutil.copy(build / program, place)
    return place


def measure_once(
    problem: Problem, builds: Sequence[Path], device: str, samples: Path, core: int
) -> list[dict[str, float]]:
    """Measure builds once; returns the seconds of each judged stage for every one.

    On a CPU they run at the same time. Those of one thread share a core, on which the kernel gives
    them turns of a few milliseconds: whatever makes that core slower meets them alike. On a GPU
    they follow each other.
    """
    ended: list[list[Process]] = [[] for _ in builds]
    with tempfile.TemporaryDirectory(prefix="gothic-speed-") as name:
        for number in range(problem.processes):
            outputs = [Path(name) / f"{place}_{number}.h5" for place in range(len(builds))]
            commands = [
                problem.command(programs, device, samples, output)
                for programs, output in zip(builds, outputs, strict=True)
            ]
            if device == "cpu":
                seconds = execute(commands, core if problem.threads == 1 else None)
            else:
                seconds = [elapsed(command) for command in commands]
            for mine, output, own in zip(ended, outputs, seconds, strict=True):
                mine.append(Process(output, own))
        found = [problem.read(processes) for processes in ended]
    return [{stage: seconds[stage] for stage in problem.stages} for seconds in found]


def execute(commands: Sequence[Sequence[str]], core: int | None = None) -> list[float]:
    """Run programs side by side, on one core if it is named; returns the processor time of each."""
    pinned = ["taskset", "--cpu-list", str(core)] if core is not None else []
    running = [
        subprocess.Popen(
            [*pinned, *words],
            env=os.environ | ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for words in commands
    ]
    return [wait_for(words, process) for words, process in zip(commands, running, strict=True)]


def elapsed(command: Sequence[str]) -> float:
    """Run a program alone; returns the seconds that pass."""
    start = time.monotonic()
    execute([command])
    return time.monotonic() - start


def wait_for(words: Sequence[str], process: subprocess.Popen[bytes]) -> float:
    """Wait for a process; returns its processor time, or raises the last line that it wrote."""
    errors = process.stderr.read().decode().strip().splitlines()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        last = errors[-1] if errors else f"exit status {process.returncode}"
        raise DataError(f"{' '.join(words)}: {last}; the revision may be too old for these options")
    return usage.ru_utime + usage.ru_stime
