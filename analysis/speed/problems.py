"""What the speed of the programs is measured on, and what one measurement is."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.files import STAGES, DataError, pick
from analysis.tables import read_steps

MODELS = Path("config/models")
OF_STEP = STAGES | {"step": "total"}
# Whatever the environment of the caller says.
ENVIRONMENT = {"OMP_WAIT_POLICY": "passive", "OMP_PROC_BIND": "false", "OMP_DYNAMIC": "false"}
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
    """A process that has ended.

    Attributes
    ----------
    output
        What it wrote, a folder or a file.
    seconds
        Its processor time.
    """

    output: Path
    seconds: float


def equal_steps(processes: Sequence[Process]) -> dict[str, float]:
    """Take the median of steps that do the same work; the first has no new tree."""
    return pd.concat([stages_of(process).iloc[1:] for process in processes]).median().to_dict()


def different_steps(processes: Sequence[Process]) -> dict[str, float]:
    """Sum over steps, each with the least time that it took in any of the processes."""
    runs = pd.concat([stages_of(process) for process in processes])
    return runs.groupby(level=0).min().sum().to_dict()


def stages_of(process: Process) -> pd.DataFrame:
    """Read the seconds of the stages, one row per step."""
    steps = read_steps(process.output / "steps.h5")
    return pd.DataFrame({stage: steps[column] for stage, column in OF_STEP.items()})


def direct_sum(processes: Sequence[Process]) -> dict[str, float]:
    """Take the least time of a direct sum."""
    seconds = [pick(process.output, "Timing", ("direct",))["direct"] for process in processes]
    return {"direct": float(min(seconds))}


def whole_process(processes: Sequence[Process]) -> dict[str, float]:
    """Take the least processor time."""
    return {"process": min(process.seconds for process in processes)}


@dataclass(frozen=True)
class Problem:
    """Something to be measured.

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
        How many of each build make a measurement.
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

    def measure(
        self, builds: Sequence[Path], device: str, samples: Path, core: int
    ) -> list[dict[str, float]]:
        """Measure builds once; returns the seconds of each stage for every one.

        On a CPU they run at the same time. Those of one thread share a core, on which the kernel
        gives them turns of a few milliseconds: whatever makes that core slower meets them alike. On
        a GPU they follow each other.
        """
        ended: list[list[Process]] = [[] for _ in builds]
        with tempfile.TemporaryDirectory(prefix="gothic-speed-") as folder:
            for number in range(self.processes):
                outputs = [Path(folder) / f"{place}_{number}.h5" for place in range(len(builds))]
                commands = [
                    self.command(programs, device, samples, output)
                    for programs, output in zip(builds, outputs, strict=True)
                ]
                if kind_of(device) == "cpu":
                    seconds = execute(commands, core if self.threads == 1 else None)
                else:
                    seconds = [execute([command])[0] for command in commands]
                for mine, output, own in zip(ended, outputs, seconds, strict=True):
                    mine.append(Process(output, own))
            found = [self.read(processes) for processes in ended]
        return [{stage: seconds[stage] for stage in self.stages} for seconds in found]


PROBLEMS = {
    "nfw": Problem(
        "nfw",
        {"cpu": (4096, "--steps 60"), "cuda": (1048576, "--steps 40")},
        ("keys", "sort", "build", "moments", "predict", "walk", "correct", "step"),
        equal_steps,
        EQUAL_STEPS,
    ),
    "m31, cut groups": Problem(
        "m31",
        {"cpu": (2048, "--steps 100"), "cuda": (1048576, "--steps 40")},
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
        processes=5,
    ),
    "nfw, 2 threads": Problem(
        "nfw", {"cpu": (4096, "--steps 60")}, ("step",), equal_steps, EQUAL_STEPS, threads=2
    ),
    "nfw, direct": Problem("nfw", {"cpu": (8192, "")}, ("process",), whole_process, ("direct",)),
    "nfw, direct on a GPU": Problem(
        "nfw", {"cuda": (65536, "")}, ("direct",), direct_sum, ("direct",), processes=3
    ),
    "nfw, drawn": Problem("nfw", {"cpu": (32768, "")}, ("process",), whole_process),
    "m31, drawn": Problem("m31", {"cpu": (8192, "")}, ("process",), whole_process),
}


def kind_of(device: str) -> str:
    """Kind of a device that the option ``--device`` names."""
    return device.split(":")[0]


def problems_for(device: str) -> dict[str, Problem]:
    """Select the problems that have a size for a kind of device and threads no more than cores.

    Raises
    ------
    DataError
        If there are none.
    """
    cores = len(os.sched_getaffinity(0))
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
        execute([drawing(programs, model, particles, sample_path(samples, model, particles))])


def execute(commands: Sequence[Sequence[str]], core: int | None = None) -> list[float]:
    """Run programs side by side; what they print is not kept.

    Parameters
    ----------
    commands
        Their words.
    core
        The only one that they may use; any if None.

    Returns
    -------
    list of float
        Processor time of each.

    Raises
    ------
    DataError
        If one fails, with the last line that it wrote.
    """
    environment = {**os.environ, **ENVIRONMENT}
    pinned = ["taskset", "--cpu-list", str(core)] if core is not None else []
    running = [
        subprocess.Popen(
            [*pinned, *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        for words in commands
    ]
    return [ended(words, process) for words, process in zip(commands, running, strict=True)]


def ended(words: Sequence[str], process: subprocess.Popen[bytes]) -> float:
    """Wait for a process; returns its processor time."""
    errors = process.stderr.read().decode().strip().splitlines()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        last = errors[-1] if errors else f"exit status {process.returncode}"
        raise DataError(f"{' '.join(words)}: {last}; the revision may be too old for these options")
    return usage.ru_utime + usage.ru_stime
