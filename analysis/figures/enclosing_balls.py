"""Radii of enclosing balls over the smallest (Miki & Umemura 2017, Fig. B.10)."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from analysis.figures.command import of_study
from analysis.figures.common import (
    bench_made_by,
    bench_title,
    legend_above,
    model_name,
    power_of_two,
    save,
)
from analysis.study.tables import Study, Where

BALLS = {
    "ebs": "EBS: Ritter",
    "geo": "GEO: centre of the bounding box",
    "com": "COM: centre of mass",
    "cmp": "CMP: smaller of GEO and COM",
}
# What the paper tells of each, read at the ratio axis.
PUBLISHED = {"ebs": (1.05, 1.10), "geo": (1.15,), "com": (1.4,), "cmp": ()}
WIDTH = 0.01  # of a bin of the ratio
LEAST = 10  # groups of a bin of the radius whose median is drawn


def draw(table: pd.DataFrame, title: str = "") -> Figure:
    """Draw a panel for each kind: groups by their smallest radius and by the ratio of radii."""
    figure, panels = plt.subplots(2, 2, figsize=(7.0, 6.0), sharex=True, sharey=True)
    share = frequency(table[table["ball"].isin(BALLS)])
    norm = LogNorm(share["share"].min(), share["share"].max())
    for axes, (ball, name) in zip(panels.flat, BALLS.items(), strict=True):
        mesh = draw_ball(axes, share[share["ball"] == ball], norm)
        draw_typical(axes, share[share["ball"] == ball])
        for ratio in PUBLISHED[ball]:
            axes.axhline(ratio, color="0.2", linewidth=0.8, linestyle="--", label="published")
        axes.set_title(name, fontsize=9)
    panels[0, 0].set_xscale("log")
    panels[0, 0].set_ylim(1.0, share["ratio_high"].max())
    for axes in panels[-1]:
        axes.set_xlabel(r"smallest radius $r_\mathrm{SEB}$")
    for axes in panels[:, 0]:
        axes.set_ylabel(r"$r_\mathrm{ball} \, / \, r_\mathrm{SEB}$")
    figure.colorbar(mesh, ax=panels, label="share of the groups in a bin", aspect=40)
    handles, names = panels[0, 0].get_legend_handles_labels()
    known = dict(zip(names, handles, strict=True))
    legend_above(figure, title, 2, known.values())
    return figure


def frequency(table: pd.DataFrame) -> pd.DataFrame:
    """Add ``share``, the part of the groups of a kind in a bin, and close the last bin."""
    total = table.groupby("ball")["groups"].transform("sum")
    high = table["ratio_high"].fillna(table["ratio_low"] + WIDTH)
    return table.assign(share=table["groups"] / total, ratio_high=high)


def draw_ball(axes: Axes, share: pd.DataFrame, norm: LogNorm) -> QuadMesh:
    """Draw the two-dimensional histogram of one kind."""
    per_decade = 1 / np.log10(share["radius_high"] / share["radius_low"]).median()
    column = np.rint(np.log10(share["radius_low"]) * per_decade).astype(int)
    row = np.rint((share["ratio_low"] - 1) / WIDTH).astype(int)
    counts = np.full((row.max() + 1, column.max() - column.min() + 1), np.nan)
    counts[row, column - column.min()] = share["share"]
    radius = 10 ** (np.arange(column.min(), column.max() + 2) / per_decade)
    ratio = 1 + WIDTH * np.arange(row.max() + 2)
    return axes.pcolormesh(
        radius, ratio, np.ma.masked_invalid(counts), norm=norm, cmap="viridis", rasterized=True
    )


def draw_typical(axes: Axes, share: pd.DataFrame) -> None:
    """Draw the median ratio of each bin of the radius that has groups enough."""
    radius, ratio = [], []
    for (low, high), rows in share.groupby(["radius_low", "radius_high"]):
        if rows["groups"].sum() >= LEAST:
            radius.append(np.sqrt(low * high))
            ratio.append(median(rows))
    axes.plot(radius, ratio, color="#D55E00", label="median")


def median(share: pd.DataFrame) -> float:
    """Median of the ratio, which is spread evenly over each bin."""
    bins = share.groupby("ratio_low")["share"].sum()
    total = bins.cumsum()
    half = total.iloc[-1] / 2
    place = int(np.searchsorted(total, half * (1 - 1e-9)))
    inside = (half - total.iloc[place] + bins.iloc[place]) / bins.iloc[place]
    return float(bins.index[place] + WIDTH * inside)


def caption(table: pd.DataFrame, balls: pd.DataFrame) -> str:
    """Describe the figure and tell the ratios in numbers."""
    rows = balls.set_index("ball")
    words = [
        f"{ball.upper()} {rows.loc[ball, 'radius_over_smallest_median']:.3f}, "
        f"{rows.loc[ball, 'radius_over_smallest_p95']:.3f}, "
        f"{rows.loc[ball, 'radius_over_smallest_max']:.3f}"
        for ball in BALLS
        if ball in rows.index
    ]
    model, number = balls["model"].iloc[0], int(balls["particles"].iloc[0])
    return (
        "Radius of the balls that enclose the groups of particles, over that of the smallest "
        "enclosing ball (SEB), against the latter in units of the model. Colours are the share of "
        "the groups in a bin of 0.1 in the logarithm of the radius and 0.01 in the ratio; "
        "the line is the median. Dashed lines are the published 5 % and 10 % of EBS, 1.15 of GEO "
        "and 1.4 of COM at large radii (M31, 2^23 particles). "
        f"Median, 95 % and largest of the ratio: {'; '.join(words)}. "
        f"{model_name(model)}, "
        f"N = {power_of_two(number)} particles, {int(balls['groups'].max())} groups. "
        f"{bench_made_by(table)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Draw the figure of the tables of gothic bench balls."""
    table, balls = study.bench("histogram", where), study.bench("balls", where)
    title = bench_title(balls, int(balls["particles"].iloc[0]))
    save(draw(table, title), table, caption(table, balls), stem)


if __name__ == "__main__":
    of_study("enclosing_balls", __doc__, make)
