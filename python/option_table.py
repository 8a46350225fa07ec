"""The table of options, src/settings/options.toml, for pages and for the schema of studies."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

TABLE = Path(__file__).parents[1] / "src" / "settings" / "options.toml"
KINDS = {"integer": "integer", "number": "number", "flag": "boolean", "numbers": "number"}
# Numbers that may have a unit, such as 100Myr; the programs read them.
QUANTITY = "[-+.0-9].*[A-Za-z].*"


@dataclass(frozen=True)
class Option:
    """An option of one command; the head of the table explains the keys."""

    name: str
    type: str
    help: str
    title: str
    default: object = None
    default_by: str = ""
    above: float | None = None
    least: float | None = None
    most: float | None = None
    choices: list[object] = field(default_factory=list)
    required: bool = False
    positional: bool = False
    one_of: bool = False
    excludes: list[str] = field(default_factory=list)
    needs: str = ""
    unit: str = ""
    python: bool = False
    course: bool = True
    study: bool = True


@dataclass(frozen=True)
class Command:
    """A command with its options, in the order of its help."""

    name: str
    help: str
    about: str
    options: dict[str, Option]


@cache
def commands() -> dict[str, Command]:
    """Read the table: all commands by their names, such as ``gothic bench walk``."""
    table = tomllib.loads(TABLE.read_text())
    found = {
        command["name"]: Command(command["name"], command["help"], command.get("about", ""), {})
        for command in table["command"]
    }
    for heading in table["heading"]:
        common = {key: value for key, value in heading.items() if key != "option"}
        for option in heading["option"]:
            entry = common | option
            for name in entry.pop("commands"):
                for command in table["sets"].get(name, [name]):
                    found[command].options[entry["name"]] = Option(**entry)
    return found


def schema(option: Option) -> dict[str, object]:
    """Write an option as JSON schema: what a study may give for it, without a power such as 2^-7.

    Several numbers are a text, as on the command line.
    """
    kind = KINDS.get(option.type, "string")
    rules: dict[str, object] = {"description": option.help, "type": kind}
    if option.name == "device":
        rules["pattern"] = "^(auto|cpu|cuda(:[0-9]+)?)$"
    texts = [*map(str, option.choices), *[QUANTITY] * bool(option.unit)]
    if option.type == "numbers":
        rules["type"] = [kind, "string"]
    elif option.type == "number" and texts:
        rules |= {"type": [kind, "string"], "pattern": f"^({'|'.join(texts)})$"}
    elif option.choices:
        rules["enum"] = option.choices
    if option.type in ("integer", "number"):
        bounds = {
            "exclusiveMinimum": option.above,
            "minimum": option.least,
            "maximum": option.most,
        }
        rules |= {name: bound for name, bound in bounds.items() if bound is not None}
    if option.default is not None and not option.default_by:
        rules["default"] = option.default
    return rules
