"""One revision on one machine: its numbers, its errors, and its times over those of the anchor."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from analysis.checks import regress, speed, verdict
from analysis.checks.builds import build_revision, commit_of, git, native
from analysis.checks.history import Entry, read_entries
from analysis.checks.particles import PUBLISHED, errors, provenance, read
from analysis.checks.speed import Problem
from analysis.errors import DataError
from analysis.programs import Programs

ANCHOR = Path(__file__).with_name("anchor").read_text().strip()
SOURCES = ("src", "ic", "cmake", "CMakeLists.txt")  # of which the programs are made
TARGETS = 4096  # particles whose direct sums the errors are relative to
PAIRS = 10
CALLS = {"run": "run --steps 1 --no-snapshot", "force": "force", "drawn": ""}
POINTS = {  # accuracies of forces, by model and number of particles
    "cpu": {("nfw", 14): (5, 9), ("m31", 16): (7, 11), ("nfw", 17): (7, 11)},
    "cuda": {("nfw", 17): (5, 9), ("m31", 20): (7, 11), ("nfw", 20): (7, 11)},
}
WHOLE = {"cpu": (12, 17), "cuda": (12, 20)}
FEW = 14  # logarithm of numbers of particles for which times scatter


def processes(size: int) -> int:
    """Tell how many processes of gothic a measurement has, of which the least time counts."""
    return 5 if size <= FEW else 1


def points(device: str) -> dict[str, Problem]:
    """List the forces whose errors and times are recorded, by the acceleration criterion.

    Programs that share a core have their processor time, others the time of their stages.
    """
    kind = device.split(":")[0]
    stage, seconds = ("process", speed.whole_process) if kind == "cpu" else ("force", speed.force)
    return {
        f"{model} 2^{size}, 2^-{accuracy}": Problem(
            model,
            1 << size,
            f"force {speed.PUBLISHED} --accuracy {2.0**-accuracy}",
            (stage,),
            seconds,
            processes(size),
        )
        for (model, size), accuracies in POINTS[kind].items()
        for accuracy in accuracies
    }


def whole_processes(device: str) -> dict[str, Problem]:
    """List the calls of programs that are timed from start to end, with all defaults."""
    return {
        f"nfw 2^{size}, {name}": Problem(
            "nfw",
            1 << size,
            options,
            ("process",),
            speed.whole_process,
            processes(size) if options else 1,
        )
        for size in WHOLE[device.split(":")[0]]
        for name, options in CALLS.items()
    }


def source_revision(revision: str) -> str:
    """Find the last commit up to a revision that changed the programs, as they tell it themselves.

    Later commits, of documents and so on, give the same programs.
    """
    return git("log", "-1", "--format=%H", commit_of(revision), "--", *SOURCES)


def revisions_in(words: Iterable[str]) -> list[str]:
    """List source revisions once each; a range A..B has its oldest first, and leaves A out."""
    found: list[str] = []
    for word in words:
        if ".." in word:
            ends = [commit_of(end or "HEAD") for end in word.split("..")]
            inside = git("rev-list", "--reverse", "..".join(ends), "--", *SOURCES)
            found += inside.split()
        else:
            found.append(source_revision(word))
    return list(dict.fromkeys(found))


class Recorder:
    """Makes entries of one history on one device; the anchor is built once for all of them.

    Parameters
    ----------
    history
        File of entries, a JSON object to a line. New ones are appended.
    device
        As ``--device`` takes it.
    pairs
        How often each program is timed against the anchor.
    """

    def __init__(self, history: Path, device: str, pairs: int = PAIRS) -> None:
        self.history, self.device, self.pairs = history, device, pairs
        self.problems = speed.problems_for(device) | whole_processes(device) | points(device)
        if git("rev-parse", "--is-shallow-repository") == "true":
            raise DataError("this clone is shallow, and has no history; git fetch --unshallow")
        self.anchor = source_revision(ANCHOR)
        self.options = native(device)
        self.programs = build_revision(self.anchor, self.options)
        self.machine = machine_of(self.programs, device)

    def has(self, revision: str) -> bool:
        """Whether the history has an entry of a revision by this machine and this anchor."""
        mine = self.key(revision).items()
        return self.history.exists() and any(
            mine <= entry.items() for entry in read_entries(self.history)
        )

    def key(self, revision: str) -> dict[str, str]:
        """Tell what an entry is of; a history has one for each."""
        return {"revision": revision, "anchor": self.anchor, **self.machine}

    def record(self, revision: str) -> Entry:
        """Build and measure a source revision, and append its entry."""
        programs = build_revision(revision, self.options)
        entry: dict[str, Any] = {
            **self.key(revision),
            "commits": int(git("rev-list", "--count", revision)),
            "committed": git("log", "-1", "--format=%cI", revision),
            "recorded": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        with TemporaryDirectory(prefix="gothic-record-") as name:
            folder = Path(name)
            entry["errors"] = accuracies(self.programs, programs, self.device, folder)
            entry["provenance"] = told_by(folder / "force.h5")
            measured = regress.measure(Programs(programs, folder), self.device)
        entry["numbers"] = {name: summed(found) for name, found in measured.problems.items()}
        builds = {"base": self.programs, "new": programs}
        raw = speed.measure_pairs(builds, self.problems, self.device, self.pairs)
        entry["times"] = verdict.compare(raw).to_dict("records")
        self.history.parent.mkdir(parents=True, exist_ok=True)
        with self.history.open("a") as file:
            file.write(json.dumps(entry) + "\n")
        return entry


def machine_of(programs: Path, device: str) -> dict[str, str]:
    """Tell what times and last bits depend on: the device, and the compiler of some programs."""
    with TemporaryDirectory(prefix="gothic-record-") as name:
        called = Programs(programs, Path(name))
        called.draw("plummer", 256)
        files = ("--input", "ic.h5", "--output", "force.h5")
        called.call("gothic", "force", *files, "--device", device)
        told = provenance(called.path("force.h5"))
    return {"device": told["device"], "compiler": told["compiler"]}


def told_by(path: Path) -> dict[str, str]:
    """Read all that a file tells of the program and the machine that made it."""
    own = ("program", "command_line", "date")  # these tell of the file alone
    return {name: text for name, text in provenance(path).items() if name not in own}


def accuracies(anchor: Path, programs: Path, device: str, folder: Path) -> dict[str, Any]:
    """Measure errors and count pairs of `points`; the anchor draws particles and sums directly.

    The errors are those of some particles, always the same ones, in percentiles.
    """
    drawn, tested = Programs(anchor, folder), Programs(programs, folder)
    found = {}
    for name, problem in points(device).items():
        sample = problem.sample(Path())
        exact = f"direct_{sample}"
        if not drawn.path(exact).exists():
            drawn.draw(problem.model, problem.particles, str(sample))
            files = ("--input", sample, "--output", exact, "--targets", TARGETS)
            drawn.call("gothic", "direct", *files, *PUBLISHED, "--device", "cpu")
        files = ("--input", sample, "--output", "force.h5", "--device", device)
        tested.call("gothic", *problem.options.split(), *files)
        forces, sums = read(tested.path("force.h5")), read(drawn.path(exact))
        chosen = np.isin(forces["ParticleIDs"], sums["ParticleIDs"])
        off = errors({"Acceleration": forces["Acceleration"][chosen]}, sums["Acceleration"])
        found[name] = {
            "error_50": float(np.percentile(off, 50)),
            "error_99": float(np.percentile(off, 99)),
            "pairs": regress.pairs(tested.path("force.h5")),
        }
    return found


def summed(numbers: Mapping[str, regress.Number]) -> dict[str, Any]:
    """Shorten the numbers of a problem of `regress` to a checksum, an error and counts of pairs."""
    exact = {name: value for name, value in numbers.items() if not regress.is_sum(name)}
    text = json.dumps(exact, sort_keys=True)
    kept = {name: numbers[name] for name in ("error_99", "force_interactions", "interactions")}
    return {"digest": hashlib.sha256(text.encode()).hexdigest()[:16], **kept}
