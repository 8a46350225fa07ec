"""The examples of docs/fields.md, with fewer particles, do what the page says."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.programs.gothic import ENVIRONMENT, Gothic

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "fields.md"
FEWER = {"1048576": "131072"}


def blocks() -> list[tuple[str, str]]:
    """List language and text of the page's code."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def in_folder(gothic: Gothic, monkeypatch: pytest.MonkeyPatch) -> Gothic:
    """Make the folder of the programs' calls look like that of the sources."""
    monkeypatch.chdir(gothic.folder)
    Path("build").mkdir()
    Path("build/bin").symlink_to(gothic.programs)
    Path("config").symlink_to(ROOT / "config")
    return gothic


def test_examples_do_what_they_should(
    in_folder: Gothic, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {}
    for language, text in blocks():
        if language == "python":
            exec(compile(text, PAGE.name, "exec"), names)
        elif language == "sh":
            for number, smaller in FEWER.items():
                text = text.replace(number, smaller)
            subprocess.run(["bash", "-e", "-c", text], env=ENVIRONMENT | os.environ, check=True)
    energy, curve = capsys.readouterr().out.strip().rpartition("\n")[::2]
    assert float(energy.rpartition(" ")[2]) < 1e-3
    speeds = np.array(curve.strip("[]").split(), float)
    np.testing.assert_allclose(speeds, [257.1, 251.5, 247.4, 231.1], rtol=0.03)


def test_table_of_the_page_is_a_field(in_folder: Gothic) -> None:
    text = next(text for language, text in blocks() if language == "toml")
    Path("field.toml").write_text(text)
    in_folder.done("force", "--input", "ic.h5", "--output", "out.h5", "--external", "field.toml")


def test_milky_way_rotates_as_the_page_says(in_folder: Gothic) -> None:
    with h5py.File("point.h5", "w") as file:
        file["Coordinates"] = [[8.0, 0, 0]]
    header = {"UnitLength_in_cm": 3.085678e21, "UnitMass_in_g": 1.989e43}
    with h5py.File("ic.h5", "r+") as file:
        for name, value in (header | {"UnitVelocity_in_cm_per_s": 1e5}).items():
            file["Header"].attrs[name] = value
        file["PartType1/Masses"][:] = 0
    field = ("--external", "config/fields/milky_way.toml")
    in_folder.done("direct", "--input", "ic.h5", "--at", "point.h5", "--output", "out.h5", *field)
    with h5py.File("out.h5") as file:
        pull = -file["Points/Acceleration"][0, 0]
    assert np.sqrt(8 * pull) == pytest.approx(231.8, abs=0.05)
