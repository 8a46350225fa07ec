from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analysis.reading.snapshots import Particles, Snapshot, Units, read_snapshot
from analysis.reading.surface_density import Field, half_width, middle, stars, surface_density
from tests.analysis.galaxies import HEIGHT, KPC, write_snapshot

ORIGIN = np.zeros(3)


def sheet(number: int = 200_000) -> Particles:
    """Draw a square of unit mass and side 4, thin in z."""
    position = np.random.default_rng(3).uniform(-2, 2, (number, 3)) * [1, 1, 0]
    return Particles(position, np.zeros_like(position), np.full(number, 1 / number))


@pytest.mark.parametrize("neighbours", [32, 96, 192])
def test_uniform_sheet_is_even_up_to_the_noise_of_so_many_particles(neighbours: int) -> None:
    field = Field.of(1.0, pixels=256)
    density = surface_density(sheet(), ORIGIN, "face-on", field, neighbours)
    assert density.shape == (256, 256)
    assert density.mean() == pytest.approx(1 / 16, rel=0.02)
    # A Gaussian weighs so many particles unevenly, as if they were twice as many.
    assert density.std() / density.mean() == pytest.approx(1 / np.sqrt(neighbours), rel=0.35)


def test_surface_density_of_a_disc_is_that_of_its_closed_form(disc: Particles) -> None:
    field = Field.of(4.0)
    density = surface_density(disc, ORIGIN, "face-on", field)
    x, y = np.meshgrid(*2 * [(np.arange(512) + 0.5) * field.pixel - 4.0])
    radius = np.hypot(x, y)
    for inner, outer in ((0.2, 0.5), (0.5, 1), (1, 2), (2, 3), (3, 4)):
        ring = (radius > inner) & (radius < outer)
        exact = np.exp(-radius[ring]) / (2 * np.pi)
        assert density[ring].mean() == pytest.approx(exact.mean(), rel=0.03)


def test_mass_is_conserved_whatever_the_smoothing(disc: Particles) -> None:
    near = np.abs(disc.position).max(axis=1) < 1.5
    part = Particles(disc.position[near], disc.velocity[near], disc.mass[near])
    for neighbours in (4, 64, 1024):
        for view, flattening in (("face-on", 1.0), ("edge-on", 0.5)):
            field = Field.of(5.0, flattening, pixels=200)
            density = surface_density(part, ORIGIN, view, field, neighbours)
            assert density.sum() * field.pixel**2 == pytest.approx(part.mass.sum(), rel=1e-4)


def test_edge_on_shows_the_height(disc: Particles) -> None:
    field = Field.of(4.0, 0.4)
    density = surface_density(disc, ORIGIN, "edge-on", field)
    rows, columns = density.shape
    assert (columns, rows) == (512, 204)
    z = (np.arange(rows) + 0.5 - rows / 2) * field.pixel
    core = density[:, columns // 2 - 64 : columns // 2 + 64].sum(axis=1)
    assert np.sqrt((core * z**2).sum() / core.sum()) == pytest.approx(HEIGHT, rel=0.1)


def test_map_is_centred_on_the_stars(galaxy: Snapshot) -> None:
    shift = np.array([3.0, -2.0, 1.0])
    disc = galaxy.components["disc"]
    moved = Particles(disc.position + shift, disc.velocity, disc.mass)
    snapshot = Snapshot(0.0, KPC, {**galaxy.components, "disc": moved}, galaxy.stars)
    np.testing.assert_allclose(middle(snapshot), shift, atol=0.05)
    assert len(stars(snapshot)) == len(moved)


def test_width_holds_nine_tenths_of_the_stars(disc: Particles) -> None:
    assert half_width(disc) == pytest.approx(3.89, rel=0.03)  # (1 + R) exp(-R) = 0.1


def test_stars_are_those_of_their_particle_type(
    tmp_path: Path, plummer: Particles, disc: Particles
) -> None:
    parts = {"cluster": plummer, "disc": disc}
    found = read_snapshot(write_snapshot(tmp_path / "ic.h5", parts))
    assert found.stars == {"disc"}
    assert len(stars(found)) == len(disc)
    assert len(stars(Snapshot(0.0, Units(), parts))) == 2 * len(disc)
