"""The text of docs/reference.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from analysis.files import DataError
from analysis.programs import ROOT
from analysis.reference.files import Item, Meanings, items
from analysis.reference.keys import FieldKeys, ModelKeys, schema_keys
from analysis.reference.markdown import code, table
from analysis.reference.options import Command, Option, commands
from analysis.reference.samples import BENCHES, Samples

HEAD = """\
# Reference

Every option of the programs, every key of their input files, every dataset and attribute of the
files that they write. This page is made from the programs: `make docs` writes it anew.

"""
# Groups that are the same in every file.
SHARED = ("/Provenance", "/Units")
LISTED_ELSEWHERE = (*SHARED, "/Options", "/ComponentNames")
FILES = {
    "Snapshots": (
        "snapshot",
        ("ic.h5", "run/snapshot_000.h5"),
        "of `gothic-ic` and `gothic run`; GADGET HDF5 ([formats.md](formats.md))",
    ),
    "Forces": ("forces", ("force.h5", "direct.h5"), "of `gothic force` and `gothic direct`"),
    "Forces at points": (
        "forces",
        ("force_at.h5", "direct_at.h5"),
        "of `gothic force --at` and `gothic direct --at`, with `/Timing` as above",
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
        "of `gothic run`, the newest and the one before: all that a run needs to go on. HDF5 "
        "begins after 512 bytes, a text with the length and the CRC-32 of what follows. The rows "
        "of the logs so far are in groups as in the logs. Only the version that wrote a "
        "checkpoint needs to read it",
    ),
}
# Groups of a checkpoint that are those of the logs.
LOGS = ("/Steps", "/Energy", "/Lagrange")


def page(programs: Path, folder: Path) -> str:
    """Write the reference.

    Parameters
    ----------
    programs
        Folder of gothic and gothic-ic.
    folder
        Where small files of every kind are made.
    """
    meanings = Meanings()
    samples = Samples(programs, folder)
    parts = [
        HEAD,
        *options_part(programs),
        *model_part(ModelKeys(programs, folder), meanings),
        *field_part(FieldKeys(programs, folder), meanings),
        *study_part(),
        *files_part(samples, meanings),
        *benches_part(samples),
    ]
    meanings.finish()
    return "".join(parts)


def options_part(programs: Path) -> Iterator[str]:
    """Write the options of all commands; those that a command has met before are named alone."""
    yield "## Options\n\n"
    yield (
        "Options can also stand in a TOML file, under the same names without dashes, which "
        "`--config` names. "
        "Lengths, times and velocities are in the units of the input.\n\n"
    )
    known: dict[Option, str] = {}
    for root in ("gothic", "gothic-ic"):
        for command in commands(programs, root):
            yield from options_of(command, known)
            for option in command.options:
                known.setdefault(option, command.name)


def options_of(command: Command, known: dict[Option, str]) -> Iterator[str]:
    """Write the options of a command, of which some have been explained already."""
    yield f"### {command.name}\n\n"
    description = command.description.split("\n\n")[0]
    yield f"{description[:1].upper()}{description[1:].rstrip('.')}.\n\n"
    others: dict[str, list[str]] = {}
    for option in command.options:
        if option in known:
            others.setdefault(known[option], []).append(code(option.name))
    for name, same in others.items():
        yield f"As of `{name}`: {', '.join(same)}.\n\n"
    own = [option for option in command.options if option not in known]
    rows = [
        (
            code(option.name),
            option.values,
            code(option.default),
            f"{option.meaning} ({option.relation})" if option.relation else option.meaning,
        )
        for option in own
    ]
    if rows:
        yield table(("Option", "Values", "Default", "Meaning"), rows) + "\n"


def model_part(keys: ModelKeys, meanings: Meanings) -> Iterator[str]:
    """Write the keys of a galaxy model."""
    profiles = {profile: keys.of(profile) for profile in keys.kinds()}
    yield (
        "## Galaxy models\n\n"
        "A model is a TOML file for `gothic-ic` ([models.md](models.md)). Its top level, the table "
        "`[units]` and the tables `[[component]]` have these keys. "
        f"Profiles: {words(profiles)}.\n\n"
    )
    for where, title, names in (
        ("top level of a model", "Top level", keys.top()),
        ("units of a model", "`[units]`", keys.units()),
    ):
        rows = [key_row(where, name, meanings) for name in names]
        yield f"{title}:\n\n{table(('Key', 'Unit', 'Meaning'), rows)}\n"
    yield "`[[component]]`:\n\n"
    yield keys_by_kind("component of a model", "Profiles", profiles, meanings)


def field_part(keys: FieldKeys, meanings: Meanings) -> Iterator[str]:
    """Write the keys of static potentials."""
    kinds = {kind: keys.of(kind) for kind in keys.kinds()}
    yield (
        "## Static potentials\n\n"
        "The TOML file of `--external` has a table `[[potential]]` for each, with these keys. "
        f"Types: {words(kinds)}.\n\n"
    )
    yield keys_by_kind("static potential", "Types", kinds, meanings)


def keys_by_kind(where: str, title: str, kinds: dict[str, list[str]], meanings: Meanings) -> str:
    """Write the keys of a table of which there are several kinds, and which kinds have them."""
    rows = []
    for name in dict.fromkeys(key for listed in kinds.values() for key in listed):
        having = [kind for kind, listed in kinds.items() if name in listed]
        rows.append((*key_row(where, name, meanings), owners(having, list(kinds))))
    return table(("Key", "Unit", "Meaning", title), rows) + "\n"


def key_row(where: str, name: str, meanings: Meanings) -> tuple[str, str, str]:
    """Write a key with its unit and meaning."""
    meaning = meanings.of(where, name)
    return code(name), meaning.unit, meaning.text


def owners(having: list[str], kinds: list[str]) -> str:
    """Name the kinds that have a key, or those that have it not if they are fewer."""
    without = [kind for kind in kinds if kind not in having]
    if not without:
        return "all"
    if len(without) < len(having):
        return f"all but {words(without)}"
    return words(having)


def words(names: Iterable[str]) -> str:
    """List names."""
    return ", ".join(map(code, names))


def study_part() -> Iterator[str]:
    """Write the keys of both kinds of study."""
    yield "## Studies\n\n"
    for title, name, where in (
        ("The study of the paper", "schema.yaml", "[study.md](study.md)"),
        ("Parameter studies", "schema_runs.yaml", "[studies.md](studies.md)"),
    ):
        yield f"### {title}\n\nKeys of a YAML file by `config/{name}`; see {where}. "
        yield "A key without default must be given, where the mapping that it is in is given.\n\n"
        rows = [
            (code(key.name), code(key.default), key.meaning)
            for key in schema_keys(ROOT / "config" / name)
        ]
        yield table(("Key", "Default", "Meaning"), rows) + "\n"


def files_part(samples: Samples, meanings: Meanings) -> Iterator[str]:
    """Write what the HDF5 files hold, and the columns of the profiles of a model."""
    yield "## Files\n\n"
    yield (
        "A file has its name when it is complete; until then it is called `NAME.partial`. `N` "
        "is the number of "
        "particles of a type; particle types are GADGET's, `/PartType0` to `/PartType5`. Units "
        "are those that "
        "`/Header` or `/Units` name.\n\n"
    )
    require_all_described(samples)
    shared: dict[Item, None] = {}
    for title, (kind, names, text) in FILES.items():
        found = list(dict.fromkeys(item for name in names for item in items(samples.path(name))))
        shared |= dict.fromkeys(item for item in found if item.group in SHARED)
        yield f"### {title}\n\nFiles {text}.\n\n"
        elsewhere = LISTED_ELSEWHERE + (LOGS if kind == "checkpoint" else ())
        own = [item for item in found if item.group not in elsewhere]
        yield file_table(kind, own, meanings)
    yield "### In every file\n\n"
    yield (
        "Snapshots and forces have `/Units`. All have `/Provenance` and, as attributes of "
        "`/Options`, every option of "
        "the command with its value, as a text.\n\n"
    )
    own = sorted({(item.group, item.name): item for item in shared}.values(), key=lambda i: i.path)
    yield file_table("every file", own, meanings)
    yield (
        "### Profiles of a model\n\n`gothic-ic MODEL.toml --table FILE.csv`: a row for each "
        "component and radius.\n\n"
    )
    rows = []
    for name in samples.columns("profiles.csv"):
        meaning = meanings.of("profiles", name)
        rows.append((code(name), meaning.unit, meaning.text))
    yield table(("Column", "Unit", "Meaning"), rows) + "\n"


def require_all_described(samples: Samples) -> None:
    """Complain about files that no part of the page is about.

    Raises
    ------
    DataError
        If there are some.
    """
    described = {name for _, names, _ in FILES.values() for name in names}
    for path in sorted(samples.folder.glob("run/*.h5")):
        name = str(path.relative_to(samples.folder))
        if name not in described:
            raise DataError(f"{name} is not described; add it to FILES of {__name__}")


def file_table(kind: str, found: list[Item], meanings: Meanings) -> str:
    """Write the table of the datasets and attributes of a file."""
    rows = []
    for (group, name), same in by_place(found).items():
        meaning = meanings.of(kind, f"{group}/{name}")
        form = " or ".join(dict.fromkeys(f"{item.form} {item.shape}".strip() for item in same))
        place = code(f"{group}/{name}") if same[0].kind == "dataset" else f"{code(group)} {name}"
        rows.append((place, form, meaning.unit, meaning.text))
    return table(("Dataset, or group and attribute", "Type", "Unit", "Meaning"), rows) + "\n"


def by_place(found: list[Item]) -> dict[tuple[str, str], list[Item]]:
    """Collect items of one name, which may have several types."""
    places: dict[tuple[str, str], list[Item]] = {}
    for item in found:
        places.setdefault((item.group, item.name), []).append(item)
    return places


def benches_part(samples: Samples) -> Iterator[str]:
    """Write the columns of the tables of ``gothic bench``."""
    yield "### Tables of measurements\n\n"
    yield (
        "`gothic bench WORD --output FILE.csv`. Seconds are medians of the repeats, `_min` and "
        "`_max` their extremes. Every "
        "row ends with `threads`, `device`, `revision`, `version`, `compiler` and "
        "`command_line`.\n\n"
    )
    rows = []
    for word in BENCHES:
        columns = samples.bench(word)
        rows.append((code(word), words(columns[: columns.index("threads")])))
    yield table(("Word", "Columns"), rows)
