"""Tables of ``gothic bench``: reading them, and what they say of the tuning."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.files import DataError

FACTS = ("threads", "device", "revision", "version", "compiler", "command_line")
COLUMNS = {
    "sharing": ("active", "choice", "group_size", "lanes_sharing", "seconds", "seconds_over_best"),
    "balls": ("ball", "groups", "seconds", "walk_seconds", "interactions"),
    "histogram": ("ball", "radius_low", "radius_high", "ratio_low", "ratio_high", "groups"),
    "tune": ("function", "model", "threads_per_block", "sharing_threads", "seconds", "chosen"),
    "rebuild": ("setting", "kind", "seconds_per_step", "mean_interval", "seconds_over_best"),
    "extent": ("setting", "kind", "group_extent", "seconds_per_step", "seconds_over_best"),
}
SAMPLE = re.compile(r"([a-z0-9_]+)_N(\d+)_s\d+")


def read_bench(path: Path, word: str) -> pd.DataFrame:
    """Read a table of ``gothic bench WORD``.

    Parameters
    ----------
    path
        CSV file.
    word
        A key of `COLUMNS`; ``histogram`` is the second table of ``balls``.

    Returns
    -------
    pandas.DataFrame
        The table, with ``sample``: the folder of the particles in the command line, such as
        ``nfw_N131072_s1``, or that of their file if it is not one of a study.

    Raises
    ------
    DataError
        If the file is missing, empty, no such table, or lacks a column.
    """
    try:
        table = pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}; run snakemake to make it") from error
    for column in (*COLUMNS[word], *FACTS):
        if column not in table:
            made = "balls --histogram" if word == "histogram" else word
            raise DataError(f"{path}: column {column} is missing; was it gothic bench {made}?")
    if table.empty:
        raise DataError(f"{path}: no rows; delete it and run snakemake again")
    return table.assign(sample=sample_of(str(table["command_line"].iloc[0])))


def sample_of(command_line: str) -> str:
    """Find the sample in the command line of a measurement, or the stem of its first input."""
    if found := SAMPLE.search(command_line):
        return found[0]
    words = command_line.split()
    inputs = words[words.index("--input") + 1 :] if "--input" in words else ["particles"]
    return Path(inputs[0]).stem


def particles_of(sample: str) -> int:
    """Read the number of particles of a sample's name; 0 if it does not tell."""
    found = SAMPLE.fullmatch(sample)
    return int(found[2]) if found else 0


def on_gpu(table: pd.DataFrame) -> bool:
    """Whether a table was measured on a GPU."""
    return str(table["device"].iloc[0]).startswith("NVIDIA")


def setting_names(table: pd.DataFrame) -> pd.Series:
    """Name the settings of a race, with the extent of groups where they limit it."""
    names = table["setting"].astype(str)
    if "group_extent" not in table:
        return names
    limits = table["group_extent"].map(" {:.3g}".format).where(table["group_extent"] > 0, "")
    return names + limits


def compare(table: pd.DataFrame) -> pd.DataFrame:
    """Compare what rules choose with the best fixed setting, in one table of a race.

    Parameters
    ----------
    table
        Table of ``gothic bench rebuild`` or ``extent``.

    Returns
    -------
    pandas.DataFrame
        One row per rule: ``best_fixed`` and its ``best_seconds``, ``rule``, its ``rule_seconds``,
        ``ratio``, that of the mean times, and ``default``, whether it is the first, which the
        program follows unless told otherwise.
    """
    table = table.assign(setting=setting_names(table))
    fixed, rules = table[table["kind"] == "fixed"], table[table["kind"] == "rule"]
    for kind, rows in {"fixed": fixed, "rule": rules}.items():
        if rows.empty:
            raise DataError(f"{table['sample'].iloc[0]}: no row of kind {kind}; measure it again")
    best = fixed.loc[fixed["seconds_over_best"].idxmin()]
    return pd.DataFrame(
        {
            "best_fixed": best["setting"],
            "best_seconds": best["seconds_per_step"],
            "rule": rules["setting"],
            "rule_seconds": rules["seconds_per_step"],
            "ratio": rules["seconds_over_best"],
            "default": rules.index == rules.index[0],
        }
    )


def automatic_sharing(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the automatic choice of lanes per particle with the best of an exhaustive scan.

    Parameters
    ----------
    table
        Table of ``gothic bench sharing``. The scan is that at equal accuracy where it is there.

    Returns
    -------
    pandas.DataFrame
        One row per number of active particles: ``active``, ``group_size`` and ``seconds`` of the
        automatic choice, ``best_group_size``, ``best_seconds`` and ``ratio``.
    """
    scanned = "equal" if (table["choice"] == "equal").any() else "given"
    rows = []
    for active, group in table.groupby("active"):
        scan = group[group["choice"] == scanned]
        for auto in group[group["choice"] == "auto"].itertuples():
            best = scan.loc[scan["seconds"].idxmin()]
            rows.append(
                {
                    "active": active,
                    "group_size": auto.group_size,
                    "seconds": auto.seconds,
                    "best_group_size": best["group_size"],
                    "best_seconds": best["seconds"],
                    "ratio": auto.seconds / best["seconds"],
                }
            )
    if not rows:
        raise DataError(f"{table['sample'].iloc[0]}: no automatic choice; measure it again")
    return pd.DataFrame(rows)


def knee(active: np.ndarray, seconds: np.ndarray) -> float:
    """Find from where on the time grows with the number of active particles.

    A constant time has the logarithmic slope 0, a proportional one 1. The knee lies where the slope
    between neighbouring measurements, interpolated in the logarithm, reaches 1/2 for good: for
    t = t0 + a n at n = t0 / a.

    Parameters
    ----------
    active
        Numbers of active particles, in any order, at least three.
    seconds
        Time for each.

    Returns
    -------
    float
        0 if the slope is steeper than 1/2 everywhere, NaN if it is not at the end.
    """
    order = np.argsort(active)
    x, y = (np.log(np.asarray(values, float)[order]) for values in (active, seconds))
    slope = np.diff(y) / np.diff(x)
    middle = (x[1:] + x[:-1]) / 2
    flat = np.flatnonzero(slope < 0.5)
    if not len(flat):
        return 0.0
    if flat[-1] == len(slope) - 1:
        return float("nan")
    pair = slice(flat[-1], flat[-1] + 2)
    return float(np.exp(np.interp(0.5, slope[pair], middle[pair])))


def facts_sentence(table: pd.DataFrame) -> str:
    """Tell the device and the program of a table, for a caption."""
    first = table.iloc[0]
    threads = f", {first['threads']:.0f} CPU thread(s)" if not on_gpu(table) else ""
    return (
        f"Device: {first['device']}{threads}; {first['compiler']}; gothic {first['version']}, "
        f"revision {first['revision']}."
    )


def joined(paths: Iterable[Path], word: str) -> pd.DataFrame:
    """Read the tables of several models, one below the other."""
    return pd.concat([read_bench(path, word) for path in paths], ignore_index=True)
