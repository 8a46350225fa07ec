"""docs/studies.md tells of everything that a study file may hold and the table has."""

from __future__ import annotations

import re

import yaml

from analysis.configuration import complaints, numbered
from analysis.kinds import KINDS
from analysis.row import MEASURED
from analysis.runs import FILES, FIRST
from analysis.schema import run_defaults
from analysis.space import runs_by_path
from tests.study.workflow import ROOT

TEXT = (ROOT / "docs" / "studies.md").read_text()


def test_every_kind_of_figure_is_documented_and_no_other() -> None:
    section = TEXT.split("## Measurements and figures")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z0-9_]+)` \|", section, re.M)) == KINDS.keys() - {"plot"}


def test_every_column_is_documented_and_no_other() -> None:
    section = TEXT.split("## The table")[1].split("\n## ")[0]
    named = re.findall(r"`([a-z0-9_]+)`", "".join(re.findall(r"^\| (.*?) \|", section, re.M)))
    assert named == [*FIRST, *FILES, *MEASURED]


def test_example_has_the_runs_that_the_text_counts() -> None:
    study, figures = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    config = numbered(yaml.safe_load(study) | yaml.safe_load(figures))
    assert complaints(config, [], {}) == []
    runs = runs_by_path(config["runs"], run_defaults())
    assert f"{len(runs)} rows" in TEXT
    (path,) = re.findall(r"^results/halo/runs/(.*)$", TEXT, re.MULTILINE)
    assert path in runs
