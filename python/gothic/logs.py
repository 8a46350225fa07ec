"""The HDF5 files that the programs write: attributes, logs and forces."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gothic import _gothic
from gothic._gothic import InputError
from gothic.forces import Forces

if TYPE_CHECKING:
    import h5py
    import pandas as pd

FileName = str | os.PathLike[str]
# Group and meaning of each log of a run, by the name of its file.
LOGS = {name: (group, meaning) for name, group, meaning, columns in _gothic.observers()}


def _unlocked(path: FileName) -> h5py.File:
    """Open a file to which a run may be writing, for some milliseconds every two seconds."""
    import h5py

    for _ in range(20):
        try:
            return h5py.File(path)
        except BlockingIOError:
            time.sleep(0.05)
    return h5py.File(path)


@contextmanager
def _opened(path: FileName) -> Iterator[h5py.File]:
    """Open a file for reading; errors inside the block name the file."""
    try:
        import h5py  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{error.name} is missing: files need h5py; pip install h5py") from error
    if not Path(path).is_file():
        raise InputError(f"{path}: there is no such file; check the name")
    try:
        with _unlocked(path) as file:
            yield file
    except (OSError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: cannot be read ({reason}); write or copy it again") from None


def read_attributes(path: FileName) -> dict[str, dict[str, Any]]:
    """Read the attributes of a file of the programs, such as the groups /Provenance and /Options.

    Returns for each group with attributes a dictionary of texts, numbers and arrays by name.

    Raises
    ------
    InputError
        If the file is missing or damaged.
    ImportError
        If h5py is missing.
    """
    with _opened(path) as file:
        return _attributes(file)


def read_log(path: FileName) -> pd.DataFrame:
    """Read a log of ``gothic run``, such as ``steps.h5``, ``energy.h5`` or ``lagrange.h5``.

    The log of an unfinished run is called ``steps.h5.partial``. The table has a column for each
    dataset. Its ``attrs`` hold what `read_attributes` returns ("Provenance", "Options", for
    ``steps.h5`` "Timing", for ``lagrange.h5`` "ComponentNames"), and "Units" and "Meanings" of the
    columns.

    Raises
    ------
    InputError
        If the file is missing or damaged, or is no log.
    ImportError
        If pandas or h5py are missing.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(f"{error.name} is missing: logs need it; pip install pandas") from error
    with _opened(path) as file:
        groups = [group for group, meaning in LOGS.values()]
        found = [name for name in groups if name in file]
        if not found:
            known = f"/{', /'.join(groups[:-1])} or /{groups[-1]}"
            raise InputError(f"{path}: has no {known}; check the name")
        group = file[found[0]]
        columns = {name: data[()] for name, data in group.items()}
        attributes = _attributes(file)
        for kind in ("Unit", "Meaning"):
            attributes[f"{kind}s"] = {
                name: _plain(data.attrs.get(kind, b"")) for name, data in group.items()
            }
    try:
        table = pd.DataFrame(columns)
    except ValueError as error:
        raise InputError(f"{path}: /{found[0]}: {error}; write or copy it again") from None
    table.attrs = attributes
    return table


def read_forces(path: FileName) -> Forces:
    """Read the forces on particles in a file of ``gothic force`` or ``gothic direct``.

    The forces come with the IDs of the particles, by type and within a type as in the file.

    Raises
    ------
    InputError
        If the file is missing or damaged, lacks a dataset, or a value is not finite.
    ImportError
        If h5py is missing.
    """
    names = ("ParticleIDs", "Acceleration", "Potential")
    parts = []
    with _opened(path) as file:
        for group in sorted(name for name in file if name.startswith("PartType")):
            for name in names:
                if name not in file[group]:
                    raise InputError(f"{path}: /{group}/{name} is missing; check the name")
            ids, acceleration, potential = (file[group][name][()] for name in names)
            if acceleration.shape != (len(ids), 3) or potential.shape != ids.shape:
                raise InputError(
                    f"{path}: /{group}: shapes do not fit: {ids.shape}, {acceleration.shape} and "
                    f"{potential.shape}; write or copy it again"
                )
            parts.append((ids, acceleration, potential))
        attributes = _attributes(file)
    if not parts:
        raise InputError(f"{path}: has no group PartTypeN; check the name")
    ids, acceleration, potential = (np.concatenate(column) for column in zip(*parts, strict=True))
    finite = np.isfinite(acceleration).all(axis=1) & np.isfinite(potential)
    if not finite.all():
        raise InputError(
            f"{path}: the force on particle {ids[np.argmin(finite)]} is not finite; make it again"
        )
    device = attributes.get("Provenance", {}).get("device", "")
    return Forces(acceleration, potential, attributes.get("Timing", {}), device, ids=ids)


def _attributes(file: h5py.File) -> dict[str, dict[str, Any]]:
    """Read the attributes of all groups that have any."""
    return {
        group: {name: _plain(value) for name, value in file[group].attrs.items()}
        for group in file
        if len(file[group].attrs)
    }


def _plain(value: object) -> object:
    """Turn the value of an attribute into a number or text of Python."""
    if hasattr(value, "item") and getattr(value, "size", 1) == 1:
        value = value.item()
    return value.decode() if isinstance(value, bytes) else value
