"""What particles tell of a galaxy model: profiles in spherical and cylindrical shells.

Functions take the particles of one component, of equal mass, relative to the centre. Bars are one
standard deviation of the sampling noise.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from gothic import densest_point
from scipy.interpolate import PchipInterpolator

from analysis.reading.snapshots import Particles, Snapshot

LEAST = 10  # particles of a shell that is worth a point
TOOMRE = 3.36  # of a stellar disc, Toomre (1964)


def centred(snapshot: Snapshot) -> dict[str, Particles]:
    """Place the origin of every component at the common centre, and each at rest as a whole."""
    every = snapshot.joined()
    middle = densest_point(every.position, every.mass)
    return {
        name: Particles(
            part.position - middle, part.velocity - part.velocity.mean(axis=0), part.mass
        )
        for name, part in snapshot.components.items()
    }


def logarithmic_edges(radius: np.ndarray, per_decade: int = 10) -> np.ndarray:
    """Edges of equal ratio that are the same for all particle sets and enclose all radii > 0."""
    exponents = np.log10([radius[radius > 0].min(), radius.max()]) * per_decade
    return 10 ** (np.arange(np.floor(exponents[0]), np.ceil(exponents[1]) + 1) / per_decade)


def spherical(part: Particles, edges: np.ndarray) -> pd.DataFrame:
    """Measure a component in spherical shells.

    Parameters
    ----------
    part
        Particles relative to the centre.
    edges
        Increasing radii, shape (M + 1,).

    Returns
    -------
    pandas.DataFrame
        One row per shell of at least `LEAST` particles: ``radius`` (geometric middle), ``inner``,
        ``outer``, ``count``; ``density``; ``mass`` within ``outer``; dispersions ``sigma_r`` and
        ``sigma_t`` (tangential, in one direction); bars ``<quantity>_error``.
    """
    radius = np.linalg.norm(part.position, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        radial = (part.position * part.velocity).sum(axis=1) / radius
    tangential = np.sqrt(np.maximum((part.velocity**2).sum(axis=1) - radial**2, 0))
    shells = Shells(radius, edges, part.mass, 4 / 3 * np.pi * np.diff(edges**3))
    table = shells.table
    # Binomial: the total is given.
    below = np.maximum(np.count_nonzero(radius < edges[0]) + np.cumsum(shells.count), 1)
    table["mass_error"] = table["mass"] * np.sqrt(np.maximum(1 / below - 1 / len(part), 0))
    shells.add_dispersion("sigma_r", radial)
    table["sigma_t"] = np.sqrt(shells.mean(tangential**2) / 2)
    table["sigma_t_error"] = table["sigma_t"] * shells.noise / 2
    return shells.worthwhile()


def cylindrical(part: Particles, edges: np.ndarray) -> pd.DataFrame:
    """Measure a component in cylindrical rings around the z axis.

    Returns
    -------
    pandas.DataFrame
        One row per ring of at least `LEAST` particles: ``radius`` (geometric middle), ``inner``,
        ``outer``, ``count``; surface ``density``; ``mass`` within ``outer``; mean rotation
        ``v_mean``; dispersions ``sigma_r``, ``sigma_phi``, ``sigma_z``; ``height``, the rms of z,
        and ``median_height``, the median of abs(z), which a few stars that fly off do not change;
        bars ``<quantity>_error``. Dispersions and heights count all z.
    """
    x, y, z = part.position.T
    radius = np.hypot(x, y)
    vx, vy, vz = part.velocity.T
    with np.errstate(invalid="ignore", divide="ignore"):
        radial, azimuthal = (x * vx + y * vy) / radius, (x * vy - y * vx) / radius
    rings = Shells(radius, edges, part.mass, np.pi * np.diff(edges**2))
    table = rings.table
    table["v_mean"] = rings.mean(azimuthal)
    for name, velocity in (("sigma_r", radial), ("sigma_phi", azimuthal), ("sigma_z", vz)):
        rings.add_dispersion(name, velocity)
    table["v_mean_error"] = table["sigma_phi"] * rings.noise
    table["height"] = np.sqrt(rings.mean(z**2))
    # The kurtosis of a sech^2 layer, 4.2, lies between a Gaussian's and an exponential layer's.
    table["height_error"] = table["height"] * rings.noise * np.sqrt((4.2 - 1) / 4)
    table = rings.worthwhile()
    height = np.abs(z[rings.inside])
    layers = [height[rings.place == n] for n in np.flatnonzero(rings.count >= LEAST)]
    table["median_height"] = [np.median(layer) for layer in layers]
    table["median_height_error"] = table["median_height"] * [
        lagrangian_scatter(layer, (0.5,), width=0.1)[0] for layer in layers
    ]
    return table


class Shells:
    """Sums over particles between consecutive radii, and a table with a row per shell."""

    def __init__(
        self, radius: np.ndarray, edges: np.ndarray, mass: np.ndarray, volume: np.ndarray
    ) -> None:
        self.place = np.searchsorted(edges, radius, side="right") - 1
        self.inside = (self.place >= 0) & (self.place < len(edges) - 1)
        self.place = self.place[self.inside]
        self.shells = len(edges) - 1
        self.count = self.sum(np.ones(len(radius)))
        self.noise = 1 / np.sqrt(np.where(self.count > 0, self.count, np.nan))
        density = self.sum(mass) / volume
        self.table = pd.DataFrame(
            {
                "radius": np.sqrt(edges[:-1] * edges[1:]),
                "inner": edges[:-1],
                "outer": edges[1:],
                "count": self.count.astype(int),
                "density": density,
                "density_error": density * self.noise,
                "mass": mass[radius < edges[0]].sum() + np.cumsum(self.sum(mass)),
            }
        )

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sum of particle values, one per shell."""
        return np.bincount(self.place, values[self.inside], minlength=self.shells)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Mean of particle values; NaN in empty shells."""
        return self.sum(values) * self.noise**2

    def add_dispersion(self, name: str, values: np.ndarray) -> None:
        """Add the scatter of particle values about their mean, and its bar, to the table."""
        deviation = np.zeros_like(values)
        deviation[self.inside] = values[self.inside] - self.mean(values)[self.place]
        self.table[name] = np.sqrt(self.mean(deviation**2))
        self.table[f"{name}_error"] = self.table[name] * self.noise / np.sqrt(2)

    def worthwhile(self) -> pd.DataFrame:
        """Select the shells with enough particles."""
        return self.table[self.table["count"] >= LEAST].reset_index(drop=True)


def epicycle_frequency(radius: np.ndarray, v_circ: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Epicycle frequency kappa from a rotation curve.

    kappa^2 = 2 (v / R)^2 (1 + d ln v / d ln R), Binney & Tremaine (2008), equation (3.80); 0 where
    that is negative.

    Parameters
    ----------
    radius, v_circ
        The rotation curve, radii increasing.
    at
        Where kappa is wanted.
    """
    curve = PchipInterpolator(np.log(radius), np.log(v_circ), extrapolate=False)
    x = np.log(at)
    return np.exp(curve(x)) / at * np.sqrt(np.maximum(2 * (1 + curve(x, 1)), 0))


def toomre_q(
    rings: pd.DataFrame, radius: np.ndarray, v_circ: np.ndarray, gravity: float
) -> pd.DataFrame:
    """Add ``toomre_q`` and its bar to a table of `cylindrical`; NaN outside the rotation curve.

    Q = kappa sigma_R / (3.36 G Sigma), Toomre (1964).
    """
    kappa = epicycle_frequency(radius, v_circ, rings["radius"].to_numpy())
    q = kappa * rings["sigma_r"] / (TOOMRE * gravity * rings["density"])
    return rings.assign(toomre_q=q, toomre_q_error=q * np.sqrt(1.5 / rings["count"]))


def lagrangian_scatter(
    radius: np.ndarray, fractions: tuple[float, ...], width: float = 0.02
) -> np.ndarray:
    """Relative sampling scatter of Lagrangian radii of N particles of equal mass.

    sqrt(q (1 - q) / N) / (r dq/dr), the scatter of a quantile; dq/dr is the mean over q -+ width.
    """
    q = np.asarray(fractions)
    low, high = np.quantile(radius, [q - width, q + width])
    slope = np.log(high / low) / (2 * width)
    return np.sqrt(q * (1 - q) / len(radius)) * slope
