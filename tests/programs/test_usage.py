"""Wrong usage is refused with one line, help lists everything, and files may hold options.

What holds for every option is tested for every option of the table.
"""

from __future__ import annotations

import re

import h5py
import pytest

from analysis.reading.files import read_attributes
from python.option_table import Command, Option, commands
from tests.programs.gothic import Gothic

RUN = "run --input ic.h5 --output out"
FORCE = "force --input ic.h5 --output out.h5"
DIRECT = "direct --input ic.h5 --output out.h5"

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


@pytest.mark.parametrize("name", [name for name in OPTIONS if wrong_values(OPTIONS[name][1])])
def test_values_out_of_range_are_refused(gothic: Gothic, name: str) -> None:
    command, option = OPTIONS[name]
    program, *words = command.name.split()
    for value in wrong_values(option):
        message = gothic.refused(*words, f"--{name}={value}", program=program)
        assert re.match(rf"{program}: --{name}: {value} is (no|none of) ", message)
        for choice in option.choices:
            assert str(choice) in message
        if "config" in command.options:
            is_text = isinstance(value, str) and value not in ("nan", "inf")
            line = f'{name} = "{value}"' if is_text else f"{name} = {value}"
            (gothic.folder / "some.toml").write_text(f"# options\n{line}\n")
            message = gothic.refused(*words, "--config", "some.toml")
            assert f"--{name} (some.toml:2): " in message


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_tells_options_and_defaults(gothic: Gothic, command: Command) -> None:
    program, *words = command.name.split()
    text = " ".join(gothic.done(*words, "--help", program=program).split())
    for option in command.options.values():
        shown = option.name if option.positional else f"--{option.name}"
        assert f" {shown}" in text
        assert " ".join(option.help.split()) in text
        if option.default is not None and not option.default_by:
            default = str(option.default).replace("True", "true").replace("False", "false")
            assert re.search(rf"{shown}\b.*?= {default} {re.escape(option.help[:20])}", text), shown


def test_help_names_the_commands_and_an_example(gothic: Gothic) -> None:
    text = gothic.done("--help")
    for command in ("run", "force", "direct", "bench"):
        assert re.search(rf"^ +{command} +\w", text, re.MULTILINE)
    assert "gothic run --input ic.h5 --output result --time 10" in text
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", gothic.done("--version"))


def test_files_tell_the_defaults_of_the_table(gothic: Gothic) -> None:
    gothic.done(*RUN.split(), "--steps", 2)
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


# Words of a command line, and what the message has to say.
WRONG = {
    "": ["command"],
    "frobnicate": ["frobnicate", "run, force, direct, bench"],
    "--frobnicate": ["--frobnicate", "gothic --help"],
    f"{FORCE} --frobnicate": ["--frobnicate", "see gothic force --help"],
    f"{FORCE} --acuracy=1": ["--acuracy", "did you mean --accuracy?"],
    f"{FORCE} --steps 3": ["--steps"],
    f"{FORCE} stray": ["stray"],
    "force --output out.h5": ["--input"],
    "force --input ic.h5": ["--output"],
    f"{RUN} --steps 2 --eta": ["--eta"],
    f"{RUN} --steps 2 --eta 1 --eta 2": ["--eta"],
    # values that do not fit each other
    f"{FORCE} --mac opening --accuracy 1.1": ["--accuracy", "at most 1"],
    f"{FORCE} --softening 1e-30": ["--softening", "single precision"],
    f"{FORCE} --as-published points,walks": ["--as-published", "no part 'walks'", "extents, walk"],
    f"{FORCE} --softening 1e30": ["--softening", "single precision"],
    f"{FORCE} --device cpu --sharing 1 --group-size 1": ["leave out --sharing or --group-size"],
    f"{FORCE} --device cpu --list-capacity 1": ["--list-capacity", "use more"],
    f"{FORCE} --root estimate --accuracy 1e-7": ["--accuracy", "--root newton"],
    f"{DIRECT} --targets 4 --at points.h5": ["--targets excludes --at"],
    f"{RUN} --steps 2 --at points.h5": ["--at"],
    # times
    RUN: ["--steps", "--time"],
    f"{RUN} --steps 2 --time 1": ["--steps", "--time"],
    f"{RUN} --time 1e30": ["--time", "too long"],
    f"{RUN} --steps 2 --dt 0.01": ["--dt", "--step shared"],
    f"{RUN} --steps 2 --step shared --dt 1 --dt-max 1": ["--dt", "--dt-max"],
    f"{RUN} --time 1 --step shared --dt 0.3": ["--time", "--dt", "no multiple"],
    f"{RUN} --time 1 --snapshot-interval=1 --snapshot-times=1": ["--snapshot-times", "excludes"],
    f"{RUN} --time 1 --snapshot-times=-1": ["-1 is before the time of the input"],
    f"{RUN} --time 1 --snapshot-times=2": ["2 is after the end of the run, 1"],
    f"{RUN} --time 1 --snapshot-times=nan": ["--snapshot-times: nan"],
    f"{RUN} --time 1 --snapshot-interval=1e-9": ["more than 1e+06 snapshots"],
    f"{RUN} --step shared --dt 0.25 --time 1 --snapshot-times=0.3": ["0.3: is no multiple of --dt"],
    # places
    "force --input ic.h5 --output ic.h5/out.h5": ["ic.h5: the folder cannot be made"],
    "force --input ic.h5 --output folder": ["folder: output: is a folder; give the name of a file"],
    "force --input ic.h5 --output ./ic.h5": ["./ic.h5 is the input"],
    "direct --input ic.h5 --output link.h5": ["link.h5 is the input"],
    "direct --input ic.h5 --output points.h5 --at points.h5": ["--output points.h5: ", "--at"],
    "direct --input ic.h5 --output a.toml --external a.toml": ["--output a.toml: ", "--external"],
    "run --input folder/snapshot_000.h5 --output folder --steps 1": ["--overwrite"],
    "run --input ic.h5 --steps 1 --output ic.h5": ["--output ic.h5: ic.h5 is the input"],
    "run --input ic.h5 --steps 1 --output a.toml": ["a.toml: the folder cannot be made"],
    "run --input ic.h5 --steps 1 --output ic.h5/out": ["cannot be made", "choose another"],
    "run --input ic.h5 --steps 1 --output /proc/no/out": ["cannot be made", "choose another"],
    # files of options
    f"{RUN} --steps 2 --config": ["--config"],
    f"{RUN} --steps 2 --config nowhere.toml": ["nowhere.toml"],
}
CONVERSIONS = {
    "convert ic.h5 ic.dat": ["ic.dat: output: its suffix tells no format"],
    "convert no.h5 b.h5": ["no.h5: input: there is no such file; check the name"],
    "convert ic.h5 ic.h5": ["output ic.h5: ic.h5 is the input; choose another place"],
    "convert ic.h5": ["output is required; see gothic-ic convert --help"],
    "convert ic.h5 b.h5 --format fits": ["--format: fits is none of hdf5, tipsy"],
}


@pytest.mark.parametrize("words", [*WRONG, *CONVERSIONS], ids=lambda words: words.replace("/", "|"))
def test_wrong_usage_is_refused(gothic: Gothic, words: str) -> None:
    (gothic.folder / "folder").mkdir()
    (gothic.folder / "folder" / "snapshot_000.h5").hardlink_to(gothic.folder / "ic.h5")
    (gothic.folder / "link.h5").symlink_to("ic.h5")
    (gothic.folder / "a.toml").write_text("[[potential]]\ntype='nfw'\nscale_mass=1\nscale=1\n")
    with h5py.File(gothic.folder / "points.h5", "w") as file:
        file["Coordinates"] = [[1.0, 2.0, 3.0]]
    program = "gothic-ic" if words in CONVERSIONS else "gothic"
    message = gothic.refused(*words.split(), program=program)
    for complaint in (WRONG | CONVERSIONS)[words]:
        assert complaint in message


SHAPED = """
[[component]]
name = "halo"
profile = "table"
table = "shape.txt"
mass = 1.0
"""
OVER = {
    "gothic-ic model.toml --check --table model.toml": "model.toml is the model",
    "gothic-ic model.toml --check --table ./link.toml": "./link.toml is the model",
    "gothic-ic model.toml --check --table hard.toml": "hard.toml is the model",
    "gothic-ic model.toml --check --table shape.txt": "shape.txt is the table of component 'halo'",
    "gothic-ic model.toml --particles 9 --format hdf5 --output model.toml": "is the model",
    "gothic-ic model.toml --particles 9 --output new.h5 --table folder/../new.h5": (
        "--table folder/../new.h5: folder/../new.h5 is the file of --output, too"
    ),
    "gothic-ic new.h5.partial --particles 9 --output new.h5": "new.h5.partial is the model",
    "gothic-ic convert ic.h5 here/snapshot_000.h5": "here/snapshot_000.h5 is the input",
    "gothic-ic convert ic.h5 link.h5": "output link.h5: link.h5 is the input",
    "gothic-ic convert ic.tipsy ic.param --format hdf5": "ic.param is the units of the input",
    "gothic force --input ic.h5 --output run.toml --config run.toml": "the file of --config",
    "gothic force --input ic.h5 --output points.h5 --at points.h5": "the file of --at",
    "gothic run --input ic.h5 --output here --steps 1 --overwrite": (
        "--output here: here/snapshot_000.h5 is the input"
    ),
    "gothic run --input ic.h5 --output here --steps 1 --overwrite --external field.toml": (
        "here/snapshot_000.h5 is the input"
    ),
    "gothic bench balls --input ic.h5 --output a.csv --histogram ./a.csv": (
        "--histogram ./a.csv: ./a.csv is the file of --output, too"
    ),
}


@pytest.mark.parametrize("words", OVER, ids=lambda words: words.replace("/", "|"))
def test_nothing_is_written_over_what_is_read_or_another_result(gothic: Gothic, words: str) -> None:
    """Links and other spellings of a path are the same file."""
    folder = gothic.folder
    (folder / "model.toml").write_text(SHAPED)
    shape = "\n".join(f"{1.2**n:g} {1 / (1 + 1.2**n) ** 6:g}" for n in range(-20, 21))
    (folder / "shape.txt").write_text(shape)
    (folder / "link.toml").symlink_to("model.toml")
    (folder / "hard.toml").hardlink_to(folder / "model.toml")
    (folder / "new.h5.partial").write_text(SHAPED)
    (folder / "run.toml").write_text("threads = 1\n")
    (folder / "field.toml").write_text("[[potential]]\ntype='nfw'\nscale_mass=1\nscale=1\n")
    (folder / "points.h5").write_bytes(b"")
    (folder / "ic.param").write_text("dKpcUnit = 1\ndMsolUnit = 1e10\n")
    (folder / "ic.tipsy").write_bytes(b"")
    (folder / "folder").mkdir()
    (folder / "here").mkdir()
    (folder / "here" / "snapshot_000.h5").hardlink_to(folder / "ic.h5")
    (folder / "link.h5").symlink_to("ic.h5")
    program, *arguments = words.split()
    assert OVER[words] in gothic.refused(*arguments, program=program)


@pytest.mark.parametrize("device", ["cuda", "cuda:0", "abacus"])
def test_device_that_is_not_there_is_refused(gothic: Gothic, device: str) -> None:
    if gothic.call(*DIRECT.split(), "--device", device).returncode == 0:
        pytest.skip("there is a GPU, and the build can use it")
    for command in (f"{RUN} --steps 2", FORCE, DIRECT):
        message = gothic.refused(*command.split(), "--device", device)
        assert re.search(rf"--device {device}: .*cpu", message)


class TestConfig:
    """Options from a file."""

    @pytest.mark.parametrize("given", ['"0.25,0.5"', "[0.25, 0.5]", "['0.25', 0.5]"])
    def test_list_may_be_one_of_toml(self, gothic: Gothic, given: str) -> None:
        (gothic.folder / "run.toml").write_text(f"snapshot-times = {given}\n")
        gothic.done(*RUN.split(), "--time", "0.75", "--config", "run.toml")
        snapshots = sorted((gothic.folder / "out").glob("snapshot_*.h5"))
        times = [read_attributes(path, "Header")["Time"] for path in snapshots]
        assert times == [0, 0.25, 0.5, 0.75]

    def test_list_of_something_else_is_refused(self, gothic: Gothic) -> None:
        (gothic.folder / "run.toml").write_text("snapshot-times = [[0.25]]\n")
        message = gothic.refused(*RUN.split(), "--time", "0.75", "--config", "run.toml")
        assert "run.toml:1: snapshot-times: is neither a string, a number, true, false" in message

    def test_options_of_the_file_are_honoured(self, gothic: Gothic) -> None:
        (gothic.folder / "run.toml").write_text(
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
        assert (found["mac"], found["snapshot"]) == ("opening", "false")
        assert (float(found["accuracy"]), float(found["eta"])) == (0.375, 0.25)

    @pytest.mark.parametrize("form", [["--config", "run.toml"], ["--config=run.toml"]])
    @pytest.mark.parametrize("first", [True, False])
    def test_command_line_wins(self, gothic: Gothic, form: list[str], first: bool) -> None:
        text = 'mac = "multipole"\naccuracy = 0.5\nsoftening = 0.125\nsnapshot = true\n'
        (gothic.folder / "run.toml").write_text(text)
        own = ["--accuracy", "0.25", "--no-snapshot"]
        gothic.done(*RUN.split(), "--steps", 2, *([*form, *own] if first else [*own, *form]))
        found = read_attributes(gothic.folder / "out" / "steps.h5", "Options")
        assert (found["mac"], found["snapshot"]) == ("multipole", "false")
        assert (float(found["accuracy"]), float(found["softening"])) == (0.25, 0.125)

    @pytest.mark.parametrize(
        ("text", "complaints"),
        [
            ("etta = 0.5", ["run.toml: etta", "gothic run", "did you mean eta?"]),
            ("targets = 5", ["run.toml: targets", "gothic run", "remove"]),
            ("help = true", ["run.toml: help"]),
            ('config = "other.toml"', ["run.toml: config"]),
            ("[section]\neta = 0.5", ["run.toml:1: section", "section = VALUE"]),
            ("eta = 0.5\nmac = [1, 2]", ["--mac (run.toml:2): 1,2 is none of acceleration"]),
            ("eta = 0.5\neta = 0.25", ["run.toml:2", "not valid TOML"]),
            ("eta : 0.5", ["run.toml:1", "not valid TOML"]),
        ],
    )
    def test_wrong_file_is_refused(self, gothic: Gothic, text: str, complaints: list[str]) -> None:
        (gothic.folder / "run.toml").write_text(text)
        message = gothic.refused(*RUN.split(), "--steps", 2, "--config", "run.toml")
        for complaint in complaints:
            assert complaint in message
