"""Table of enclosing balls: their cost, size and effect (Miki & Umemura 2017, table 4)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from analysis.figures.command import of_study
from analysis.figures.common import bench_made_by, model_name, save
from analysis.paper.published import by_hardware, size
from analysis.study.tables import Study, Where

BALLS = ("seb", "ebs", "geo", "com", "cmp")
RADIUS = "radius_over_smallest"
# Columns of the table of gothic bench balls, and what they are called.
QUANTITIES = {
    "seconds": "making all balls [s]",
    f"{RADIUS}_median": "radius / smallest, median",
    f"{RADIUS}_p95": "radius / smallest, 95 %",
    f"{RADIUS}_p99": "radius / smallest, 99 %",
    f"{RADIUS}_max": "radius / smallest, largest",
    "walk_seconds": "walk [s]",
    "interactions": "interactions",
}


def costs(balls: pd.DataFrame) -> pd.DataFrame:
    """Arrange measurements and published costs by quantity.

    Returns
    -------
    pandas.DataFrame
        One row per quantity, model and hardware: ``quantity``, ``model``, ``particles``,
        ``hardware``, ``groups``, and for each ball its value, with ``<ball>_min`` and
        ``<ball>_max`` where it was repeated; ``source`` of published rows.
    """
    tables = []
    models = balls["model"].unique()
    for quantity in QUANTITIES:
        for model in models:
            measured = balls[balls["model"] == model].set_index("ball")
            row = {"quantity": quantity, "model": model}
            row |= {"hardware": measured["device_name"].iloc[0]}
            row |= {"particles": measured["particles"].iloc[0], "groups": measured["groups"].max()}
            for ball in (name for name in BALLS if name in measured.index):
                for end in ("", "_min", "_max"):
                    if quantity + end in measured:
                        row[ball + end] = measured.loc[ball, quantity + end]
            tables.append(pd.DataFrame([row]))
        if quantity == "seconds":
            for model in models:
                found = by_hardware({ball: f"ball_seconds_{ball}" for ball in BALLS}, model)
                tables.append(found.assign(quantity=quantity, model=model))
    return pd.concat(tables, ignore_index=True)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it; the range of repeats follows the median."""
    columns = {
        "quantity": table["quantity"].map(QUANTITIES),
        "model": table["model"].map(model_name),
        "hardware": table["hardware"],
        "N": table["particles"].map(size),
    }
    for ball in BALLS:
        columns[ball.upper()] = [cell(row, ball) for _, row in table.iterrows()]
    return pd.DataFrame(columns)


def cell(row: pd.Series, ball: str) -> str:
    """Write one value."""
    value, least, most = (row.get(f"{ball}{end}", np.nan) for end in ("", "_min", "_max"))
    if np.isnan(value):
        return ""
    if row["quantity"].startswith(RADIUS):
        return f"{value:.3f}"
    return f"{value:.3g}" + ("" if np.isnan(least) else f" ({least:.3g}-{most:.3g})")


def caption(table: pd.DataFrame, balls: pd.DataFrame) -> str:
    """Describe the table and tell what the balls do to the walk."""
    words = []
    for model, group in balls.groupby("model", sort=False):
        walk = group.set_index("ball")["walk_seconds"]
        ratios = ", ".join(
            f"{ball.upper()} {walk[ball] / walk['geo']:.3f}"
            for ball in BALLS
            if ball in walk and ball != "geo"
        )
        words.append(f"{model_name(model)} {ratios}")
    groups = ", ".join(map(str, dict.fromkeys(balls["groups"])))
    sources = "; ".join(dict.fromkeys(table.get("source", pd.Series()).dropna()))
    return (
        "Balls around the groups that walk together: the smallest (SEB; Fischer, Gaertner & Kutz "
        "2003), that of Ritter (EBS; 1990), around the centre of the bounding box (GEO), around "
        "the centre of mass (COM), the smaller of these two (CMP). Times are medians, in "
        "brackets the fastest and the slowest repeat; all kinds were measured in turn. The walk "
        f"is a force on all particles whose cells are judged with the ball, {groups} groups. "
        f"Its time over that with GEO: {'; '.join(words)}. Published costs, made inside the walk "
        f"and measured by clock cycles: {sources}. {bench_made_by(balls)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table from the table of gothic bench balls."""
    balls = study.bench("balls", where)
    table = costs(balls)
    save(shown(table), table, caption(table, balls), stem)


if __name__ == "__main__":
    of_study("ball_costs", __doc__, make)
