"""Check the programs' numbers.

python -m analysis.checks regress [--base REVISION] [--device DEVICE] [--update WHY]

Builds the working tree, runs fixed problems and prints a line for every number that is not that of
the baseline, or of another revision. The exit status is 1 if one moved. See docs/checks.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from analysis.checks import regress
from analysis.checks.builds import build_revision, build_working_tree, fixed_target
from analysis.cli import main
from analysis.programs import Programs


def measured(programs: Path, device: str) -> regress.Measured:
    """Run the problems of make regress in a folder of their own."""
    with TemporaryDirectory(prefix="gothic-regress-") as folder:
        return regress.measure(Programs(programs, Path(folder)), device)


def programs_of(base: str, options: tuple[str, ...]) -> Path:
    """Find the programs in a folder, or build those of a revision."""
    folder = Path(base)
    return folder if (folder / "gothic").exists() else build_revision(base, options)


def compare(given: argparse.Namespace) -> bool:
    """Compare numbers, or make them the baseline; returns whether all are as they were."""
    options = fixed_target(given.device)
    now = measured(given.programs or build_working_tree(options), given.device)
    if given.update is not None:
        path = regress.write_baseline(now, given.update)
        print(f"{path}: {len(now.problems)} problems; commit it with the change that moved them")
        return True
    if given.base:
        base, exact = measured(programs_of(given.base, options), given.device), True
    else:
        base = regress.read_baseline(now)
        exact = base.exact_among == now.exact_among
    lines = list(regress.moved(base, now, exact))
    print(*lines, sep="\n", end="\n" * bool(lines))
    how = "bit by bit" if exact else "within the bounds between machines"
    print(
        f"{len(now.problems)} problems against {given.base or base.name}, {how}: {len(lines)} moved"
    )
    if lines and not given.base:
        print('If that is meant, commit with the change: make regress-update WHY="..."')
    return not lines


def run() -> None:
    """Make the checks that the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.checks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("check", choices=["regress"])
    parser.add_argument("--base", help="revision, or folder of programs, instead of the baseline")
    parser.add_argument("--programs", type=Path, help="folder of programs that are built already")
    parser.add_argument("--device", default="cpu", help="as of gothic run")
    parser.add_argument("--update", metavar="WHY", help="write the baseline; why it changes")
    sys.exit(0 if compare(parser.parse_args()) else 1)


if __name__ == "__main__":
    main(run)
