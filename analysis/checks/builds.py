"""Builds of a revision and of the working tree, with the same options."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from analysis.files import DataError

FOLDER = Path("build-checks")
# As `make build` has them, without the tests.
TIMED = ("-DGOTHIC_TESTS=OFF",)
# For valgrind 3.19, which does not know AVX-512.
COUNTED = (
    *TIMED,
    "-DGOTHIC_CUDA=OFF",
    "-DGOTHIC_NATIVE=OFF",
    "-DCMAKE_CXX_FLAGS=-march=x86-64-v3",
)


def fixed_target(device: str) -> tuple[str, ...]:
    """Tell the options of programs whose numbers repeat from machine to machine.

    With -march=native the compiler also tunes for the machine: for Sapphire Rapids, say, it fuses
    fewer multiplications with additions than for others, which rounds differently. Machines without
    AVX-512 take their own instructions.
    """
    cuda = "-DGOTHIC_CUDA=OFF" if device == "cpu" else "-DGOTHIC_CUDA=ON"
    if "avx512vl" not in Path("/proc/cpuinfo").read_text():
        return (*TIMED, cuda)
    return (*TIMED, cuda, "-DGOTHIC_NATIVE=OFF", "-DCMAKE_CXX_FLAGS=-march=x86-64-v4 -mtune=generic")


def build_revision(revision: str, options: Sequence[str], patch: Path | None = None) -> Path:
    """Build a revision, unless the same compiler has done so before.

    Parameters
    ----------
    revision
        As git takes it.
    options
        `TIMED` or `COUNTED`.
    patch
        Change that is applied to its sources first.

    Returns
    -------
    pathlib.Path
        Folder of the programs.

    Raises
    ------
    DataError
        If there is no such revision, the patch does not fit, or the build fails.
    """
    commit = commit_of(revision)
    words = [commit[:12], key(options)]
    if patch:
        words = [commit[:12], patch.stem, key([*options, patch.read_text()])]
    folder = FOLDER / "-".join(words)
    if not (folder / "built").exists():
        with sources_of(commit, folder / "source") as source:
            if patch:
                call(["git", "-C", str(source), "apply", str(patch.resolve())], folder)
            build(source, folder, options)
        (folder / "built").touch()
    return folder / "bin"


def build_working_tree(options: Sequence[str]) -> Path:
    """Build what is in the working tree; returns the folder of the programs."""
    folder = FOLDER / f"working-tree-{key(options)}"
    build(Path(), folder, options)
    return folder / "bin"


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
    processor = Path("/proc/cpuinfo")
    flags = [line for line in processor.read_text().splitlines() if line.startswith("flags")][:1]
    words = [version.stdout, os.environ.get("CXXFLAGS", ""), *flags, *options]
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
    call(
        ["cmake", "-S", str(source), "-B", str(folder), "-G", "Ninja"]
        + ["-DCMAKE_BUILD_TYPE=Release", *options],
        folder,
    )
    jobs = str(os.cpu_count())
    targets = ["--target", "gothic", "gothic-ic"]
    call(["cmake", "--build", str(folder), "--parallel", jobs, *targets], folder)


def call(words: Sequence[str], folder: Path) -> None:
    """Run a command and keep what it prints in FOLDER/build.log.

    Raises
    ------
    DataError
        If it fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    with log.open("a") as file:
        file.write(f"+ {' '.join(words)}\n")
        file.flush()
        ended = subprocess.run(words, stdout=file, stderr=subprocess.STDOUT, check=False)
    if ended.returncode != 0:
        raise DataError(f"{log}: {' '.join(words[:3])} failed; read its end")
