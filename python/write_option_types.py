"""Write gothic/option_types.py: the keyword arguments of the package, from the table of options."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from option_table import Option, commands

HEAD = """\
\"\"\"Types of keyword arguments, written by the build from src/settings/options.toml.\"\"\"

import os
from typing import Literal, TypedDict
"""
CLASSES = {
    "TreeForceOptions": "gothic force",
    "DirectForceOptions": "gothic direct",
    "SimulationOptions": "gothic run",
    "ModelOptions": "gothic-ic",
}
TYPES = {
    "number": "float | str",
    "integer": "int",
    "flag": "bool",
    "text": "str",
    "file": "str | os.PathLike[str]",
}


def python_name(name: str) -> str:
    """Write the name of an option as the name of an argument."""
    return name.replace("-", "_")


def annotation(option: Option) -> str:
    """Write the type of an option."""
    choices = f"Literal[{', '.join(map(repr, option.choices))}]"
    if not option.choices:
        return TYPES[option.type]
    return "float | str" if option.type == "number" else choices


def documentation(option: Option) -> Iterator[str]:
    """Explain an option, in lines of a docstring."""
    yield f"    {python_name(option.name)}"
    text = re.sub("--([a-z-]+)", lambda match: python_name(match[1]), option.help)
    if option.default is not None and not option.default_by:
        text += f"; default {option.default}"
    yield from textwrap.wrap(text + ".", 92, initial_indent=" " * 8, subsequent_indent=" " * 8)


def typed_dict(name: str, command: str) -> str:
    """Write the class with the options of a command, as far as functions of Python have them."""
    options = [option for option in commands()[command].options.values() if option.python]
    lines = [
        f"class {name}(TypedDict, total=False):",
        f'    """Options of ``{command}``.',
        "\n    Attributes\n    ----------",
        *(line for option in options for line in documentation(option)),
        '    """\n',
        *(f"    {python_name(option.name)}: {annotation(option)}" for option in options),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(
        "\n\n".join([HEAD, *(typed_dict(*names) for names in CLASSES.items())])
    )
