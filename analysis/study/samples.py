"""What the programs tell of small samples of a study's particles, before anything is made.

`gothic run --dry-run` tells what the steps of a run are like, a tree force how many pairs an
accuracy sums, and how fast they are summed by one thread here.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from analysis.errors import DataError
from analysis.reading.files import package, units_of, use_package_of
from analysis.study.accuracy_unit import acceleration_unit
from analysis.study.measure import duration_options, options
from analysis.study.model_files import file_of, write_changed
from analysis.study.parameters import (
    DRAWING,
    Parameters,
    keeps_states,
    model_folder,
    model_keys,
)
from analysis.study.schema import files_of

SAMPLED = 2**13  # particles
TARGETS = 2**9  # of the direct sum of a sample
HERE = {"device": "cpu", "threads": 1}
COARSE = {"criterion": "opening", "accuracy": 0.9, "force_error": 0}
OF_TREES = ("keys", "sort", "build")  # stages that a new tree needs
OF_STEPS = ("groups", "moments")  # stages that every step needs besides its walk
STAGES = (*OF_TREES, *OF_STEPS, "walk", "direct")


def idle(measure: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Tell the seconds of stages that one thread takes while nothing else uses its core."""
    wall, own = time.monotonic(), time.process_time()
    timing = measure()
    share = min(1, (time.process_time() - own) / (time.monotonic() - wall))
    return timing | {name: share * timing[name] for name in STAGES if name in timing}


@dataclass(frozen=True)
class Course:
    """What a dry run tells of a run."""

    steps: float
    active: float  # mean share of the particles that a step moves
    tree_interval: float  # steps with one tree
    states: int  # snapshots that it keeps

    @classmethod
    def read(cls, text: str) -> Course:
        """Read what ``gothic run --dry-run`` prints; a `DataError` if it tells less."""

        def told(name: str, pattern: str = r"(\S+)") -> float:
            found = re.search(rf"^  {name} +{pattern}", text, re.MULTILINE)
            if not found:
                raise DataError(f"gothic run --dry-run does not tell {name}; build the programs")
            return float(found[1])

        return cls(
            told("steps in all"),
            told("active particles") / 100,
            told("steps with one tree"),
            int(told("each snapshot", r".* (\d+) of them$")),
        )


FORCES_ALONE = Course(steps=0, active=0, tree_interval=1, states=0)  # of a run without steps


@dataclass(frozen=True)
class Force:
    """A tree force on some particles by one thread: work and seconds of each particle."""

    particles: int
    pairs: float
    walk_s: float
    tree_s: float  # of a new tree
    step_s: float  # of what every step needs besides

    def pairs_among(self, particles: float) -> float:
        """Count the pairs of each of so many particles.

        Few particles are summed directly, p = N; of many each feels as many as the accuracy asks
        for, P. In between 1 / p^2 = 1 / N^2 + 1 / P^2, which this force solves for P.
        """
        rest = max(self.pairs**-2 - self.particles**-2, 1e-4 * self.particles**-2)
        return (rest + particles**-2) ** -0.5


class Samples:
    """Samples of particles, and what the programs in a folder tell of them.

    Parameters
    ----------
    programs
        Folder of gothic and gothic-ic.
    kept
        File for the answers, which serve until the programs are others.
    """

    def __init__(self, programs: Path, kept: Path) -> None:
        use_package_of(programs)
        self.programs, self.kept = programs, kept
        self.folder = TemporaryDirectory(prefix="gothic-samples-")
        stat = (programs / "gothic").stat()
        self.origin = [str(programs.resolve()), stat.st_size, stat.st_mtime_ns]
        self.known: dict[str, list] = {}
        with suppress(OSError, ValueError, KeyError):
            found = json.loads(kept.read_text())
            self.known = found["known"] if found["origin"] == self.origin else {}

    def keep(self) -> None:
        """Write the answers."""
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        self.kept.write_text(json.dumps({"origin": self.origin, "known": self.known}))

    def course(self, parameters: Parameters) -> Course:
        """Tell the course of a run; steps do not depend on its accuracy, so a coarse one serves."""
        if parameters.get("steps") == 0:
            return FORCES_ALONE
        apart = ("seed", "repeat", "particles", "ranks", "sharing", "order")
        told = {n: v for n, v in parameters.items() if n not in apart} | HERE | COARSE

        def dry_run() -> list[float]:
            path = self.drawn(parameters)
            of_force, of_run = self.words(told)
            times = duration_options(parameters, path)
            kept = "--snapshot" if keeps_states(parameters) else "--no-snapshot"
            where = ("--input", path, "--output", Path(self.folder.name) / "run")
            found = self.call(
                "gothic", "run", *where, *of_force, *of_run, *times, kept, "--dry-run"
            )
            return [*vars(Course.read(found)).values()]

        return Course(*self.asked(["course", self.origin_of(parameters), told], dry_run))

    def force(self, parameters: Parameters) -> Force:
        """Make a tree force with the criterion, accuracy, order and field of a run."""
        of_force, _ = self.words(parameters | HERE)

        def measured() -> list[float]:
            path = self.drawn(parameters)
            names = [word[2:].replace("-", "_") for word in of_force[::2]]
            words = dict(zip(names, of_force[1::2], strict=True))
            with package() as gothic:
                particles, known = gothic.read(path), gothic.TreeForceOptions.__annotations__
                words = {name: word for name, word in words.items() if name in known}
                timing = idle(lambda: gothic.tree_forces(particles, **words).timing)
            n = len(particles)
            tree, step = (sum(timing[s] for s in part) for part in (OF_TREES, OF_STEPS))
            return [n, timing["interactions"] / n, timing["walk"] / n, tree / n, step / n]

        return Force(*self.asked(["force", self.origin_of(parameters), of_force], measured))

    def exact_pair(self, parameters: Parameters, precision: str) -> float:
        """Measure the seconds of a pair of a direct sum."""

        def measured() -> list[float]:
            path = self.drawn(parameters)
            with package() as gothic:
                particles = gothic.read(path)
                targets = min(TARGETS, len(particles))
                words = HERE | {"precision": precision, "softening": 0.01, "targets": targets}
                timing = idle(lambda: gothic.direct_forces(particles, **words).timing)
            return [timing["direct"] / (len(particles) * targets)]

        return self.asked(["exact", precision], measured)[0]

    def drawing(self, parameters: Parameters) -> float:
        """Measure the seconds that a sample takes to be drawn."""

        def measured() -> list[float]:
            start = time.monotonic()
            self.drawn(parameters)
            return [time.monotonic() - start]

        return self.asked(["drawing", self.origin_of(parameters)], measured)[0]

    def particles(self, parameters: Parameters) -> int:
        """Count the particles of a run."""

        def counted() -> list[int]:
            with package() as gothic:
                return [len(gothic.read(parameters["input"]))]

        given = parameters.get("particles")
        return given or self.asked(["particles", self.origin_of(parameters)], counted)[0]

    def asked(self, question: list, answer: Callable[[], list]) -> list:
        """Return the answer to a question, which is given once."""
        name = json.dumps(question)
        if name not in self.known:
            self.known[name] = answer()
        return self.known[name]

    def origin_of(self, parameters: Parameters) -> list[object]:
        """Name what a sample is drawn from, in its present state, and fields that act on it."""
        fields = [hashlib.sha256(Path(f).read_bytes()).hexdigest() for f in files_of(parameters)]
        if given := parameters.get("input"):
            stat = Path(given).stat()
            return [given, stat.st_size, stat.st_mtime_ns, fields]
        digest = hashlib.sha256(file_of(parameters["model"]).read_bytes()).hexdigest()
        drawn = {name: parameters[name] for name in DRAWING if parameters.get(name)}
        return [model_folder(parameters), digest, drawn, fields]

    def drawn(self, parameters: Parameters) -> Path:
        """Draw a sample, or take every so many particles of an input, and name its file."""
        *origin, _ = self.origin_of(parameters)
        name = hashlib.sha256(json.dumps(origin).encode()).hexdigest()
        path = Path(self.folder.name) / f"{name}.h5"
        if path.exists():
            return path
        if given := parameters.get("input"):
            with package() as gothic:
                particles = gothic.read(given)
                sample = particles[:: max(1, len(particles) // SAMPLED)]
                sample.masses[:] *= len(particles) / len(sample)
                sample.write(path)
            return path
        model = file_of(parameters["model"])
        if keys := model_keys(parameters):
            write_changed(model, keys, path.with_suffix(".toml"))
            model = path.with_suffix(".toml")
        flags = [f"--{name.replace('_', '-')}" for name in DRAWING if parameters.get(name)]
        self.call("gothic-ic", model, "--particles", SAMPLED, "--output", path, *flags)
        return path

    def words(self, parameters: Parameters) -> tuple[list[str], list[str]]:
        """Write parameters as options of ``gothic force`` and further ones of ``gothic run``."""
        unit = 1.0
        if parameters["criterion"] == "multipole":
            unit = acceleration_unit(units_of(self.drawn(parameters)))
        return options(parameters, unit, 1)

    def call(self, program: str, *words: object) -> str:
        """Call a program and return what it prints; a `DataError` if it fails."""
        command = [self.programs / program, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DataError(f"{program}: {done.stderr.strip()}")
        return done.stdout
