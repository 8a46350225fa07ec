"""Links, commands, tables and counts of the documentation are right."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import yaml

from analysis.docs.reference import Meanings, page
from analysis.errors import DataError
from analysis.reading.files import read_attributes
from analysis.study.configuration import complaints, numbered
from analysis.study.figure_kinds import KINDS
from analysis.study.parameters import runs_by_path
from analysis.study.run_row import CHANGE, FILES, LAYER, MEASURED, RADII
from analysis.study.runs import FIRST, load
from analysis.study.schema import run_defaults
from tests.conftest import ROOT
from tests.programs.gothic import MPI, NEEDS_MPIRUN
from tests.programs.results import LOGS
from tests.study.workflow import Workflow

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def blocks(name: str, language: str) -> list[str]:
    """List the blocks of a language in a page."""
    text = (DOCS / f"{name}.md").read_text()
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


# --- Links


def links(path: Path) -> Iterator[str]:
    """List the targets of a page's links and pictures, without links to other sites and in code."""
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


def test_files_of_the_glossary_exist() -> None:
    rows = re.findall(r"^\|.*\| ([^|]*) \|$", (DOCS / "glossary.md").read_text(), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(.*?)`", row)}
    assert len(named) > 10
    assert named <= {path.name for path in (ROOT / "src").rglob("*")}


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
    """Run the commands of a block; a run may be stopped by its time."""
    done = subprocess.run(
        ["bash", "-ec", commands],
        cwd=folder,
        env=os.environ | MPI | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
        timeout=7200,
    )
    allowed = (0, 3) if "--stop-after" in commands else (0,)
    assert done.returncode in allowed, f"{commands}\n{done.stdout}\n{done.stderr}"


def run_page(path: Path, folder: Path) -> None:
    """Run the code of a page, block after block; what sets up a machine and scripts are left out.

    Every block of Python stands for itself.
    """
    for language, text in re.findall(
        r"^ *```(sh|python)\n(.*?)^ *```", path.read_text(), re.DOTALL | re.MULTILINE
    ):
        block = textwrap.dedent(text)
        if language == "python":
            with contextlib.chdir(folder):
                exec(block, {})
        elif not block.startswith(("make", "#!")):
            run(block, folder)


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["README.md", "docs/compare.md", "docs/long_runs.md", "docs/models.md"]
)
def test_page_runs_as_it_stands(name: str, folder: Path) -> None:
    run_page(ROOT / name, folder)


@pytest.mark.long
def test_page_of_fields_gives_the_numbers_that_it_tells(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_page(DOCS / "fields.md", folder)
    said = capsys.readouterr().out
    error, largest = map(float, said.splitlines()[1].split()[2:])
    assert 1e-7 < error < largest < 3e-5
    text = (DOCS / "fields.md").read_text()
    speeds = re.search(r"It prints (\S+), (\S+), (\S+) and (\S+) km/s", text).groups()
    found = re.search(r"\[(.*)\]", said).group(1).split()
    assert list(map(float, found)) == pytest.approx(list(map(float, speeds)), abs=0.11)


@pytest.mark.long
@pytest.mark.full_size
def test_tutorial_runs_as_it_stands(folder: Path) -> None:
    """It follows 2^20 particles for a gigayear: half an hour on two cores."""
    assert blocks("tutorial", "toml") == [(ROOT / "config" / "gigayear.toml").read_text()]
    run_page(DOCS / "tutorial.md", folder)
    names = {path.name for path in (folder / "gigayear").iterdir()}
    assert {f"snapshot_{n:03}.h5" for n in range(11)} <= names
    assert {f"{log}.h5" for log in LOGS} <= names
    header = read_attributes(folder / "gigayear" / "snapshot_010.h5", "Header")
    assert header["Time"] == pytest.approx(1.0227)
    pictures = {path.name for path in (folder / "pictures").glob("*.png")}
    assert {"start.png", "drift.png", "stars_yt.png"} <= pictures
    assert {f"gigayear_{name}.png" for name in ("maps", "rotation", "energy", "radii")} <= pictures


def run_commands(name: str, smaller: dict[str, str], folder: Path) -> Iterator[str]:
    """Run the commands of a page, with other words in the place of some, and give each block."""
    commands = [block for block in blocks(name, "sh") if not block.startswith("#!")]
    for block in replaced("\0".join(commands), smaller).split("\0"):
        run(block, folder)
        yield block


def test_commands_of_formats_run(folder: Path) -> None:
    list(run_commands("formats", {"--particles 1048576": "--particles 4096"}, folder))
    assert {path.name for path in (folder / "tipsy").iterdir()} == {"nfw.tipsy", "nfw.param"}


@NEEDS_MPIRUN
def test_commands_of_ranks_run(folder: Path) -> None:
    run("build/bin/gothic-ic config/models/m31.toml --particles 4096 --output m31.h5", folder)
    list(run_commands("ranks", {"--time 1\n": "--time 0.001\n"}, folder))
    assert (folder / "result" / "snapshot_000.h5").exists()


def test_commands_of_long_runs_run(folder: Path) -> None:
    """They run as they stand, in shorter parts."""
    for block in run_commands("long_runs", {"1s": "0.2s"}, folder):
        if block.count("--output long") == 2:  # a dry run, and the part that is stopped
            assert not (folder / "long" / "snapshot_004.h5").exists()
    snapshots = sorted((folder / "long").glob("snapshot_*.h5"))
    times = [read_attributes(path, "Header")["Time"] for path in snapshots]
    assert times == pytest.approx([0, 0.05, 0.1, 0.15, 0.2], abs=1e-15)
    assert (folder / "looped" / "snapshot_000.h5").exists()


def test_script_of_slurm_takes_options_of_the_program(folder: Path) -> None:
    (script,) = (block for block in blocks("long_runs", "sh") if block.startswith("#!"))
    (command,) = re.findall(r"^build/bin/gothic .*$", script, re.MULTILINE)
    done = subprocess.run(command.split(), cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, "m31.h5: input: there is no such file" in done.stderr) == (2, True)
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.long
def test_studies_of_the_guide_run(folder: Path, programs: Path) -> None:
    """They run as they stand, with the programs of this build."""
    halo, galaxies, figures, _, pictures = blocks("studies", "yaml")
    (folder / "halo.yaml").write_text(halo + figures)
    (folder / "galaxies.yaml").write_text(galaxies + pictures)
    study = f"--snakefile {ROOT}/Snakefile --cores all --config programs={programs} --configfile "
    make = f".venv/bin/snakemake {study}"
    run(f"{make} halo.yaml", folder)
    _, own, films, _, runs, plot = blocks("studies", "sh")
    for block in (own.replace("make CONFIG=", make), runs, plot):
        run(block, folder)
    one = load(folder / "results" / "galaxies")["path"].iloc[-1]
    run(films.replace("RUN", one), folder)
    for block in blocks("studies", "python"):
        run(f".venv/bin/python - <<'END'\n{block}\nEND", folder)
    table = load(folder / "results" / "galaxies")
    assert len(table) == 7
    assert (table["snapshots"] == 3).all()
    assert len(load(folder / "results" / "halo")) == 57
    drawn = {path.stem for path in (folder / "results" / "halo" / "figures").glob("*.png")}
    assert drawn >= {"elapsed_vs_error_nfw", "crossover_nfw", "elapsed_per_time_s_vs_error_99"}
    drawn = {path.name for path in (folder / "results" / "galaxies" / "figures").iterdir()}
    assert drawn >= {"movie_m31.gif", "map_m31.png"}
    for name in ("time_vs_error.png", "film.gif", "map.png"):
        assert (folder / name).exists()


@pytest.mark.long
def test_example_of_a_study_runs(folder: Path, programs: Path) -> None:
    """It runs as it stands; its runs reach one time, and longer steps lose more energy."""
    config = ROOT / "config" / "study_example.yaml"
    done = Workflow(folder, config, programs).run()
    assert done.returncode == 0, done.stdout
    runs = load(folder / "results" / "example")
    assert (runs["simulated_time"] == 2).all()
    energy = pd.read_csv(
        folder / "results" / "example" / "figures" / "energy_drift_max_vs_elapsed_per_time_s.csv"
    )
    assert sorted(energy["eta"]) == [0.125, 0.25, 0.5, 1]
    drift = energy.set_index("eta")["energy_drift_max"]
    assert max(drift[0.125], drift[0.25]) < drift[0.5] < drift[1]


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
    of_components = re.findall(r"`(COMPONENT_\w+)`", "".join(cells))
    assert of_components == [
        f"COMPONENT_{name}" for name in (*RADII, *LAYER, f"{RADII[0]}{CHANGE}")
    ]


def test_study_beside_another_code_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (study,) = blocks("compare", "yaml")
    (tmp_path / "points.csv").write_text("label,error_99,seconds\nAnother code,1e-3,0.2\n")
    assert complaints(numbered(yaml.safe_load(study)), [], {}) == []


def test_example_has_the_runs_that_the_text_counts() -> None:
    study, _, figures, *_ = blocks("studies", "yaml")
    config = numbered(yaml.safe_load(study) | yaml.safe_load(figures))
    assert complaints(config, [], {}) == []
    runs = runs_by_path(config["runs"], run_defaults())
    text = (DOCS / "studies.md").read_text()
    assert f"{len(runs)} rows" in text
    (path,) = re.findall(r"^results/halo/runs/(.*)$", text, re.MULTILINE)
    assert path in runs
