"""Initial conditions of galaxy models."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gothic import _gothic
from gothic._gothic import InputError
from gothic.arguments import as_text
from gothic.snapshot import Snapshot

Model = Mapping[str, object]


def _toml(model: Model) -> str:
    """Write a model as TOML: plain values first, then tables and lists of tables.

    Raises
    ------
    TypeError
        If a value is none that a model may have.
    """
    lines = [f"{key} = {_value(key, value)}" for key, value in model.items() if _is_plain(value)]
    for key, value in model.items():
        if isinstance(value, Mapping):
            lines += [f"[{key}]", _toml(value)]
        elif isinstance(value, list | tuple):
            for part in value:
                lines += [f"[[{key}]]", _toml(part)]
    return "\n".join(lines)


def _is_plain(value: object) -> bool:
    return isinstance(value, str) or not isinstance(value, Mapping | list | tuple)


def _value(key: str, value: object) -> str:
    if isinstance(value, bool | str):
        return json.dumps(value)
    if isinstance(value, int | float):
        return repr(value)
    raise TypeError(f"{key} must be a number or a string, not {type(value).__name__}")


def make_model(
    model: str | os.PathLike[str] | Model,
    *,
    particles: int,
    seed: int = 1,
    quiet_start: bool = False,
    allow_negative: bool = False,
    threads: int = 0,
) -> Snapshot:
    """Draw a galaxy model in equilibrium, as ``gothic-ic`` does.

    Parameters
    ----------
    model
        Name of a model file, or its keys as a mapping, such as ``{"softening": 0.01, "component":
        [{"name": "halo", "profile": "plummer", "mass": 1, "scale": 1}]}``; docs/models.md lists
        them.
    particles
        Number of particles.
    seed
        Of the random numbers: the same seed gives the same particles on any number of threads.
    quiet_start
        Draw pairs (x, v), (-x, -v) and fill radii and speeds of spheres evenly.
    allow_negative
        Take a negative distribution function for zero instead of refusing the model.
    threads
        Number of threads; 0 for all cores.

    Returns
    -------
    Snapshot
        The particles at time 0.

    Raises
    ------
    InputError
        If the model is wrong or cannot be in equilibrium, or there are too few particles.
    """
    arguments = [
        ("particles", as_text("particles", particles)),
        ("seed", as_text("seed", seed)),
        ("quiet-start", as_text("quiet_start", quiet_start)),
        ("allow-negative", as_text("allow_negative", allow_negative)),
        ("threads", as_text("threads", threads)),
    ]
    if not isinstance(model, Mapping):
        return Snapshot._of(_gothic.draw(os.fspath(model), arguments))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.toml"
        file.write_text(_toml(model))
        try:
            return Snapshot._of(_gothic.draw(str(file), arguments))
        except InputError as error:
            raise InputError(str(error).replace(str(file), "model")) from None
