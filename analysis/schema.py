"""What the file of a study may hold: config/schema.yaml, with the options of gothic run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

from analysis.kinds import KINDS
from analysis.programs import MODELS
from python.option_table import Option, commands, schema

FILE = Path(__file__).parents[1] / "config" / "schema.yaml"
RENAMED = {"mac": "criterion"}
NEEDED = ("steps", "time", "accuracy")  # options that 0 does not stand for leaving out


@cache
def rules() -> dict[str, object]:
    """Read the schema of a study, with models, kinds, runs and grids; do not change it."""
    found = yaml.safe_load(FILE.read_text())
    found["$defs"]["model"]["enum"] = sorted(path.stem for path in MODELS.glob("*.toml"))
    figures = found["properties"]["figures"]["items"]["properties"]
    figures["kind"]["enum"] = [kind for kind in KINDS if kind != "plot"]
    run = found["$defs"]["run"]
    repeats = run["properties"].pop("repeats")
    varied = run["properties"] | run_options()
    run["properties"] = varied | {"repeats": repeats}
    lists = {name: one_or_several(rule) for name, rule in varied.items()}
    found["$defs"]["grid"]["properties"] = lists | {"repeats": repeats}
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
def run_options() -> dict[str, dict[str, object]]:
    """Rules of the options of ``gothic run`` that a study may vary."""
    varied = {}
    for option in commands()["gothic run"].options.values():
        if (option.python or option.name == "steps") and option.type != "file":
            name = RENAMED.get(option.name, option.name.replace("-", "_"))
            varied[name] = option_rule(option)
    return varied


def option_rule(option: Option) -> dict[str, object]:
    """Write the rule of an option; 0 stands for leaving out what has no default."""
    rule = schema(option)
    if option.above == 0 and "default" not in rule and option.name not in NEEDED:
        del rule["exclusiveMinimum"]
        rule |= {"minimum": 0, "default": 0, "description": f"{option.help}; 0 does without"}
    return rule


def filled(values: object, rule: Mapping[str, object]) -> object:
    """Fill in the defaults of a schema, but not those of a run, which depend on its neighbours."""
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
