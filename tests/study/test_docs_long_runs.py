"""The commands of docs/long_runs.md run as they stand, with less to do."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import h5py

from tests.study.workflow import ROOT

TEXT = (ROOT / "docs" / "long_runs.md").read_text()
SMALL = {"--particles 16384": "--particles 4096", "2s": "1s"}


def test_commands_run(tmp_path: Path, programs: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    commands = [block for block in blocks if not block.startswith("#!")]
    assert len(blocks) == len(commands) + 1 == 5
    for name in ("config", ".venv"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "bin").symlink_to(programs)
    module = os.pathsep.join([str(programs.parent / "python"), os.environ.get("PYTHONPATH", "")])
    for command in commands:
        for old, new in SMALL.items():
            command = command.replace(old, new)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": module},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode in (0, 3), f"{command}\n{done.stdout}\n{done.stderr}"
    times = []
    for path in sorted((tmp_path / "long").glob("snapshot_*.h5")):
        with h5py.File(path) as file:
            times.append(file["Header"].attrs["Time"])
    assert times == [0, 0.002, 0.004, 0.006, 0.008, 0.01]
    assert (tmp_path / "looped" / "snapshot_000.h5").exists()


def test_script_of_slurm_takes_options_of_the_program(tmp_path: Path, programs: Path) -> None:
    (script,) = re.findall(r"```sh\n(#!.*?)```", TEXT, re.DOTALL)
    (command,) = re.findall(r"^build/bin/gothic (.*)$", script, re.MULTILINE)
    words = command.replace("m31.h5", str(tmp_path / "none.h5")).split()
    done = subprocess.run(
        [programs / "gothic", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "none.h5: input: there is no such file" in done.stderr
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
