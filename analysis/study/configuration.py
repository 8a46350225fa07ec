"""Mistakes in a configuration, each with the line of the file where it stands.

python -m analysis.study.configuration FILE.yaml... [--programs build/bin]

says what the workflow would complain about, and where a file is no YAML at all. The values of the
programs' options are judged by the programs, which the workflow builds first. If nothing is wrong,
it tells what the study will take, and refuses one that takes more hours than it may.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from snakemake.common.configfile import load_configfile
from snakemake.exceptions import WorkflowError
from snakemake.utils import update_config

from analysis.errors import DataError, main
from analysis.programs import ROOT, model_names
from analysis.study.estimate import estimate
from analysis.study.figure_checks import impossible_figures, impossible_plots
from analysis.study.figure_kinds import KINDS
from analysis.study.judge import Judge
from analysis.study.mistakes import (
    Mistake,
    Source,
    composed,
    hint,
    place,
    single_runs,
    written,
)
from analysis.study.model_files import components_of, file_of, known_keys, read_model, tables_of
from analysis.study.node_types import node_of
from analysis.study.parameters import (
    Parameters,
    conflicts,
    listed,
    model_folder,
    model_keys,
    number,
    runs_by_path,
    spell,
)
from analysis.study.schema import FILE, OWN, file_options, files_of, filled, rules, run_defaults

# Why a command does not take a value of an option, by their names; empty if it takes it.
Refusal = Callable[[str, str, str], str]
POWERS = ("reference", "runs", "benches", "figures", "plots")  # keys whose numbers may be powers


def complaints(
    config: Mapping[str, object],
    files: Sequence[Path],
    given: Mapping[str, object],
    cores: int | None = None,
    judge: Judge | None = None,
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
    judge
        That of the programs, about models and the values of options. Without it, since they are
        not built yet, these are left aside.
    """
    source = Source(files, given)
    errors = list(validator(judge.option if judge else None).iter_errors(config))
    values = [error for error in errors if error.validator == "option"]
    found = [mistake for error in errors if error not in values for mistake in explained(error)]
    of_parts = [
        impossible_files,
        impossible_plots,
        impossible_figures,
        impossible_nodes,
        partial(impossible_ranks, cores=cores),
    ]
    for impossible in ([impossible_runs], of_parts, [judge.mistakes] if judge else []):
        if not found:
            study = filled(config, rules())
            found += [mistake for part in impossible for mistake in part(study)]
    found += [mistake for error in values for mistake in explained(error)]
    placed = [(*source.place(mistake.keys), mistake) for mistake in found]
    placed += [(path, line, mistake) for path, line, mistake in source.duplicates()]
    placed.sort(key=lambda mistake: mistake[:2])
    lines = list(dict.fromkeys(written(*mistake) for mistake in placed))
    return [*lines, f"{FILE.relative_to(ROOT)} tells what is known"] if lines else []


def validator(refusal: Refusal | None) -> Validator:
    """Make a validator for the schema of a study, whose keyword ``option`` asks the programs."""

    def judged(
        validator: Validator, option: str, value: object, rule: Mapping[str, object]
    ) -> Iterator[ValidationError]:
        command, name = option.split(" --")
        left_out = value in (rule.get("default"), rule.get(OWN))
        wrong = "type" in rule and not validator.is_type(value, rule["type"])  # told already
        if not (left_out or wrong) and (problem := refusal(command, name, spell(value))):
            yield ValidationError(problem)

    return extend(Draft202012Validator, {"option": judged} if refusal else {})(rules())


def judged_values(config: Mapping[str, object]) -> list[str]:
    """List what the programs judge in a study without mistakes: ``gothic run --eta 0.25``.

    The files that they judge have digests, but for inputs, which may be large.
    """
    found = set()

    def taken(command: str, name: str, value: str) -> str:
        found.add(f"{command} --{name} {value}")
        return ""

    list(validator(taken).iter_errors(config))
    study = filled(config, rules())
    files = set()
    for _, _, parameters in single_runs(study):
        files |= {Path(file) for file in files_of(parameters)}
        if parameters["input"]:
            found.add(f"{parameters['input']} {Path(parameters['input']).stat().st_mtime_ns}")
        else:
            found.add(model_folder(parameters))
            files.add(file_of(parameters["model"]))
    files |= {file_of(model) for bench in study["benches"] for model in listed(bench["model"])}
    digests = {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    return sorted(found | {f"{file} {digest}" for file, digest in digests.items()})


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


def impossible_runs(config: Mapping[str, object]) -> Iterator[Mistake]:
    """Find parameters of single runs and of combinations in grids that do not go together."""
    found = list(single_runs(config))
    if not (found or config["benches"] or config["figures"]):
        yield Mistake(("runs",), "there are no runs; give grids or a list")
    mistakes = [
        Mistake(place(config, keys, run, name), problem)
        for keys, run, parameters in found
        for name, problem in conflicts(parameters)
    ]
    yield from mistakes
    only = config["runs"]["only"]
    if only and not mistakes and not runs_by_path(config["runs"], run_defaults()):
        yield Mistake(("runs", "only"), f"no run has {only}; choose others")


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
            for model in filter(is_named, listed(figure["where"].get("model", []))):
                for name, problem in wrong_model(figure["where"] | {"model": model}):
                    yield Mistake(("figures", n, "where", name), problem)


def is_named(model: str) -> bool:
    """Whether a model is a path, or in config/models; others are told by the checks of figures."""
    return model.endswith(".toml") or model in model_names()


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
    return {
        str(key): mapped(number if key in POWERS else lambda value: value, part)
        for key, part in config.items()
    }


def mapped(function: Callable[[object], object], value: object) -> object:
    """Apply a function to all values in lists and mappings, whose keys become texts."""
    if isinstance(value, dict):
        return {str(key): mapped(function, part) for key, part in value.items()}
    if isinstance(value, list):
        return [mapped(function, part) for part in value]
    return function(value)


def run() -> None:
    """Judge the files of a configuration."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.study.configuration", description=__doc__
    )
    parser.add_argument("files", type=Path, nargs="+", help="later ones go before earlier ones")
    parser.add_argument("--programs", type=Path, help="folder of gothic and gothic-ic, if built")
    parser.add_argument("--given", type=json.loads, default={}, help="further keys, as JSON")
    parser.add_argument("--cores", type=int, help="that the study uses of this machine")
    parser.add_argument("--dry-run", action="store_true", help="refuse no length, keep no file")
    arguments = parser.parse_args()
    config: dict[str, object] = {}
    for path in arguments.files:
        composed(path)
        try:
            update_config(config, load_configfile(path))
        except WorkflowError as error:
            raise DataError(f"{path}: {error}") from error
    update_config(config, arguments.given)
    judge = Judge(arguments.programs) if arguments.programs else None
    try:
        lines = complaints(numbered(config), arguments.files, arguments.given, judge=judge)
    except RecursionError as error:
        raise DataError(f"{path}: an alias stands for what it is in; write it out") from error
    if lines:
        raise DataError("\n".join(lines))
    study = filled(numbered(config), rules())
    built = Path(study["programs"] or f"{study['build']['directory']}/bin")
    found = estimate(study, arguments.programs or built, arguments.cores, not arguments.dry_run)
    print(*found.lines(), sep="\n", flush=True)
    if refusal := found.refusal():
        if not arguments.dry_run:
            raise DataError(refusal)
        print(refusal)


if __name__ == "__main__":
    main(run)
