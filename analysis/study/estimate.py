"""What a study will take, told before it starts: hours, disk and memory on each type of node.

Work that small samples of its particles tell (`analysis.study.samples`) is scaled to the numbers of
particles, threads and devices of the study. docs/studies.md tells how good that is. What is done
already is not counted.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from analysis.errors import DataError
from analysis.reading.files import package
from analysis.study.figure_kinds import KINDS, figures_of
from analysis.study.node_types import node_of
from analysis.study.parameters import (
    Parameters,
    keeps_states,
    particles_of_bench,
    pull,
    runs_by_path,
    sample,
)
from analysis.study.samples import Course, Force, Samples
from analysis.study.schema import run_defaults

# Bytes of a particle in files: drawn, of a direct sum, of a state, and of the checkpoints of a run.
DRAWN, EXACT, STATE, CHECKPOINTS = 41, 41, 56, 3 * 78
LOGS, LOGS_OF_STEP = 7e5, 300  # bytes of the logs of a run, and of each step
FIGURE = 1.0  # seconds to draw one
DRAWING = 1.5e-6  # seconds of a thread to draw a particle, besides its model
# Walks of all particles that a repeat of a word of gothic bench takes, of steps, rebuild and extent
# for each step: the sums of the tables in analysis/measured/h200/h200.
WALKS = {"order": 20, "crossover": 2, "sharing": 110, "balls": 6, "domains": 20}
WALKS |= {"steps": 1, "rebuild": 8, "extent": 11}
PEAK = 4.0  # seconds of a repeat of gothic bench peak


@dataclass(frozen=True)
class Speed:
    """How fast and large a device is, if a CPU compared with the thread that works on samples."""

    threads: float  # as many of these threads do the same
    start: float  # seconds of a run besides its steps
    step: float  # seconds of any step, at least
    file: float  # seconds of a particle that a run reads and writes
    base: float  # bytes of memory
    particle: float  # bytes of memory of a particle


# A GPU is likened to one H200 (analysis/measured/h200/h200/runs.csv): 1.1e12 pairs/s.
PAIRS_OF_GPU = 1.1e12
GPU = Speed(math.nan, 0.5, 2e-4, 2.5e-7, 6e8, 180)
CPU = Speed(1, 0.2, 1e-5, 6e-7, 3e7, 255)


@dataclass
class Need:
    """What work takes."""

    seconds: float = 0
    disk: float = 0  # bytes that stay
    passing: float = 0  # bytes that are there for a while, at most
    memory: float = 0  # bytes, at most

    def add(self, other: Need) -> None:
        """Do this and then the other."""
        self.seconds += other.seconds
        self.disk += other.disk
        self.passing = max(self.passing, other.passing)
        self.memory = max(self.memory, other.memory)


def seconds_of_run(n: float, course: Course, force: Force, speed: Speed) -> float:
    """Sum the first forces, the steps, and what a run needs besides.

    A run has a first force, and the force that is compared with direct sums.
    """
    walk = n * force.walk_s * force.pairs_among(n) / force.pairs
    besides = n * (force.step_s + force.tree_s / max(course.tree_interval, 1))
    step = max((course.active * walk + besides) / speed.threads, speed.step)
    return speed.start + n * speed.file + 2 * walk / speed.threads + course.steps * step


class Estimate:
    """What the parts of a study take, by node type; the name is empty for this machine.

    Parameters
    ----------
    config
        Of the study, with the defaults of the schema and without mistakes.
    samples
        What the programs tell; None if they tell nothing, when time is not known.
    cores
        Of this machine, that the study uses.
    gpu
        Whether this machine has one that the programs use.
    untold
        Why there are no samples.
    """

    def __init__(
        self,
        config: Mapping[str, object],
        samples: Samples | None,
        cores: int,
        gpu: bool = False,
        untold: str = "it is told once the programs are built: make build",
    ) -> None:
        self.config, self.samples, self.cores, self.gpu = config, samples, cores, gpu
        self.untold = untold
        self.folder = Path(str(config["results"])) / str(config["study"])
        self.nodes = config["nodes"]
        every = runs_by_path(config["runs"], run_defaults())
        self.runs = {path: run for path, run in every.items() if not self.is_done(path)}
        is_part = bool(config["runs"].get("only"))
        self.benches = [
            bench
            for bench in config["benches"]
            if not (is_part or (self.folder / f"bench_{bench['word']}.csv").exists())
        ]
        self.figures = [] if is_part else figures_of(config, list(every.values()))
        self.needs: dict[str, Need] = defaultdict(Need)
        for device, need in self.parts():
            self.needs[node_of(self.nodes, device)].add(need)

    def is_done(self, path: str) -> bool:
        """Whether the row of a run is there."""
        return (self.folder / "runs" / path / "run.json").exists()

    def parts(self) -> Iterator[tuple[str, Need]]:
        """List the parts with their devices."""
        for parameters in self.drawings().values():
            yield "cpu", self.drawing(parameters)
        for parameters in self.references.values():
            yield self.config["reference"]["device"], self.reference(parameters)
        for run in self.runs.values():
            yield run["device"], self.run(run)
        for bench in self.benches:
            yield self.device_of_benches(), self.bench(bench)
        yield "cpu", Need(seconds=FIGURE * len(self.figures))

    def speed(self, device: str, threads: int = 0, ranks: int = 1) -> Speed:
        """Tell how fast a device of the node type that takes it is."""
        kind, node = device.split(":")[0], self.nodes.get(node_of(self.nodes, device))
        has_gpu = "cuda" in node["devices"] if node else self.gpu
        if kind == "cuda" or (kind == "auto" and has_gpu):
            return replace(GPU, threads=PAIRS_OF_GPU * self.pair * ranks)
        if node:
            return replace(CPU, threads=ranks * (threads or node["threads"]))
        return replace(CPU, threads=min(ranks * threads, self.cores) or self.cores)

    @cached_property
    def pair(self) -> float:
        """Seconds of a pair on the thread that works on samples: the least of all runs."""
        if not self.samples:
            return 1
        forces = [self.samples.force(run) for run in self.runs.values()]
        return min((force.walk_s / force.pairs for force in forces), default=2e-10)

    def number(self, parameters: Parameters) -> int:
        """Count the particles, which only the programs can where they are an input."""
        if self.samples:
            return self.samples.particles(parameters)
        return int(parameters.get("particles", 0))

    def drawings(self) -> dict[str, Parameters]:
        """List the particles that are to be drawn, by their paths."""
        asked = [run for run in self.runs.values() if not run["input"]]
        asked += [one for bench in self.benches for one in self.particles_of(bench)]
        asked += [
            {"seed": 1} | figure["where"]
            for figure in self.figures
            if KINDS[figure["kind"]].source == "particles"
        ]
        found = {sample(parameters): parameters for parameters in asked}
        return {p: v for p, v in found.items() if not (self.folder / "ic" / p / "ic.h5").exists()}

    @property
    def references(self) -> dict[str, Parameters]:
        """List the direct sums that are to be made, by their paths."""
        if "reference" not in self.config:
            return {}
        found = {f"{sample(run)}/{pull(run)}": run for run in self.runs.values()}
        made = self.folder / "ic"
        return {p: run for p, run in found.items() if not (made / p / "reference.h5").exists()}

    def particles_of(self, bench: Mapping[str, object]) -> list[Parameters]:
        """List the particles that a bench is measured on."""
        fixed = {"input": "", "criterion": "acceleration", "accuracy": 2**-7}
        common = self.config["runs"]["defaults"]
        return [run_defaults() | one | fixed for one in particles_of_bench(bench, common)]

    def device_of_benches(self) -> str:
        """Name the device of the measurements."""
        return self.config["runs"]["defaults"].get("device", "auto")

    def drawing(self, parameters: Parameters) -> Need:
        """Tell what particles take that are drawn."""
        n, speed = parameters["particles"], self.speed("cpu")
        model = self.samples.drawing(parameters) if self.samples else 0
        return Need(model + n * DRAWING / speed.threads, n * DRAWN, 0, CPU.base)

    def reference(self, run: Parameters) -> Need:
        """Tell what a direct sum takes."""
        reference, n = self.config["reference"], self.number(run)
        targets, speed = reference["targets"] or n, self.speed(reference["device"])
        pair = self.samples.exact_pair(run, reference["precision"]) if self.samples else 0
        seconds = speed.start + n * targets * pair / speed.threads
        return Need(seconds, targets * EXACT, 0, speed.base + n * speed.particle)

    def run(self, run: Parameters) -> Need:
        """Tell what a run takes."""
        n, speed = self.number(run), self.speed(run["device"], run["threads"], run["ranks"])
        kept = self.config["snapshots"]
        seconds, states, steps = 0.0, run["snapshot_count"], run.get("steps", 0)
        if self.samples:
            course = self.samples.course(run)
            seconds = seconds_of_run(n, course, self.samples.force(run), speed)
            states, steps = course.states, course.steps
        passing = n * CHECKPOINTS * (str(self.config["checkpoint_interval"]) != "0")
        if kept is True and not keeps_states(run):
            states = 1
        elif kept == "removed":
            passing += n * STATE
        disk = n * STATE * states + LOGS + LOGS_OF_STEP * steps
        return Need(seconds, disk, passing, speed.base + n * speed.particle)

    def bench(self, bench: Mapping[str, object]) -> Need:
        """Tell what a word of gothic bench takes."""
        speed, word = self.speed(self.device_of_benches()), bench["word"]
        repeats = int(bench["repeats"]) + 1  # the first one is not counted
        if word == "peak":
            return Need(PEAK * repeats, memory=speed.base)
        rounds = dict.fromkeys(("steps", "rebuild", "extent"), bench["steps"])
        rounds["order"] = bench["rounds"]
        need = Need()
        for parameters in self.particles_of(bench):
            n, seconds = parameters["particles"], speed.start
            if self.samples:
                force = self.samples.force(parameters)
                walk = n * force.walk_s * force.pairs_among(n) / force.pairs
                exact = n * n * self.pair * (word == "crossover")
                walks = repeats * rounds.get(word, 1) * WALKS[word]
                seconds += (walks * walk + repeats * exact) / speed.threads
            need.add(Need(seconds, 1e4, 0, speed.base + n * speed.particle))
        return need

    def lines(self) -> Iterator[str]:
        """Tell the parts of the study, and a line for each node type."""
        counts = {
            "run": len(self.runs),
            "bench": len(self.benches),
            "direct sum": len(self.references),
        }
        told = ", ".join(f"{n} {what}{plural(what) * (n != 1)}" for what, n in counts.items())
        yield f"study {self.config['study']}: {told}, of what is not done yet"
        for node, need in sorted(self.needs.items()):
            time = f"about {hours(need.seconds)}" if self.samples else "time unknown"
            disk = f"{size(need.disk)} on disk"
            if need.passing:
                disk += f" and {size(need.passing)} for a while"
            memory = f"{size(need.memory)} of memory at most"
            yield f"  {node or self.machine()}: {time}, {disk}, {memory}"
        if not self.samples:
            yield f"  no time: {self.untold}"

    def machine(self) -> str:
        """Name this machine."""
        cores = f"{self.cores} core{'s' * (self.cores > 1)}"
        return f"this machine, {cores}, {'a GPU' if self.gpu else 'no GPU'}"

    def refusal(self) -> str:
        """Say why a study is not to begin on this machine; empty if it may, or has node types.

        A study is not begun unasked that takes more hours than its key ``hours`` allows, or has
        work for a GPU that is not here.
        """
        if self.nodes or not self.samples:
            return ""
        devices = {run["device"].split(":")[0] for run in self.runs.values()}
        study, need = self.config["study"], self.needs[""]
        if "cuda" in devices and not self.gpu:
            return (
                f"study {study}: has runs on device cuda, about {hours(need.seconds)} with one "
                "H200, but the programs find no GPU here; write device: cpu or auto, or name a "
                "node type with a GPU (docs/clusters.md)"
            )
        limit = self.config["hours"]
        if not limit or need.seconds <= 3600 * limit:
            return ""
        least = rounded_up(1.5 * need.seconds / 3600)
        return (
            f"study {study}: would take about {hours(need.seconds)} here, more than the "
            f"{limit:g} h that a study takes unasked; use a GPU or a cluster (docs/clusters.md), "
            f"or allow it: make CONFIG=... HOURS={least}, or hours: {least} in the file"
        )


def plural(what: str) -> str:
    """End the plural of a noun."""
    return "es" if what.endswith("ch") else "s"


def hours(seconds: float) -> str:
    """Write a time in hours, or in minutes if it is short, with two digits."""
    if seconds < 3600:
        return f"{max(1, round(seconds / 60))} min"
    return f"{float(f'{seconds / 3600:.2g}'):g} h"


def rounded_up(number: float) -> int:
    """Round up to two digits."""
    unit = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return math.ceil(number / unit) * unit


def size(count: float) -> str:
    """Write a number of bytes."""
    for unit, bytes_of in {"TB": 1e12, "GB": 1e9}.items():
        if count >= bytes_of:
            return f"{count / bytes_of:.2g} {unit}"
    return f"{math.ceil(count / 1e6)} MB"


def gpu_is_used() -> bool:
    """Whether the programs find a GPU here."""
    with package() as gothic:
        try:
            gothic.direct_forces([[0, 0, 0], [1, 0, 0]], 1, softening=0.1, device="cuda")
        except gothic.InputError:
            return False
    return True


def estimate(
    config: Mapping[str, object], programs: Path, cores: int | None = None, keep: bool = False
) -> Estimate:
    """Estimate a study with the programs of a folder, as far as they are built.

    Parameters
    ----------
    config
        Of a study without mistakes, with the defaults of the schema.
    programs
        Folder of gothic and gothic-ic.
    cores
        Of this machine that the study uses; default: all.
    keep
        Whether the folder of the study keeps what the programs have told, for the next time.
    """
    cores = cores or len(os.sched_getaffinity(0))
    if not (programs / "gothic").exists():
        return Estimate(config, None, cores)
    kept = Path(str(config["results"])) / str(config["study"]) / "samples.json"
    samples = Samples(programs, kept)
    try:
        return Estimate(config, samples, cores, gpu_is_used())
    except DataError as error:  # of one run, which does not stop the others
        return Estimate(config, None, cores, untold=str(error))
    finally:
        if keep:
            samples.keep()
