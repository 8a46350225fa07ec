"""The tables that runs write."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gothic._gothic import InputError

if TYPE_CHECKING:
    import pandas as pd

GROUPS = ("Steps", "Energy", "Lagrange")


def read_log(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a log of ``gothic run``: ``steps.h5``, ``energy.h5`` or ``lagrange.h5``.

    Parameters
    ----------
    path
        Of the file; also that of a run which is not finished, ``steps.h5.partial``.

    Returns
    -------
    pandas.DataFrame
        One column for each dataset. Its ``attrs`` have the attributes of the file's other groups
        by their names: "Provenance", "Options" and, of ``steps.h5``, "Timing".

    Raises
    ------
    InputError
        If there is no such file or it is no log.
    ImportError
        If pandas or h5py are missing.
    """
    try:
        import h5py
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            f"{error.name} is missing: logs need pandas and h5py; pip install pandas h5py"
        ) from error
    if not Path(path).is_file():
        raise InputError(f"{path}: log: there is no such file; check the name")
    try:
        with h5py.File(path) as file:
            found = [name for name in GROUPS if name in file]
            if not found:
                raise InputError(
                    f"{path}: log: has no /Steps, /Energy or /Lagrange; check the name"
                )
            columns = {name: data[()] for name, data in file[found[0]].items()}
            attributes = {
                group: {name: _plain(value) for name, value in file[group].attrs.items()}
                for group in file
                if len(file[group].attrs)
            }
    except OSError as error:
        raise InputError(f"{path}: log: cannot be read ({error}); write or copy it again") from None
    table = pd.DataFrame(columns)
    table.attrs = attributes
    return table


def _plain(value: object) -> object:
    """Turn what an attribute holds into a number or text of Python."""
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value
