"""Any column of the table of runs against any other."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt

from analysis.figures.common import save
from analysis.plot import caption, plot
from analysis.runs import parameters_in
from analysis.study import Study, Where


def make(study: Study, where: Where, stem: Path, x: str, y: str, colour: str | None = None) -> None:
    """Draw one plot of the file of a study."""
    runs = study.runs(where)
    figure, axes = plt.subplots(figsize=(5.2, 4.6))
    table = plot(runs, x, y, colour, axes)
    save(figure, table, caption(table, x, y, parameters_in(runs)), stem)
