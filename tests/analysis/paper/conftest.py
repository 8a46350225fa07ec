"""Studies whose tables the tests of judges know."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.paper.evidence import PUBLISHED, Evidence
from analysis.reading.csv_tables import write_table
from analysis.study.runs import save, table_of
from analysis.study.tables import Study
from tests.analysis.conftest import MADE_BY
from tests.analysis.rows import a_row

REPEATED = {"command_line": "gothic bench WORD --repeats 3"}
ACCURACIES = {
    "acceleration": [2.0**-n for n in (2, 4, 6, 7, 8, 10, 12)],
    "multipole": [2.0**-n for n in (2, 4, 5, 8, 10)],
    "opening": [0.3, 0.5, 0.6, 0.7, 0.9],
}
Written = Callable[..., Evidence]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Write tables of a study, and return what is judged."""

    def write(
        runs: Iterable[dict] = (), steps: pd.DataFrame | None = None, **benches: pd.DataFrame
    ) -> Evidence:
        (tmp_path / "study.json").write_text(json.dumps({"runs": [], "figures": []}))
        if rows := list(runs):
            save(table_of(rows), tmp_path)
        if any(PUBLISHED in row for row in rows):
            save(with_algorithm(rows), tmp_path)
        if steps is not None:
            write_table(steps, tmp_path / "steps.csv")
        for word, table in benches.items():
            write_table(table, tmp_path / f"bench_{word}.csv")
        return Evidence(Study(tmp_path))

    return write


def with_algorithm(rows: list[dict]) -> pd.DataFrame:
    """Make a table of runs with the option that chooses the paper's algorithm."""
    tables = []
    for algorithm in sorted({row[PUBLISHED] for row in rows}):
        table = table_of(row for row in rows if row[PUBLISHED] == algorithm)
        table = table.drop(columns=PUBLISHED, errors="ignore")
        table.insert(table.columns.get_loc("path"), PUBLISHED, algorithm)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def seconds(wall: float, stages: float | None = None, walk: float | None = None) -> dict:
    """Times of a run, per step."""
    stages = wall if stages is None else stages
    walk = stages if walk is None else walk
    return {"elapsed_per_step_s": wall, "stages_per_step_s": stages, "walk_s": walk}


def sweep_rows(
    gain: Callable[[str, float], dict[str, float]],
    model: str = "m31",
    repeats: int = 3,
    **changes: object,
) -> list[dict]:
    """Runs with both kinds of steps, of ``STEPS`` steps, whose gains are given.

    Parameters
    ----------
    gain
        Gains by criterion and accuracy: of ``pairs``, ``walk``, ``stages`` and ``wall``, 1 where
        they are left out.
    """
    rows = []
    for criterion, accuracies in ACCURACIES.items():
        for accuracy, step, n in itertools.product(accuracies, ("block", "shared"), range(repeats)):
            slower = dict.fromkeys(("pairs", "walk", "stages", "wall"), 1.0)
            if step == "shared":
                slower |= gain(criterion, accuracy)
            scatter = 1 + 0.01 * n
            error = accuracy**2 if criterion == "opening" else 0.01 * accuracy
            row = {"model": model, "criterion": criterion, "accuracy": accuracy, "step": step}
            row |= {"repeat": n + 1, "steps": 1024, "particles": 2**20, "parts": 1, "threads": 2}
            row |= {"interactions": round(1024 * 1e6 * slower["pairs"])}
            row |= {"error_50": 0.1 * error, "error_99": error}
            times = seconds(slower["wall"], slower["stages"], slower["walk"])
            row |= {name: scatter * time for name, time in times.items()}
            rows.append(a_row(**MADE_BY | row | changes))
    return rows


def size_rows(
    sizes: Iterable[int],
    time: Callable[[int], dict[str, float]],
    repeats: int = 3,
    **changes: object,
) -> list[dict]:
    """Fiducial runs with several numbers of particles, whose times per step are given."""
    rows = []
    for particles, n in itertools.product(sizes, range(repeats)):
        row = {"model": "m31", "particles": particles, "repeat": n + 1, "steps": 1024}
        row |= {"parts": 1, "threads": 2} | time(particles)
        rows.append(a_row(**MADE_BY | row | changes))
    return rows


def trace(**columns: object) -> pd.DataFrame:
    """Make 101 steps in cycles of eight: a slow one and a new tree, intermediate and fast ones.

    Pairs are summed at 1e9 per second, 10 % fewer in slow steps. Other stages take a millisecond.
    """
    step = np.arange(101)
    kind = np.select([step % 8 == 0, step % 2 == 0], ["slow", "intermediate"], "fast")
    active = np.select([kind == "slow", kind == "intermediate"], [100000, 10000], 1000)
    pairs = 1000 * active
    stages = ("predict", "keys", "sort", "build", "groups", "moments", "correct")
    table = {
        "number": step + 1,
        "sequence": kind,
        "active": active,
        "rebuilt": step % 8 == 0,
        "interactions": pairs,
        "walk_s": pairs / np.where(kind == "slow", 9e8, 1e9),
        **{f"{stage}_s": np.full(101, 1e-3) for stage in stages},
        "level_min": 3,
        "level_max": 7,
        "model": "m31",
        "particles": 131072,
        "steps": 101,
        "path": "run",
        **MADE_BY,
    }
    table = pd.DataFrame(table | columns)
    table["interactions_per_walk_s"] = table["interactions"] / table["walk_s"]
    return table.assign(total_s=table[[f"{stage}_s" for stage in (*stages, "walk")]].sum(axis=1))


def trace_rows(repeats: int = 3, **changes: object) -> list[dict]:
    """Runs that `trace` is the first of."""
    row = {"model": "m31", "particles": 131072, "steps": 101, "parts": 1, "threads": 2}
    paths = ["run", *(f"run{n}" for n in range(2, repeats + 1))]
    return [
        a_row(**MADE_BY | row | {"repeat": n, "path": path} | changes)
        for n, path in enumerate(paths, 1)
    ]
