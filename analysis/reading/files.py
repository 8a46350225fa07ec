"""What the programs' files hold, read by the package gothic.

The package is imported when a file is read: the workflow is planned before the package is built.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from analysis.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    from gothic import Forces, Units

KILOPARSEC = 3.085678e21  # cm
PROVENANCE = ("version", "revision", "compiler", "device")
# Stages of a force, and stages of a step with the columns of the step log that hold their seconds;
# the column groups of that log counts groups.
FORCE_STAGES = ("keys", "sort", "build", "groups", "moments", "walk")
STAGES = {
    "predict": "predict",
    "keys": "keys",
    "sort": "sort",
    "build": "build",
    "groups": "groups_time",
    "moments": "moments",
    "walk": "walk",
    "correct": "correct",
}


@contextmanager
def package() -> Iterator[ModuleType]:
    """Import gothic.

    A `DataError` if it is not built, or for an ``InputError`` inside the block.
    """
    try:
        import gothic
    except ImportError as error:
        raise DataError(f"the package gothic is missing ({error}); run make build") from error
    try:
        yield gothic
    except gothic.InputError as error:
        raise DataError(str(error)) from error


def use_package_of(programs: Path) -> None:
    """Import the package gothic that was built with the programs in a folder.

    Packages differ where node types of a cluster have processors of their own.
    """
    sys.path.insert(0, str(programs.resolve().parent / "python"))


def states_of(folder: str | Path) -> list[Path]:
    """List the snapshots that a run has left in its folder, in the order of time."""
    return sorted(Path(folder).glob("snapshot_*.h5"))


def states_in(paths: Sequence[Path]) -> list[Path]:
    """List snapshots in the order that they are given; a folder stands for those of its run."""
    found: list[Path] = []
    for path in paths:
        own = states_of(path) if path.is_dir() else [path]
        if not own:
            raise DataError(f"{path}: has no snapshot_*.h5; run gothic with --snapshot-interval")
        found += own
    return found


def read_attributes(path: Path, group: str) -> dict[str, Any]:
    """Read all attributes of a group as Python scalars and strings."""
    with package() as gothic:
        found = gothic.read_attributes(path)
    if group not in found:
        raise DataError(f"{path}: attributes of /{group} are missing; was it written by gothic?")
    return found[group]


def pick(path: Path, group: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Read the named attributes of a group; all of them must be there."""
    attributes = read_attributes(path, group)
    for name in names:
        if name not in attributes:
            raise DataError(f"{path}: attribute {name} of /{group} is missing")
    return {name: attributes[name] for name in names}


def units_of(path: Path) -> Units:
    """Read the units that a run takes a snapshot to have."""
    return head_of(path)[0]


def head_of(path: Path) -> tuple[Units, float]:
    """Read the units and the time that a run takes a snapshot to have.

    Files of gothic tell both in their heads. Those of other programs are read as a run reads them.
    """
    names = ("UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s")
    with package() as gothic:
        try:
            groups = gothic.read_attributes(path)
        except gothic.InputError:  # no HDF5
            groups = {}
        header = groups.get("Header", {})
        if "program" in groups.get("Provenance", {}) and all(name in header for name in names):
            return gothic.Units(*(float(header[name]) for name in names)), float(header["Time"])
        snapshot = gothic.read(path)
        return snapshot.units, snapshot.time


def read_log(path: Path) -> pd.DataFrame:
    """Read ``steps.h5``, ``energy.h5`` or ``lagrange.h5``: a column for each dataset."""
    with package() as gothic:
        return gothic.read_log(path)


def read_forces(path: Path) -> Forces:
    """Read the accelerations of all particles in a file of ``gothic force`` or ``direct``."""
    with package() as gothic:
        return gothic.read_forces(path)
