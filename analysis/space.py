"""The parameters of a study's runs: every combination of them, and the paths that carry them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import PurePath

Value = int | float | str
Parameters = dict[str, Value]

SAMPLE = ("model", "particles", "seed")
# Every path has these; other parameters only where they differ from their default, so that paths
# stay as they are when a study grows.
MAIN = (*SAMPLE, "criterion", "accuracy", "step", "eta", "softening", "device", "sharing")
# Parameters without a default, and what to write, for example.
REQUIRED = {"model": "nfw", "particles": "2^14", "accuracy": "2^-7"}
LENGTHS = ("steps", "time", "myr", "dynamical_times")


def number(text: object) -> object:
    """Read a number that may be a power such as 2^-7; anything else is left as it is."""
    if not isinstance(text, str):
        return text
    power = re.fullmatch(r"(\d+(?:\.\d*)?)\^([+-]?\d+)", text)
    try:
        value = float(power[1]) ** int(power[2]) if power else float(text)
    except (ValueError, OverflowError):
        return text
    if not math.isfinite(value):
        return text
    return int(value) if value.is_integer() else value


def wanted(value: object) -> object:
    """Read what a file asks of a parameter or column: ``LEAST..MOST`` is a pair of both."""
    if isinstance(value, str) and ".." in value:
        least, most = value.split("..", 1)
        return number(least), number(most)
    return [number(one) for one in value] if isinstance(value, list) else number(value)


def spell(value: Value) -> str:
    """Write a value as it stands in a path."""
    if isinstance(value, float) and value.is_integer() and value < 1e15:
        value = int(value)
    return str(value)


def spell_accuracy(criterion: str, value: float) -> str:
    """Write an accuracy as it stands in a path: ``2pow-07`` for a power of two, if no angle."""
    mantissa, exponent = math.frexp(value)
    if mantissa == 0.5 and criterion != "opening":
        return f"2pow{exponent - 1:+03d}"
    return spell(value)


def read(text: str) -> Value:
    """Read what `spell` and `spell_accuracy` write."""
    if power := re.fullmatch(r"2pow([+-]\d+)", text):
        return 2.0 ** int(power[1])
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def folder(parameters: Mapping[str, Value], defaults: Mapping[str, Value]) -> str:
    """Path of a run such as ``model~nfw/particles~16384/.../steps~64/repeat~1``.

    Parameters
    ----------
    parameters
        All parameters of the run, in the order of the schema.
    defaults
        Values that need not be told, but for those of `MAIN`.
    """
    told = {name: spell(parameters[name]) for name in MAIN}
    told["accuracy"] = spell_accuracy(told["criterion"], parameters["accuracy"])
    told |= {name: spell(parameters[name]) for name in LENGTHS if name in parameters}
    for name, value in parameters.items():
        if name not in told and name != "repeat" and value != defaults.get(name):
            told[name] = spell(value)
    told["repeat"] = str(parameters["repeat"])
    return "/".join(f"{name}~{text}" for name, text in told.items())


def parameters_of(path: PurePath) -> Parameters:
    """Read the parameters that a path of `folder` tells."""
    parts = (part.split("~", 1) for part in path.parts if "~" in part)
    return {name: read(text) for name, text in parts}


def sample(parameters: Mapping[str, Value]) -> str:
    """Path of the initial conditions that a run starts from."""
    return "/".join(f"{name}~{parameters[name]}" for name in SAMPLE)


def combinations(grid: Mapping[str, object]) -> Iterator[Parameters]:
    """Every combination of a grid's lists; a single value is a list of one."""
    lists = [value if isinstance(value, list) else [value] for value in grid.values()]
    for values in itertools.product(*lists):
        yield dict(zip(grid, values, strict=True))


def complete(
    run: Mapping[str, Value], common: Mapping[str, Value], defaults: Mapping[str, Value]
) -> Parameters:
    """Fill in what a run leaves open, first from those that all runs have in common.

    A run's own length, in steps or in time, goes before a common one of another kind.
    """
    inherited = {
        name: value
        for name, value in common.items()
        if not (name in LENGTHS and any(length in run for length in LENGTHS))
    }
    return {**defaults, **inherited, **run}


def conflicts(run: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """Name the parameters of a complete run that are missing or do not go together, and say why."""
    for name, example in REQUIRED.items():
        if name not in run:
            yield name, f"is missing; give it to the run or in defaults, e.g. {name}: {example}"
    lengths = [name for name in LENGTHS if name in run]
    if not lengths:
        yield "steps", "is missing; give the run or defaults a number of steps or a time"
    if len(lengths) > 1:
        yield lengths[-1], f"a run has one length; leave out {' or '.join(lengths)}"
    if run["snapshot_count"] and "steps" in lengths:
        yield "snapshot_count", "parts are equal in time; give a time instead of steps"
    if run["criterion"] == "opening" and run.get("accuracy", 0) > 1:
        yield (
            "accuracy",
            f"an opening angle of {run['accuracy']:g} would let cells act on their own particles; "
            "use at most 1",
        )
    if run["dt"] and run["step"] == "block":
        yield "dt", "block steps are adaptive; add step: shared or leave out dt"
    if run["dt"] and run["dt_max"]:
        yield "dt_max", "dt is a fixed step; leave out dt_max or dt"
    if run["sharing"] and run["group_size"]:
        yield "sharing", "is another way to say group_size; leave out one of them"


def runs_by_path(
    runs: Mapping[str, object], defaults: Mapping[str, Value]
) -> dict[str, Parameters]:
    """List the runs of a study's section ``runs`` by their paths, every one once.

    Parameters
    ----------
    runs
        Grids, list and defaults, with `number` applied.
    defaults
        Those of the schema, in its order.
    """
    single = [run for grid in runs.get("grids", []) for run in combinations(grid)]
    found = {}
    for run in [*single, *runs.get("list", [])]:
        parameters = complete(run, runs.get("defaults", {}), defaults)
        repeats = parameters.pop("repeats")
        for repeat in range(1, repeats + 1):
            one = parameters | {"repeat": repeat}
            found[folder(one, defaults)] = one
    return found
