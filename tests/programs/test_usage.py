"""Wrong usage is refused with one line, help says what there is, and files may hold options."""

from __future__ import annotations

import re

import h5py
import pytest

from analysis.files import read_attributes
from tests.programs.gothic import Gothic

RUN = ("run", "--input", "ic.h5", "--output", "out", "--steps", "2")
FORCE = ("force", "--input", "ic.h5", "--output", "out.h5")
DIRECT = ("direct", "--input", "ic.h5", "--output", "out.h5")

COMMON = {
    "input",
    "output",
    "softening",
    "external",
    "device",
    "threads",
    "warp-threads",
    "index-threads",
    "config",
}
TREE = {
    "mac",
    "accuracy",
    "root",
    "curve",
    "leaf-capacity",
    "group-size",
    "sharing",
    "list-capacity",
    "group-extent",
    "ball",
    "split-ratio",
}
OPTIONS = {
    "run": COMMON
    | TREE
    | {
        "step",
        "eta",
        "dt",
        "dt-max",
        "steps",
        "time",
        "rebuild-interval",
        "rebuild-rule",
        "snapshot",
        "snapshot-interval",
        "snapshot-times",
        "compression",
        "checkpoint-interval",
        "stop-after",
        "restart",
        "log",
        "dry-run",
    },
    "force": COMMON | TREE | {"at"},
    "direct": COMMON | {"at", "targets", "precision", "root"},
}


@pytest.mark.parametrize(
    ("arguments", "complaints"),
    [
        ([], ["command"]),
        (["frobnicate"], ["frobnicate", "run, force or direct"]),
        (["--frobnicate"], ["command"]),
        ([*FORCE, "--frobnicate"], ["--frobnicate"]),
        ([*FORCE, "--steps", "3"], ["--steps"]),
        ([*FORCE, "stray"], ["stray"]),
        (["force", "--output", "out.h5"], ["--input"]),
        (["force", "--input", "ic.h5"], ["--output"]),
        ([*FORCE, "--mac", "bonsai"], ["--mac", "bonsai", "acceleration, multipole, opening"]),
        ([*FORCE, "--mac", "0"], ["--mac", "acceleration, multipole, opening"]),
        ([*FORCE, "--curve", "dragon"], ["--curve", "dragon", "hilbert, morton"]),
        ([*FORCE, "--root", "square"], ["--root", "square", "auto, newton, estimate"]),
        ([*RUN, "--step", "giant"], ["--step", "giant", "block, shared"]),
        ([*DIRECT, "--precision", "half"], ["--precision", "half", "double, single"]),
        ([*RUN, "--compression", "10"], ["--compression", "0", "9"]),
        ([*RUN, "--snapshot-interval", "0"], ["--snapshot-interval", "above 0"]),
        ([*RUN, "--snapshot-interval=1", "--snapshot-times=1"], ["--snapshot-times", "excludes"]),
        ([*RUN, "--snapshot-times", "1,x"], ["--snapshot-times", "x"]),
        ([*RUN, "--snapshot-times=-1"], ["--snapshot-times: -1 is before the time of the input"]),
        ([*RUN, "--snapshot-times=nan"], ["--snapshot-times: nan"]),
        ([*RUN, "--stop-after", "5 fortnights"], ["--stop-after", "fortnights"]),
        ([*RUN, "--stop-after", "-5min"], ["--stop-after", "above 0"]),
        ([*RUN, "--checkpoint-interval", "soon"], ["--checkpoint-interval", "soon"]),
        ([*FORCE, "--accuracy", "-1"], ["--accuracy", "-1", "above 0"]),
        ([*FORCE, "--accuracy", "0"], ["--accuracy", "above 0"]),
        ([*FORCE, "--accuracy", "nan"], ["--accuracy", "nan"]),
        ([*FORCE, "--accuracy", "inf"], ["--accuracy", "inf"]),
        ([*FORCE, "--accuracy", "high"], ["--accuracy", "high"]),
        ([*FORCE, "--mac", "opening", "--accuracy", "1.1"], ["--accuracy", "at most 1"]),
        ([*FORCE, "--softening", "0"], ["--softening", "above 0"]),
        ([*FORCE, "--softening", "nan"], ["--softening", "nan"]),
        ([*FORCE, "--softening", "1e-30"], ["--softening", "single precision"]),
        ([*FORCE, "--softening", "1e30"], ["--softening", "single precision"]),
        ([*FORCE, "--group-size", "12"], ["--group-size", "12"]),
        ([*FORCE, "--leaf-capacity", "-3"], ["--leaf-capacity", "-3"]),
        ([*FORCE, "--sharing", "3"], ["--sharing", "3"]),
        (
            [*FORCE, "--device", "cpu", "--sharing", "1", "--group-size", "1"],
            ["--sharing", "groups of 1", "leave out --sharing or --group-size"],
        ),
        ([*FORCE, "--list-capacity", "-1"], ["--list-capacity", "-1"]),
        ([*FORCE, "--device", "cpu", "--list-capacity", "1"], ["--list-capacity", "use more"]),
        ([*FORCE, "--warp-threads", "48"], ["--warp-threads", "48"]),
        ([*DIRECT, "--index-threads", "2048"], ["--index-threads", "2048"]),
        ([*FORCE, "--group-extent", "-1"], ["--group-extent", "-1"]),
        ([*FORCE, "--ball", "bouncing"], ["--ball", "bouncing", "cmp, com, ebs, geo, seb"]),
        ([*FORCE, "--threads", "-1"], ["--threads", "-1"]),
        ([*FORCE, "--threads", "two"], ["--threads", "two"]),
        ([*FORCE, "--device", "abacus"], ["--device abacus", "use auto, cpu, cuda"]),
        (
            [*FORCE, "--root", "estimate", "--accuracy", "1e-7"],
            ["--root estimate", "--accuracy", "--root newton"],
        ),
        ([*DIRECT, "--targets", "-4"], ["--targets", "-4"]),
        (RUN[:-2], ["--steps", "--time"]),
        ([*RUN, "--time", "1"], ["--steps", "--time"]),
        ([*RUN[:-1], "0"], ["--steps", "above 0"]),
        ([*RUN[:-1], "2.5"], ["--steps", "2.5"]),
        ([*RUN[:-2], "--time", "inf"], ["--time", "inf"]),
        ([*RUN[:-2], "--time", "-1"], ["--time", "-1"]),
        ([*RUN[:-2], "--time", "1e30"], ["--time", "too long"]),
        ([*RUN, "--eta", "0"], ["--eta", "above 0"]),
        ([*RUN, "--eta", "nan"], ["--eta", "nan"]),
        ([*RUN, "--dt", "0.01"], ["--dt", "--step shared"]),
        ([*RUN, "--dt", "0.01", "--step", "block"], ["--dt", "--step shared"]),
        ([*RUN, "--step", "shared", "--dt", "1", "--dt-max", "1"], ["--dt", "--dt-max"]),
        (
            [*RUN[:-2], "--time", "1", "--step", "shared", "--dt", "0.3"],
            ["--time", "--dt", "no multiple"],
        ),
        ([*RUN, "--log", "loud"], ["--log", "loud", "auto, json, none, text"]),
        ([*RUN, "--rebuild-interval", "-1"], ["--rebuild-interval", "-1"]),
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


@pytest.mark.parametrize("command", OPTIONS)
def test_help_explains_every_option(gothic: Gothic, command: str) -> None:
    entries = re.split(r"\n +(?:-h,)?--", gothic.done(command, "--help"))[1:]
    explained = dict(re.match(r"([a-z-]+)(.*)", entry, re.DOTALL).groups() for entry in entries)
    assert set(explained) == OPTIONS[command] | {"help"}
    for name in OPTIONS[command]:
        assert len(explained[name].split()) >= 3, name


def test_help_names_the_commands_and_an_example(gothic: Gothic) -> None:
    text = gothic.done("--help")
    for command in OPTIONS:
        assert re.search(rf"^ +{command} +\w", text, re.MULTILINE)
    assert "gothic run --input ic.h5 --output result --time 10" in text


def test_version_is_a_number(gothic: Gothic) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", gothic.done("--version"))


class TestConfig:
    """Options from a file."""

    def write(self, gothic: Gothic, text: str) -> None:
        (gothic.folder / "run.toml").write_text(text)

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
    @pytest.mark.parametrize("accuracy", [["--accuracy", "0.25"], ["--accuracy=0.25"]])
    @pytest.mark.parametrize("first", [True, False])
    def test_command_line_wins(
        self, gothic: Gothic, form: list[str], accuracy: list[str], first: bool
    ) -> None:
        self.write(gothic, 'mac = "multipole"\naccuracy = 0.5\nsoftening = 0.125\n')
        rest = [*form, *accuracy] if first else [*accuracy, *form]
        gothic.done(*FORCE, *rest)
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
            ("eta = -0.5", ["--eta", "-0.5", "above 0"]),
            ('eta = "small"', ["--eta", "small"]),
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
