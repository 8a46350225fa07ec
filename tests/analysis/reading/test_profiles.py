"""Profiles of particles that numpy draws from closed forms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from gothic import Units, lagrangian_radii

from analysis.reading.profiles import (
    LEAST,
    centred,
    cylindrical,
    epicycle_frequency,
    lagrangian_scatter,
    logarithmic_edges,
    spherical,
    toomre_q,
)
from analysis.reading.snapshots import Particles, Snapshot
from tests.analysis.galaxies import HEIGHT, NUMBER, SIGMA_R, SIGMA_Z


def assert_within_bars(table: pd.DataFrame, name: str, expected: np.ndarray) -> None:
    """Check that deviations are what their bars say: chi^2 per point near 1, none above 4.5."""
    bars = table[f"{name}_error"]
    deviation = ((table[name] - expected) / bars).to_numpy()
    assert len(deviation) >= 10
    assert np.abs(deviation).max() < 4.5
    assert np.mean(deviation**2) < 1 + 4 * np.sqrt(2 / len(deviation))
    assert (bars / table[name]).min() < 0.02


def test_plummer_sphere_has_its_density_and_mass(plummer: Particles) -> None:
    table = spherical(plummer, np.geomspace(0.1, 10, 21))
    mass = (1 + 1 / np.geomspace(0.1, 10, 21) ** 2) ** -1.5
    volume = 4 / 3 * np.pi * np.diff(np.geomspace(0.1, 10, 21) ** 3)
    assert_within_bars(table, "density", np.diff(mass) / volume)
    deviation = (table["mass"] - mass[1:]) / table["mass_error"]
    assert np.abs(deviation).max() < 4.5
    assert (table["mass_error"] / table["mass"]).max() < 0.1


def test_plummer_sphere_has_its_dispersions(plummer: Particles) -> None:
    table = spherical(plummer, np.geomspace(0.1, 10, 41))
    sigma = np.sqrt(1 / (6 * np.sqrt(1 + table["radius"] ** 2)))
    assert_within_bars(table, "sigma_r", sigma)
    assert_within_bars(table, "sigma_t", 1.5 * sigma)


def test_disc_has_its_surface_density_and_height(disc: Particles) -> None:
    edges = np.geomspace(0.1, 10, 21)
    table = cylindrical(disc, edges)
    mass = 1 - (1 + edges) * np.exp(-edges)
    assert_within_bars(table, "density", np.diff(mass) / (np.pi * np.diff(edges**2)))
    np.testing.assert_allclose(table["mass"], mass[1:], atol=4 * 0.5 / np.sqrt(NUMBER))
    assert_within_bars(table, "height", np.full(len(table), HEIGHT))
    assert_within_bars(table, "median_height", np.full(len(table), 0.67449 * HEIGHT))


def test_star_that_flies_off_does_not_change_the_median_height(disc: Particles) -> None:
    edges = np.array([0.5, 1.0])
    before = cylindrical(disc, edges)
    away = Particles(disc.position.copy(), disc.velocity, disc.mass)
    radius = np.hypot(*away.position.T[:2])
    away.position[np.flatnonzero((radius > 0.5) & (radius < 1))[0], 2] = 50.0
    after = cylindrical(away, edges)
    assert after["height"][0] > 3 * before["height"][0]
    np.testing.assert_allclose(after["median_height"], before["median_height"], rtol=1e-3)


def test_disc_has_its_rotation_and_dispersions(disc: Particles) -> None:
    table = cylindrical(disc, np.geomspace(0.1, 10, 41))
    assert_within_bars(table, "v_mean", np.sqrt(table["radius"]))
    assert_within_bars(table, "sigma_r", np.full(len(table), SIGMA_R))
    assert_within_bars(table, "sigma_z", np.full(len(table), SIGMA_Z))


def test_disc_has_its_toomre_q(disc: Particles) -> None:
    radius = np.geomspace(0.01, 100, 50)
    table = toomre_q(cylindrical(disc, np.geomspace(0.1, 10, 41)), radius, np.sqrt(radius), 2.0)
    # kappa^2 = 3 v^2 / R^2 for v^2 = R.
    kappa = np.sqrt(3 / table["radius"])
    expected = kappa * SIGMA_R / (3.36 * 2.0 * np.exp(-table["radius"]) / (2 * np.pi))
    assert_within_bars(table, "toomre_q", expected)


@pytest.mark.parametrize(("slope", "ratio"), [(-0.5, 1.0), (0.0, np.sqrt(2)), (1.0, 2.0)])
def test_epicycle_frequency_of_point_mass_flat_curve_and_solid_body(
    slope: float, ratio: float
) -> None:
    radius = np.geomspace(0.01, 100, 30)
    at = np.array([0.1, 1.0, 33.0])
    kappa = epicycle_frequency(radius, radius**slope, at)
    np.testing.assert_allclose(kappa, ratio * at ** (slope - 1), rtol=1e-10)
    assert np.isnan(epicycle_frequency(radius, radius**slope, np.array([0.001, 1000.0]))).all()


def test_lagrangian_radii_and_their_scatter_are_those_of_the_plummer_sphere() -> None:
    random = np.random.default_rng(3)
    fractions = (0.1, 0.5, 0.9)
    number, repeats = 2000, 400
    radius = 1 / np.sqrt(random.uniform(size=(repeats, number)) ** (-2 / 3) - 1)
    found = np.array([lagrangian_radii(r, np.ones(number), fractions) for r in radius])
    exact = np.array([0.524028, 1.304766, 3.707113])
    scatter = found.std(axis=0) / exact
    np.testing.assert_allclose(found.mean(axis=0) / exact, 1, atol=4 * scatter.max() / 20)
    predicted = np.mean([lagrangian_scatter(r, fractions) for r in radius], axis=0)
    np.testing.assert_allclose(predicted, scatter, rtol=0.15)


def test_edges_are_common_to_all_particle_sets() -> None:
    one, two = (logarithmic_edges(np.array(r)) for r in ([0.0, 0.3, 4.0], [0.02, 0.9]))
    assert one[0] <= 0.3 < 4.0 <= one[-1]
    assert two[0] <= 0.02 < 0.9 <= two[-1]
    common = [edge for edge in one if np.isclose(edge, two).any()]
    np.testing.assert_allclose(np.diff(np.log10(common)), 0.1)
    assert len(common) >= 5


def test_shells_of_few_particles_are_left_out(plummer: Particles) -> None:
    edges = np.geomspace(1e-4, 1e4, 81)
    for table in (spherical(plummer, edges), cylindrical(plummer, edges)):
        assert 0 < len(table) < 80
        assert table["count"].min() >= LEAST
        assert table.notna().all(axis=None)


def test_components_share_a_centre_and_are_each_at_rest(plummer: Particles) -> None:
    moved = Particles(plummer.position + 5, plummer.velocity + 7, plummer.mass)
    few = Particles(np.array([[6.0, 5.0, 5.0]]), np.array([[1.0, 2.0, 3.0]]), np.array([1e-3]))
    parts = centred(Snapshot(0.0, Units(), {"sphere": moved, "hole": few}))
    np.testing.assert_allclose(parts["hole"].position, [[1, 0, 0]], atol=0.03)
    for part in parts.values():
        np.testing.assert_allclose(part.velocity.mean(axis=0), 0, atol=1e-9)
