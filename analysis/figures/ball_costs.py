"""Table of enclosing balls: their cost, size and effect (Miki & Umemura 2017, table 5)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.benches import facts_sentence
from analysis.figures.common import model_name, save_table
from analysis.published import published, size
from analysis.study import Study, Where

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
    rows = []
    for quantity in QUANTITIES:
        for model, group in balls.groupby("model", sort=False):
            measured = group.set_index("ball")
            row = {"quantity": quantity, "model": model, "hardware": group["device_name"].iloc[0]}
            row["particles"] = group["particles"].iloc[0]
            row["groups"] = group["groups"].max()
            for ball in (name for name in BALLS if name in measured.index):
                row[ball] = measured.loc[ball, quantity]
                if f"{quantity}_min" in measured:
                    row[f"{ball}_min"] = measured.loc[ball, f"{quantity}_min"]
                    row[f"{ball}_max"] = measured.loc[ball, f"{quantity}_max"]
            rows.append(row)
        if quantity == "seconds":
            rows += published_costs(list(balls["model"].unique()))
    return pd.DataFrame(rows)


def published_costs(models: list[str]) -> list[dict[str, object]]:
    """List the published costs of models, one row per model and hardware."""
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for model in models:
        for ball in BALLS:
            for found in published(f"ball_seconds_{ball}", model).itertuples():
                row = rows.setdefault(
                    (model, found.hardware),
                    {
                        "quantity": "seconds",
                        "model": model,
                        "particles": found.particles,
                        "hardware": found.hardware,
                        "source": found.source,
                    },
                )
                row[ball] = found.value
    return list(rows.values())


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
    value = row.get(ball)
    if value is None or pd.isna(value):
        return ""
    if row["quantity"].startswith(RADIUS):
        return f"{value:.3f}"
    text = f"{value:.3g}"
    least, most = row.get(f"{ball}_min"), row.get(f"{ball}_max")
    if least is None or pd.isna(least):
        return text
    return f"{text} ({least:.3g}-{most:.3g})"


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
    sources = "; ".join(dict.fromkeys(table.get("source", pd.Series(dtype=str)).dropna()))
    return (
        "Balls around the groups that walk together: the smallest (SEB; Fischer, Gaertner & Kutz "
        "2003), that of Ritter (EBS; 1990), around the centre of the bounding box (GEO), around "
        "the centre of mass (COM), the smaller of these two (CMP). Times are medians, in "
        "brackets the fastest and the slowest repeat; all kinds were measured in turn. The walk "
        f"is a force on all particles whose cells are judged with the ball, {groups} groups. "
        f"Its time over that with GEO: {'; '.join(words)}. Published costs, made inside the walk "
        f"and measured by clock cycles: {sources}. {facts_sentence(balls)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table from that of gothic bench balls."""
    balls = study.bench("balls", where)
    table = costs(balls)
    save_table(table, shown(table), caption(table, balls), stem)
