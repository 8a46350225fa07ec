"""Files as the simulator writes them, with contents that the tests know."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import h5py
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from analysis.figures.common import use_style
from analysis.reading.snapshots import Particles, Snapshot
from analysis.study.runs import table_of
from tests.analysis.galaxies import KPC, draw_disc, draw_plummer
from tests.analysis.rows import a_row

STAGES = ("predict", "keys", "sort", "build", "groups_time", "moments", "walk", "correct")
FACTS = {
    "version": "1.2.3",
    "revision": "abc",
    "compiler": "GNU 12",
    "device": "CPU",
    "machine": "node=n",
}
MADE_BY = {
    "version": "1.2.3",
    "revision": "abc",
    "compiler": "GNU 12",
    "device_name": "CPU",
    "machine": "node=n",
}


@pytest.fixture(autouse=True)
def style() -> Iterator[None]:
    """Draw as the study does; close what was drawn."""
    use_style()
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def plummer() -> Particles:
    """Draw a Plummer sphere that no test changes."""
    return draw_plummer()


@pytest.fixture(scope="session")
def disc() -> Particles:
    """Draw a disc that no test changes."""
    return draw_disc()


@pytest.fixture(scope="session")
def galaxy(plummer: Particles, disc: Particles) -> Snapshot:
    """Place a disc in a halo, at the start of a run in units of kpc."""
    return Snapshot(0.0, KPC, {"halo": plummer, "disc": disc}, frozenset({"disc"}))


def write_provenance(file: h5py.File) -> None:
    file.require_group("Provenance").attrs.update(FACTS)


@pytest.fixture
def write_forces() -> Callable[..., Path]:
    """Write a force file: one (ids, acceleration) pair per particle type."""

    def write(path: Path, types: Mapping[int, tuple[np.ndarray, np.ndarray]]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        with h5py.File(path, "w") as file:
            for number, (ids, acceleration) in types.items():
                group = file.create_group(f"PartType{number}")
                group["ParticleIDs"] = np.asarray(ids, dtype=np.uint64)
                group["Acceleration"] = acceleration
                group["Potential"] = np.zeros(len(ids))
            stages = ("keys", "sort", "build", "groups", "moments", "walk")
            timing = {stage: 0.5**n for n, stage in enumerate(stages)}
            timing |= {"interactions": 1000, "threads": 2, "bootstrap": 99.0}
            timing |= {"quadrupole_interactions": 100, "octupole_interactions": 10}
            file.create_group("Timing").attrs.update(timing)
            write_provenance(file)
        return path

    return write


@pytest.fixture
def write_run(tmp_path: Path) -> Callable[..., Path]:
    """Write the step log of a run whose wall time and step length are given.

    Stage n of step i takes n i `wall` / 1000.
    """

    def write(
        folder: str,
        wall: float,
        dt: float,
        steps: int = 4,
        particles: int = 100,
        **options: str,
    ) -> Path:
        path = tmp_path / folder / "steps.h5"
        path.parent.mkdir(parents=True)
        with h5py.File(path, "w") as file:
            columns = {
                "step": np.arange(steps),
                "dt": np.full(steps, dt),
                "active": np.full(steps, particles // 2),
                "groups": np.full(steps, 7),
                "interactions": np.arange(steps),
                "cells_judged": 2 * np.arange(steps),
                "rebuilt": np.arange(steps) % 2,
                "total": np.full(steps, 0.25 * wall / steps),
            }
            for n, stage in enumerate(STAGES):
                columns[stage] = n * np.arange(steps) * wall / 1000
            group = file.create_group("Steps")
            for name, column in columns.items():
                group[name] = column
            timing = {"wall": wall, "read": 0.1, "bootstrap": 0.2, "write": 0.3}
            timing |= {"steps": steps, "particles": particles, "threads": 2}
            timing |= {"parts": 1, "memory": 4096}
            file.create_group("Timing").attrs.update(timing)
            file.create_group("Options").attrs.update({"eta": "0.5"} | options)
            write_provenance(file)
        with h5py.File(path.with_name("energy.h5"), "w") as file:
            file["Energy/total"] = [-1.0, -1.5, -0.75]
            for axis, turn in {"x": [0, 5, 3], "y": [0, 0, 0], "z": [4, 4, 8]}.items():
                file[f"Energy/angular_momentum_{axis}"] = np.array(turn, float)
        with h5py.File(path.with_name("force_errors.h5"), "w") as file:
            file["ForceErrors/component"] = [-1, 0, -1, 0]
            for column, (first, last) in {
                "accuracy": (0.25, 0.125),
                "percentile_99": (3e-3, 2e-3),
                "power": (1e-5, -2e-5),
            }.items():
                file[f"ForceErrors/{column}"] = [first, 0, last, 0]
        with h5py.File(path.with_name("lagrange.h5"), "w") as file:
            file["Lagrange/component"] = [0, 1, 0, 1, 0, 1]
            for percent in (10, 50, 90):
                radii = percent * np.array([1.0, 2.0, 7.0, 8.0, 0.5, 3.0])
                file[f"Lagrange/r_{percent}"] = radii
            file.create_group("ComponentNames").attrs["1"] = "disc"
        return path

    return write


@pytest.fixture
def sweep() -> pd.DataFrame:
    """Block and shared runs of all criteria, two repeats each, with known times and errors.

    Errors are the accuracy times 0.01, 0.05, 0.1 and 1; block steps take 1 / accuracy seconds, and
    half as much again in the second repeat.
    """
    parameters = {
        "acceleration": [2.0**-12, 2.0**-7, 2.0**-2],
        "multipole": [2.0**-7, 2.0**-2],
        "opening": [0.4, 0.8],
    }
    rows = []
    for criterion, accuracies in parameters.items():
        for accuracy, step, repeat in itertools.product(accuracies, ("block", "shared"), (1, 2)):
            seconds, time = {"block": (1.0, 2.0), "shared": (3.0, 4.0)}[step]
            elapsed = seconds * (1 + repeat) / 2 / accuracy
            setting = {"criterion": criterion, "accuracy": accuracy, "step": step, "repeat": repeat}
            factors = {"error_50": 0.01, "error_90": 0.05, "error_99": 0.1, "error_max": 1.0}
            errors = {name: factor * accuracy for name, factor in factors.items()}
            times = {"simulated_time": time, "elapsed_per_step_s": elapsed}
            times |= {"stages_per_step_s": 0.9 * elapsed, "elapsed_per_time_s": 8 * elapsed / time}
            counts = {"particles": 1024, "steps": 8, "compared": 512, "threads": 2}
            rows.append(a_row(**setting, **errors, **times, **counts, **MADE_BY))
    return table_of(rows)


@pytest.fixture
def scaling() -> pd.DataFrame:
    """Three sizes; every stage takes a known fraction of a microsecond per particle."""
    parts = {"predict": 1, "keys": 2, "sort": 3, "build": 4, "groups": 5, "moments": 6, "walk": 7}
    parts |= {"correct": 8, "stages_per_step": 36}
    rows = []
    for particles, (repeat, slower) in itertools.product(
        (1024, 8192, 1048576), ((1, 0.75), (2, 1.0), (3, 1.25))
    ):
        times = {f"{stage}_s": 1e-6 * n * particles for stage, n in parts.items()}
        times["stages_per_step_s"] *= slower
        counts = {
            "particles": particles,
            "repeat": repeat,
            "steps": 24,
            "rebuilds": 6,
            "threads": 2,
        }
        counts |= {"memory_bytes": 200 * particles, "interactions": 24 * 7 * particles}
        rows.append(a_row(**times, **counts, active_fraction=0.5, **MADE_BY))
    return table_of(rows)
