"""Options of the programs, read from what ``--help`` prints."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from analysis.files import DataError

INDENT = 30  # column at which descriptions begin
NOT_LISTED = ("--help", "--version")
HEADING = re.compile(r"\S.*:")  # of options that belong together


@dataclass(frozen=True)
class Option:
    """An option or an argument of a command.

    Attributes
    ----------
    name
        As it is written on the command line.
    values
        What may follow it; empty for a flag.
    default
        Empty where there is none.
    relation
        Whether it is required, and the options that it needs or excludes.
    meaning
        In words.
    """

    name: str
    values: str
    default: str
    relation: str
    meaning: str


@dataclass(frozen=True)
class Command:
    """A command with what its help tells."""

    name: str
    description: str
    options: tuple[Option, ...]


def help_text(programs: Path, command: str) -> str:
    """Ask a command, such as ``gothic bench walk``, for its help.

    Raises
    ------
    DataError
        If the program is missing or does not know the command.
    """
    program, *words = command.split()
    try:
        done = subprocess.run(
            [programs / program, *words, "--help"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise DataError(f"{programs / program}: {error}; run make build first") from error
    return done.stdout


def commands(programs: Path, root: str) -> Iterator[Command]:
    """List a program and all of its commands, those of commands included, that have options."""
    text = help_text(programs, root)
    found = read_help(root, text)
    if found.options:
        yield found
    for name in subcommands(text):
        yield from commands(programs, f"{root} {name}")


def subcommands(text: str) -> list[str]:
    """Find the names of the commands in a help text."""
    _, _, listed = text.partition("\nSubcommands:\n")
    return re.findall(r"^  (\S+)", listed, re.MULTILINE)


def read_help(name: str, text: str) -> Command:
    """Take a help text apart."""
    description, _, rest = text.partition("Usage: ")
    rest = rest.partition("\nSubcommands:\n")[0]
    return Command(name, description.strip(), tuple(options(rest)))


def options(text: str) -> Iterator[Option]:
    """Find the options in a help text without its subcommands."""
    listing, in_group, group = False, False, ""
    entry: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith(" " * INDENT):
            entry.append(line.strip())
            continue
        if entry:
            option = read_option(entry[0], " ".join(entry[1:]), group)
            if option.name not in NOT_LISTED:
                yield option
        entry, word = [], line.strip()
        if word.startswith("[Option Group"):
            listing, in_group = False, True
        elif word in ("Options:", "Positionals:") or HEADING.fullmatch(line):
            listing = True
        elif listing and word:
            entry = split_entry(line)
        elif in_group and word and not word.startswith("["):
            group = word


def split_entry(line: str) -> list[str]:
    """Part the first line of an option into what is typed and what is said of it, if that fits.

    What is typed is filled up with spaces to the column where descriptions begin, and stands alone
    where it is longer.
    """
    head, meaning = line[:INDENT], line[INDENT:]
    whole = head.count("[") == head.count("]") and not head.rstrip().endswith((",", ":", " in"))
    if meaning and (head.endswith("  ") or (head.endswith(" ") and whole)):
        return [head.strip(), meaning.strip()]
    return [line.strip()]


# What is typed: --step TEXT:block, shared=block REQUIRED Excludes: --dt
TYPED = re.compile(
    r"(?P<names>\S+?)"
    r"(?:=(?P<flag>\S+)|(?: (?!REQUIRED|Needs|Excludes)(?P<kind>[^:=\s]+)(?::(?P<check>.*?))?"
    r"(?:=(?P<default>\S*))?)?)"
    r"(?: \.\.\.)?(?P<required> REQUIRED)?"
    r"(?P<relation>(?: (?:Needs|Excludes): .*)?)"
)


def read_option(typed: str, meaning: str, group: str = "") -> Option:
    """Take apart what is typed of an option that may belong to a group.

    Raises
    ------
    DataError
        If it has another form than that of CLI11.
    """
    match = TYPED.fullmatch(typed)
    if match is None:
        raise DataError(f"{typed}: is not read as an option; extend {__name__}")
    part = match.groupdict(default="")
    names = re.sub(r"\{.*?\}", "", part["names"]).removeprefix("-h,")
    relation = [group, part["required"].strip().lower(), part["relation"].strip().lower()]
    return Option(
        names.replace(",", ", "),
        values(part["kind"], part["check"]),
        part["flag"] or part["default"],
        "; ".join(filter(None, relation)),
        meaning,
    )


def values(kind: str, check: str) -> str:
    """Name the values of an option by its type and what they are checked for."""
    words = {"TEXT": "text", "INT": "integer", "UINT": "integer", "FLOAT": "number"}
    kind = words.get(kind, kind)
    if not check:
        return kind
    interval = re.fullmatch(r"\w+ in \[(\S+) - (\S+)\]", check)
    if interval:
        return f"{interval[1]} to {interval[2]}"
    check = re.sub(r"[{}()]", "", check).replace(" OR ", " or ")
    if check.startswith(("above", "at least")):
        return f"{kind} {check}" if kind != "text" else check
    return ", ".join(re.split(r", ?", check))
