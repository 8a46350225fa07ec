"""Errors of forces against direct summation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from analysis.files import FORCE_STAGES, DataError, pick, read_forces

if TYPE_CHECKING:
    from gothic import Forces

PERCENTILES = (50, 90, 99)


def match_ids(reference: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Find the reference particles among others.

    Parameters
    ----------
    reference
        IDs to look for, shape (M,).
    ids
        IDs to look among, in any order, shape (N,), N >= M.

    Returns
    -------
    numpy.ndarray
        Indices into `ids`, shape (M,), such that ``ids[indices] == reference``.

    Raises
    ------
    DataError
        If an ID occurs twice on one side, or a reference particle is missing in `ids`.
    """
    for name, values in (("reference", reference), ("force file", ids)):
        unique, counts = np.unique(values, return_counts=True)
        if len(unique) != len(values):
            raise DataError(f"particle ID {unique[counts > 1][0]} occurs twice in the {name}")
    order = np.argsort(ids, kind="stable")
    slots = np.searchsorted(ids[order], reference)
    found = slots < len(ids)
    found[found] = ids[order[slots[found]]] == reference[found]
    if not found.all():
        raise DataError(
            f"{np.count_nonzero(~found)} of {len(reference)} reference particles are missing, "
            f"the first is ID {reference[np.argmin(found)]}; both files must come from one input"
        )
    return order[slots]


def relative_errors(reference: Forces, forces: Forces) -> np.ndarray:
    """Relative error of the acceleration vector, abs(a - a_direct) / abs(a_direct).

    The measure of Miki & Umemura (2017), section 4.2, for the particles of the reference.

    Returns
    -------
    numpy.ndarray
        Errors in the order of `reference`, shape (M,).

    Raises
    ------
    DataError
        If the IDs do not match or a reference acceleration vanishes.
    """
    exact = reference.acceleration.astype(np.float64)
    acceleration = forces.acceleration[match_ids(reference.ids, forces.ids)]
    norm = np.linalg.norm(exact, axis=1)
    if not norm.all():
        raise DataError(f"the reference force on particle {reference.ids[np.argmin(norm)]} is zero")
    return np.linalg.norm(acceleration - exact, axis=1) / norm


def summarise(errors: np.ndarray) -> dict[str, float]:
    """Percentiles and maximum of errors, as ``error_50 ... error_99, error_max``."""
    summary = {f"error_{p}": float(np.percentile(errors, p)) for p in PERCENTILES}
    return summary | {"error_max": float(errors.max())}


def summarise_forces(reference: Path, exact: Forces, path: Path) -> dict[str, float | int]:
    """Reduce a force evaluation to its errors, seconds and interactions.

    Parameters
    ----------
    reference, exact
        File of ``gothic direct``, and what it holds.
    path
        File of ``gothic force``.

    Raises
    ------
    DataError
        If a file is damaged or both do not belong together.
    """
    forces = read_forces(path)
    try:
        errors = summarise(relative_errors(exact, forces))
    except DataError as error:
        raise DataError(f"{path} against {reference}: {error}") from error
    timing = pick(path, "Timing", (*FORCE_STAGES, "interactions", "threads"))
    return {
        "particles": len(forces.ids),
        "compared": len(exact.ids),
        **errors,
        "force_s": sum(float(timing[stage]) for stage in FORCE_STAGES),
        "walk_s": timing["walk"],
        "interactions": timing["interactions"],
        "threads": timing["threads"],
    }
