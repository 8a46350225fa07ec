"""Tables as gothic bench writes them, with contents that the tests know."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from analysis.reading.csv_tables import write_table

FACTS = {
    "threads": 2,
    "device_name": "CPU",
    "machine": "node=n",
    "revision": "abc",
    "version": "1.2.3",
    "compiler": "GNU 12",
}
GPU = "NVIDIA H200"


def with_facts(table: pd.DataFrame, **facts: object) -> pd.DataFrame:
    return table.assign(**{"model": "m31", "particles": 8192, "seed": 1, **FACTS, **facts})


def spread(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    return {name: values, f"{name}_min": 0.9 * values, f"{name}_max": 1.2 * values}


def sharing_table(equal: bool = True, **facts: object) -> pd.DataFrame:
    """Walks that take (10^4 / S + n) microseconds; the program chooses 10 % worse than the best."""
    rows = []
    for active in 2 ** np.arange(4, 18):
        times = {}
        for size, lanes in ((64, 1), (16, 4), (2, 32)):
            times[size] = 1e-6 * (1e4 / lanes + active * (1 + lanes / 16))
            row = {"active": active, "group_size": size, "lanes_sharing": lanes}
            rows.append(row | {"choice": "given", "seconds": times[size]})
            if equal:
                rows.append(row | {"choice": "equal", "seconds": 1.5 * times[size]})
        size = min(times, key=lambda size: times[size])
        seconds = 1.1 * (1.5 if equal else 1.0) * times[size]
        row = {"active": active, "group_size": size, "lanes_sharing": 64 // size}
        rows.append(row | {"choice": "auto", "seconds": seconds})
    table = pd.DataFrame(rows)
    table = table.assign(**spread("seconds", table["seconds"].to_numpy()), seconds_over_best=1.1)
    facts.setdefault("particles", 2**17)
    return with_facts(table, **facts)


def balls_table(**facts: object) -> pd.DataFrame:
    ratio = np.array([1.07, 1.04, 1.0, 1.2, 1.05])
    columns = {
        "ball": ["geo", "ebs", "seb", "com", "cmp"],
        "group_size": 32,
        "groups": 256,
        **{f"radius_over_smallest_{n}": ratio for n in ("mean", "median", "p95", "p99", "max")},
        **spread("seconds", np.array([1e-4, 3e-4, 9e-4, 1e-4, 2e-4])),
        **spread("walk_seconds", np.array([1.0, 0.98, 0.96, 1.1, 0.99])),
        "interactions": [1000, 990, 970, 1100, 995],
        "cells_judged": 77,
    }
    return with_facts(pd.DataFrame(columns), **facts)


def histogram_table(**facts: object) -> pd.DataFrame:
    """Two radii; each kind has its groups in two or three bins of the ratio."""
    rows = []
    for ball, bins in {
        "geo": {1.03: 50, 1.12: 30, 1.2: 20},
        "ebs": {1.0: 80, 1.07: 20},
        "seb": {1.0: 100},
        "com": {1.1: 85, 1.5: 15},
        "cmp": {1.03: 100},
    }.items():
        for radius, part in ((1.0, 0.9), (10.0, 0.1)):
            for ratio, groups in bins.items():
                row = {"ball": ball, "radius_low": radius, "radius_high": radius * 10**0.1}
                row |= {"ratio_low": ratio, "ratio_high": ratio + 0.01}
                rows.append(row | {"groups": round(10 * part * groups)})
    return with_facts(pd.DataFrame(rows), **facts)


def crossover_table(particles: list[int], equal: float, **facts: object) -> pd.DataFrame:
    """Times of a tree, proportional to N, and of direct summation, to N^2, equal at some N."""
    sizes = np.array(particles, float)
    parts = {"sort": 0.25e-6 * sizes, "walk": 0.75e-6 * sizes, "tree": 1e-6 * sizes}
    parts["direct"] = 1e-6 * sizes**2 / equal
    columns = {"root": "estimate", "direct_over_tree": parts["direct"] / parts["tree"]}
    for name, seconds in parts.items():
        columns |= spread(f"{name}_seconds", seconds)
    return with_facts(pd.DataFrame(columns), **{"particles": particles, "model": "nfw", **facts})


def write(table: pd.DataFrame, path: Path) -> Path:
    write_table(table, path)
    return path
