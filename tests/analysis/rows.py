"""Rows of parameter studies with known values."""

from __future__ import annotations

import itertools

import pandas as pd

from analysis.study.run_row import COUNTS, MEASURED, TEXTS
from analysis.study.runs import table_of
from analysis.study.schema import run_defaults

DEFAULTS = run_defaults()


def a_row(**changes: object) -> dict[str, object]:
    """Row of a run; everything measured is 1, texts are "abc"."""
    main = {
        "model": "nfw",
        "particles": 256,
        "seed": 1,
        "criterion": "acceleration",
        "accuracy": 2.0**-7,
        "step": "block",
        "eta": 0.5,
        "softening": 0,
        "device": "auto",
        "sharing": 0,
        "repeat": 1,
        "path": "results/small/runs/a",
        "ic": "results/small/ic/a/ic.h5",
    }
    measured: dict[str, object] = {name: 1 if name in COUNTS else 1.0 for name in MEASURED}
    return main | measured | dict.fromkeys(TEXTS, "abc") | changes


def some_runs() -> pd.DataFrame:
    """Runs whose errors are their accuracies and whose times follow from their parameters.

    Two sizes, two accuracies, both kinds of steps, two repeats but for one run without, whose trees
    serve a single step.
    """
    grid = itertools.product((256, 512), (2.0**-7, 2.0**-5), ("block", "shared"), (1, 2))
    rows = [
        a_row(
            particles=particles,
            accuracy=accuracy,
            step=step,
            repeat=repeat,
            error_99=accuracy,
            wall_s=particles / accuracy * (2 if step == "shared" else 1) * repeat,
        )
        for particles, accuracy, step, repeat in grid
    ]
    return table_of([*rows[1:], rows[0] | {"rebuild_interval": 1}])
