"""Mistakes in a configuration, each with the line of the file where it stands.

python -m analysis.study.configuration FILE.yaml... [--programs build/bin]

says what the workflow would complain about, and where a file is no YAML at all. The values of the
programs' options are judged by the programs, which the workflow builds first.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from snakemake.common.configfile import load_configfile
from snakemake.utils import update_config
from yaml.nodes import MappingNode, Node, SequenceNode

from analysis.errors import DataError, main
from analysis.programs import ROOT
from analysis.reading.files import package, use_package_of
from analysis.study.figure_kinds import KINDS, chosen_runs, figures_of, fits, listed
from analysis.study.model_files import components_of, file_of, known_keys, read_model, tables_of
from analysis.study.node_types import node_of
from analysis.study.parameters import (
    Parameters,
    combinations,
    complete,
    conflicts,
    is_model_key,
    model_folder,
    model_keys,
    number,
    parameters_of,
    runs_by_path,
    spell,
)
from analysis.study.run_row import ERRORS, FORCE, GROWING, MEASURED
from analysis.study.schema import FILE, file_options, filled, rules, run_defaults

Keys = tuple[str | int, ...]
# Why a command does not take a value of an option, by their names; empty if it takes it.
Refusal = Callable[[str, str, str], str]
POWERS = ("reference", "runs", "benches", "figures", "plots")  # keys whose numbers may be powers
CLOSE = 0.7  # how alike names are that may have been mistaken for each other, 1 for the same
# Parameters that set the length of steps, and so the time that a number of them spans; so do the
# keys of a model.
OF_STEPS = ("eta", "softening", "step", "dt", "dt_max", "external")


@dataclass(frozen=True)
class Mistake:
    """What is wrong with the value behind some keys, and what to do about it."""

    keys: Keys
    problem: str


class Source:
    """The files of a configuration, later ones before earlier ones, under the command line."""

    def __init__(self, files: Iterable[Path], given: Mapping[str, object]) -> None:
        self.given = given
        self.places = {Path(path): list(places(composed(Path(path)))) for path in files}

    def place(self, keys: Keys) -> tuple[str, int]:
        """Name the file and line of a value, or of the innermost part around it that is written."""
        if not self.places or (keys and keys[0] in self.given):
            return "--config", 0
        lines = {path: dict(found) for path, found in reversed(self.places.items())}
        wanted = tuple(map(str, keys))
        while not (having := [path for path in lines if wanted in lines[path]]):
            wanted = wanted[:-1]
        return os.path.relpath(having[0]), lines[having[0]][wanted]

    def duplicates(self) -> Iterator[tuple[str, int, Mistake]]:
        """Find keys that are written twice, of which YAML would take the last."""
        for path, found in self.places.items():
            first: dict[Keys, int] = {}
            again = set()
            for keys, line in found:
                if keys in first:
                    again.add(keys)
                    if keys[:-1] not in again:
                        problem = f"is there already, in line {first[keys]}; remove one of them"
                        yield os.path.relpath(path), line, Mistake(keys[-1:], problem)
                first.setdefault(keys, line)


def composed(path: Path) -> Node:
    """Read a file as YAML nodes, which know their lines; a `DataError` if it is no YAML."""
    try:
        return yaml.compose(path.read_text())
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; correct the name") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1
        raise DataError(f"{path}:{line}: {error.problem}; correct the YAML") from error


def places(node: Node, keys: Keys = ()) -> Iterator[tuple[Keys, int]]:
    """Walk through a YAML node: the keys that lead to each part, as texts, and its line."""
    if not keys:
        yield keys, node.start_mark.line + 1
    parts = []
    if isinstance(node, MappingNode):
        parts = [(name.value, name.start_mark, value) for name, value in node.value]
    elif isinstance(node, SequenceNode):
        parts = [(str(n), value.start_mark, value) for n, value in enumerate(node.value)]
    for key, mark, value in parts:
        yield (*keys, key), mark.line + 1
        yield from places(value, (*keys, key))


def complaints(
    config: Mapping[str, object],
    files: Sequence[Path],
    given: Mapping[str, object],
    cores: int | None = None,
    refusal: Refusal | None = None,
) -> list[str]:
    """List everything that is wrong with a configuration, a line for each mistake.

    Parameters
    ----------
    config
        All files and the command line put together.
    files
        Where it was read from; later ones go before earlier ones.
    given
        What was set on the command line.
    cores
        Those that Snakemake may use, where they are known.
    refusal
        That of the programs, which judges the values of their options. Without it, since they are
        not built yet, these values are left aside.
    """
    source = Source(files, given)
    errors = validator(refusal).iter_errors(config)
    found = [mistake for error in errors for mistake in explained(error)]
    for impossible in (
        impossible_runs,
        impossible_files,
        impossible_plots,
        impossible_figures,
        impossible_nodes,
        partial(impossible_ranks, cores=cores),
    ):
        if not found:
            found += impossible(filled(config, rules()))
    placed = [(*source.place(mistake.keys), mistake) for mistake in found]
    placed += [(path, line, mistake) for path, line, mistake in source.duplicates()]
    placed.sort(key=lambda mistake: mistake[:2])
    lines = list(dict.fromkeys(written(*mistake) for mistake in placed))
    return [*lines, f"{FILE.relative_to(ROOT)} tells what is known"] if lines else []


def validator(refusal: Refusal | None) -> Validator:
    """Make a validator for the schema of a study, whose keyword ``option`` asks the programs."""

    def judged(
        _: Validator, option: str, value: object, rule: Mapping[str, object]
    ) -> Iterator[ValidationError]:
        command, name = option.split(" --")
        left_out = value == rule.get("default")
        if not left_out and (problem := refusal(command, name, spell(value))):
            yield ValidationError(problem)

    return extend(Draft202012Validator, {"option": judged} if refusal else {})(rules())


def option_values(config: Mapping[str, object]) -> list[str]:
    """List what the programs judge in a study without mistakes: ``gothic run --eta 0.25``."""
    found = set()

    def taken(command: str, name: str, value: str) -> str:
        found.add(f"{command} --{name} {value}")
        return ""

    list(validator(taken).iter_errors(config))
    return sorted(found)


def refusal_of(programs: Path) -> Refusal:
    """Ask the package gothic that was built with the programs in a folder."""
    use_package_of(programs)
    with package():
        from gothic.option_values import refusal
    return refusal


def written(place: str, line: int, mistake: Mistake) -> str:
    """Write a mistake as FILE:LINE: KEY: PROBLEM."""
    key = ".".join(map(str, mistake.keys)) or "configuration"
    where = f"{place}:{line}" if line else place
    return f"{where}: {key}: {mistake.problem}"


def explained(error: ValidationError) -> Iterator[Mistake]:
    """Say in words of the schema what is wrong."""
    keys = tuple(error.absolute_path)
    meaning = " ".join(error.schema.get("description", "").split()).rstrip(".")
    known = error.schema.get("properties", {})
    match error.validator:
        case "additionalProperties":
            patterns = error.schema.get("patternProperties", {})
            for name in sorted(error.instance.keys() - known.keys(), key=str):
                if not any(re.search(pattern, str(name)) for pattern in patterns):
                    yield Mistake((*keys, name), f"unknown key; {hint(name, known)}")
        case "required":
            for name in sorted(set(error.validator_value) - error.instance.keys()):
                yield Mistake((*keys, name), "is missing; add it")
        case "enum":
            meant = hint(error.instance, list(map(str, error.validator_value)))
            yield Mistake(keys, f"{error.instance!r} is unknown; {meant}")
        case "option":
            yield Mistake(keys, error.message)
        case _:
            yield Mistake(keys, f"{error.message}; {meaning or 'see the schema'}")


def hint(name: object, known: Iterable[str], otherwise: str = "") -> str:
    """Tell the name that may have been meant, or what is known."""
    if near := difflib.get_close_matches(str(name), known, 1, CLOSE):
        return f"did you mean {near[0]}?"
    return otherwise or f"known are {', '.join(known)}"


def single_runs(config: Mapping[str, object]) -> Iterator[tuple[Keys, Parameters, Parameters]]:
    """List the runs of a study: where they stand, what they say themselves, and all of it."""
    runs, defaults = config["runs"], run_defaults()
    found = [(("runs", "list", n), [run]) for n, run in enumerate(runs["list"])]
    found += [(("runs", "grids", n), combinations(grid)) for n, grid in enumerate(runs["grids"])]
    for keys, single in found:
        for run in single:
            yield keys, run, complete(run, runs["defaults"], defaults)


def place(config: Mapping[str, object], keys: Keys, run: Parameters, name: str) -> Keys:
    """Tell where a parameter of a run stands."""
    inherited = name in config["runs"]["defaults"] and name not in run
    return (*(("runs", "defaults") if inherited else keys), name)


def impossible_runs(config: Mapping[str, object]) -> Iterator[Mistake]:
    """Find parameters of single runs and of combinations in grids that do not go together."""
    found = list(single_runs(config))
    if not (found or config["benches"] or config["figures"]):
        yield Mistake(("runs",), "there are no runs; give grids or a list")
    for keys, run, parameters in found:
        for name, problem in conflicts(parameters):
            yield Mistake(place(config, keys, run, name), problem)


def impossible_files(config: Mapping[str, object]) -> Iterator[Mistake]:
    """Find files that are not there, and keys that a model does not have."""
    judged = set()
    for keys, run, parameters in single_runs(config):
        problems = [(name, missing(str(parameters[name]))) for name in ("input", *file_options())]
        if not parameters["input"] and (model := model_folder(parameters)) not in judged:
            judged.add(model)
            problems += wrong_model(parameters)
        for name, problem in problems:
            if problem:
                yield Mistake(place(config, keys, run, name), problem)
    for n, bench in enumerate(config["benches"]):
        for model in listed(bench["model"]):
            for _, problem in wrong_model({"model": model}):
                yield Mistake(("benches", n, "model"), problem)
    for n, figure in enumerate(config["figures"]):
        if KINDS[figure["kind"]].source == "particles":
            for model in listed(figure["where"].get("model", [])):
                for name, problem in wrong_model(figure["where"] | {"model": model}):
                    yield Mistake(("figures", n, "where", name), problem)


def missing(path: str) -> str:
    """Say that a file is not there; nothing if it is, or none is asked for."""
    if not path or Path(path).is_file():
        return ""
    return f"{path}: there is no such file; paths start from {Path.cwd()}"


def wrong_model(parameters: Parameters) -> list[tuple[str, str]]:
    """Name the model of some parameters, or keys of it, that are wrong, and say why."""
    path, keys = file_of(parameters["model"]), model_keys(parameters)
    if problem := missing(str(path)):
        return [("model", problem)]
    try:
        model = read_model(path)
        known = known_keys(model) if keys else []
        if wrong := [name for name in keys if name not in known]:
            names = ", ".join(str(component.get("name")) for component in components_of(model))
            otherwise = f"write units.KEY, model.KEY or COMPONENT.KEY, of the components {names}"
            return [(n, f"{path} has no such key; {hint(n, known, otherwise)}") for n in wrong]
        return [
            ("model", problem) for table in tables_of(path, keys) if (problem := missing(table))
        ]
    except DataError as error:
        return [("model", str(error))]


def impossible_plots(config: Mapping[str, object]) -> Iterator[Mistake]:
    """Find columns of plots that the table does not have, nothing fills, or cannot be compared."""
    runs = runs_by_path(config["runs"], run_defaults())
    columns = {*MEASURED, "path", "ic"}.union(*map(parameters_of, map(PurePath, runs)))
    for n, plot in enumerate(config["plots"]):
        named = [(key, plot[key]) for key in ("x", "y", "colour") if key in plot]
        for key, column in [*named, *(("where", name) for name in plot.get("where", {}))]:
            keys = ("plots", n, key) if key != "where" else ("plots", n, key, column)
            if column not in columns:
                meant = hint(column, columns, "docs/studies.md lists them")
                yield Mistake(keys, f"the table has no column {column}; {meant}")
            elif column in (*ERRORS, *FORCE) and "reference" not in config:
                yield Mistake(keys, f"{column} needs direct sums; add reference: {{}}")
            elif column in GROWING and (names := unequal(list(runs.values()), plot["where"])):
                problem = (
                    f"grows with time, but as many steps span other times where {names} differ"
                )
                remedy = "give these runs a time instead of steps, or choose one value with where"
                yield Mistake(keys, f"{column} {problem}; {remedy}")


def unequal(runs: Sequence[Parameters], where: Mapping[str, object]) -> str:
    """Name what differs in runs of as many steps so that they span different times.

    Conditions on measured columns are left out.
    """
    differing = set()
    by_steps: dict[int, list[Parameters]] = {}
    for run in runs:
        asked = {name for name in where if name in run or name not in MEASURED}
        if "steps" in run and all(fits(run.get(name), where[name]) for name in asked):
            by_steps.setdefault(run["steps"], []).append(run)
    for alike in by_steps.values():
        names = {name for run in alike for name in run if name in OF_STEPS or is_model_key(name)}
        differing |= {name for name in names if len({run.get(name) for run in alike}) > 1}
    return " and ".join(sorted(differing))


def impossible_figures(config: Mapping[str, object]) -> Iterator[Mistake]:
    """Find what kinds of figures need and do not have, and names used twice."""
    measured = [bench["word"] for bench in config["benches"]]
    for n, bench in enumerate(config["benches"]):
        if bench["word"] in measured[:n]:
            yield Mistake(("benches", n), f"{bench['word']} is there already; give it lists")
        if bench["word"] != "peak" and not bench["model"]:
            yield Mistake(("benches", n, "model"), "is missing; add it")
    for n, figure in enumerate(config["figures"]):
        keys, kind = ("figures", n), KINDS[figure["kind"]]
        for word in sorted(set(kind.words) - set(measured)):
            yield Mistake(keys, f"{figure['kind']} needs the word {word} among benches; add it")
        if kind.source == "particles":
            for name in sorted({"model", "particles"} - figure["where"].keys()):
                yield Mistake((*keys, "where"), f"{name} is missing; add it")
    runs = list(runs_by_path(config["runs"], run_defaults()).values())
    names = [figure["name"] for figure in figures_of(config, runs)]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield Mistake(("figures",), f"there are two figures or plots {name}; give one a name")
    for n, figure in enumerate(config["figures"]):
        if not figures_of(config | {"figures": [figure], "plots": []}, runs):
            yield Mistake(("figures", n), f"no run has {figure['where']}; choose others")
        drifting = KINDS[figure["kind"]].source == "drift"
        if drifting and any(run["input"] for run in chosen_runs(figure, runs)):
            problem = "equilibrium compares with a model, which an input has not; choose with where"
            yield Mistake(("figures", n), problem)


def impossible_nodes(config: Mapping[str, object]) -> Iterator[Mistake]:
    """Find devices that several node types take, and devices of the work that none takes."""
    nodes, defaults = config["nodes"], run_defaults()
    taken = [device for node in nodes.values() for device in node["devices"]]
    for device in sorted(set(taken)):
        if taken.count(device) > 1:
            problem = f"several types take runs on {device}; leave them to one"
            yield Mistake(("nodes",), problem)
    devices = {run["device"] for run in runs_by_path(config["runs"], defaults).values()}
    if "reference" in config:
        devices.add(config["reference"].get("device", defaults["device"]))
    for device in sorted(devices) if nodes else ():
        if not node_of(nodes, device):
            kind = device.split(":")[0]
            problem = f"no type takes work on {device}; add {kind} to the devices of one"
            yield Mistake(("nodes",), problem)


def impossible_ranks(config: Mapping[str, object], cores: int | None = None) -> Iterator[Mistake]:
    """Find runs of more ranks than there are cores, and node types that cannot count GPUs."""
    nodes = config["nodes"]
    for keys, run, parameters in single_runs(config):
        ranks, node = parameters["ranks"], node_of(nodes, parameters["device"])
        if ranks > 1 and "gres" in nodes.get(node, {}).get("resources", {}):
            problem = "are those of a node; write gpu and gpu_model, of which each rank gets one"
            yield Mistake(("nodes", node, "resources", "gres"), problem)
        if not nodes and cores and ranks > cores:
            problem = f"{ranks} ranks need {ranks} cores; give snakemake --cores {ranks}, or fewer"
            yield Mistake(place(config, keys, run, "ranks"), problem)


def numbered(config: Mapping[str, object]) -> dict[str, object]:
    """Read the numbers of a study that are written as powers."""
    return {key: with_numbers(part) if key in POWERS else part for key, part in config.items()}


def with_numbers(value: object) -> object:
    """Read numbers that are written as powers, such as 2^-7, wherever they stand."""
    if isinstance(value, dict):
        return {key: with_numbers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [with_numbers(part) for part in value]
    return number(value)


def run() -> None:
    """Judge the files of a configuration."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.study.configuration", description=__doc__
    )
    parser.add_argument("files", type=Path, nargs="+", help="later ones go before earlier ones")
    parser.add_argument("--programs", type=Path, help="folder of gothic and gothic-ic, if built")
    parser.add_argument("--given", type=json.loads, default={}, help="further keys, as JSON")
    arguments = parser.parse_args()
    config: dict[str, object] = {}
    for path in arguments.files:
        composed(path)
        update_config(config, load_configfile(path))
    update_config(config, arguments.given)
    refusal = refusal_of(arguments.programs) if arguments.programs else None
    lines = complaints(numbered(config), arguments.files, arguments.given, refusal=refusal)
    if lines:
        raise DataError("\n".join(lines))


if __name__ == "__main__":
    main(run)
