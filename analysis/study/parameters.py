"""The parameters of a study's runs: every combination of them, and the paths that carry them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import PurePath
from urllib.parse import quote, unquote

from analysis.reading.origin import is_model_key
from python.option_table import commands

Value = int | float | str | bool
Parameters = dict[str, Value]

SAMPLE = ("model", "particles", "seed")
MANY = 2**17  # particles of a bench that names none
# Every path has these; other parameters only where they differ from their default, so that paths
# stay as they are when a study grows. A path with an input has that in place of the sample.
MAIN = (*SAMPLE, "criterion", "accuracy", "step", "eta", "softening", "device", "sharing")
# Further options of gothic-ic that change its particles, with their defaults.
DRAWING = {
    name: option.default
    for option in commands()["gothic-ic"].options.values()
    if option.python and option.course and (name := option.name.replace("-", "_")) not in SAMPLE
}
# Parameters without a default, and what to write, for example.
REQUIRED = {"model": "nfw", "particles": "2^14", "accuracy": "2^-7"}
LENGTHS = ("steps", "time", "myr", "dynamical_times")
WHOLE = 2**53  # below, a double is every integer
LONGEST = 255  # characters of the name of a folder


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
    return int(value) if value.is_integer() and abs(value) < WHOLE else value


def wanted(value: object) -> object:
    """Read what a file asks of a column: two numbers ``LEAST..MOST`` are a pair of both."""
    if isinstance(value, str) and ".." in value:
        ends = tuple(map(number, value.split("..", 1)))
        if not any(isinstance(end, str) for end in ends):  # as in ../field.toml
            return ends
    return [number(one) for one in value] if isinstance(value, list) else number(value)


def fits(value: object, where: object) -> bool:
    """Whether a parameter is a value, one of a list, or within a range LEAST..MOST."""
    found = wanted(where)
    if isinstance(found, tuple):
        return isinstance(value, int | float) and found[0] <= value <= found[1]
    return value in listed(found)


def spell(value: Value) -> str:
    """Write a value as it stands in a path, before `part` quotes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and value < 1e15:
        value = int(value)
    return str(value)


def spell_accuracy(criterion: str, value: Value) -> str:
    """Write an accuracy as it stands in a path: ``2pow-07`` for a power of two, if no angle."""
    if isinstance(value, int | float) and criterion != "opening":
        mantissa, exponent = math.frexp(value)
        if mantissa == 0.5:
            return f"2pow{exponent - 1:+03d}"
    return spell(value)


def read(text: str) -> Value:
    """Read what `spell` and `spell_accuracy` write."""
    if power := re.fullmatch(r"2pow([+-]\d+)", text):
        return 2.0 ** int(power[1])
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def part(name: str, text: str) -> str:
    """Write a parameter as the name of a folder, such as ``external~fields%2Fhalo.toml``."""
    return "~".join(quote(word, safe=":+,").replace("~", "%7E") for word in (name, text))


def path_of(parameters: Mapping[str, Value]) -> str:
    """Write parameters as a path."""
    return "/".join(part(name, spell(value)) for name, value in parameters.items())


def parameters_of(path: PurePath) -> Parameters:
    """Read the parameters that a path of `folder` tells; an input stands for a model."""
    pairs = (folder.split("~", 1) for folder in path.parts if "~" in folder)
    return with_model({unquote(name): read(unquote(text)) for name, text in pairs})


def with_model(parameters: Parameters) -> Parameters:
    """Name the model after the file, where the particles are an input."""
    if "model" not in parameters and parameters.get("input"):
        return {"model": PurePath(parameters["input"]).stem, **parameters}
    return parameters


def keeps_states(parameters: Mapping[str, Value]) -> bool:
    """Whether a run keeps states before its end."""
    return any(value for name, value in parameters.items() if name.startswith("snapshot_"))


def model_keys(parameters: Mapping[str, Value]) -> Parameters:
    """Select the keys of the model that a run changes, in the order of their names."""
    return {name: parameters[name] for name in sorted(parameters) if is_model_key(name)}


def draws(name: str) -> bool:
    """Whether a parameter is one of the particles that are drawn, not of the run."""
    return name in SAMPLE or name in DRAWING or is_model_key(name)


def model_folder(parameters: Mapping[str, Value]) -> str:
    """Path of the model that particles are drawn from: ``model~m31/halo.scale~5``."""
    return path_of({"model": parameters["model"]} | model_keys(parameters))


def listed(value: object) -> list:
    """Make a list of one of a single value."""
    return value if isinstance(value, list) else [value]


def sample(parameters: Mapping[str, Value]) -> str:
    """Path of the initial conditions that a run starts from."""
    if parameters.get("input"):
        return path_of({"input": parameters["input"]})
    told = {name: parameters[name] for name in SAMPLE if name != "model"}
    for name, default in DRAWING.items():
        if parameters.get(name, default) != default:
            told[name] = parameters[name]
    return f"{model_folder(parameters)}/{path_of(told)}"


def particles_of_bench(
    bench: Mapping[str, object], common: Mapping[str, Value]
) -> list[Parameters]:
    """List the particles that a bench of a study is measured on.

    Parameters
    ----------
    common
        The defaults of the runs, of which those of the input and of keys of models are left out: a
        bench has models as they are.
    """
    own = ("input", "model", *filter(is_model_key, common))
    defaults = {"seed": 1} | {name: common[name] for name in common if name not in own}
    return [
        defaults | {"model": model, "particles": number}
        for model in listed(bench["model"])
        for number in listed(bench.get("particles", common.get("particles", MANY)))
    ]


def pull(parameters: Mapping[str, Value]) -> str:
    """Path of what changes the exact forces on the same particles."""
    told = {name: parameters[name] for name in ("softening", "external") if name in parameters}
    return path_of({name: value for name, value in told.items() if value != ""})


def folder(parameters: Mapping[str, Value], defaults: Mapping[str, Value]) -> str:
    """Path of a run such as ``model~nfw/particles~16384/.../steps~64/repeat~1``.

    Parameters
    ----------
    parameters
        All parameters of the run, in the order of the schema.
    defaults
        Values that need not be told, but for the parameters in `MAIN`.
    """
    told = {name: parameters[name] for name in MAIN if name not in SAMPLE}
    told["accuracy"] = spell_accuracy(told["criterion"], parameters["accuracy"])
    told |= {name: parameters[name] for name in LENGTHS if name in parameters}
    for name, value in parameters.items():
        known = draws(name) or name in ("input", "repeat", *told)
        if not known and value != defaults.get(name):
            told[name] = value
    return f"{sample(parameters)}/{path_of(told | {'repeat': parameters['repeat']})}"


def combinations(grid: Mapping[str, object]) -> Iterator[Parameters]:
    """Every combination of a grid's lists; a single value is a list of one."""
    lists = [value if isinstance(value, list) else [value] for value in grid.values()]
    for values in itertools.product(*lists):
        yield dict(zip(grid, values, strict=True))


def complete(
    run: Mapping[str, Value], common: Mapping[str, Value], defaults: Mapping[str, Value]
) -> Parameters:
    """Fill in what a run leaves open, first from those that all runs have in common.

    A run's own length, in steps or in time, goes before a common one of another kind; so do its
    own input and its own model before the other one, and its own accuracy or force error. The
    accuracy is 0 where a force error asks for one.
    """
    inherited = dict(common)
    if any(length in run for length in LENGTHS):
        inherited = {name: value for name, value in inherited.items() if name not in LENGTHS}
    if run.get("input"):
        inherited = {name: value for name, value in inherited.items() if not draws(name)}
    elif "model" in run:
        inherited.pop("input", None)
    if run.get("force_error"):
        inherited.pop("accuracy", None)
    elif "accuracy" in run:
        inherited.pop("force_error", None)
    given = inherited | run
    if given.get("force_error"):
        given = {"accuracy": 0} | given
    drawn = not given.get("input")
    return {name: v for name, v in defaults.items() if drawn or not draws(name)} | given


def conflicts(run: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """Name the parameters of a complete run that are missing or do not go together, and say why."""
    drawn = [name for name in run if draws(name)]
    if run["input"] and drawn:
        yield drawn[0], f"the particles are those of the input; leave out {' and '.join(drawn)}"
    for name, example in REQUIRED.items():
        if name not in run and not (run["input"] and draws(name)):
            yield name, f"is missing; give it to the run or in defaults, e.g. {name}: {example}"
    lengths = [name for name in LENGTHS if name in run]
    if not lengths:
        yield "steps", "is missing; give the run or defaults a number of steps or a time"
    if len(lengths) > 1:
        yield lengths[-1], f"a run has one length; leave out {' or '.join(lengths)}"
    if run["snapshot_count"] and "steps" in lengths:
        yield "snapshot_count", "parts are equal in time; give a time instead of steps"
    if run["snapshot_count"] and isinstance(run.get("time"), str):
        yield "snapshot_count", "divides a number; give the time in units of the input, or myr"
    accuracy = run.get("accuracy", 0)
    if run["criterion"] == "opening" and isinstance(accuracy, int | float) and accuracy > 1:
        yield (
            "accuracy",
            f"an opening angle of {accuracy:g} would let cells act on their own particles; "
            "use at most 1",
        )
    if run["dt"] and run["step"] == "block":
        yield "dt", "block steps are adaptive; add step: shared or leave out dt"
    if run["ranks"] > 1 and run["device"].startswith("cuda:"):
        yield "ranks", f"would all be on {run['device']}; write device: cuda, or leave out ranks"
    if run["ranks"] > 1 and run["group_extent"] == "auto":
        yield "ranks", "does not go with group_extent: auto; give a number, or leave out ranks"
    for name, other in excluding():
        if run.get(name) and run.get(other):
            yield name, f"does not go with {other}; leave out {name} or {other}"
    for name, value in run.items():
        if len(part(name, spell(value))) > LONGEST:
            yield name, f"stands in a path, where a name has at most {LONGEST} letters; shorten it"


def excluding() -> Iterator[tuple[str, str]]:
    """List the pairs of parameters of which a run has one at most."""
    yield "sharing", "group_size"
    yield "snapshot_count", "snapshot_interval"
    yield "snapshot_count", "snapshot_times"
    for option in commands()["gothic run"].options.values():
        for other in option.excludes:
            yield option.name.replace("-", "_"), other.replace("-", "_")


def all_runs(config: Mapping[str, object], defaults: Mapping[str, Value]) -> dict[str, Parameters]:
    """List the runs of a study by their paths, also where only a part of them is made."""
    return runs_by_path({**config["runs"], "only": {}}, defaults)


def runs_by_path(
    runs: Mapping[str, object], defaults: Mapping[str, Value]
) -> dict[str, Parameters]:
    """List the runs of a study's section ``runs`` by their paths, every one once.

    The repeats of a run are spread over the study, so that a machine that slowly changes its speed
    meets all runs alike.

    Parameters
    ----------
    runs
        Grids, list and defaults, with `number` applied; and ``only``, conditions that runs meet.
        Others are left out.
    defaults
        Those of the schema, in its order.
    """
    single = [run for grid in runs.get("grids", []) for run in combinations(grid)]
    found = {}
    for run in [*single, *runs.get("list", [])]:
        parameters = complete(run, runs.get("defaults", {}), defaults)
        repeats = parameters.pop("repeats")
        for repeat in range(1, repeats + 1):
            one = with_model(parameters) | {"repeat": repeat}
            if all(fits(one.get(name), value) for name, value in runs.get("only", {}).items()):
                found[folder(one, defaults)] = one
    return dict(sorted(found.items(), key=lambda item: item[1]["repeat"]))
