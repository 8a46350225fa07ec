"""Table of the launch configuration that suits the device (Miki & Umemura 2017, table 2)."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from analysis.figures.common import bench_made_by, model_name, save
from analysis.published import by_hardware, size
from analysis.study import Study, Where

# Stages of a step here, and the functions of the paper that do the same.
FUNCTIONS = {
    "walk": ("walkTree",),
    "build": ("makeTree", "linkTree", "trimTree"),
    "moments": ("calcMAC",),
    "keys": ("genPHkey",),
}
LAUNCH = ("threads_per_block", "sharing_threads", "sharing", "registers")
SIZES = ("order", "group_size", "leaf_capacity", "list_capacity", "ball")
HEADINGS = {
    "function": "function",
    "hardware": "hardware",
    "threads_per_block": "threads per block",
    "sharing_threads": "T_sub",
    "sharing": "S",
    "registers": "registers",
    "order": "order",
    "group_size": "group",
    "leaf_capacity": "leaf",
    "list_capacity": "list",
    "ball": "ball",
    "seconds": "time [s]",
}


def configuration(tune: pd.DataFrame) -> pd.DataFrame:
    """Arrange what was chosen for each function, and the published choices below it.

    Parameters
    ----------
    tune
        Table of ``gothic bench tune``.

    Returns
    -------
    pandas.DataFrame
        One row per function and hardware: ``function``, ``hardware``, the columns of `LAUNCH` and
        `SIZES`, ``seconds`` and ``source`` of published rows.
    """
    chosen = tune[tune["chosen"] == 1]
    if (chosen["model"] == "all").any():
        chosen = chosen[chosen["model"] == "all"]
    tables = []
    for function in dict.fromkeys([*FUNCTIONS, *chosen["function"]]):
        ours = chosen[chosen["function"] == function]
        tables.append(ours.rename(columns={"device_name": "hardware"}))
        for name in FUNCTIONS.get(function, ()):
            found = by_hardware({column: f"launch_{name}_{column}" for column in LAUNCH})
            tables.append(found.assign(function=name))
    columns = ["function", "hardware", *LAUNCH, *SIZES, "seconds", "source"]
    return pd.concat(tables, ignore_index=True).reindex(columns=columns)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it, without columns that are empty."""
    columns = [name for name in table if name in HEADINGS and table[name].notna().any()]
    texts = table[columns].map(text)
    return texts.rename(columns=HEADINGS)


def text(value: object) -> str:
    """Write a number or a word; nothing for what is missing."""
    if pd.isna(value):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def caption(table: pd.DataFrame, tune: pd.DataFrame) -> str:
    """Describe the table and how it was found."""
    models = ", ".join(
        f"{model_name(model)} with {size(int(number))} particles"
        for model, number in re.findall(r"([a-z0-9_]+)_N(\d+)", str(tune["samples"].iloc[0]))
    )
    sources = "; ".join(dict.fromkeys(table["source"].dropna()))
    return (
        "Launch configuration found by gothic bench tune: threads per block, threads that share an "
        "operation (T_sub), lanes that share a particle (S), registers per thread (of GPUs), the "
        "sizes of groups, leaves and lists, and the enclosing ball. Every setting was changed in "
        "turn and kept where it made the times shorter at equal accuracy"
        f"{f' on {models}' if models else ''}; {len(tune)} settings were measured. Times are "
        "geometric means over the models, for the walk also over a force on all particles and one "
        f"on the most accelerated eighth. Published choices: {sources}. {bench_made_by(tune)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table from that of gothic bench tune."""
    tune = study.bench("tune", where)
    table = configuration(tune)
    save(shown(table), table, caption(table, tune), stem)
