"""docs/reference.md tells of every option, key, dataset and attribute that there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.files import DataError
from analysis.reference.files import Meanings
from analysis.reference.options import Option, commands, read_help
from analysis.reference.page import page
from tests.study.workflow import ROOT

HELP = """\
does something
Usage: gothic do [OPTIONS] input

Positionals:
  input INPUT REQUIRED        file to read

Options:
  -h,--help                   Print this help message and exit
  --softening FLOAT:above 0   a length;
                              without it none
  --capacity UINT:INT in [0 - 1024]=0
                              most particles
  --ball TEXT:cmp, com=com Excludes: --box
                              a ball
  --kept,--not-kept{false}=true
                              whether it is kept
  --files TEXT ... REQUIRED   some files
[Option Group: limit]
  one of these
  [Exactly 1 of the following options is required]
  Options:
    --steps INT:above 0         number of steps

Subcommands:
  again                       does it again
"""


def test_reference_is_up_to_date(programs: Path, tmp_path: Path) -> None:
    written = (ROOT / "docs" / "reference.md").read_text()
    assert page(programs, tmp_path) == written, "docs/reference.md is stale; run make docs"


def test_help_is_taken_apart() -> None:
    command = read_help("gothic do", HELP)
    assert command.description == "does something"
    assert list(command.options) == [
        Option("input", "INPUT", "", "required", "file to read"),
        Option("--softening", "number above 0", "", "", "a length; without it none"),
        Option("--capacity", "0 to 1024", "0", "", "most particles"),
        Option("--ball", "cmp, com", "com", "excludes: --box", "a ball"),
        Option("--kept, --not-kept", "", "true", "", "whether it is kept"),
        Option("--files", "text", "", "required", "some files"),
        Option("--steps", "integer above 0", "", "one of these", "number of steps"),
    ]


def test_commands_of_commands_are_found(programs: Path) -> None:
    names = [command.name for command in commands(programs, "gothic")]
    assert {"gothic run", "gothic force", "gothic direct", "gothic bench walk"} <= set(names)


def test_what_nobody_has_explained_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "meanings.yaml"
    path.write_text('steps.h5: {/Steps/dt: [time, "a step"], /Steps/gone: ["", "nothing"]}\n')
    meanings = Meanings(path)
    assert meanings.of("steps.h5", "/Steps/dt").unit == "time"
    with pytest.raises(DataError, match="/Steps/new is missing; add its unit and meaning"):
        meanings.of("steps.h5", "/Steps/new")
    with pytest.raises(DataError, match="/Steps/gone is in no file; remove it"):
        meanings.finish()
