"""M31 left to itself: maps, rotation, energy and Lagrangian radii of a run with snapshots.

python -m analysis.examples.m31_gigayear RUN --output FOLDER

draws ``gigayear_maps``, ``gigayear_rotation``, ``gigayear_energy`` and ``gigayear_radii`` of the
folder of ``gothic run``. Beside each figure are its table (.csv) and its caption (.txt).

    --tables FOLDER     writes the tables of rotation, energy and radii there, too; in the place of
                        RUN, such a folder draws these figures again
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from gothic import Units
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.errors import DataError, main
from analysis.figures import movie
from analysis.figures.common import (
    COLORS,
    component_colors,
    legend_above,
    made_by,
    power_of_two,
    save,
    use_style,
)
from analysis.figures.map import below
from analysis.reading.csv_tables import read_table, write_table
from analysis.reading.files import PROVENANCE, pick, read_log
from analysis.reading.origin import subject
from analysis.reading.profiles import centred, cylindrical, lagrangian_scatter
from analysis.reading.scene import Scene, box_of
from analysis.reading.snapshots import Snapshot, read_snapshot

DISC = "disc"
RINGS = np.linspace(0.5, 30.0, 30)  # kpc
SHOWN = 3  # states in the maps and rotation curves
FRACTIONS = {"r_10": 0.1, "r_50": 0.5, "r_90": 0.9}  # columns of lagrange.h5
STYLES = (":", "--", "-")
MARKERS = ("o", "s", "D")
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
    figure, panels = plt.subplots(1, len(VELOCITIES), figsize=(10, 3.8))
    for axes, (name, label) in zip(panels, VELOCITIES.items(), strict=True):
        looks = zip(COLORS, STYLES, MARKERS, strict=False)
        for look, (myr, rows) in zip(looks, table.groupby("myr"), strict=False):
            style = dict(zip(("color", "linestyle", "marker"), look, strict=True))
            style |= {"markersize": 3, "elinewidth": 0.6, "label": f"{myr:.0f} Myr"}
            axes.errorbar(rows["radius"], rows[name], rows[f"{name}_error"], **style)
        axes.set(xlabel=r"$R$ [kpc]", ylabel=label, xlim=(0, RINGS[-1]))
    legend_above(figure, "disc of M31", SHOWN, panels[0].get_legend_handles_labels()[0])
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
    figure, panels = plt.subplots(1, 2, figsize=(7.6, 3.4))
    panels[0].plot(table["myr"], 1e4 * table["energy"], label="energy")
    panels[0].plot(table["myr"], 1e4 * table["spin"], "--", label="angular momentum")
    panels[0].set(xlabel="time [Myr]", ylabel=r"relative change [$10^{-4}$]")
    panels[0].axhline(0, color="0.4", linewidth=0.6, zorder=0)
    panels[0].legend(loc="upper left")
    panels[1].plot(table["myr"], table["virial_ratio"])
    panels[1].set(xlabel="time [Myr]", ylabel="virial ratio")
    panels[1].axhline(1, color="0.4", linewidth=0.6, zorder=0)
    return figure


def growth(table: pd.DataFrame) -> str:
    """Say how much the angular momentum changes, and from when on."""
    change = table["spin"].abs()
    small = table["myr"][change < change.max() / 10]
    last = table["spin"].iloc[-1]
    return (
        f"The angular momentum changes by {last:+.1e} in the end; until {small.max():.0f} Myr it "
        "is within a tenth of its largest change, and grows then. Tree forces conserve it only "
        "within their errors."
    )


def radii(run: Path, first: Snapshot) -> pd.DataFrame:
    """Tabulate the Lagrangian radii: ``component``, ``myr``, ``fraction``, ``radius``, ``change``.

    ``change`` is relative to the first state, ``scatter`` the relative sampling noise (one standard
    deviation) of that state.
    """
    log = read_log(run / "lagrange.h5")
    names = log.attrs.get("ComponentNames", {})
    table = log.melt(["time", "component"], [*FRACTIONS], "fraction", "radius")
    start = table.groupby(["component", "fraction"])["radius"].transform("first")
    table = table.assign(
        component=table["component"].astype(str).replace(names),
        myr=(table["time"] - log["time"][0]) / first.units.myr,
        fraction=table["fraction"].map(FRACTIONS),
        change=table["radius"] / start - 1,
    )
    return table.merge(noise(first), on=["component", "fraction"])


def noise(state: Snapshot) -> pd.DataFrame:
    """Tabulate the sampling noise of Lagrangian radii: ``component``, ``fraction``, ``scatter``."""
    tables = []
    for name, part in centred(state).items():
        radius = np.linalg.norm(part.position, axis=1)
        scatter = lagrangian_scatter(radius, list(FRACTIONS.values()))
        columns = {"component": name, "fraction": FRACTIONS.values(), "scatter": scatter}
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def draw_radii(table: pd.DataFrame) -> Figure:
    """Draw the Lagrangian radii of each component, relative to the first, in per cent."""
    names = list(table["component"].unique())
    figure, panels = plt.subplots(
        1, len(names), figsize=(3.3 * len(names) + 0.6, 3.6), sharey=True, squeeze=False
    )
    for axes, name in zip(panels.flat, names, strict=True):
        draw_component(axes, table[table["component"] == name])
        axes.set(xlabel="time [Myr]", title=name)
    panels[0, 0].set_ylabel("change of the radius [%]")
    title = "Lagrangian radius, by the part of the mass within"
    legend_above(figure, title, 3, panels[0, 0].get_legend_handles_labels()[0])
    return figure


def draw_component(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the radii of one component; bars are the sampling noise of a state."""
    colors = component_colors(FRACTIONS.values())
    looks = zip(STYLES, MARKERS, strict=True)
    for (fraction, rows), (line, marker) in zip(table.groupby("fraction"), looks, strict=True):
        look = {"color": colors[fraction], "linestyle": line, "marker": marker}
        look |= {"markersize": 3.5, "elinewidth": 0.7, "label": f"{100 * fraction:.0f} %"}
        axes.errorbar(rows["myr"], 100 * rows["change"], 100 * rows["scatter"], **look)
    axes.axhline(0, color="0.4", linewidth=0.6, zorder=0)


def facts_of(first: Snapshot, last: Path) -> dict[str, object]:
    """Tell how many particles there are and what moved them, as columns of a table."""
    facts = pick(last, "Provenance", PROVENANCE)
    options = pick(last, "Options", ("eta", "accuracy", "mac"))
    told = {"device_name": facts["device"]} | {name: facts[name] for name in PROVENANCE[:3]}
    return told | {
        "name": subject(first.models, first.file),
        "particles": sum(map(len, first.components.values())),
        "eta": float(options["eta"]),
        "accuracy": float(options["accuracy"]),
        "mac": options["mac"],
    }


def origin(row: Mapping[str, object]) -> str:
    """Say in sentences what was run and what moved it, by a row of a table of `tables_of`."""
    return (
        f"{row['name']}, N = {power_of_two(int(row['particles']))} particles, left to itself; "
        f"block steps with eta {row['eta']}, {row['mac']} criterion {row['accuracy']:.3g}. "
        f"{made_by(row, threads=False)}"
    )


def tables_of(run: Path) -> dict[str, pd.DataFrame]:
    """Make the tables ``rotation``, ``energy`` and ``radii`` of a run, with what made them."""
    paths = snapshots_of(run)
    states = [read_snapshot(path) for path in shown_of(paths)]
    facts = facts_of(states[0], paths[-1])
    found = {"rotation": rotation(states), "energy": energy(run, states[0].units)}
    found["radii"] = radii(run, states[0])
    return {name: table.assign(**facts) for name, table in found.items()}


def captions(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """Describe the figures of some tables."""
    told = {
        "rotation": lambda table: (
            "Mean rotation and dispersions of the stars of the disc; bars are one standard "
            "deviation of the sampling noise."
        ),
        "energy": lambda table: (
            "Total energy and angular momentum, relative to the start, and virial ratio "
            "-2 K / sum(m r a), K the kinetic energy, which is 1 in equilibrium; largest "
            f"change of the energy {table['energy'].abs().max():.1e}. {growth(table)}"
        ),
        "radii": lambda table: (
            "Radii that hold 10, 50 and 90 % of the mass of a component, relative to the start. "
            "Bars are one standard deviation of the sampling noise of one state; the change "
            "between two states scatters by up to sqrt(2) times as much."
        ),
    }
    return {name: f"{told[name](table)} {origin(table.iloc[0])}" for name, table in tables.items()}


def draw_tables(tables: Mapping[str, pd.DataFrame], folder: Path) -> None:
    """Draw the figures of some tables of `tables_of`."""
    pens = {"rotation": draw_rotation, "energy": draw_energy, "radii": draw_radii}
    for name, caption in captions(tables).items():
        save(pens[name](tables[name]), tables[name], caption, folder / f"gigayear_{name}")


def draw_maps(run: Path, folder: Path) -> None:
    """Draw the maps of some states of a run."""
    paths = snapshots_of(run)
    states = [read_snapshot(path) for path in shown_of(paths)]
    scene = Scene(centre="mass")
    found = movie.frames(states, scene, box_of(states, scene))
    words = below(states[0], scene)
    facts = facts_of(states[0], paths[-1])
    about = f"Surface density of the stars; {words}. {origin(facts)}"
    save(
        movie.draw(found, states[0].units, words),
        movie.table(found),
        about,
        folder / "gigayear_maps",
    )


def entry() -> None:
    """Draw the figures of a run."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.examples.m31_gigayear",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    told = "folder of gothic run, or of tables"
    parser.add_argument("run", type=Path, help=told)
    parser.add_argument("--output", type=Path, required=True, help="folder of the figures")
    parser.add_argument("--tables", type=Path, help="folder of tables to write")
    given = parser.parse_args()
    use_style()
    if kept := {path.stem: read_table(path) for path in sorted(given.run.glob("*.csv"))}:
        draw_tables(kept, given.output)
        return
    tables = tables_of(given.run)
    if given.tables:
        given.tables.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            write_table(table, given.tables / f"{name}.csv")
    draw_maps(given.run, given.output)
    draw_tables(tables, given.output)


if __name__ == "__main__":
    main(entry)
