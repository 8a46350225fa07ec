"""Initial conditions of galaxy models."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from gothic import _gothic
from gothic.arguments import as_arguments
from gothic.snapshot import Snapshot, unfilled

Model = Mapping[str, object]


def _toml(key: str, value: object) -> str:
    """Write a value as TOML, tables inline."""
    if isinstance(value, Mapping):
        return (
            "{" + ", ".join(f"{name} = {_toml(name, part)}" for name, part in value.items()) + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(key, part) for part in value) + "]"
    if isinstance(value, bool | str):
        return json.dumps(value)
    if isinstance(value, int | float):
        return str(value)
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
    """Draw a galaxy model in equilibrium at time 0, as ``gothic-ic`` does.

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

    Raises
    ------
    InputError
        If the model is wrong or cannot be in equilibrium, or there are too few particles.
    """
    options = {
        "particles": particles,
        "seed": seed,
        "quiet_start": quiet_start,
        "allow_negative": allow_negative,
        "threads": threads,
    }
    text = None
    if isinstance(model, Mapping):
        text = "\n".join(f"{key} = {_toml(key, value)}" for key, value in model.items())
    snapshot = unfilled()
    path = "model" if text is not None else os.fspath(model)
    _gothic.draw(snapshot, path, text, as_arguments(options))
    return snapshot
