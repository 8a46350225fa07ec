"""Keyword arguments as options of the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from numbers import Integral, Real


def _text(name: str, value: object) -> str:
    """Write a value as on the command line; numbers keep every bit."""
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    raise TypeError(f"{name} must be a number or a string, not {type(value).__name__}")


def as_arguments(options: Mapping[str, object]) -> list[tuple[str, str]]:
    """Turn keyword arguments into options of the command line; None leaves one out."""
    return [
        (name.replace("_", "-"), _text(name, value))
        for name, value in options.items()
        if value is not None
    ]


def require_known(
    owner: str, typed: type[Mapping[str, object]], options: Mapping[str, object]
) -> None:
    """Raise a TypeError for an option that the class ``typed`` does not list."""
    names = list(typed.__annotations__)
    for name in options:
        if name not in names:
            close = get_close_matches(name, names, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(names)}"
            raise TypeError(f"{owner} has no option {name}{hint}")
