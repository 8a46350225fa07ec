"""M31 left to itself: maps, rotation, energy and Lagrangian radii of a run with snapshots.

python -m analysis.examples.m31_gigayear RUN --output FOLDER

draws ``gigayear_maps``, ``gigayear_rotation``, ``gigayear_energy`` and ``gigayear_radii`` of the
folder of ``gothic run``. Beside each figure are its table (.csv) and its caption (.txt).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from gothic import Units
from matplotlib.figure import Figure

from analysis.errors import DataError, main
from analysis.figures import movie
from analysis.figures.common import component_colors, power_of_two, save, use_style
from analysis.figures.map import below
from analysis.reading.files import PROVENANCE, pick, read_log
from analysis.reading.origin import subject
from analysis.reading.profiles import centred, cylindrical
from analysis.reading.scene import Scene, box_of
from analysis.reading.snapshots import Snapshot, read_snapshot

DISC = "disc"
RINGS = np.linspace(0.5, 30.0, 30)  # kpc
SHOWN = 3  # states in the maps and rotation curves
FRACTIONS = {"r_10": 0.1, "r_50": 0.5, "r_90": 0.9}  # columns of lagrange.h5
VELOCITIES = {
    "v_mean": r"mean rotation [km s$^{-1}$]",
    "sigma_r": r"$\sigma_R$ [km s$^{-1}$]",
    "sigma_z": r"$\sigma_z$ [km s$^{-1}$]",
}


def snapshots_of(run: Path) -> list[Path]:
    """List the snapshots of a run in the order of time.

    Raises
    ------
    DataError
        If there are less than two.
    """
    found = sorted(run.glob("snapshot_*.h5"))
    if len(found) < 2:
        raise DataError(f"{run}: less than two snapshots; run gothic with --snapshot-interval")
    return found


def shown_of(paths: list[Path]) -> list[Path]:
    """Choose the first state, the last, and those at equal distances between them."""
    places = np.linspace(0, len(paths) - 1, SHOWN).round().astype(int)
    return [paths[place] for place in np.unique(places)]


def rotation(states: list[Snapshot]) -> pd.DataFrame:
    """Measure rotation and dispersions of the disc: rows of `cylindrical` with ``myr``."""
    tables = []
    for state in states:
        if DISC not in state.components:
            raise DataError(f"there is no component {DISC}; use a run of config/models/m31.toml")
        rings = cylindrical(centred(state)[DISC], RINGS)
        tables.append(rings.assign(myr=(state.time - states[0].time) / state.units.myr))
    return pd.concat(tables, ignore_index=True)


def draw_rotation(table: pd.DataFrame) -> Figure:
    """Draw rotation and dispersions against radius, a line for each time."""
    figure, panels = plt.subplots(1, len(VELOCITIES), figsize=(10, 3.4))
    colors = mpl.colormaps["viridis"](np.linspace(0, 0.8, table["myr"].nunique()))
    styles = ("-", "--", ":")
    for axes, (name, label) in zip(panels, VELOCITIES.items(), strict=True):
        for color, style, (myr, rows) in zip(colors, styles, table.groupby("myr"), strict=False):
            axes.plot(rows["radius"], rows[name], style, color=color, label=f"{myr:.0f} Myr")
        axes.set(xlabel=r"$R$ [kpc]", ylabel=label, xlim=(0, RINGS[-1]), ylim=(0, None))
    panels[0].legend()
    return figure


def energy(run: Path, units: Units) -> pd.DataFrame:
    """Tabulate the changes of energy and angular momentum: ``myr``, ``energy``, ``spin``."""
    log = read_log(run / "energy.h5")
    spin = np.linalg.norm(log[[f"angular_momentum_{axis}" for axis in "xyz"]], axis=1)
    return pd.DataFrame(
        {
            "myr": (log["time"] - log["time"][0]) / units.myr,
            "energy": log["total"] / log["total"][0] - 1,
            "spin": spin / spin[0] - 1,
            "virial_ratio": log["virial_ratio"],
        }
    )


def draw_energy(table: pd.DataFrame) -> Figure:
    """Draw what should stay as it is."""
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.2))
    panels[0].plot(table["myr"], 1e4 * table["energy"], label="energy")
    panels[0].plot(table["myr"], 1e4 * table["spin"], "--", label="angular momentum")
    panels[0].set(xlabel="time [Myr]", ylabel=r"relative change [$10^{-4}$]")
    panels[0].axhline(0, color="0.4", linewidth=0.6, zorder=0)
    panels[0].legend()
    panels[1].plot(table["myr"], table["virial_ratio"])
    panels[1].set(xlabel="time [Myr]", ylabel=r"virial ratio $-2K / \sum m\,r \cdot a$")
    panels[1].axhline(1, color="0.4", linewidth=0.6, zorder=0)
    return figure


def radii(run: Path, units: Units) -> pd.DataFrame:
    """Tabulate the Lagrangian radii: ``component``, ``myr``, ``fraction``, ``radius``, ``change``.

    ``change`` is relative to the first state.
    """
    log = read_log(run / "lagrange.h5")
    names = log.attrs.get("ComponentNames", {})
    table = log.melt(["time", "component"], [*FRACTIONS], "fraction", "radius")
    first = table.groupby(["component", "fraction"])["radius"].transform("first")
    return table.assign(
        component=table["component"].astype(str).replace(names),
        myr=(table["time"] - log["time"][0]) / units.myr,
        fraction=table["fraction"].map(FRACTIONS),
        change=table["radius"] / first - 1,
    )


def draw_radii(table: pd.DataFrame) -> Figure:
    """Draw the Lagrangian radii of each component, relative to the first, in per cent."""
    names = list(table["component"].unique())
    figure, panels = plt.subplots(
        1, len(names), figsize=(3.3 * len(names) + 0.6, 3.2), sharey=True, squeeze=False
    )
    colors = component_colors(f"{100 * fraction:.0f} %" for fraction in FRACTIONS.values())
    for axes, name in zip(panels.flat, names, strict=True):
        for fraction, rows in table[table["component"] == name].groupby("fraction"):
            label = f"{100 * fraction:.0f} %"
            axes.plot(rows["myr"], 100 * rows["change"], ".-", color=colors[label], label=label)
        axes.axhline(0, color="0.4", linewidth=0.6, zorder=0)
        axes.set(xlabel="time [Myr]", title=name)
    panels[0, 0].set_ylabel("change of the radius [%]")
    panels[0, -1].legend(title="part of the mass")
    return figure


def origin(first: Snapshot, last: Path) -> str:
    """Say in a sentence how many particles there are and what moved them."""
    total = sum(map(len, first.components.values()))
    facts = pick(last, "Provenance", PROVENANCE)
    options = pick(last, "Options", ("eta", "accuracy", "mac"))
    return (
        f"{subject(first.models, first.file)}, N = {power_of_two(total)} particles, left to "
        f"itself; block steps with eta {options['eta']}, {options['mac']} criterion "
        f"{float(options['accuracy']):.3g}. Device: {facts['device']}; {facts['compiler']}; "
        f"gothic {facts['version']}, revision {facts['revision']}."
    )


def draw_all(run: Path, folder: Path) -> None:
    """Draw all figures of a run."""
    paths = snapshots_of(run)
    states = [read_snapshot(path) for path in shown_of(paths)]
    units, text = states[0].units, origin(states[0], paths[-1])
    scene = Scene(centre="mass")
    found = movie.frames(states, scene, box_of(states, scene))
    about = f"Surface density of the stars; {below(states[0], scene)}. {text}"
    maps = movie.draw(found, units, below(states[0], scene))
    save(maps, movie.table(found), about, folder / "gigayear_maps")

    table = rotation(states)
    about = f"Mean rotation and dispersions of the stars of the disc. {text}"
    save(draw_rotation(table), table, about, folder / "gigayear_rotation")

    table = energy(run, units)
    drift = table["energy"].abs().max()
    about = (
        f"Total energy and angular momentum, relative to the start, and virial ratio; largest "
        f"change of the energy {drift:.1e}. {text}"
    )
    save(draw_energy(table), table, about, folder / "gigayear_energy")

    table = radii(run, units)
    about = f"Radii that hold 10, 50 and 90 % of the mass of a component. {text}"
    save(draw_radii(table), table, about, folder / "gigayear_radii")


def entry() -> None:
    """Draw the figures of a run."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.examples.m31_gigayear", description=__doc__
    )
    parser.add_argument("run", type=Path, help="folder of gothic run")
    parser.add_argument("--output", type=Path, required=True, help="folder of the figures")
    given = parser.parse_args()
    use_style()
    draw_all(given.run, given.output)


if __name__ == "__main__":
    main(entry)
