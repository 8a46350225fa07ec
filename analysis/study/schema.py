"""What the file of a study may hold: config/schema.yaml, with the options of the programs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import yaml

from analysis.programs import ROOT, model_names
from analysis.study.figure_kinds import KINDS
from analysis.study.parameters import DRAWING
from python.option_table import Option, commands

FILE = ROOT / "config" / "schema.yaml"
RENAMED = {"mac": "criterion"}
OWN = "own"  # keyword of a rule: a value that means something to the workflow, not to a program
NEEDED = ("steps", "time", "accuracy")  # options that cannot be left out by a value


@cache
def rules() -> dict[str, object]:
    """Read the schema of a study, with models, kinds, runs and grids; do not change it."""
    found = yaml.safe_load(FILE.read_text())
    found["$defs"]["model"] |= {"if": {"pattern": r"\.toml$"}, "else": {"enum": model_names()}}
    figures = found["properties"]["figures"]["items"]["properties"]
    figures["kind"]["enum"] = [kind for kind in KINDS if kind != "plot"]
    run = found["$defs"]["run"]
    repeats = run["properties"].pop("repeats")
    varied = run["properties"] | option_rules()
    run["properties"] = varied | {"repeats": repeats}
    lists = {name: one_or_several(rule) for name, rule in varied.items()}
    keys = {name: one_or_several(rule) for name, rule in run["patternProperties"].items()}
    found["$defs"]["grid"] |= {
        "properties": lists | {"repeats": repeats},
        "patternProperties": keys,
    }
    return found


def one_or_several(rule: Mapping[str, object]) -> dict[str, object]:
    """Write the rule of a value, or of a list of them."""
    several = {"items": rule, "minItems": 1, "description": "give a value or a list of values"}
    return {"if": {"type": "array"}, "then": several, "else": rule}


def run_rules() -> dict[str, dict[str, object]]:
    """Rules of the parameters of a run by their names."""
    return rules()["$defs"]["run"]["properties"]


def run_defaults() -> dict[str, object]:
    """Values of the parameters of a run that need not be given, in the order of the schema."""
    return {name: rule["default"] for name, rule in run_rules().items() if "default" in rule}


@cache
def varied_options() -> dict[str, Option]:
    """Options of ``gothic run`` that a study may vary, by the names of its parameters."""
    options = commands()["gothic run"].options.values()
    return {
        RENAMED.get(option.name, option.name.replace("-", "_")): option
        for option in options
        if option.study
    }


def option_rules() -> dict[str, dict[str, object]]:
    """Rules of the options of ``gothic-ic`` and ``gothic run`` that a study may vary."""
    drawing = {name: option_named(f"gothic-ic --{name.replace('_', '-')}") for name in DRAWING}
    rules = {name: option_rule("gothic-ic", option) for name, option in drawing.items()}
    varied = varied_options().items()
    return rules | {name: option_rule("gothic run", option) for name, option in varied}


def option_named(words: str) -> Option:
    """Look up the option that the keyword ``option`` of a rule names: ``gothic run --eta``."""
    command, name = words.split(" --")
    return commands()[command].options[name]


def kind_of(parameter: str) -> str:
    """Tell the kind of the values of a parameter of a run, such as integer, number or text."""
    rule = run_rules()[parameter]
    return option_named(rule["option"]).type if "option" in rule else rule.get("type", "text")


def file_options() -> list[str]:
    """Name the parameters that are files besides the particles, such as external."""
    return [name for name, option in varied_options().items() if option.type == "file"]


def files_of(parameters: Mapping[str, object]) -> list[str]:
    """List the files besides the particles that a run reads."""
    return [str(parameters[name]) for name in file_options() if parameters.get(name)]


def option_rule(command: str, option: Option) -> dict[str, object]:
    """Write the rule of an option; 0 or an empty text stand for leaving out what has no default.

    Its keyword ``option`` tells whose values these are: the programs judge them.
    """
    rule = {"$ref": "#/$defs/value", "description": option.help}
    rule["option"] = f"{command} --{option.name}"
    if option.name == "device":
        rule["$ref"] = "#/$defs/device"
    if option.name == "steps":
        rule |= {"description": f"{option.help}; 0: the initial forces alone", OWN: 0}
    if option.name in NEEDED:
        return rule
    nothing = 0 if option.type in ("integer", "number") else ""
    return rule | {"default": nothing if option.default is None else option.default}


def filled(values: object, rule: Mapping[str, object]) -> object:
    """Fill in the defaults of a schema, but not of runs, which depend on their neighbours."""
    if rule.get("$ref") == "#/$defs/run":
        return values
    if isinstance(values, list):
        return [filled(value, rule.get("items", {})) for value in values]
    if not isinstance(values, dict):
        return values
    known = rule.get("properties", {})
    others = rule.get("additionalProperties")
    defaults = {name: part["default"] for name, part in known.items() if "default" in part}
    return {
        name: filled(value, known.get(name, others if isinstance(others, dict) else {}))
        for name, value in (defaults | values).items()
    }
