"""docs/studies.md tells of everything that a study file may hold and the table has."""

from __future__ import annotations

import re

import pytest
import yaml

from analysis.configuration import complaints, numbered, run_defaults
from analysis.measure import MEASURED
from analysis.runs import FILES, FIRST, SCHEMA
from analysis.space import runs_by_path
from tests.study.workflow import ROOT

TEXT = (ROOT / "docs" / "studies.md").read_text()
RULES = yaml.safe_load(SCHEMA.read_text())


def row(key: str, rules: dict) -> str:
    """Write the row of a key as it stands in the documentation."""
    if "description" not in rules:
        rules = RULES["$defs"]["device"] | rules
    default = (
        yaml.safe_dump(rules["default"], default_flow_style=True) if "default" in rules else ""
    )
    text = default.removesuffix("\n").removesuffix("\n...")
    return f"| `{key}` | {text} | {' '.join(rules['description'].split())} |"


@pytest.mark.parametrize("key", RULES["$defs"]["run"]["properties"])
def test_every_parameter_of_a_run_is_documented(key: str) -> None:
    assert row(key, RULES["$defs"]["run"]["properties"][key]) in TEXT


def keys(rules: dict, before: str = "") -> dict[str, dict]:
    """Find all keys of a study file but those of a run."""
    found = {}
    for name, part in rules.items():
        found[before + name] = part
        inner = part.get("items", part)
        if name not in ("defaults", "grids", "list"):
            found |= keys(inner.get("properties", {}), f"{before}{name}.")
    return found


KEYS = keys(RULES["properties"])


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_a_study_is_documented(key: str) -> None:
    assert row(key, KEYS[key]) in TEXT


def test_every_column_is_documented_and_no_other() -> None:
    section = TEXT.split("## The table")[1].split("\n## ")[0]
    named = re.findall(r"`([a-z0-9_]+)`", "".join(re.findall(r"^\| (.*?) \|", section, re.M)))
    assert named == [*FIRST, *FILES, *MEASURED]


def test_example_has_the_runs_that_the_text_counts() -> None:
    study, plots = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    config = numbered(yaml.safe_load(study) | yaml.safe_load(plots))
    assert complaints(config, [], {}) == []
    runs = runs_by_path(config["runs"], run_defaults(RULES))
    assert f"{len(runs)} rows" in TEXT
    (path,) = re.findall(r"^results/halo/runs/(.*)$", TEXT, re.MULTILINE)
    assert path in runs
