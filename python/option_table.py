"""The table of options, src/settings/options.toml: names, kinds, defaults and helps of the options.

Values are judged in C++ alone: `gothic.option_values` tells why an option does not take a value.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

TABLE = Path(__file__).parents[1] / "src" / "settings" / "options.toml"


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
    written: bool = False
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
