"""Table of the launch configuration that suits the device (Miki & Umemura 2017, table 2)."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from analysis.benches import facts_sentence
from analysis.figures.common import MODELS, save_table
from analysis.published import published, size
from analysis.study import Study, Where

# Stages of a step here, and the functions of the paper that do the same.
FUNCTIONS = {
    "walk": ("walkTree",),
    "build": ("makeTree", "linkTree", "trimTree"),
    "moments": ("calcMAC",),
    "keys": ("genPHkey",),
}
LAUNCH = ("threads_per_block", "sharing_threads", "sharing", "registers")
SIZES = ("group_size", "leaf_capacity", "list_capacity", "ball")
HEADINGS = {
    "function": "function",
    "hardware": "hardware",
    "threads_per_block": "threads per block",
    "sharing_threads": "T_sub",
    "sharing": "S",
    "registers": "registers",
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
    rows = []
    for function in dict.fromkeys([*FUNCTIONS, *chosen["function"]]):
        for _, row in chosen[chosen["function"] == function].iterrows():
            names = [name for name in (*LAUNCH, *SIZES, "seconds") if name in row]
            values = {name: row[name] for name in names}
            rows.append({"function": function, "hardware": row["device_name"], **values})
        for name in FUNCTIONS.get(function, ()):
            rows += published_choices(name)
    return pd.DataFrame(rows).reindex(
        columns=["function", "hardware", *LAUNCH, *SIZES, "seconds", "source"]
    )


def published_choices(function: str) -> list[dict[str, object]]:
    """List what was published of a function, one row per hardware."""
    rows: dict[str, dict[str, object]] = {}
    for column in LAUNCH:
        for found in published(f"launch_{function}_{column}").itertuples():
            start = {"function": function, "hardware": found.hardware, "source": found.source}
            rows.setdefault(found.hardware, start)[column] = found.value
    return list(rows.values())


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
        f"{MODELS.get(model, model)} with {size(int(number))} particles"
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
        f"on the most accelerated eighth. Published choices: {sources}. {facts_sentence(tune)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table from that of gothic bench tune."""
    tune = study.bench("tune", where)
    table = configuration(tune)
    save_table(table, shown(table), caption(table, tune), stem)
