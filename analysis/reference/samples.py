"""Small files of every kind, made by the programs for the reference."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pandas as pd

from analysis.programs import MODELS, Programs

MODEL = MODELS / "milky_way.toml"
BENCHES = ("peak", "walk", "tree", "sharing", "balls", "rebuild", "extent", "crossover")


class Samples(Programs):
    """Files of the programs in a folder of their own."""

    def __init__(self, programs: Path, folder: Path) -> None:
        super().__init__(programs, folder)
        self.call("gothic-ic", MODEL, "--particles", 512, "--output", "ic.h5")
        self.call("gothic-ic", MODEL, "--table", "profiles.csv")
        given = ("--input", "ic.h5", "--device", "cpu")
        often = ("--checkpoint-interval", "1e-9s")
        self.call("gothic", "run", *given, "--output", "run", "--steps", 2, *often)
        with h5py.File(self.path("points.h5"), "w") as file:
            file["Coordinates"] = np.ones((2, 3))
        for command in ("force", "direct"):
            self.call("gothic", command, *given, "--output", f"{command}.h5")
            at = ("--at", "points.h5", "--output", f"{command}_at.h5")
            self.call("gothic", command, *given, *at)

    def columns(self, name: str) -> list[str]:
        """Read the names of the columns of a CSV file."""
        return list(pd.read_csv(self.path(name), nrows=0).columns)

    def bench(self, word: str) -> list[str]:
        """Run a measurement and list the columns of its table."""
        given = ("--input", "ic.h5")
        if word == "peak":
            given = ("--particles", 64, "--buffer-bytes", 4096)
        few = ("--repeats", 1, "--device", "cpu")
        self.call("gothic", "bench", word, *given, *few, "--output", "bench.csv")
        return self.columns("bench.csv")
