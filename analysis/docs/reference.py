"""Write docs/reference.md: from the table of options, from schemas and from small files.

python -m analysis.docs.reference --programs build/bin --output docs/reference.md
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import h5py
import numpy as np
import pandas as pd
import yaml
from gothic.logs import LOGS

from analysis.errors import DataError, main
from analysis.programs import ROOT, Programs
from analysis.reading.files import package, use_package_of
from analysis.study.schema import rules as study_rules
from analysis.study.schema import varied_options
from python.option_table import Option, commands

TEMPLATE = Path(__file__).with_name("reference_template.md")
MEANINGS = ROOT / "analysis" / "reading" / "meanings.yaml"
# Parts of meanings.yaml, and small files that have everything that they tell.
FILES = {
    "snapshot": ("ic.h5", "run/snapshot_000.h5"),
    "forces": ("force.h5", "direct.h5", "force_at.h5", "direct_at.h5"),
    **{name: (f"run/{name}.h5",) for name in LOGS},
}
SEVERAL = "several files"
USERS_NAMES = ("/Options", "/ComponentNames")  # groups whose attributes are not listed
ROWS = {"/PartTypeN": "N", "/Points": "M", "/Components": "components"}
Row = Sequence[str]


def code(word: object) -> str:
    """Mark a word as one of a program; nothing where there is none."""
    return f"`{word}`" if word != "" else ""


def words(names: Iterable[object]) -> str:
    """List names."""
    return ", ".join(map(code, names))


def table(headings: Row, rows: Iterable[Row]) -> str:
    """Write a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


class Meanings:
    """The units and meanings of meanings.yaml."""

    def __init__(self, path: Path = MEANINGS) -> None:
        self.path = path
        self.parts: dict[str, dict[str, list[str]]] = yaml.safe_load(path.read_text())
        self.unused = {(part, name) for part, rows in self.parts.items() for name in rows}

    def has(self, part: str, name: str) -> bool:
        """Whether a part tells of a name."""
        return name in self.parts.get(part, {})

    def of(self, part: str, name: str) -> list[str]:
        """Look up unit and meaning of a name; a `DataError` if nobody has written them down."""
        if not self.has(part, name):
            raise DataError(f"{self.path}: {part}: {name} is missing; add its unit and meaning")
        self.unused.discard((part, name))
        return self.parts[part][name]

    def table(self, heading: str, part: str, names: Iterable[str]) -> str:
        """Write a table of names."""
        rows = [(code(name), *self.of(part, name)) for name in names]
        return table((heading, "Unit", "Meaning"), rows)

    def finish(self) -> None:
        """Raise a `DataError` for an entry that no file has."""
        for part, name in sorted(self.unused):
            raise DataError(f"{self.path}: {part}: {name} is in no file; remove it")


def option_row(command: str, option: Option) -> Row:
    """Write an option of a command, with its values in the words of the programs."""
    default = "" if option.default is None or option.default_by else option.default
    if isinstance(default, bool):
        default = str(default).lower()
    conditions = ["required"] * option.required
    conditions += [f"not with `--{other}`" for other in option.excludes]
    conditions += [f"needs `--{option.needs}`"] * bool(option.needs)
    name = option.name if option.positional else f"--{option.name}"
    with package():
        from gothic.option_values import values_of
    values = values_of(command, option.name)
    return code(name), values, code(default), "; ".join([option.help, *conditions])


def spelled(having: Iterable[str]) -> str:
    """List commands without the word gothic; ``bench`` for all words but peak."""
    text = words(name.removeprefix("gothic ") for name in having)
    benches = [name for name in commands() if re.match("gothic bench (?!peak)", name)]
    return text.replace(words(name.removeprefix("gothic ") for name in benches), "`bench`")


def option_tables() -> str:
    """Write each option once, under the headings of the programs' help."""
    sections: dict[str, dict[Row, list[str]]] = {}
    for command in commands().values():
        for option in command.options.values():
            rows = sections.setdefault(option.title, {})
            rows.setdefault(option_row(command.name, option), []).append(command.name)
    headings = ("Option", "Values", "Default", "Meaning", "Commands")
    return "\n\n".join(
        f"### {title}\n\n"
        + table(headings, [(*row, spelled(having)) for row, having in rows.items()])
        for title, rows in sections.items()
    )


def known_words(call: Sequence[object], text: str) -> list[str]:
    """List the words that a program knows in place of ``qqqqqq``.

    Parameters
    ----------
    call
        The command line, of which the last word is a TOML file.
    text
        What is in it.
    """
    Path(call[-1]).write_text(text)
    done = subprocess.run(list(map(str, call)), capture_output=True, text=True, check=False)
    match = re.search(r"(?:use one of|Known are): (.*)", done.stderr)
    if match is None:
        raise DataError(f"{call[0]}: lists no words in '{done.stderr}'")
    return match[1].split(", ")


def kinds_of(call: Sequence[object], text: str) -> dict[str, list[str]]:
    """List the keys of a TOML table by its kind, whose name follows the text."""
    kinds = known_words(call, f'{text} "qqqqqq"\n')
    return {kind: known_words(call, f'{text} "{kind}"\nqqqqqq = 1\n') for kind in kinds}


def keys_by_kind(kinds: Mapping[str, Sequence[str]], part: str, meanings: Meanings) -> str:
    """Write the keys of a table of which there are several kinds, and which kinds have them."""
    rows = []
    for key in dict.fromkeys(key for keys in kinds.values() for key in keys):
        having = [kind for kind, keys in kinds.items() if key in keys]
        without = [kind for kind in kinds if kind not in having]
        few = words(having) if len(having) <= len(without) else f"all but {words(without)}"
        rows.append((code(key), *meanings.of(part, key), few if without else "all"))
    return table(("Key", "Unit", "Meaning", "Has it"), rows)


def key_tables(samples: Programs, meanings: Meanings) -> dict[str, str]:
    """Write the keys of galaxy models and of static potentials."""
    file = samples.path("unknown.toml")
    check = [samples.programs / "gothic-ic", "--check", file]
    given = ("--input", samples.path("ic.h5"), "--output", samples.path("no.h5"), "--external")
    force = [samples.programs / "gothic", "force", *given, file]
    start = '[[component]]\nname = "a"\nmass = 1.0\nscale = 1.0\nprofile ='
    profiles, types = kinds_of(check, start), kinds_of(force, "[[potential]]\ntype =")
    top = known_words(check, "qqqqqq = 1\n[[component]]\n")
    units = known_words(check, "[units]\nqqqqqq = 1\n[[component]]\n")
    return {
        "model": meanings.table("Top level", "top level of a model", top),
        "units": meanings.table("Units", "units of a model", units),
        "profiles": words(profiles),
        "component": keys_by_kind(profiles, "component of a model", meanings),
        "types": words(types),
        "potential": keys_by_kind(types, "static potential", meanings),
    }


def schema_rows(part: dict, definitions: dict, before: str = "") -> Iterator[Row]:
    """List the keys of a schema with default and meaning, including keys of mappings and lists."""

    def resolved(part: dict) -> dict:
        return definitions.get(part.get("$ref", "").removeprefix("#/$defs/"), {}) | part

    for name, rules in resolved(part).get("properties", {}).items():
        if before == "runs.defaults." and name in varied_options():
            continue
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


class Samples(Programs):
    """Small files of every kind."""

    def __init__(self, programs: Path, folder: Path) -> None:
        super().__init__(programs, folder)
        self.draw("milky_way", 512, "ic.h5", "--table", "profiles.csv")
        given = ("--input", "ic.h5", "--device", "cpu")
        self.call("gothic", "run", *given, "--output", "run", "--steps", 2, "--no-final-checkpoint")
        with h5py.File(self.path("points.h5"), "w") as file:
            file["Coordinates"] = np.ones((2, 3))
        for command, further in {"force": ("--force-error", 1e-3), "direct": ()}.items():
            self.call("gothic", command, *given, *further, "--output", f"{command}.h5")
            at = ("--at", "points.h5", "--output", f"{command}_at.h5")
            self.call("gothic", command, *given, *at)

    def columns(self, name: str) -> list[str]:
        """Read the names of the columns of a CSV file."""
        return list(pd.read_csv(self.path(name), comment="#", nrows=0).columns)

    def benches(self) -> str:
        """Run the measurements and write the columns that each has of its own."""
        rows = []
        for word in (name.split()[-1] for name in commands() if name.startswith("gothic bench ")):
            given = ("--input", "ic.h5")
            if word == "peak":
                given = ("--particles", 64, "--buffer-bytes", 4096)
            few = ("--repeats", 1, "--device", "cpu", "--output", "bench.csv")
            self.call("gothic", "bench", word, *given, *few)
            columns = self.columns("bench.csv")
            rows.append(
                (code(word), words(name for name in columns if not name.endswith(("_min", "_max"))))
            )
        return table(("Word", "Columns"), rows)


def form(value: h5py.Dataset | np.ndarray, rows: str) -> str:
    """Write type and shape as NumPy has them, the number of rows in words: float32 [N, 3]."""
    name = value.dtype.name if value.dtype.kind in "fiu" else "text"
    shape = [rows, *map(str, value.shape[1:])] if rows else map(str, value.shape)
    return f"{name} [{', '.join(shape)}]" if value.shape else name


def items(group: h5py.Group) -> Iterator[tuple[str, str, str, list[str]]]:
    """List group, name, type, and unit and meaning of the attributes and datasets of a file.

    Only the columns of logs tell their unit and meaning themselves.
    """
    where = re.sub(r"^/PartType\d$", "/PartTypeN", group.name)
    if where in USERS_NAMES:
        return
    for name, value in sorted(group.attrs.items()):
        yield where, name, form(np.asarray(value), ""), []
    for name, member in group.items():
        if isinstance(member, h5py.Group):
            yield from items(member)
        elif "Meaning" in member.attrs:
            about = [member.attrs.get(key, b"").decode() for key in ("Unit", "Meaning")]
            yield where, name, form(member[0], ""), about
        else:
            yield where, name, form(member, ROWS.get(where, "")), []


def group_tables(groups: Mapping[str, Mapping[str, Row]]) -> str:
    """Write a table for each group; names with type and meaning in common share a line."""
    tables = []
    for group, rows in groups.items():
        names: dict[Row, list[str]] = {}
        for name, about in rows.items():
            names.setdefault(tuple(about), []).append(name)
        lines = [(words(sharing), *about) for about, sharing in names.items()]
        tables.append(table((code(group), "Type", "Unit", "Meaning"), lines))
    return "\n\n".join(tables)


def log_sections(samples: Samples, tables: Mapping[str, str]) -> str:
    """Write a section for each log of a run."""
    sections = []
    for name, (_, meaning) in LOGS.items():
        about = f"A file of `gothic run`: {meaning}."
        with h5py.File(samples.path(f"run/{name}.h5")) as file:
            if "ComponentNames" in file:
                about += "\nThe attributes of `/ComponentNames` are the names of the components."
        sections.append(f"### {name}.h5\n\n{about}\n\n{tables[name]}")
    return "\n\n".join(sections)


def file_tables(samples: Samples, meanings: Meanings) -> dict[str, str]:
    """Write what the HDF5 files hold."""
    known = {name for names in FILES.values() for name in names}
    for path in samples.folder.glob("run/*.h5"):
        if f"run/{path.name}" not in known:
            raise DataError(f"{path.name} is not described; add it to FILES of {__file__}")
    with h5py.File(samples.path("run/steps.h5")) as file:
        counts = {f"/Timing/{name}": about for _, name, _, about in items(file["Steps"]) if about}
    found: dict[str, dict[str, dict[str, list[str]]]] = {part: {} for part in (*FILES, SEVERAL)}
    for part, names in FILES.items():
        for name in names:
            with h5py.File(samples.path(name)) as file:
                for group, item, type_, own in items(file):
                    place = f"{group}/{item}"
                    where = SEVERAL if meanings.has(SEVERAL, place) else part
                    if not own and not meanings.has(where, place):
                        own = counts.get(place)
                    about = own or meanings.of(where, place)
                    row = found[where].setdefault(group, {}).setdefault(item, [type_, *about])
                    if type_ not in row[0]:
                        row[0] += f" or {type_}"
    tables = {part.split()[0]: group_tables(groups) for part, groups in found.items()}
    return tables | {"logs": log_sections(samples, tables)}


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
    schema = study_rules()
    about = [(code(one.name), one.help) for one in commands().values() if one.options]
    parts = {
        "commands": table(("Command", "What it does"), about),
        "course": words(
            f"--{one.name}" for one in commands()["gothic run"].options.values() if one.course
        ),
        "options": option_tables(),
        "study": table(("Key", "Default", "Meaning"), schema_rows(schema, schema["$defs"])),
        "run_options": words(varied_options()),
        "profile_table": meanings.table("Column", "profiles", samples.columns("profiles.csv")),
        "benches": samples.benches(),
        **key_tables(samples, meanings),
        **file_tables(samples, meanings),
    }
    meanings.finish()
    return TEMPLATE.read_text().format(**parts)


def run() -> None:
    """Write the reference."""
    parser = argparse.ArgumentParser(prog="python -m analysis.docs.reference", description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="folder of the programs")
    parser.add_argument("--output", type=Path, required=True, help="Markdown file")
    given = parser.parse_args()
    use_package_of(given.programs)
    with TemporaryDirectory() as folder:
        given.output.write_text(page(given.programs.resolve(), Path(folder)))


if __name__ == "__main__":
    main(run)
