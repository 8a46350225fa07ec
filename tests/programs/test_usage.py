"""Wrong usage is refused with one line, help says what there is, and files may hold options.

What holds for every option is tested for every option of the table.
"""

from __future__ import annotations

import re
from pathlib import Path

import h5py
import pytest

from analysis.files import read_attributes
from python.option_table import Command, Option, commands
from tests.programs.gothic import Gothic

RUN = ("run", "--input", "ic.h5", "--output", "out", "--steps", "2")
FORCE = ("force", "--input", "ic.h5", "--output", "out.h5")
DIRECT = ("direct", "--input", "ic.h5", "--output", "out.h5")

COMMANDS = [command for command in commands().values() if command.options]
# Every option once, with the first command that has it.
OPTIONS = {
    option.name: (command, option)
    for command in reversed(COMMANDS)
    for option in command.options.values()
}


def wrong_values(option: Option) -> list[object]:
    """Values that an option does not take."""
    wrong: list[object] = {
        "word": ["bonsai"],
        "flag": ["maybe"],
        "number": ["high", "nan", "inf"],
        "integer": ["high", 2.5],
        "duration": ["soon", "5 fortnights", "-5min"],
        "numbers": ["1,x"],
    }.get(option.type, [])
    if option.above is not None and option.type == "number":
        wrong = [*wrong, option.above]
    if option.least is not None and option.type != "duration":
        wrong = [*wrong, option.least - 1]
    if option.most is not None:
        wrong = [*wrong, option.most + 1]
    return wrong


def program(command: Command) -> tuple[str, list[str]]:
    """Part a command into the program and the words that follow."""
    name, *words = command.name.split()
    return name, words


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [
        pytest.param(command, option, value, id=f"{name}={value}")
        for name, (command, option) in OPTIONS.items()
        for value in wrong_values(option)
    ],
)
def test_value_out_of_range_is_refused(
    gothic: Gothic, command: Command, option: Option, value: object
) -> None:
    name, words = program(command)
    message = gothic.refused(*words, f"--{option.name}={value}", program=name)
    assert re.match(rf"{name}: --{option.name}: {value} is (no|none of) ", message)
    for choice in option.choices:
        assert str(choice) in message
    if "config" not in command.options:
        return
    quoted = f'"{value}"' if isinstance(value, str) and value not in ("nan", "inf") else value
    (gothic.folder / "some.toml").write_text(f"# options\n{option.name} = {quoted}\n")
    message = gothic.refused(*words, "--config", "some.toml")
    assert f"--{option.name} (some.toml:2): " in message


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_tells_options_and_defaults(gothic: Gothic, command: Command) -> None:
    name, words = program(command)
    result = gothic.call(*words, "--help", program=name)
    assert result.returncode == 0
    text = " ".join(result.stdout.split())
    for option in command.options.values():
        shown = option.name if option.positional else f"--{option.name}"
        assert f" {shown}" in text
        assert " ".join(option.help.split()) in text
        if option.default is not None and not option.default_by:
            default = str(option.default).replace("True", "true").replace("False", "false")
            assert re.search(rf"{shown}\b.*?= {default} {re.escape(option.help[:20])}", text), shown


def test_files_tell_the_defaults_of_the_table(gothic: Gothic) -> None:
    gothic.done(*RUN)
    found = read_attributes(gothic.folder / "out" / "steps.h5", "Options")
    options = commands()["gothic run"].options
    given = {"input": "ic.h5", "output": "out", "steps": "2", "softening": "0.05"}
    for name, option in options.items():
        default = option.default
        if isinstance(default, dict):
            default = default[options[option.default_by].default]
        if isinstance(default, bool):
            default = str(default).lower()
        value = given.get(name, "" if default is None else str(default))
        assert found.get(name, "") == value, name


@pytest.mark.parametrize(
    ("arguments", "complaints"),
    [
        ([], ["command"]),
        (["frobnicate"], ["frobnicate", "run, force, direct, bench"]),
        (["--frobnicate"], ["--frobnicate", "gothic --help"]),
        ([*FORCE, "--frobnicate"], ["--frobnicate", "see gothic force --help"]),
        ([*FORCE, "--acuracy=1"], ["--acuracy", "did you mean --accuracy?"]),
        ([*FORCE, "--steps", "3"], ["--steps"]),
        ([*FORCE, "stray"], ["stray"]),
        (["force", "--output", "out.h5"], ["--input"]),
        (["force", "--input", "ic.h5"], ["--output"]),
        ([*RUN, "--eta"], ["--eta"]),
        ([*RUN, "--eta", "1", "--eta", "2"], ["--eta"]),
        ([*RUN, "--snapshot-interval=1", "--snapshot-times=1"], ["--snapshot-times", "excludes"]),
        ([*RUN, "--snapshot-times=-1"], ["--snapshot-times: -1 is before the time of the input"]),
        ([*RUN, "--snapshot-times=nan"], ["--snapshot-times: nan"]),
        ([*FORCE, "--mac", "opening", "--accuracy", "1.1"], ["--accuracy", "at most 1"]),
        ([*FORCE, "--softening", "1e-30"], ["--softening", "single precision"]),
        ([*FORCE, "--softening", "1e30"], ["--softening", "single precision"]),
        (
            [*FORCE, "--device", "cpu", "--sharing", "1", "--group-size", "1"],
            ["--sharing", "groups of 1", "leave out --sharing or --group-size"],
        ),
        ([*FORCE, "--device", "cpu", "--list-capacity", "1"], ["--list-capacity", "use more"]),
        ([*FORCE, "--device", "abacus"], ["--device abacus", "use auto, cpu, cuda"]),
        (
            [*FORCE, "--root", "estimate", "--accuracy", "1e-7"],
            ["--root estimate", "--accuracy", "--root newton"],
        ),
        ([*DIRECT, "--targets", "4", "--at", "ic.h5"], ["--targets excludes --at"]),
        (RUN[:-2], ["--steps", "--time"]),
        ([*RUN, "--time", "1"], ["--steps", "--time"]),
        ([*RUN[:-2], "--time", "1e30"], ["--time", "too long"]),
        ([*RUN, "--dt", "0.01"], ["--dt", "--step shared"]),
        ([*RUN, "--step", "shared", "--dt", "1", "--dt-max", "1"], ["--dt", "--dt-max"]),
        (
            [*RUN[:-2], "--time", "1", "--step", "shared", "--dt", "0.3"],
            ["--time", "--dt", "no multiple"],
        ),
    ],
    ids=lambda value: " ".join(value).replace("/", "")[-60:] if isinstance(value, list) else "",
)
def test_wrong_usage_is_refused(
    gothic: Gothic, arguments: list[str], complaints: list[str]
) -> None:
    message = gothic.refused(*arguments)
    for complaint in complaints:
        assert complaint in message


@pytest.mark.parametrize("command", [RUN, FORCE, DIRECT], ids=lambda command: command[0])
@pytest.mark.parametrize("device", ["cuda", "cuda:0"])
def test_device_that_the_build_lacks_is_refused(
    gothic: Gothic, command: tuple[str, ...], device: str
) -> None:
    if gothic.call(*DIRECT, "--device", device).returncode == 0:
        pytest.skip("there is a GPU, and the build can use it")
    message = gothic.refused(*command, "--device", device)
    assert f"--device {device}: " in message
    assert "--device cpu" in message


def test_help_names_the_commands_and_an_example(gothic: Gothic) -> None:
    text = gothic.done("--help")
    for command in ("run", "force", "direct", "bench"):
        assert re.search(rf"^ +{command} +\w", text, re.MULTILINE)
    assert "gothic run --input ic.h5 --output result --time 10" in text


def test_version_is_a_number(gothic: Gothic) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", gothic.done("--version"))


class TestConfig:
    """Options from a file."""

    def write(self, gothic: Gothic, text: str) -> Path:
        path = gothic.folder / "run.toml"
        path.write_text(text)
        return path

    def test_options_of_the_file_are_honoured(self, gothic: Gothic) -> None:
        self.write(
            gothic,
            'input = "ic.h5"\noutput = "out"\nsteps = 3\n'
            'mac = "opening"\naccuracy = 0.375\neta = 0.25\n'
            'step = "shared"\ndt = 1e-3\nrebuild-interval = 2\nsnapshot = false\n',
        )
        gothic.done("run", "--config", "run.toml")
        assert not (gothic.folder / "out" / "snapshot_000.h5").exists()
        with h5py.File(gothic.folder / "out" / "steps.h5") as file:
            assert file["Steps/dt"][()].tolist() == [1e-3] * 3
            assert file["Steps/rebuilt"][()].tolist() == [0, 0, 1]
        found = read_attributes(gothic.folder / "out" / "steps.h5", "Options")
        assert found["mac"] == "opening"
        assert float(found["accuracy"]) == 0.375
        assert float(found["eta"]) == 0.25
        assert found["snapshot"] == "false"

    @pytest.mark.parametrize("form", [["--config", "run.toml"], ["--config=run.toml"]])
    @pytest.mark.parametrize("first", [True, False])
    def test_command_line_wins(self, gothic: Gothic, form: list[str], first: bool) -> None:
        self.write(gothic, 'mac = "multipole"\naccuracy = 0.5\nsoftening = 0.125\n')
        own = ["--accuracy", "0.25"]
        gothic.done(*FORCE, *([*form, *own] if first else [*own, *form]))
        found = read_attributes(gothic.folder / "out.h5", "Options")
        assert found["mac"] == "multipole"
        assert float(found["accuracy"]) == 0.25
        assert float(found["softening"]) == 0.125

    def test_flag_of_the_command_line_wins(self, gothic: Gothic) -> None:
        self.write(gothic, "snapshot = true\n")
        gothic.done(*RUN, "--no-snapshot", "--config", "run.toml")
        assert not (gothic.folder / "out" / "snapshot_000.h5").exists()

    @pytest.mark.parametrize(
        ("text", "complaints"),
        [
            ("etta = 0.5", ["run.toml: etta", "gothic run", "remove"]),
            ("targets = 5", ["run.toml: targets", "gothic run", "remove"]),
            ("help = true", ["run.toml: help"]),
            ('config = "other.toml"', ["run.toml: config"]),
            ("[section]\neta = 0.5", ["run.toml:1: section", "section = VALUE"]),
            ("eta = 0.5\nmac = [1, 2]", ["run.toml:2: mac", "mac = VALUE"]),
            ("eta = 0.5\neta = 0.25", ["run.toml:2", "not valid TOML"]),
            ("eta : 0.5", ["run.toml:1", "not valid TOML"]),
        ],
    )
    def test_wrong_file_is_refused(self, gothic: Gothic, text: str, complaints: list[str]) -> None:
        self.write(gothic, text)
        message = gothic.refused(*RUN, "--config", "run.toml")
        for complaint in complaints:
            assert complaint in message

    def test_missing_file_is_refused(self, gothic: Gothic) -> None:
        assert "nowhere.toml" in gothic.refused(*RUN, "--config", "nowhere.toml")
        assert "--config" in gothic.refused(*RUN, "--config")
