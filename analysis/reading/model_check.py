"""A galaxy model beside the particles that were drawn from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.interpolate import PchipInterpolator

from analysis.errors import DataError
from analysis.reading.origin import Model, require_model
from analysis.reading.profiles import (
    LEAST,
    centred,
    cylindrical,
    logarithmic_edges,
    spherical,
    toomre_q,
)
from analysis.reading.snapshots import Particles, Snapshot

COLUMNS = (
    "component",
    "kind",
    "radius",
    "density",
    "mass",
    "v_circ",
    "sigma_r",
    "sigma_phi",
    "sigma_z",
    "v_mean",
    "toomre_q",
    "height",
)
KINDS = ("sphere", "disc", "black_hole")
LARGEST_TILT = 20.0  # degrees, of a disc that a model may be compared with
SAME_MASS = 0.02  # relative difference of what has the same mass; tables end at 0.9999 of it
MEASURED = {
    "sphere": ("density", "mass", "sigma_r", "sigma_phi"),
    "disc": ("density", "v_mean", "sigma_r", "sigma_phi", "sigma_z", "toomre_q", "height"),
}


def read_check(path: Path) -> pd.DataFrame:
    """Read the table of ``gothic-ic --check --table``: one row per component and radius.

    Raises
    ------
    DataError
        If the file is missing, is not such a table, or names a kind that is not of `KINDS`.
    """
    try:
        texts = ("component", "model", "model_digest")
        table = pd.read_csv(path, dtype=dict.fromkeys(texts, str))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}; run snakemake to make it") from error
    missing = [name for name in COLUMNS if name not in table]
    if missing:
        raise DataError(f"{path}: column {missing[0]} is missing; was it written by gothic-ic?")
    unknown = sorted(set(table["kind"]) - set(KINDS))
    if unknown:
        raise DataError(f"{path}: kind {unknown[0]} is unknown; there are {', '.join(KINDS)}")
    return table


def kinds(check: pd.DataFrame) -> dict[str, str]:
    """Tell the kind of every component, in the order of the model."""
    return dict(zip(check["component"], check["kind"], strict=True))


def rotation_curve(check: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Radii and circular speeds of the whole model, from the rows of all components."""
    curve = check[["radius", "v_circ"]].dropna().drop_duplicates("radius").sort_values("radius")
    return curve["radius"].to_numpy(), curve["v_circ"].to_numpy()


def model_of(check: pd.DataFrame) -> Model:
    """Tell the model of a table; tables of an older gothic-ic do not know it."""
    if check.empty or "model_digest" not in check:
        return Model()
    first = check.fillna({"model": ""}).iloc[0]
    return Model(first["model"], first["model_digest"])


def components(check: pd.DataFrame, snapshot: Snapshot) -> dict[str, Particles]:
    """Name the particles of every component, relative to the centre, as the table does.

    Raises
    ------
    DataError
        If the table and the snapshot are of different models, as far as both tell theirs, or do not
        have the same components with the same masses.
    """
    known = {name: model for name, model in snapshot.models.items() if model.digest}
    if known and model_of(check).digest:
        require_model(known, model_of(check), snapshot.file)
    names, parts = list(kinds(check)), centred(snapshot)
    if list(parts) == [f"component {n}" for n in range(len(names))]:  # the snapshot knows no names
        parts = dict(zip(names, parts.values(), strict=True))
    if set(parts) != set(names):
        raise DataError(
            f"the model has components {', '.join(names)}, but the particles {', '.join(parts)}; "
            "both must come from one model file"
        )
    for name, mass in check.groupby("component", sort=False)["mass"].max().items():
        found = parts[name].mass.sum()
        if abs(found - mass) > SAME_MASS * mass:
            raise DataError(
                f"the component {name} has the mass {mass:.4g} in the model, but {found:.4g} in "
                "the particles; both must come from one model file, in the same units"
            )
    for name, kind in kinds(check).items():
        if kind == "disc" and (tilt := tilt_of(parts[name])) > LARGEST_TILT:
            raise DataError(
                f"the disc {name} is tilted by {tilt:.0f} degrees to the plane z = 0, in which the "
                "model has it; turn the particles back"
            )
    return parts


def tilt_of(disc: Particles) -> float:
    """Find the angle between the axis of a disc and the z axis, degrees; 0 for a round one.

    The axis is that of the least scatter of the inner half of the particles.
    """
    radius = np.linalg.norm(disc.position, axis=1)
    inner = disc.position[radius <= np.median(radius)]
    if len(inner) < LEAST:
        return 0.0
    squares, axes = np.linalg.eigh(inner.T @ inner)
    if squares[0] > squares[1] / 2:
        return 0.0
    return float(np.degrees(np.arccos(min(abs(axes[2, 0]), 1.0))))


def measure(
    part: Particles, kind: str, check: pd.DataFrame, gravity: float, per_decade: int = 10
) -> pd.DataFrame:
    """Measure a component in logarithmic bins, with the columns of the check table and their bars.

    The particles are relative to the centre. `check` is the table of `read_check`, for the rotation
    curve that Toomre's Q needs.
    """
    if kind == "disc":
        edges = logarithmic_edges(np.hypot(*part.position.T[:2]), per_decade)
        return toomre_q(cylindrical(part, edges), *rotation_curve(check), gravity)
    edges = logarithmic_edges(np.linalg.norm(part.position, axis=1), per_decade)
    renamed = {"sigma_t": "sigma_phi", "sigma_t_error": "sigma_phi_error"}
    return spherical(part, edges).rename(columns=renamed)


def interpolate(radius: np.ndarray, values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Interpolate a positive profile in log-log; NaN outside of where it is known and positive."""
    known = np.isfinite(values) & (values > 0) & (radius > 0)
    if known.sum() < 2:
        return np.full(at.shape, np.nan)
    curve = PchipInterpolator(np.log(radius[known]), np.log(values[known]), extrapolate=False)
    return np.exp(curve(np.log(at)))


def compare(check: pd.DataFrame, snapshot: Snapshot) -> pd.DataFrame:
    """Measure every component of a snapshot and set the model beside it.

    Returns
    -------
    pandas.DataFrame
        One row per component and bin: ``component``, ``kind``, ``radius``, ``inner``, ``outer``,
        ``count`` and, for each quantity of `MEASURED`, its value, ``<quantity>_error`` and
        ``<quantity>_model``, which is averaged over the bin like the value of the particles.
        ``mass`` is the mass within ``outer``.

    Raises
    ------
    DataError
        If the table and the snapshot do not have the same components.
    """
    parts, gravity = components(check, snapshot), snapshot.units.gravitational_constant
    tables = []
    for name, kind in kinds(check).items():
        if kind not in MEASURED:
            continue
        model = check[check["component"] == name].sort_values("radius")
        table = measure(parts[name], kind, check, gravity)
        expected = Bins(model, table).expected(kind)
        table = table.join(expected.add_suffix("_model"))
        if kind == "disc":
            q = toomre_q(table.assign(**expected), *rotation_curve(check), gravity)
            table["toomre_q_model"] = q["toomre_q"]
        table.insert(0, "component", name)
        table.insert(1, "kind", kind)
        tables.append(table)
    if not tables:
        raise DataError("the model has neither spheres nor discs; there is nothing to compare")
    return pd.concat(tables, ignore_index=True)


class Bins:
    """A component of the model, averaged over bins by mass.

    Parameters
    ----------
    model
        Rows of the check table, of one component, radii increasing.
    bins
        Table with ``inner`` and ``outer``.
    parts
        Number of pieces of a bin for the averages.
    """

    def __init__(self, model: pd.DataFrame, bins: pd.DataFrame, parts: int = 16) -> None:
        self.model = model
        steps = np.arange(parts + 1) / parts
        inner, outer = bins["inner"].to_numpy()[:, None], bins["outer"].to_numpy()[:, None]
        self.edges = inner * (outer / inner) ** steps
        self.within = self.at("mass", self.edges)
        self.weight = np.diff(self.within, axis=1)
        self.middle = np.sqrt(self.edges[:, 1:] * self.edges[:, :-1])

    def at(self, quantity: str, radius: np.ndarray) -> np.ndarray:
        """Interpolate a column of the table."""
        known, values = (self.model[name].to_numpy(float) for name in ("radius", quantity))
        return interpolate(known, values, radius)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Average over each bin by mass; NaN where the component has none."""
        with np.errstate(invalid="ignore"):
            return (self.weight * values).sum(axis=1) / self.weight.sum(axis=1)

    def rms(self, quantity: str) -> np.ndarray:
        """Root mean square over each bin."""
        return np.sqrt(self.mean(self.at(quantity, self.middle) ** 2))

    def expected(self, kind: str) -> pd.DataFrame:
        """Tell what particles without noise would show, one row per bin."""
        inner, outer = self.edges[:, 0], self.edges[:, -1]
        ring = np.pi * (outer**2 - inner**2)
        shell = 4 / 3 * np.pi * (outer**3 - inner**3)
        volume = ring if kind == "disc" else shell
        columns = {"density": self.weight.sum(axis=1) / volume, "mass": self.within[:, -1]}
        for quantity in ("sigma_r", "sigma_phi", "sigma_z", "height"):
            columns[quantity] = self.rms(quantity)
        if kind == "disc":
            speed = self.at("v_mean", self.middle)
            columns["v_mean"] = self.mean(speed)
            spread = self.mean((speed - columns["v_mean"][:, None]) ** 2)
            columns["sigma_phi"] = np.hypot(columns["sigma_phi"], np.sqrt(spread))
        return pd.DataFrame({name: columns[name] for name in MEASURED[kind] if name in columns})


def enclosed(snapshot: Snapshot, radius: np.ndarray) -> np.ndarray:
    """Mass of all particles within the given radii."""
    parts = centred(snapshot).values()
    distance = np.concatenate([np.linalg.norm(part.position, axis=1) for part in parts])
    order = np.argsort(distance)
    mass = np.concatenate([part.mass for part in parts])
    total = np.concatenate([[0.0], np.cumsum(mass[order])])
    return total[np.searchsorted(distance[order], radius)]


def deviation(table: pd.DataFrame, quantity: str) -> float:
    """Root mean square of (particles - model) in units of the bars; NaN where there is no model."""
    bars = table[f"{quantity}_error"].where(lambda bar: bar > 0)
    pulls = (table[quantity] - table[f"{quantity}_model"]) / bars
    return float(np.sqrt((pulls**2).mean()))
