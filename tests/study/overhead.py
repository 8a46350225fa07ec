"""What the workflow of a parameter study costs beside its programs, for each run.

python -m tests.study.overhead --programs build/bin --runs 200
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.study.workflow import ROOT, Workflow

PROGRAMS = ("gothic", "gothic-ic")
# Notes the microseconds that a program takes, start and end included.
TIMED = """\
#!/bin/bash
start=${{EPOCHREALTIME/./}}
{program} "$@"
status=$?
echo $((${{EPOCHREALTIME/./}} - start)) >> {notes}
exit $status
"""


@dataclass(frozen=True)
class Overhead:
    """Seconds of a workflow, and of the programs that it has called."""

    runs: int
    elapsed: float
    programs: list[float]

    @property
    def per_run(self) -> float:
        """Seconds for each run that the programs did not take."""
        return (self.elapsed - sum(self.programs)) / self.runs


def measure(folder: Path, programs: Path, runs: int) -> Overhead:
    """Make a study of tiny runs, with their force errors, in an empty folder."""
    notes = folder / "seconds.txt"
    for name in PROGRAMS:
        (folder / name).write_text(TIMED.format(program=programs.resolve() / name, notes=notes))
        (folder / name).chmod(0o755)
    config = {
        "study": "overhead",
        "reference": {"targets": 64},
        "runs": {
            "defaults": {"model": "plummer", "particles": 256, "steps": 2, "accuracy": 0.01},
            "grids": [{"eta": [0.01 * n for n in range(1, runs + 1)]}],
        },
    }
    (folder / "overhead.yaml").write_text(yaml.safe_dump(config))
    workflow = Workflow(folder, folder / "overhead.yaml", folder)
    start = time.monotonic()
    done = workflow.run("--workflow-profile", str(ROOT / "config" / "profiles" / "local"))
    elapsed = time.monotonic() - start
    if done.returncode:
        raise SystemExit(done.stdout)
    return Overhead(runs, elapsed, [int(line) / 1e6 for line in notes.read_text().split()])


def main() -> None:
    """Print what is measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.study.overhead", description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="folder of gothic, gothic-ic")
    parser.add_argument("--runs", type=int, default=200, help="number of runs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), given.programs, given.runs)
    print(
        f"{found.runs} runs in {found.elapsed:.1f} s; programs {sum(found.programs):.1f} s; "
        f"overhead {found.per_run:.3f} s per run"
    )


if __name__ == "__main__":
    main()
