"""Tables as gothic bench writes them, with contents that the tests know."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

FACTS = {
    "threads": 2,
    "device": "CPU",
    "revision": "abc",
    "version": "1.2.3",
    "compiler": "GNU 12",
}
GPU = "NVIDIA H200"


def command(word: str, sample: str = "m31_N8192_s1") -> str:
    return f"gothic bench {word} --input results/test/{sample}/ic.h5 --output {word}.csv"


def with_facts(table: pd.DataFrame, word: str, **facts: object) -> pd.DataFrame:
    sample = str(facts.pop("sample", "m31_N8192_s1"))
    return table.assign(**{**FACTS, "command_line": command(word, sample), **facts})


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
    facts.setdefault("sample", f"m31_N{2**17}_s1")
    return with_facts(table, "sharing", **facts)


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
    return with_facts(pd.DataFrame(columns), "balls", **facts)


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
    return with_facts(pd.DataFrame(rows), "balls", **facts)


def rebuild_table(**facts: object) -> pd.DataFrame:
    """Fixed intervals with the best at 8, and two rules."""
    intervals = 2.0 ** np.arange(7)
    seconds = 1 + 0.1 * np.abs(np.log2(intervals) - 3)
    fixed = {"setting": [f"interval-{n:.0f}" for n in intervals], "kind": "fixed"}
    fixed |= {"mean_interval": intervals, "seconds_per_step": seconds}
    rules = {"setting": ["pairs", "seconds"], "kind": "rule"}
    rules |= {"mean_interval": [7.5, 20.0], "seconds_per_step": [1.02, 1.2]}
    table = pd.concat([pd.DataFrame(fixed), pd.DataFrame(rules)], ignore_index=True)
    table = table.assign(
        **spread("seconds_per_step", table["seconds_per_step"].to_numpy()),
        steps=320,
        rebuilds=(320 / table["mean_interval"]).round().astype(int),
        seconds_per_time=1.0,
        seconds_over_best=table["seconds_per_step"],
    )
    return with_facts(table, "rebuild", **facts)


def extent_table(**facts: object) -> pd.DataFrame:
    """No limit, three extents and the rule."""
    columns = {
        "setting": ["none", "limit", "limit", "limit", "auto"],
        "kind": 4 * ["fixed"] + ["rule"],
        "group_extent": [0, 0.25, 0.5, 1.0, 0.6],
        **spread("seconds_per_step", np.array([1.5, 1.3, 1.0, 1.1, 1.04])),
        "steps": 320,
        "seconds_over_best": [1.5, 1.3, 1.0, 1.1, 1.04],
    }
    return with_facts(pd.DataFrame(columns), "extent", **facts)


def tune_table(**facts: object) -> pd.DataFrame:
    rows = []
    for model in ("nfw", "plummer", "all"):
        for threads, seconds in ((256, 1.0), (512, 0.9)):
            row = {"function": "walk", "model": model, "threads_per_block": threads}
            row |= {"sharing_threads": 32, "sharing": 2, "registers": 64, "list_capacity": 128}
            row |= {"leaf_capacity": 8, "group_size": 32, "ball": "geo", "seconds": seconds}
            row |= {"seconds_over_best": seconds / 0.9, "error_99": 0.01}
            rows.append(row | {"chosen": int(threads == 512)})
    rows.append({"function": "keys", "model": "all", "threads_per_block": 256, "chosen": 1})
    return with_facts(pd.DataFrame(rows), "tune", **facts)


def write(table: pd.DataFrame, path: Path) -> Path:
    table.to_csv(path, index=False)
    return path
