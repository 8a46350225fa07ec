"""Keys of study files, from their schema, and of galaxy models, as gothic-ic knows them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from analysis.files import DataError

REPEATED = ("runs.list",)  # what is in runs.defaults already
BODY = ("mass = 1.0", "scale = 1.0")


@dataclass(frozen=True)
class Key:
    """A key of a study file: its default, in YAML, and what it is for."""

    name: str
    default: str
    meaning: str


def schema_keys(path: Path) -> list[Key]:
    """List the keys of a schema, those of mappings in mappings and of lists included."""
    schema = yaml.safe_load(path.read_text())
    return list(keys_of(schema, schema["$defs"], ""))


def keys_of(rules: dict, definitions: dict, before: str) -> Iterator[Key]:
    """List the keys below some rules."""
    for name, part in rules.get("properties", {}).items():
        part = resolved(part, definitions)
        if part.get("not") == {}:  # a key of old that is refused
            continue
        if meaning := part.get("description", choices(part)):
            yield Key(before + name, default_of(part), meaning)
        if before + name in REPEATED:
            continue
        inner = resolved(part.get("items", part), definitions)
        yield from keys_of(inner, definitions, f"{before}{name}.")
        if isinstance(inner.get("additionalProperties"), dict):
            yield from keys_of(inner["additionalProperties"], definitions, f"{before}{name}.NAME.")


def default_of(part: dict) -> str:
    """Write the default of a key in YAML; empty where there is none."""
    if "default" not in part:
        return ""
    written = yaml.safe_dump(part["default"], default_flow_style=True)
    return written.removesuffix("\n").removesuffix("\n...")


def resolved(part: dict, definitions: dict) -> dict:
    """Put the rules that a reference names in its place."""
    if "$ref" not in part:
        return part
    return definitions[part["$ref"].removeprefix("#/$defs/")] | part


def choices(part: dict) -> str:
    """Describe a key without a description by its values."""
    return ", ".join(map(str, part.get("enum", [])))


class WordLists:
    """What a TOML file may hold, by what a program says of a word that it does not know.

    Parameters
    ----------
    folder
        Where the files with unknown words are written.
    call
        Makes the command line that reads such a file.
    """

    def __init__(self, folder: Path, call: Callable[[Path], list[object]]) -> None:
        self.file = folder / "unknown.toml"
        self.command = [str(word) for word in call(self.file)]

    def listed(self, text: str) -> list[str]:
        """Take the known words from the message about a file with an unknown one.

        Raises
        ------
        DataError
            If the program is missing or its message has another form.
        """
        self.file.write_text(text)
        try:
            done = subprocess.run(self.command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise DataError(f"{self.command[0]}: {error}; run make build first") from error
        match = re.search(r"(?:use one of|Known are): (.*)", done.stderr)
        if match is None:
            raise DataError(f"{self.command[0]}: lists no words in '{done.stderr}'; see {__name__}")
        return match[1].split(", ")


class ModelKeys(WordLists):
    """What the file of a galaxy model may hold."""

    def __init__(self, programs: Path, folder: Path) -> None:
        super().__init__(folder, lambda file: [programs / "gothic-ic", file, "--check"])

    def top(self) -> list[str]:
        """List the keys outside of all tables."""
        return self.listed("qqqqqq = 1\n[[component]]\n")

    def units(self) -> list[str]:
        """List the keys of ``[units]``."""
        return self.listed("[units]\nqqqqqq = 1\n[[component]]\n")

    def kinds(self) -> list[str]:
        """List the profiles of components."""
        return self.listed('[[component]]\nname = "a"\nprofile = "qqqqqq"\n')

    def of(self, kind: str) -> list[str]:
        """List the keys of a component with that profile."""
        lines = ["[[component]]", 'name = "a"', f'profile = "{kind}"', *BODY, "qqqqqq = 1"]
        return self.listed("\n".join(lines) + "\n")


class FieldKeys(WordLists):
    """What the file of static potentials may hold."""

    def __init__(self, programs: Path, folder: Path) -> None:
        given = ["--input", folder / "ic.h5", "--output", folder / "out.h5", "--external"]
        super().__init__(folder, lambda file: [programs / "gothic", "force", *given, file])

    def kinds(self) -> list[str]:
        """List the types of potentials."""
        return self.listed('[[potential]]\ntype = "qqqqqq"\n')

    def of(self, kind: str) -> list[str]:
        """List the keys of a potential of that type."""
        return self.listed(f'[[potential]]\ntype = "{kind}"\nqqqqqq = 1\n')
