"""The files of nightly jobs: they parse, name what is there, and keep a history on a branch."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.checks.lab import Lab, git
from tests.conftest import ROOT

CI = ROOT / "config" / "ci"
SBATCH = """\
#!/bin/bash
while [[ $1 == --* ]]; do shift; done
SLURM_SUBMIT_DIR=$PWD exec bash "$@"
"""


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_nights_add_to_a_branch_that_has_nothing_else(lab: Lab) -> None:
    for new in ("one", "two", ""):
        done = lab.night(new)
        assert done.returncode == 0, done.stderr
    assert lab.kept() == ["one on cpu", "two on cpu"]
    names = git(lab.remote, "ls-tree", "-r", "--name-only", "history").split()
    assert names == [".gitattributes", "history.jsonl"]
    assert git(lab.clone, "status", "--porcelain") == ""


def test_drift_fails_after_the_history_is_kept(lab: Lab) -> None:
    assert lab.night("slow", "cuda").returncode != 0
    assert lab.kept() == ["slow on cuda"]


def test_machines_that_record_at_the_same_time_keep_the_lines_of_both(
    lab: Lab, tmp_path: Path
) -> None:
    assert lab.night("first").returncode == 0
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", lab.remote, other)
    # While this night's record is made, the other machine keeps its own.
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(f'#!/bin/bash\n(cd {other} && NEW=theirs tools/nightly.sh) && "$@"\n')
    wrapper.chmod(0o755)
    done = lab.night("ours", "cpu", str(wrapper))
    assert done.returncode == 0, done.stderr
    assert sorted(lab.kept()) == ["first on cpu", "ours on cpu", "theirs on cpu"]


def test_job_script_runs_its_command_in_the_folder_of_submission(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    sbatch = tmp_path / "bin" / "sbatch"
    sbatch.write_text(SBATCH)
    sbatch.chmod(0o755)
    path = f"{sbatch.parent}{os.pathsep}{os.environ['PATH']}"
    command = ("sbatch", "--wait", "config/ci/nightly.sbatch")
    done = lab.night("one", "cpu", *command, PATH=path)
    assert done.returncode == 0, done.stderr
    assert lab.kept() == ["one on cpu"]


def test_workflow_of_github_calls_what_is_there() -> None:
    job = yaml.safe_load((CI / "github.yml").read_text())["jobs"]["history"]
    calls = [step["run"] for step in job["steps"] if "run" in step]
    assert "tools/nightly.sh" in calls
    for call in calls:
        assert os.access(ROOT / call.removeprefix("sudo "), os.X_OK)
    (checkout,) = (
        step for step in job["steps"] if step.get("uses", "").startswith("actions/check")
    )
    assert checkout["with"]["fetch-depth"] == 0


def test_lines_of_the_crontab_call_what_is_there() -> None:
    lines = [line for line in (CI / "crontab").read_text().splitlines() if line[0] != "#"]
    assert len(lines) == 2
    for line in lines:
        schedule, command = line.split("  ", 1)
        assert re.fullmatch(r"(\d+|\*)( (\d+|\*)){4}", schedule)
        subprocess.run(["bash", "-n", "-c", command], check=True)
        for name in re.findall(r"(?:tools|config)/\S+", command):
            assert (ROOT / name).is_file()


def test_make_has_the_targets_that_a_night_calls() -> None:
    for target in re.findall(r"make (\w+)", (ROOT / "tools" / "nightly.sh").read_text()):
        subprocess.run(["make", "-n", target], cwd=ROOT, check=True, capture_output=True)


def test_ci_compares_speed_where_the_programs_are_not_those_of_the_anchor(tmp_path: Path) -> None:
    text = (ROOT / ".ci" / "run").read_text()
    function = re.search(r"^compare_speed\(\) \{\n.*?^\}\n", text, re.DOTALL | re.MULTILINE)[0]

    def compare() -> str:
        command = ["bash", "-euc", f"{function}\ncompare_speed"]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    anchor = tmp_path / "analysis" / "checks" / "anchor"
    python = tmp_path / ".venv" / "bin" / "python"
    for file, words in ((anchor, "a" * 40), (python, "#!/bin/sh\necho compared"), ("src", "1")):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words)
    python.chmod(0o755)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "src")
    git(tmp_path, "commit", "--quiet", "-m", "programs")
    assert "is not in this clone: speed was NOT compared" in compare()
    anchor.write_text(git(tmp_path, "rev-parse", "HEAD"))
    assert "there is nothing to compare" in compare()
    (tmp_path / "src").write_text("2")
    assert compare() == "compared\n"
