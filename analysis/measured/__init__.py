"""Tables that were measured on other machines, and what can be drawn from them."""

from __future__ import annotations

from pathlib import Path

from analysis.sweep import STEP_MODES


def drawable(folder: Path) -> list[str]:
    """Name the figures for which a folder DEVICE holds the tables, as ``DEVICE/FIGURE_MODEL``."""
    names = []
    for path in sorted(folder.glob("*.csv")):
        table, _, model = path.stem.partition("_")
        if table == "scaling":
            names.append(f"breakdown_vs_particles_{model}")
        if table == "timings":
            if (folder / f"errors_{model}.csv").exists():
                names.append(f"elapsed_vs_error_{model}")
            text = path.read_text()
            if all(f",{mode}," in text for mode in STEP_MODES):
                names.append(f"speedup_{model}")
    return [f"{folder.name}/{name}" for name in names]
