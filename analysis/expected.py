"""Compare the time that ``gothic run --dry-run`` expects with that of the run.

Run as ``python -m analysis.expected --programs build/bin``.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import h5py

MODELS = Path(__file__).parents[1] / "config" / "models"
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(text: str) -> float:
    """Read a duration such as ``3.4 ms`` or ``1 h 02 min``."""
    parts = re.findall(r"([0-9.]+) ([a-z]+)", text)
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def expected_step(gothic: Path, arguments: Sequence[str]) -> float:
    """Ask for the expected seconds of a mean step."""
    command = [str(gothic), *arguments, "--dry-run"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (line,) = re.findall(r"^  time per step +(\S.*?)  ", text, re.MULTILINE)
    return seconds(line)


def actual_step(gothic: Path, arguments: Sequence[str], folder: Path) -> float:
    """Run it; return the mean seconds of a step."""
    subprocess.run([str(gothic), *arguments], check=True)
    with h5py.File(folder / "steps.h5") as file:
        return float(file["Steps/total"][()].mean())


def ratio(programs: Path, model: str, particles: int, steps: int, repeats: int) -> float:
    """Return the median of expected over actual seconds of a step, one run after each dry run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start, result = folder / "ic.h5", folder / "result"
        source = str(MODELS / f"{model}.toml")
        subprocess.run(
            [programs / "gothic-ic", source, "--particles", str(particles), "--output", start],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        arguments = ["run", "--input", str(start), "--output", str(result), "--steps", str(steps)]
        gothic = programs / "gothic"
        return statistics.median(
            expected_step(gothic, arguments) / actual_step(gothic, arguments, result)
            for _ in range(repeats)
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line for each model and size."""
    parser = argparse.ArgumentParser(prog="python -m analysis.expected", description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="folder of the programs")
    parser.add_argument("--models", nargs="+", default=["plummer", "nfw", "m31"])
    parser.add_argument("--particles", nargs="+", type=int, default=[8192, 65536])
    parser.add_argument("--steps", type=int, default=256, help="of every run")
    parser.add_argument("--repeats", type=int, default=3, help="pairs of dry run and run")
    chosen = parser.parse_args(arguments)
    sys.stdout.write("model particles expected/actual\n")
    for model in chosen.models:
        for particles in chosen.particles:
            found = ratio(chosen.programs, model, particles, chosen.steps, chosen.repeats)
            sys.stdout.write(f"{model} {particles} {found:.2f}\n")


if __name__ == "__main__":
    main()
