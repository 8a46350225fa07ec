"""Write docs/reference.md: from the table of options, from schemas and from small files.

python -m analysis.reference --programs build/bin --output docs/reference.md [--check]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import h5py
import numpy as np
import pandas as pd
import yaml

from analysis.cli import main
from analysis.files import DataError
from analysis.programs import MODELS, Programs
from analysis.schema import rules as study_rules
from python.option_table import Option, commands

MEANINGS = Path(__file__).with_name("meanings.yaml")
HEAD = """\
# Reference

Every option of the programs, every key of their input files, every dataset and attribute of the
files that they write. `make docs` writes this page anew.

"""
OPTIONS = """\
## Options

A TOML file that `--config` names may hold options, too, under the same names without dashes.
Lengths and times are in the units of the input.

"""
MODEL_KEYS = """\
## Galaxy models

A model is a TOML file for `gothic-ic` ([models.md](models.md)): keys at the top, a table `[units]`
and a table `[[component]]` for each component.

"""
FIELD_KEYS = """\
## Static potentials

The TOML file of `--external` ([fields.md](fields.md)) has a table `[[potential]]` for each.

"""
STUDIES = """\
## Studies

A key without default must be given where the mapping is given that it is in.

"""
FILES_HEAD = """\
## Files

A file has its name when it is complete; until then it is called `NAME.partial`. `N` is the number
of particles of a type; types are GADGET's, `/PartType0` to `/PartType5`. All files have
`/Provenance` and, as attributes of `/Options`, every option with its value as a text. Snapshots and
forces have `/Units`.

"""
BENCHES_HEAD = """\
### Tables of measurements

`gothic bench WORD --output FILE.csv`. Seconds are medians of the repeats; `_min` and `_max` are
their extremes. Every row ends with `threads`, `device`, `revision`, `version`, `compiler` and
`command_line`.

"""
# Heading: the part of meanings.yaml, the files, and what they are.
FILES = {
    "Snapshots": ("snapshot", ("ic.h5", "run/snapshot_000.h5"), "of `gothic-ic` and `gothic run`"),
    "Forces": ("forces", ("force.h5", "direct.h5"), "of `gothic force` and `gothic direct`"),
    "Forces at points": (
        "forces",
        ("force_at.h5", "direct_at.h5"),
        "of `gothic force --at` and `gothic direct --at`",
    ),
    "steps.h5": ("steps.h5", ("run/steps.h5",), "of `gothic run`: a row for each step"),
    "energy.h5": (
        "energy.h5",
        ("run/energy.h5",),
        "of `gothic run`: a row whenever all particles are at one time",
    ),
    "lagrange.h5": (
        "lagrange.h5",
        ("run/lagrange.h5",),
        "of `gothic run`: a row for each component at the start, with every snapshot and at the "
        "end; the attributes of `/ComponentNames` are the names of the components",
    ),
    "Checkpoints": (
        "checkpoint",
        ("run/checkpoint.h5", "run/checkpoint_previous.h5"),
        "of `gothic run`, the newest and the one before. HDF5 begins after 512 bytes, a text with "
        "the length and the CRC-32 of what follows. The logs so far are in groups as in their "
        "files. Only the version that wrote a checkpoint can read it",
    ),
}
SHARED = ("/Provenance", "/Units")
ELSEWHERE = ("/Options", "/ComponentNames")
LOGS = ("/Steps", "/Energy", "/Lagrange")
ROWS = {
    **dict.fromkeys(("/PartTypeN", "/Particles", "/State"), "N"),
    "/Points": "M",
    "/Components": "components",
}
NUMBERS = {"f": "real", "i": "integer", "u": "unsigned integer"}
Row = Sequence[str]


def code(word: object) -> str:
    """Mark a word as one of a program; nothing where there is none."""
    return f"`{word}`" if word != "" else ""


def words(names: Iterable[str]) -> str:
    """List names."""
    return ", ".join(map(code, names))


def table(headings: Row, rows: Iterable[Row]) -> str:
    """Write a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in cells) + "\n"


class Meanings:
    """The table of meanings.yaml, which tells what nobody asked for."""

    def __init__(self, path: Path = MEANINGS) -> None:
        self.path = path
        self.tables: dict[str, dict[str, list[str]]] = yaml.safe_load(path.read_text())
        self.unused = {(table, name) for table, rows in self.tables.items() for name in rows}

    def of(self, table: str, name: str) -> list[str]:
        """Look up unit and meaning of a name in a file of some kind, or in ``every file``.

        Raises
        ------
        DataError
            If nobody has written that down.
        """
        for place in (table, "every file"):
            if name in self.tables.get(place, {}):
                self.unused.discard((place, name))
                return self.tables[place][name]
        raise DataError(f"{self.path}: {table}: {name} is missing; add its unit and meaning")

    def finish(self) -> None:
        """Complain about entries that no file has.

        Raises
        ------
        DataError
            If there are some.
        """
        for table, name in sorted(self.unused):
            raise DataError(f"{self.path}: {table}: {name} is in no file; remove it")


def option_row(option: Option) -> Row:
    """Write an option."""
    values = ", ".join(map(str, option.choices)) or option.unit or option.type
    if option.type in ("number", "duration") and option.choices:
        values = f"{option.unit or option.type} or {values}"
    bounds = {"above": option.above, "at least": option.least, "at most": option.most}
    if not option.choices:
        given = [f"{word} {bound:.17g}" for word, bound in bounds.items() if bound is not None]
        values = " ".join([values, ", ".join(given)]).strip()
    default = "" if option.default is None or option.default_by else option.default
    if isinstance(default, bool):
        default = str(default).lower()
    conditions = ["required"] * option.required + ["one of these"] * option.one_of
    conditions += [f"not with `--{option.excludes}`"] * bool(option.excludes)
    conditions += [f"needs `--{option.needs}`"] * bool(option.needs)
    meaning = "; ".join([option.help, *conditions])
    return (
        code(option.name if option.positional else f"--{option.name}"),
        values,
        code(default),
        meaning,
    )


def options_part() -> Iterator[str]:
    """Write the options of all commands; those that a command before has, too, by name alone."""
    yield OPTIONS
    known: dict[Row, str] = {}
    for command in commands().values():
        if not command.options:
            continue
        yield f"### {command.name}\n\n{command.help[0].upper()}{command.help[1:]}.\n\n"
        others: dict[str, list[str]] = {}
        own = []
        for option in command.options.values():
            row = option_row(option)
            if row in known:
                others.setdefault(known[row], []).append(f"--{option.name}")
            else:
                known[row] = command.name
                own.append(row)
        for name, same in others.items():
            yield f"As of `{name}`: {words(same)}.\n\n"
        if own:
            yield table(("Option", "Values", "Default", "Meaning"), own)


def known_words(call: Sequence[object], text: str) -> list[str]:
    """List the words of a TOML file that a program knows in place of ``qqqqqq``.

    Parameters
    ----------
    call
        The command line, of which the last word is the file.
    text
        What is in it.

    Raises
    ------
    DataError
        If the program's message has another form.
    """
    Path(call[-1]).write_text(text)
    done = subprocess.run(list(map(str, call)), capture_output=True, text=True, check=False)
    match = re.search(r"(?:use one of|Known are): (.*)", done.stderr)
    if match is None:
        raise DataError(f"{call[0]}: lists no words in '{done.stderr}'")
    return match[1].split(", ")


def keys_by_kind(where: str, kinds: dict[str, list[str]], meanings: Meanings) -> str:
    """Write the keys of a table of which there are several kinds, and which kinds have them."""
    rows = []
    for key in dict.fromkeys(key for listed in kinds.values() for key in listed):
        having = [kind for kind, listed in kinds.items() if key in listed]
        without = [kind for kind in kinds if kind not in having]
        few = words(having) if len(having) <= len(without) else f"all but {words(without)}"
        rows.append((code(key), *meanings.of(where, key), few if without else "all"))
    return table(("Key", "Unit", "Meaning", "Has it"), rows)


def keys_part(samples: Programs, meanings: Meanings) -> Iterator[str]:
    """Write the keys of galaxy models and of static potentials."""
    file = samples.path("unknown.toml")
    keys = partial(known_words, [samples.programs / "gothic-ic", "--check", file])
    yield MODEL_KEYS
    for where, text in (("top level", ""), ("units", "[units]\n")):
        names = keys(f"{text}qqqqqq = 1\n[[component]]\n")
        rows = [(code(name), *meanings.of(f"{where} of a model", name)) for name in names]
        yield table((where.capitalize(), "Unit", "Meaning"), rows)
    component = '[[component]]\nname = "a"\nmass = 1.0\nscale = 1.0\n'
    profiles = {
        kind: keys(f'{component}profile = "{kind}"\nqqqqqq = 1\n')
        for kind in keys(f'{component}profile = "qqqqqq"\n')
    }
    yield f"Profiles of components: {words(profiles)}.\n\n"
    yield keys_by_kind("component of a model", profiles, meanings)
    given = ("--input", samples.path("ic.h5"), "--output", samples.path("no.h5"), "--external")
    keys = partial(known_words, [samples.programs / "gothic", "force", *given, file])
    kinds = {
        kind: keys(f'[[potential]]\ntype = "{kind}"\nqqqqqq = 1\n')
        for kind in keys('[[potential]]\ntype = "qqqqqq"\n')
    }
    yield f"{FIELD_KEYS}Types: {words(kinds)}.\n\n"
    yield keys_by_kind("static potential", kinds, meanings)


def schema_rows(part: dict, definitions: dict, before: str = "") -> Iterator[Row]:
    """List the keys of a schema with default and meaning, those of mappings and lists included."""

    def resolved(part: dict) -> dict:
        return definitions.get(part.get("$ref", "").removeprefix("#/$defs/"), {}) | part

    for name, rules in resolved(part).get("properties", {}).items():
        rules = resolved(rules)
        default = ""
        if "default" in rules:
            default = yaml.safe_dump(rules["default"], default_flow_style=True).split("\n")[0]
        if meaning := rules.get("description", ", ".join(map(str, rules.get("enum", [])))):
            yield code(before + name), code(default), meaning
        yield from schema_rows(rules, definitions, f"{before}{name}.")
        if "$ref" not in rules.get("items", {}):  # which is listed where it stands first
            yield from schema_rows(rules.get("items", {}), definitions, f"{before}{name}.")
        if isinstance(named := rules.get("additionalProperties"), dict):
            yield from schema_rows(named, definitions, f"{before}{name}.NAME.")


def studies_part() -> Iterator[str]:
    """Write the keys of studies."""
    yield STUDIES
    schema = study_rules()
    yield table(("Key", "Default", "Meaning"), schema_rows(schema, schema["$defs"]))


class Samples(Programs):
    """Small files of every kind."""

    def __init__(self, programs: Path, folder: Path) -> None:
        super().__init__(programs, folder)
        model = MODELS / "milky_way.toml"
        self.call("gothic-ic", model, "--particles", 512, "--output", "ic.h5")
        self.call("gothic-ic", model, "--table", "profiles.csv")
        given = ("--input", "ic.h5", "--device", "cpu")
        often = ("--checkpoint-interval", "1e-9s")
        self.call("gothic", "run", *given, "--output", "run", "--steps", 2, *often)
        with h5py.File(self.path("points.h5"), "w") as file:
            file["Coordinates"] = np.ones((2, 3))
        for command in ("force", "direct"):
            self.call("gothic", command, *given, "--output", f"{command}.h5")
            at = ("--at", "points.h5", "--output", f"{command}_at.h5")
            self.call("gothic", command, *given, *at)

    def columns(self, name: str) -> list[str]:
        """Read the names of the columns of a CSV file."""
        return list(pd.read_csv(self.path(name), nrows=0).columns)

    def bench(self, word: str) -> list[str]:
        """Run a measurement and list the columns of its own."""
        given = ("--input", "ic.h5")
        if word == "peak":
            given = ("--particles", 64, "--buffer-bytes", 4096)
        few = ("--repeats", 1, "--device", "cpu")
        self.call("gothic", "bench", word, *given, *few, "--output", "bench.csv")
        columns = self.columns("bench.csv")
        return columns[: columns.index("threads")]


def form(value: h5py.Dataset | np.ndarray, rows: str) -> str:
    """Write type and shape: 64-bit real [N, 3]."""
    kind, size = value.dtype.kind, value.dtype.itemsize
    name = f"{8 * size}-bit {NUMBERS[kind]}" if kind in NUMBERS else "text"
    if not value.shape:
        return name
    return f"{name} [{', '.join([rows or str(value.shape[0]), *map(str, value.shape[1:])])}]"


def items(group: h5py.Group, kind: str, meanings: Meanings) -> Iterator[tuple[str, str, str, Row]]:
    """List group, place, type, unit and meaning of the attributes and datasets of a file.

    Columns of logs tell their unit and meaning themselves.
    """
    where = re.sub(r"^/PartType\d$", "/PartTypeN", group.name)
    if where in ELSEWHERE or (kind == "checkpoint" and where in LOGS):
        return
    for name, value in sorted(group.attrs.items()):
        name = "NAME" if where == "/Clock/Numbers" else name
        about = meanings.of(kind, f"{where}/{name}")
        yield where, f"{code(where)} {name}", form(np.asarray(value), ""), about
    for name, member in group.items():
        if isinstance(member, h5py.Group):
            continue
        own = [member.attrs.get(key, b"").decode() for key in ("Unit", "Meaning")]
        about = own if own[1] else meanings.of(kind, f"{where}/{name}")
        yield where, code(f"{where}/{name}"), form(member, ROWS.get(where, "rows")), about
    for member in group.values():
        if isinstance(member, h5py.Group):
            yield from items(member, kind, meanings)


def files_part(samples: Samples, meanings: Meanings) -> Iterator[str]:
    """Write what the HDF5 files hold, and the columns of the profiles of a model."""
    yield FILES_HEAD
    described = {name for _, names, _ in FILES.values() for name in names}
    for path in sorted(samples.folder.glob("run/*.h5")):
        if f"run/{path.name}" not in described:
            raise DataError(f"{path.name} is not described; add it to FILES of {__file__}")
    headings = ("Dataset, or group and attribute", "Type", "Unit", "Meaning")
    shared: dict[str, Row] = {}
    for title, (kind, names, text) in FILES.items():
        rows: dict[str, list[str]] = {}
        for name in names:
            with h5py.File(samples.path(name)) as file:
                for group, place, type_, about in items(file, kind, meanings):
                    row = (shared if group in SHARED else rows).setdefault(
                        place, [place, type_, *about]
                    )
                    if type_ not in row[1]:
                        row[1] += f" or {type_}"
        yield f"### {title}\n\nFiles {text}.\n\n{table(headings, rows.values())}"
    yield f"### In every file\n\n{table(headings, [shared[place] for place in sorted(shared)])}"
    yield "### Profiles of a model\n\n`gothic-ic MODEL.toml --table FILE.csv`.\n\n"
    columns = samples.columns("profiles.csv")
    rows = [(code(name), *meanings.of("profiles", name)) for name in columns]
    yield table(("Column", "Unit", "Meaning"), rows)


def benches_part(samples: Samples) -> Iterator[str]:
    """Write the columns of the tables of ``gothic bench``."""
    yield BENCHES_HEAD
    names = [name.split()[-1] for name in commands() if name.startswith("gothic bench ")]
    rows = [(code(name), words(samples.bench(name))) for name in names if name != "tune"]
    yield table(("Word", "Columns"), rows)


def page(programs: Path, folder: Path) -> str:
    """Write the reference.

    Parameters
    ----------
    programs
        Folder of gothic and gothic-ic.
    folder
        Where small files of every kind are made.
    """
    meanings, samples = Meanings(), Samples(programs, folder)
    parts = [
        HEAD,
        *options_part(),
        *keys_part(samples, meanings),
        *studies_part(),
        *files_part(samples, meanings),
        *benches_part(samples),
    ]
    meanings.finish()
    return "".join(parts).rstrip("\n") + "\n"


def run() -> None:
    """Write the reference, or complain if it is not what would be written."""
    parser = argparse.ArgumentParser(prog="python -m analysis.reference", description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="folder of the programs")
    parser.add_argument("--output", type=Path, required=True, help="Markdown file")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        text = page(given.programs.resolve(), Path(folder))
    if not given.check:
        given.output.write_text(text)
    elif not given.output.exists() or given.output.read_text() != text:
        sys.exit(f"{given.output} is not up to date; run make docs")


if __name__ == "__main__":
    main(run)
