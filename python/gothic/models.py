"""Initial conditions of galaxy models."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from typing import Unpack

from gothic import _gothic
from gothic.arguments import as_arguments, require_known
from gothic.option_types import ModelOptions
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


def model_identity(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Read the name of a model file and the digest of its text, as components tell them.

    Raises
    ------
    InputError
        If the file is no model.
    """
    return _gothic.model_identity(os.fspath(path))


def make_model(model: str | os.PathLike[str] | Model, **options: Unpack[ModelOptions]) -> Snapshot:
    """Draw a galaxy model in equilibrium at time 0, as ``gothic-ic`` does.

    The same seed gives the same particles on any number of threads.

    Parameters
    ----------
    model
        Name of a model file, or its keys as a mapping, such as ``{"softening": 0.01, "component":
        [{"name": "halo", "profile": "plummer", "mass": 1, "scale": 1}]}``; docs/models.md lists
        them. Components keep the name of the model, which is that of the file unless it has a name.
    **options
        See ``ModelOptions``. The number of ``particles`` is needed.

    Raises
    ------
    InputError
        If the model is wrong or cannot be in equilibrium, or there are too few particles.
    MemoryError
        If there is not enough memory.
    """
    require_known("make_model", ModelOptions, options)
    if options.get("particles") is None:
        raise TypeError("make_model needs the number of particles")
    text = None
    if isinstance(model, Mapping):
        text = "\n".join(f"{key} = {_toml(key, value)}" for key, value in model.items())
    snapshot = unfilled()
    path = "model" if text is not None else os.fspath(model)
    for warning in _gothic.draw(snapshot, path, text, as_arguments(options)):
        warnings.warn(warning, stacklevel=2)
    return snapshot
