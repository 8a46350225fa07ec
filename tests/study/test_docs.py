"""Links, commands, tables and counts of the documentation are right."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from analysis.configuration import complaints, numbered
from analysis.files import DataError, read_attributes
from analysis.kinds import KINDS
from analysis.reference import Meanings, page
from analysis.row import MEASURED
from analysis.runs import FILES, FIRST
from analysis.schema import run_defaults
from analysis.space import runs_by_path
from tests.conftest import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def blocks(name: str, language: str) -> list[str]:
    """List the blocks of a language in a page."""
    text = (DOCS / f"{name}.md").read_text()
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


# --- Links


def links(path: Path) -> Iterator[str]:
    """List what the links and pictures of a page lead to; those elsewhere and in code left out."""
    code = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", code.sub("", path.read_text())):
        if not target.startswith(("http://", "https://")):
            yield target


def anchors(path: Path) -> set[str]:
    """Name the headings of a page as links do."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in links(path):
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        assert file.exists(), target
        assert file.is_relative_to(ROOT), target
        assert not anchor or anchor in anchors(file), target


def test_every_page_is_in_the_index() -> None:
    listed = {target.partition("#")[0] for target in links(DOCS / "index.md")}
    assert {path.name for path in PAGES[1:]} - {"index.md"} <= listed


# --- Commands


@pytest.fixture
def folder(tmp_path: Path, programs: Path) -> Path:
    """Make a folder where the paths of the pages lead to the repository and its programs."""
    for name in ("config", "analysis", "python", "src", ".venv"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "bin").symlink_to(programs)
    (tmp_path / "build" / "python").symlink_to(programs.parent / "python")
    return tmp_path


def replaced(text: str, replacements: dict[str, str]) -> str:
    for old, new in replacements.items():
        assert old in text
        text = text.replace(old, new)
    return text


def run(commands: str, folder: Path) -> None:
    """Run the commands of a block, of which a run may be stopped by its time."""
    done = subprocess.run(
        ["bash", "-ec", commands],
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    allowed = (0, 3) if "--stop-after" in commands else (0,)
    assert done.returncode in allowed, f"{commands}\n{done.stdout}\n{done.stderr}"


@pytest.mark.long
def test_commands_of_the_tutorial_run(folder: Path) -> None:
    """They run as they stand, with few particles and a short time."""
    options = (ROOT / "config" / "gigayear.toml").read_text()
    assert blocks("tutorial", "toml") == [options]
    shorter = {
        "time = 1.0227 ": "time = 0.010227 ",
        "snapshot-interval = 0.10227 ": "snapshot-interval = 0.0010227 ",
        "eta = 0.2": "eta = 1",
        "dt-max = 0.002": "dt-max = 0.0005",
    }
    (folder / "small.toml").write_text(replaced(options, shorter))
    smaller = {
        "--particles 1048576": "--particles 4096",
        "--config config/gigayear.toml": "--config small.toml",
        "--stop-after 10min": "--stop-after 1s",
        "--time 0.002 --snapshot-interval 0.001": "--time 0.0002 --snapshot-interval 0.0001",
    }
    commands = replaced("\0".join(blocks("tutorial", "sh")), smaller).split("\0")
    for block in commands:
        run(block, folder)
    python = "\n".join(blocks("tutorial", "python"))
    run(f".venv/bin/python - <<'END'\n{python}\nEND", folder)
    names = {path.name for path in (folder / "gigayear").iterdir()}
    assert {f"snapshot_{n:03}.h5" for n in range(11)} <= names
    assert {"steps.h5", "energy.h5", "lagrange.h5"} <= names
    header = read_attributes(folder / "gigayear" / "snapshot_010.h5", "Header")
    assert header["Time"] == pytest.approx(0.010227)
    pictures = {path.name for path in (folder / "pictures").glob("*.png")}
    assert {"start.png", "drift.png", "stars_yt.png"} <= pictures
    assert {f"gigayear_{name}.png" for name in ("maps", "rotation", "energy", "radii")} <= pictures


def test_commands_of_long_runs_run(folder: Path) -> None:
    """They run as they stand, with few particles and a short time."""
    commands = [block for block in blocks("long_runs", "sh") if not block.startswith("#!")]
    smaller = {"--particles 16384": "--particles 4096", "2s": "1s"}
    for block in replaced("\0".join(commands), smaller).split("\0"):
        run(block, folder)
    snapshots = sorted((folder / "long").glob("snapshot_*.h5"))
    times = [read_attributes(path, "Header")["Time"] for path in snapshots]
    assert times == [0, 0.002, 0.004, 0.006, 0.008, 0.01]
    assert (folder / "looped" / "snapshot_000.h5").exists()


def test_script_of_slurm_takes_options_of_the_program(folder: Path) -> None:
    (script,) = (block for block in blocks("long_runs", "sh") if block.startswith("#!"))
    (command,) = re.findall(r"^build/bin/gothic .*$", script, re.MULTILINE)
    done = subprocess.run(command.split(), cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, "m31.h5: input: there is no such file" in done.stderr) == (2, True)
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


# --- Tables


def test_reference_is_up_to_date(programs: Path, tmp_path: Path) -> None:
    written = (DOCS / "reference.md").read_text()
    assert page(programs, tmp_path) == written, "docs/reference.md is stale; run make docs"


def test_what_nobody_has_explained_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "meanings.yaml"
    path.write_text(
        'snapshot: {/Header/Time: [time, "of the state"], /Header/Gone: ["", "none"]}\n'
    )
    meanings = Meanings(path)
    assert meanings.of("snapshot", "/Header/Time") == ["time", "of the state"]
    with pytest.raises(DataError, match="/Header/New is missing; add its unit and meaning"):
        meanings.of("snapshot", "/Header/New")
    with pytest.raises(DataError, match="/Header/Gone is in no file; remove it"):
        meanings.finish()


def section(heading: str) -> str:
    """Return a part of docs/studies.md."""
    return (DOCS / "studies.md").read_text().split(f"## {heading}")[1].split("\n## ")[0]


def test_every_kind_of_figure_is_documented_and_no_other() -> None:
    text = section("Measurements and figures")
    assert set(re.findall(r"^\| `([a-z0-9_]+)` \|", text, re.M)) == KINDS.keys() - {"plot"}


def test_every_column_is_documented_and_no_other() -> None:
    cells = re.findall(r"^\| (.*?) \|", section("The table"), re.M)
    assert re.findall(r"`([a-z0-9_]+)`", "".join(cells)) == [*FIRST, *FILES, *MEASURED]


def test_example_has_the_runs_that_the_text_counts() -> None:
    study, figures = blocks("studies", "yaml")
    config = numbered(yaml.safe_load(study) | yaml.safe_load(figures))
    assert complaints(config, [], {}) == []
    runs = runs_by_path(config["runs"], run_defaults())
    text = (DOCS / "studies.md").read_text()
    assert f"{len(runs)} rows" in text
    (path,) = re.findall(r"^results/halo/runs/(.*)$", text, re.MULTILINE)
    assert path in runs
