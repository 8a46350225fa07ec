"""Builds of a revision and of the working tree, with the same options, in build-checks/."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from analysis.errors import DataError

FOLDER = Path("build-checks")


def native(device: str) -> tuple[str, ...]:
    """Tell the options of programs for the processor at hand, as `make build` has them."""
    return ("-DGOTHIC_TESTS=OFF", f"-DGOTHIC_CUDA={'OFF' if device == 'cpu' else 'ON'}")


def fixed_target(device: str) -> tuple[str, ...]:
    """Tell the options of programs whose numbers repeat from machine to machine.

    Machines without AVX-512 get programs of their own.
    """
    if "avx512vl" not in Path("/proc/cpuinfo").read_text():
        return native(device)
    flags = "-DCMAKE_CXX_FLAGS=-march=x86-64-v4 -mtune=generic"
    return (*native(device), "-DGOTHIC_NATIVE=OFF", flags)


def build_revision(revision: str, options: Sequence[str]) -> Path:
    """Build a revision, unless the same compiler has done so; returns the folder of the programs."""
    commit = commit_of(revision)
    folder = FOLDER / f"{commit[:12]}-{key(options)}"
    if not (folder / "built").exists():
        with sources_of(commit, folder / "source") as source:
            build(source, folder, options)
        keep_programs(folder)
        (folder / "built").touch()
    return folder / "bin"


def keep_programs(folder: Path) -> None:
    """Remove what is not needed any more of a build that is made once."""
    for path in folder.iterdir():
        if path.is_dir() and path.name != "bin":
            shutil.rmtree(path)


def build_working_tree(options: Sequence[str]) -> Path:
    """Build what is in the working tree; returns the folder of the programs."""
    folder = FOLDER / f"working-tree-{key(options)}"
    build(Path(), folder, options)
    return folder / "bin"


def git(*words: str) -> str:
    """Ask git about the repository that one works in; a `DataError` if it fails."""
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise DataError(f"git {' '.join(words)}: {done.stderr.strip()}; fetch the whole history")
    return done.stdout.strip()


def commit_of(revision: str) -> str:
    """Find the full name of a commit."""
    words = ["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        raise DataError(f"{revision}: no such revision; see git log")
    return found.stdout.strip()


def key(options: Sequence[str]) -> str:
    """Name a compiler, its options and the processor that it compiles for."""
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        raise DataError(f"{compiler}: no such compiler; run make setup, or set CXX")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    processor = next((line for line in lines if line.startswith("flags")), "")
    words = [version.stdout, os.environ.get("CXXFLAGS", ""), processor, *options]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:8]


@contextmanager
def sources_of(commit: str, folder: Path) -> Iterator[Path]:
    """Check a commit out for a while, as a worktree, so that the programs know their revision."""
    shutil.rmtree(folder, ignore_errors=True)
    call(["git", "worktree", "prune"], folder.parent)
    call(["git", "worktree", "add", "--detach", str(folder), commit], folder.parent)
    try:
        yield folder
    finally:
        call(["git", "worktree", "remove", "--force", str(folder)], folder.parent)


def build(source: Path, folder: Path, options: Sequence[str]) -> None:
    """Configure and build both programs."""
    configure = ["cmake", "-S", str(source), "-B", str(folder), "-G", "Ninja"]
    call([*configure, "-DCMAKE_BUILD_TYPE=Release", *options], folder)
    compile_all = ["cmake", "--build", str(folder), "--parallel", str(os.cpu_count())]
    call([*compile_all, "--target", "gothic", "gothic-ic"], folder)


def call(words: Sequence[str], folder: Path) -> None:
    """Run a command and keep what it prints in FOLDER/build.log; a `DataError` if it fails."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    with log.open("a") as file:
        file.write(f"+ {' '.join(words)}\n")
        file.flush()
        ended = subprocess.run(words, stdout=file, stderr=subprocess.STDOUT, check=False)
    if ended.returncode != 0:
        raise DataError(f"{log}: {' '.join(words[:3])} failed; read its end")
