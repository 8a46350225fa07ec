"""Check the programs' numbers and their speed; docs/checks.md and docs/history.md explain.

regress: numbers of fixed problems against a baseline, or another revision; 1 if one moved.
validation: forces, orbits and equilibria against theory; 1 if a number is out of bounds.
speed: the working tree against another revision, measured in pairs; 1 if something is slower.
record: add an entry to a history: numbers, errors, and times over those of an anchor.
history: draw a history, find its steps; 1 if something has drifted since the anchor.

The exit status is 2 if something could not be checked.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from analysis.checks import heating, record, regress, speed, verdict
from analysis.checks.builds import build_revision, build_working_tree, fixed_target, native
from analysis.errors import DataError, main
from analysis.programs import Programs

PAIRS = 15


def base_programs(base: str, options: tuple[str, ...]) -> Path:
    """Find the programs in a folder, or build the programs of a revision."""
    folder = Path(base)
    return folder if (folder / "gothic").exists() else build_revision(base, options)


def check_pairs(pairs: int) -> None:
    """Refuse fewer pairs than give an interval."""
    if pairs < verdict.FEWEST_PAIRS:
        fewest = verdict.FEWEST_PAIRS
        raise DataError(f"--pairs {pairs}: too few to judge by; take at least {fewest}")


def check_regress(given: argparse.Namespace) -> bool:
    """Compare numbers, or make them the baseline; returns whether all are as they were."""

    def measured(folder: Path) -> regress.Measured:
        with TemporaryDirectory(prefix="gothic-regress-") as place:
            return regress.measure(Programs(folder, Path(place)), given.device)

    options = fixed_target(given.device)
    base_folder = base_programs(given.base, options) if given.base else None
    now = measured(given.programs or build_working_tree(options))
    if given.update is not None:
        path = regress.write_baseline(now, given.update)
        print(f"{path}: {len(now.problems)} problems; commit it with the change that moved them")
        return True
    if base_folder:
        base, exact = measured(base_folder), True
    else:
        base = regress.read_baseline(now)
        exact = base.exact_among == now.exact_among
    lines = list(regress.moved(base, now, exact))
    print(*lines, sep="\n", end="\n" * bool(lines))
    how = "bit by bit" if exact else "within the bounds between machines"
    against = given.base or f"the baseline {base.name}"
    print(f"{len(now.problems)} problems against {against}, {how}: {len(lines)} numbers moved")
    if lines and not given.base:
        print('If that is meant, commit with the change: make regress-update WHY="..."')
    return not lines


def check_validation(given: argparse.Namespace) -> bool:
    """Write the table of numbers beside theory; returns whether all are within bounds."""
    from analysis.checks import force_errors, motion  # need the package gothic, unlike other checks

    parts = (
        force_errors.pair,
        force_errors.independent_sum,
        force_errors.spheres,
        force_errors.tree,
    )
    parts += (motion.kepler, motion.order, motion.equilibrium, motion.repeatable, heating.heating)
    with TemporaryDirectory(prefix="gothic-validation-") as folder:
        programs = Programs(given.programs or Path("build/bin"), Path(folder))
        rows = [row for part in parts for row in part(programs)]
        table = pd.DataFrame([vars(row) | {"passed": row.passed} for row in rows])
        table = table.assign(**force_errors.facts(programs))
    table.to_csv(given.output, index=False)
    failed = table[~table["passed"]]
    for row in failed.itertuples():
        print(f"{row.quantity}: {row.measured:.3g}, expected {row.expected:g} +- {row.bound:.3g}")
    print(f"{given.output}: {len(table)} numbers, {len(failed)} out of bounds")
    return failed.empty


def check_speed(given: argparse.Namespace) -> bool:
    """Measure and judge; returns whether nothing is slower."""
    check_pairs(given.pairs)
    problems = speed.problems_for(given.device)
    options = native(given.device)
    base = base_programs(given.base, options)
    builds = {"base": base, "new": given.programs or build_working_tree(options)}
    print(f"measuring {given.pairs} pairs", flush=True)
    table = verdict.compare(speed.measure_pairs(builds, problems, given.device, given.pairs))
    if given.output:
        table.to_csv(given.output, index=False)
    print(verdict.readable(table).to_string(index=False))
    print(verdict.sentence(table))
    if given.tolerance is None:
        return "slower" not in set(table["verdict"])
    beyond = verdict.beyond(table, given.tolerance)
    for row in beyond.itertuples():
        print(f"{row.problem}, {row.stage}: all of its interval is beyond {given.tolerance:g}")
    return beyond.empty


def check_record(given: argparse.Namespace) -> bool:
    """Add an entry for each revision that has none, and for the anchor; all must succeed."""
    check_pairs(given.pairs)
    recorder = record.Recorder(given.history, given.device, given.pairs)
    failed = []
    asked = record.revisions_in(given.revisions)
    missing = [one for one in (recorder.anchor, *asked) if not recorder.has(one)]
    wanted = list(dict.fromkeys(missing + asked * given.again))
    print(f"{given.history}: {len(wanted)} revisions are to be recorded", flush=True)
    for revision in wanted:
        print(f"{revision[:12]}: building and measuring", flush=True)
        try:
            entry = recorder.record(revision)
        except DataError as error:
            print(error, file=sys.stderr)
            failed.append(revision[:12])
        else:
            print(verdict.sentence(pd.DataFrame(entry["times"])), flush=True)
    if failed:
        raise DataError(f"{', '.join(failed)}: not recorded, for the reasons above")
    return True


def check_history(given: argparse.Namespace) -> bool:
    """Draw every series of a history and judge it; returns whether nothing has drifted."""
    from analysis.checks import history, trend  # need Matplotlib, unlike other checks

    drifted = False
    entries = history.read_entries(given.history)
    for path, judged, series in trend.write_all(entries, given.output):
        print(f"{path}: {len(series)} recordings")
        for place, names in history.moved_numbers(series).items():
            print(f"{history.name_of(series[place])}: numbers moved: {', '.join(names)}")
        for line in history.complaints(judged, series):
            print(line)
            drifted = True
    return not drifted


OPTIONS = {
    "programs": {"type": Path, "help": "folder of programs that are built already"},
    "device": {"default": "cpu", "help": "cpu, cuda or cuda:N (default: %(default)s)"},
    "base": {"help": "revision, or folder of its programs"},
    "update": {"metavar": "WHY", "help": "make the numbers the baseline; why they change"},
    "pairs": {"type": int, "help": "measurements of each (default: %(default)s)"},
    "tolerance": {
        "type": float,
        "metavar": "RATIO",
        "help": "fail only where the whole interval of a step or a walk is beyond this ratio",
    },
    "history": {
        "type": Path,
        "default": Path("history.jsonl"),
        "help": "file of entries (default: %(default)s)",
    },
    "again": {"action": "store_true", "help": "also measure revisions that have an entry"},
    "output": {"type": Path, "help": "CSV file to write"},
}
FOLDER = {
    "default": Path("results/history"),
    "help": "folder of figures and tables (default: %(default)s)",
}
CHECKS = {
    "regress": (check_regress, {"programs": {}, "device": {}, "base": {}, "update": {}}),
    "validation": (check_validation, {"programs": {}, "output": {"required": True}}),
    "speed": (
        check_speed,
        {"programs": {}, "device": {}, "base": {"required": True}, "output": {}}
        | {"pairs": {"default": PAIRS}, "tolerance": {}},
    ),
    "record": (
        check_record,
        {"device": {}, "history": {}, "pairs": {"default": record.PAIRS}, "again": {}},
    ),
    "history": (check_history, {"history": {}, "output": FOLDER}),
}


def run() -> None:
    """Make the check that the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.checks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    checks = parser.add_subparsers(required=True)
    for name, (check, options) in CHECKS.items():
        one = checks.add_parser(name)
        one.set_defaults(check=check)
        for option, own in options.items():
            one.add_argument(f"--{option}", **OPTIONS[option] | own)
    checks.choices["record"].add_argument(
        "revisions", nargs="*", default=["HEAD"], help="or ranges A..B, without A (default: HEAD)"
    )
    given = parser.parse_args()
    sys.exit(0 if given.check(given) else 1)


if __name__ == "__main__":
    main(run)
