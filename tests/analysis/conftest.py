"""Files as the simulator writes them, with contents that the tests know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import h5py
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from analysis.figures.common import use_style

STAGES = ("predict", "keys", "sort", "build", "groups_time", "moments", "walk", "correct")
FACTS = {"version": "1.2.3", "revision": "abc", "compiler": "GNU 12", "device": "CPU"}


@pytest.fixture(autouse=True)
def style() -> Iterator[None]:
    """Draw as the study does; close what was drawn."""
    use_style()
    yield
    plt.close("all")


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
        memory: int | None = None,
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
            timing |= {} if memory is None else {"memory": memory}
            file.create_group("Timing").attrs.update(timing)
            file.create_group("Options").attrs["eta"] = "0.5"
            write_provenance(file)
        with h5py.File(path.with_name("energy.h5"), "w") as file:
            file["Energy/total"] = [-1.0, -1.5, -0.75]
        return path

    return write


@pytest.fixture
def timings() -> pd.DataFrame:
    """Block and shared runs of all criteria, two repeats each, with known elapsed times."""
    rows = []
    parameters = {
        "acceleration": [2.0**-12, 2.0**-7, 2.0**-2],
        "multipole": [2.0**-7, 2.0**-2],
        "opening": [0.4, 0.8],
    }
    for criterion, accuracies in parameters.items():
        for accuracy in accuracies:
            for mode, seconds, time in (("block", 1.0, 2.0), ("shared", 3.0, 4.0)):
                for repeat, slower in ((1, 1.0), (2, 1.5)):
                    elapsed = slower * seconds / accuracy
                    rows.append(
                        {
                            "sample": "nfw_N1024_s1",
                            "criterion": criterion,
                            "accuracy": accuracy,
                            "step_mode": mode,
                            "repeat": repeat,
                            "particles": 1024,
                            "steps": 8,
                            "eta": 0.5,
                            "threads": 2,
                            "simulated_time": time,
                            "elapsed_per_step_s": elapsed,
                            "stages_per_step_s": 0.9 * elapsed,
                            "elapsed_per_time_s": 8 * elapsed / time,
                            **FACTS,
                        }
                    )
    return pd.DataFrame(rows).sample(frac=1, random_state=1)


@pytest.fixture
def errors(timings: pd.DataFrame) -> pd.DataFrame:
    """Errors that belong to `timings`: the accuracy parameter in units of known factors."""
    table = timings[["criterion", "accuracy"]].drop_duplicates()
    factors = {"error_50": 0.01, "error_90": 0.05, "error_99": 0.1, "error_max": 1.0}
    return table.assign(
        compared=512, **{name: factor * table["accuracy"] for name, factor in factors.items()}
    )


@pytest.fixture
def scaling() -> pd.DataFrame:
    """Three sizes, of which every stage takes a known part of a microsecond per particle."""
    particles = np.array([1024, 8192, 1048576])
    parts = {"predict": 1, "keys": 2, "sort": 3, "build": 4, "groups": 5, "moments": 6, "walk": 7}
    parts |= {"correct": 8, "total": 36}
    table = pd.DataFrame({"particles": particles})
    table = table.assign(**{f"{stage}_s": 1e-6 * n * particles for stage, n in parts.items()})
    return table.assign(
        sample=[f"nfw_N{n}_s1" for n in particles],
        criterion="acceleration",
        accuracy=2.0**-7,
        step_mode="block",
        steps=24,
        eta=0.5,
        threads=2,
        active_fraction=0.5,
        rebuilds=6,
        interactions_per_walk_s=1e12,
        memory_bytes=200.0 * particles,
        bytes_per_particle=200.0,
        repeats=3,
        total_s_min=3e-5 * particles,
        total_s_max=4e-5 * particles,
        **FACTS,
    )
