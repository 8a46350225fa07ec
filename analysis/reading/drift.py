"""How much a model changes while it is left to itself.

python -m analysis.reading.drift table --check CHECK.csv --output DRIFT.csv SNAPSHOT.h5...
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from gothic import densest_point, lagrangian_radii

from analysis.errors import Parser, keep_files, main
from analysis.reading.csv_tables import write_table
from analysis.reading.files import states_in
from analysis.reading.model_check import components, kinds, model_of, read_check, rotation_curve
from analysis.reading.origin import MODEL_HELP, facts_of, require_file_of_model, subject
from analysis.reading.profiles import cylindrical, lagrangian_scatter, toomre_q
from analysis.reading.snapshots import Particles, Snapshot, read_snapshot

FRACTIONS = (0.1, 0.5, 0.9)
RINGS = 12
WHAT = ["component", "quantity", "position"]
# What is measured of discs: columns of analysis.reading.profiles.cylindrical, and their names here.
DISC = {"density": "surface_density", "median_height": "height", "toomre_q": "toomre_q"}


def dynamical_time(snapshot: Snapshot) -> float:
    """Find sqrt(r_h^3 / (G M_h)), with the radius r_h that encloses M_h, half of the mass."""
    every = snapshot.joined()
    middle = densest_point(every.position, every.mass)
    radius = np.linalg.norm(every.position - middle, axis=1)
    (half,) = lagrangian_radii(radius, every.mass, (0.5,))
    return float(np.sqrt(half**3 / (snapshot.units.gravitational_constant * every.mass.sum() / 2)))


def ring_edges(part: Particles) -> np.ndarray:
    """Radii between which a disc has equal numbers of particles; 2 % are left out at either end."""
    radius = np.hypot(*part.position.T[:2])
    return np.quantile(radius, np.linspace(0.02, 0.98, RINGS + 1))


def measure_sphere(part: Particles) -> pd.DataFrame:
    """Tabulate the Lagrangian radii and their sampling scatter, one row per fraction."""
    radius = np.linalg.norm(part.position, axis=1)
    values = lagrangian_radii(radius, part.mass, FRACTIONS)
    scatter = lagrangian_scatter(radius, FRACTIONS)
    columns = {"position": FRACTIONS, "value": values, "scatter": scatter}
    return pd.DataFrame(columns).assign(quantity="lagrangian_radius")


def measure_disc(part: Particles, edges: np.ndarray, curve: tuple, gravity: float) -> pd.DataFrame:
    """Tabulate surface density, median height and Q (with a given rotation curve), ring by ring."""
    rings = toomre_q(cylindrical(part, edges), *curve, gravity)
    return pd.concat(
        pd.DataFrame(
            {
                "position": rings["radius"],
                "value": rings[quantity],
                "scatter": rings[f"{quantity}_error"] / rings[quantity],
            }
        ).assign(quantity=name)
        for quantity, name in DISC.items()
    )


def measure(snapshot: Snapshot, edges: dict[str, np.ndarray], check: pd.DataFrame) -> pd.DataFrame:
    """Measure every component of more than one particle at one time.

    `edges` has the edges of the rings of every disc; `check` is the table of the model, which gives
    the rotation curve.
    """
    curve, gravity = rotation_curve(check), snapshot.units.gravitational_constant
    tables = []
    for name, part in components(check, snapshot).items():
        if len(part) < 2:
            continue
        tables.append(measure_sphere(part).assign(component=name))
        if name in edges:
            rings = measure_disc(part, edges[name], curve, gravity)
            tables.append(rings.assign(component=name))
    return pd.concat(tables).assign(time=snapshot.time)


def drift(snapshots: Iterable[Snapshot], check: pd.DataFrame) -> pd.DataFrame:
    """Tabulate what changes with time.

    Parameters
    ----------
    snapshots
        States in the order of time; the first is what the others are compared with. Two of them
        are held at a time.
    check
        Table of `analysis.reading.model_check.read_check`.

    Returns
    -------
    pandas.DataFrame
        One row per time, component, quantity and position: ``quantity`` is ``lagrangian_radius``
        (``position`` is the fraction of the mass) and, for discs, ``surface_density``, ``height``,
        the median of abs(z), and ``toomre_q`` (``position`` is R, in rings of equal initial
        numbers); ``value``;
        ``change``, relative to the first state; ``scatter``, the relative sampling noise (one
        standard deviation) of a state; ``time`` since the first state, in units of the snapshot,
        as ``dynamical_times`` and, in physical units, as ``myr``; ``name``, what the states are of.
    """
    later = iter(snapshots)
    first = next(later)
    start = components(check, first)
    edges = {name: ring_edges(start[name]) for name, kind in kinds(check).items() if kind == "disc"}
    tables = [measure(snapshot, edges, check) for snapshot in chain([first], later)]
    table = pd.concat(tables, ignore_index=True)
    initial = tables[0].set_index(WHAT)["value"].rename("initial")
    table = table.join(initial, on=WHAT)
    time = table["time"] - first.time
    return pd.DataFrame(
        {
            "component": table["component"],
            "kind": table["component"].map(kinds(check)),
            "particles": table["component"].map({name: len(part) for name, part in start.items()}),
            "quantity": table["quantity"],
            "position": table["position"],
            "time": time,
            "dynamical_times": time / dynamical_time(first),
            "myr": time / first.units.myr,
            "value": table["value"],
            "change": table["value"] / table["initial"] - 1,
            "scatter": table["scatter"],
            "name": subject(first.models, first.file),
        }
    )


def largest_drifts(table: pd.DataFrame) -> pd.DataFrame:
    """Select the row with the largest change of every component, quantity and position."""
    change = table["change"].abs().groupby([table[name] for name in WHAT], sort=False)
    return table.loc[change.idxmax()].reset_index(drop=True)


def run() -> None:
    """Write the table of what changed between snapshots."""
    parser = Parser(prog="python -m analysis.reading.drift", description=__doc__)
    parser.add_argument("command", choices=["table"])
    parser.add_argument("--check", type=Path, required=True, help="table of gothic-ic --table")
    parser.add_argument("--output", type=Path, required=True, help="CSV file to write")
    parser.add_argument("--model", help=MODEL_HELP)
    told = "snapshots in the order of time, or the folder of a run"
    parser.add_argument("files", type=Path, nargs="+", help=told)
    given = parser.parse_args()
    paths = states_in(given.files)
    keep_files([*paths, given.check], [given.output])
    check = read_check(given.check)
    require_file_of_model(read_snapshot(paths[0]).models, given.model, str(paths[0]))
    table = drift(map(read_snapshot, paths), check)
    facts = facts_of(paths[-1])
    made = {name: facts[name] for name in ("version", "revision", "compiler")}
    made |= {"model": model_of(check).name or given.check.stem, "device_name": facts["device"]}
    write_table(table.assign(**made), given.output)


if __name__ == "__main__":
    main(run)
