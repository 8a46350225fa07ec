"""Which committed tables stand, as a page.

python -m analysis.measured.validity

A table stands if a study made it and the numbers of its revision are those of today. Baselines of
`make regress` tell these numbers. revisions.yaml keeps them for the revisions of the tables, from
the history of the repository; docs/tables.md is the page.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from analysis.checks.builds import git
from analysis.checks.regress import BASELINES, TABLE, complete, holds
from analysis.errors import DataError, main
from analysis.measured import FOLDER, kept_studies
from analysis.programs import ROOT
from analysis.reading.csv_tables import head_of_table, read_table

VALIDATION = ROOT / "docs" / "validation.csv"
RECORD = FOLDER / "revisions.yaml"
PAGE = ROOT / "docs" / "tables.md"
PROBLEMS = "analysis/checks/regress.yaml"
# Names that baselines had before.
FORMER = {"cpu": "cpu-512"}
# How a table tells runs of the published algorithm: in paths and in command lines.
PUBLISHED = re.compile(r"as.published[~ ](?!none)")
# What is compared: errors, pairs, trees and energy, within the bounds between machines.
COLUMNS = ("error_50", "error_99", "force_interactions", "interactions", "rebuilds")
COLUMNS += ("energy_drift_max", "power")
HEAD = """# Tables

Every committed table, and whether it stands. A table stands if a study made it and the numbers of
its revision are those of today. `make regress` compares the numbers of fixed problems with a
baseline, which is committed with each change that moves them ([checks.md](checks.md)). Here errors,
pairs, trees and energies of the baselines of then and now are compared, within the bounds between
machines: those of CPUs for every table, and also those of a GPU for tables of one. Problems of the
published algorithm count only for studies that ran it. The study that is named measures a table
again ([studies.md](studies.md)). `make docs` makes this page.
"""

Problem = list[str | float | None]  # digest of what is computed, then COLUMNS
Numbers = Mapping[str, Problem]


@dataclass(frozen=True)
class Kept:
    """A committed table: file, study, devices, revisions, whether the study has published runs."""

    path: Path
    study: str
    devices: tuple[str, ...]
    revisions: tuple[str, ...]
    published: bool

    @classmethod
    def read(cls, path: Path) -> Kept:
        """Read what the head or the columns of a table tell."""
        study = head_of_table(path).get("study", "`make validation`")
        table = read_table(path)
        devices = table["device_name" if "device_name" in table else "device"]
        revisions = tuple(table["revision"].unique())
        return cls(path, study, tuple(devices.unique()), revisions, ran_published(path.parent))

    @property
    def name(self) -> str:
        """Its path as pages write it."""
        return str(self.path.relative_to(ROOT)).removeprefix("analysis/measured/")

    @property
    def kinds(self) -> tuple[str, ...]:
        """What names of the baselines that tell of it begin with."""
        of_gpu = any(device.startswith("NVIDIA") for device in self.devices)
        return ("cpu", "nvidia") if of_gpu else ("cpu",)


@cache
def ran_published(study: Path) -> bool:
    """Whether a table in the folder of a study tells of a run of the published algorithm."""
    return any(PUBLISHED.search(table.read_text()) for table in study.glob("*.csv"))


def tables() -> list[Kept]:
    """List the committed tables."""
    kept = [path for study in kept_studies() for path in sorted(study.glob("*.csv"))]
    return [Kept.read(path) for path in [*kept, VALIDATION]]


def reduced(baseline: Mapping[str, Mapping], table: Mapping[str, Mapping]) -> Numbers:
    """Reduce a baseline to what is compared.

    Parameters
    ----------
    baseline
        The numbers of each problem.
    table
        The problems and their defaults, as in regress.yaml.
    """
    found = {}
    for name, numbers in baseline.items():
        if name in table["problems"]:
            problem = complete(table["problems"][name], table["defaults"])
            text = json.dumps(problem, sort_keys=True)
            digest = hashlib.sha256(text.encode()).hexdigest()[:8]
            found[name] = [digest, *(short(numbers.get(column)) for column in COLUMNS)]
    return found


def short(number: float | None) -> float | None:
    """Round a number to far less than any bound."""
    return float(f"{number:.7g}") if isinstance(number, float) else number


def read(text: str) -> dict:
    """Read YAML fast."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def today() -> dict[str, dict]:
    """Read the baselines of the working tree by their names."""
    return {path.stem: read(path.read_text()) for path in sorted(BASELINES.glob("*.yaml"))}


def commits_of(paths: list[str]) -> list[str]:
    """List the commits that changed files, the last one first."""
    return git("log", "--format=%H", "HEAD", "--", *paths).split()


def numbers_at(revision: str, name: str) -> Numbers | None:
    """Find the numbers of a revision in the history of a baseline; None if it had none.

    They are those of the baseline that names the revision, or else of the one that it holds.
    """
    names = [name, FORMER[name]] if name in FORMER else [name]
    paths = [f"{(BASELINES / each).relative_to(ROOT)}.yaml" for each in names]
    for commit in [*commits_of(paths), revision]:
        held = git("ls-tree", "--name-only", commit, *paths).split()
        if not held:
            continue
        baseline = read(git("show", f"{commit}:{held[0]}"))
        if commit == revision or str(baseline["revision"]) == revision:
            return reduced(baseline["problems"], read(git("show", f"{commit}:{PROBLEMS}")))
    return None


def record(kept: list[Kept]) -> dict[str, dict]:
    """Find the numbers of all revisions of tables; equal ones are kept once."""
    revisions: dict[str, dict[str, str]] = {}
    numbers: dict[str, Numbers] = {}
    for revision in sorted({revision for table in kept for revision in table.revisions}):
        revisions[revision] = {}
        for name in today():
            if found := numbers_at(revision, name):
                digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()[:8]
                revisions[revision][name] = digest
                numbers[digest] = found
    return {"revisions": revisions, "numbers": numbers}


def write_record(found: dict[str, dict]) -> None:
    """Write the numbers, a line for each problem."""
    text = yaml.safe_dump(found, sort_keys=False, default_flow_style=None, width=1000)
    columns = ", ".join(COLUMNS)
    says = f"# By python -m analysis.measured.validity: digest of the problem, {columns}.\n"
    RECORD.write_text(says + text)


def agree(one: Problem, other: Problem) -> bool:
    """Whether the numbers of a problem are within the bounds of each other."""
    pairs = zip(COLUMNS, one[1:], other[1:], strict=True)
    return all(a is b or holds(TABLE["bounds"][column], a, b) for column, a, b in pairs)


def is_published(name: str) -> bool:
    """Whether a problem is one of the published algorithm."""
    return "as-published" in TABLE["problems"].get(name, {}).get("force", {})


def compare(then: Numbers, now: Numbers) -> tuple[int, list[str]]:
    """Count the problems that can be compared, and name those whose numbers have moved.

    A problem that is told otherwise now can be compared if it still has the same numbers.
    """
    both = sorted(then.keys() & now.keys())
    same = [name for name in both if agree(then[name], now[name])]
    differing = [name for name in both if name not in same and then[name][0] == now[name][0]]
    return len(same) + len(differing), differing


class Validity:
    """Compares the revisions of tables with today."""

    def __init__(self, recorded: Mapping[str, Mapping], baselines: Mapping[str, Mapping]) -> None:
        self.recorded = recorded
        self.now = {
            name: reduced(baseline["problems"], TABLE) for name, baseline in baselines.items()
        }

    def of_revision(self, revision: str, table: Kept) -> str:
        """Say why a table's numbers of a revision are not known to be today's, or nothing."""
        if revision not in self.recorded["revisions"]:
            raise DataError(f"{RECORD}: revision {revision} is missing; run make docs")
        known = self.recorded["revisions"][revision]
        for name, numbers in self.now.items():
            if not name.startswith(table.kinds):
                continue
            now = {
                problem: numbers[problem]
                for problem in numbers
                if table.published or not is_published(problem)
            }
            if name not in known:
                return "has no baseline"
            compared, problems = compare(self.recorded["numbers"][known[name]], now)
            if 2 * compared < len(now):
                return f"has {compared} of the {len(now)} problems of {name}"
            if problems:
                few = "; ".join(problems[:3]) + ("; ..." if len(problems) > 3 else "")
                return f"{len(problems)} of {compared} problems of {name} moved: {few}"
        return ""

    def of_table(self, table: Kept) -> str:
        """Say why a table is to be measured again; nothing if it stands."""
        reasons = {"no study made it": []} if table.study == "none" else {}
        for revision in table.revisions:
            if reason := self.of_revision(revision, table):
                reasons.setdefault(reason, []).append(revision[:7])
        return ", ".join(" ".join([*revisions, reason]) for reason, revisions in reasons.items())


def page(validity: Validity, kept: list[Kept], baselines: Mapping[str, Mapping]) -> str:
    """Write the page."""
    problems = {table: validity.of_table(table) for table in kept}
    standing = sum(not problem for problem in problems.values())
    lines = [HEAD, "Baselines of today:\n"]
    lines += [
        f"* `{name}`: revision {origin['revision'][:7]}, {origin['date']}, {origin['device']}"
        for name, origin in baselines.items()
    ]
    lines += ["", f"{standing} of {len(kept)} tables stand.\n"]
    lines += ["| Table | Device | Study | Revision | Stands |", "|---|---|---|---|---|"]
    for table, problem in problems.items():
        made = ", ".join(revision[:7] for revision in table.revisions)
        devices = ", ".join(table.devices)
        says = f"no: {problem}" if problem else "yes"
        lines.append(f"| `{table.name}` | {devices} | {table.study} | {made} | {says} |")
    return "\n".join(lines) + "\n"


def current_page() -> str:
    """Write the page from the tables, the record and the baselines of the working tree."""
    baselines = today()
    return page(Validity(read(RECORD.read_text()), baselines), tables(), baselines)


def run() -> None:
    """Write the record and the page."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.measured.validity", description=__doc__
    )
    parser.parse_args()
    write_record(record(tables()))
    PAGE.write_text(current_page())


if __name__ == "__main__":
    main(run)
