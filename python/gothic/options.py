"""Options, which have the names, defaults and checks of the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Literal, TypedDict

Number = float | int


class DeviceOptions(TypedDict, total=False):
    """Which device, and how much of it.

    Attributes
    ----------
    device
        "cpu", "cuda", "cuda:N" or "auto" (default): a GPU where there is one.
    threads
        CPU threads; 0 (default) for all cores.
    warp_threads, index_threads
        Threads per block of a GPU's kernels; 0 (default) for the device's default.
    """

    device: str
    threads: int
    warp_threads: int
    index_threads: int


class TreeForceOptions(DeviceOptions, total=False):
    """Options of ``gothic force``.

    Attributes
    ----------
    softening
        Plummer softening length; default: that of the snapshot.
    external
        Name of a TOML file of static potentials, see docs/fields.md; default: none.
    mac
        When a cell may act as a whole: "acceleration" (default), "multipole" or "opening".
    accuracy
        Parameter of that criterion, smaller is more accurate; default 2^-7, 2^-4 or 0.6.
    root
        Reciprocal square root of a pair: "newton", "estimate" or "auto" (default).
    curve
        Order of particles in memory: "hilbert" (default) or "morton".
    leaf_capacity, group_size, list_capacity
        Sizes of leaves, groups and interaction lists; 0 (default) for the device's default.
    sharing
        Lanes of a warp that share a particle; 0 (default) to choose.
    group_extent
        Largest half diagonal of a group's bounding box; 0 (default) for no limit, "auto" finds it
        by trial, in simulations.
    ball
        Ball that stands for a group: "geo" (default), "ebs", "seb", "com" or "cmp".
    split_ratio
        When a GPU splits a group; 0 for never.
    """

    softening: Number
    external: str | os.PathLike[str]
    mac: Literal["acceleration", "multipole", "opening"]
    accuracy: Number
    root: Literal["auto", "newton", "estimate"]
    curve: Literal["hilbert", "morton"]
    leaf_capacity: int
    group_size: int
    sharing: int
    list_capacity: int
    group_extent: Number | Literal["auto"]
    ball: Literal["geo", "ebs", "seb", "com", "cmp"]
    split_ratio: Number


class DirectForceOptions(DeviceOptions, total=False):
    """Options of ``gothic direct``.

    Attributes
    ----------
    softening
        Plummer softening length; default: that of the snapshot.
    external
        Name of a TOML file of static potentials, see docs/fields.md; default: none.
    precision
        "double" (default) or "single".
    root
        Reciprocal square root in single precision: "auto" (default), "newton" or "estimate".
    """

    softening: Number
    external: str | os.PathLike[str]
    precision: Literal["double", "single"]
    root: Literal["auto", "newton", "estimate"]


class SimulationOptions(TreeForceOptions, total=False):
    """Options of ``gothic run``, but for those about its files.

    Attributes
    ----------
    time
        By which the system is to be advanced, in units of time; default: no end.
    step
        "block" (default): each particle has its own step; "shared": all take the shortest.
    eta
        A particle's step is eta sqrt(softening / acceleration), rounded down to a power of two;
        default 0.5.
    dt
        Fixed step of all particles (leapfrog); needs step="shared".
    dt_max
        No step is longer; default: the longest at the start.
    rebuild_interval
        Steps that one tree serves; 0 (default) to decide by the rule.
    rebuild_rule
        What decides when a tree is built anew: "pairs" (default), "seconds" or "unweighted".
    """

    time: Number
    step: Literal["block", "shared"]
    eta: Number
    dt: Number
    dt_max: Number
    rebuild_interval: int
    rebuild_rule: Literal["pairs", "seconds", "unweighted"]


def as_text(name: str, value: object) -> str:
    """Write a value as on the command line; numbers keep every bit."""
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    raise TypeError(f"{name} must be a number or a string, not {type(value).__name__}")


def as_arguments(
    owner: str, known: list[str], options: Mapping[str, object]
) -> list[tuple[str, str]]:
    """Turn keyword arguments into options of the command line; None leaves one out.

    Raises
    ------
    TypeError
        If there is no such option, or its value is neither a number nor a text.
    """
    names = [name.replace("-", "_") for name in known]
    for name in options:
        if name not in names:
            close = get_close_matches(name, names, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(names)}"
            raise TypeError(f"{owner} has no option {name}{hint}")
    return [
        (name.replace("_", "-"), as_text(name, value))
        for name, value in options.items()
        if value is not None
    ]
