from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from analysis.errors import DataError
from analysis.study.model_files import file_of, known_keys, read_model, tables_of, write_changed

MODEL = """\
softening = 0.5
[[component]]
name = "halo"
mass = 2.0
scale = 1
[[component]]
name = "thick disc"
table = "profiles/disc.txt"
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("own").mkdir()
    Path("results/ic").mkdir(parents=True)
    path = Path("own/galaxy.toml")
    path.write_text(MODEL)
    return path


def test_changed_model_has_the_changes_alone(model: Path) -> None:
    keys = {"halo.scale": 7.63, "halo.profile": "nfw", "model.softening": "50pc"}
    further = {"thick disc.height": 2, "units.length_in_cm": 3.0}
    output = Path("results/ic/model.toml")
    write_changed(model, keys | further, output)
    expected = tomllib.loads(MODEL)
    expected |= {"softening": "50pc", "units": {"length_in_cm": 3.0}}
    expected["component"][0] |= {"scale": 7.63, "profile": "nfw"}
    expected["component"][1] |= {"height": 2, "table": "../../own/profiles/disc.txt"}
    found = tomllib.loads(output.read_text())
    assert found.pop("name").startswith("galaxy with halo.scale = 7.63, halo.profile = nfw, model.")
    assert found == expected
    assert output.read_text().startswith("# own/galaxy.toml\n# (SHA-256 ")
    told = "with halo.scale = 7.63, halo.profile = nfw, model.softening = 50pc"
    assert told in output.read_text()
    assert model.read_text() == MODEL


def test_tables_are_those_that_the_changed_model_reads(model: Path) -> None:
    assert tables_of(model, {}) == ["own/profiles/disc.txt"]
    changed = {"thick disc.table": "other.txt", "halo.table": "../halo.txt"}
    assert tables_of(model, changed) == ["halo.txt", "own/other.txt"]


def test_keys_are_those_of_components_units_and_the_top_level(model: Path) -> None:
    known = known_keys(read_model(model))
    for name in ("halo.scale", "thick disc.toomre_q", "units.mass_in_g", "model.softening"):
        assert name in known
    assert "model.component" not in known


def test_model_is_a_path_or_a_name(model: Path) -> None:
    assert file_of(str(model)) == model
    assert read_model(file_of("m31"))["component"][0]["name"] == "halo"
    with pytest.raises(DataError, match=r"gone.toml: No such file or directory; correct the name"):
        read_model(Path("gone.toml"))
