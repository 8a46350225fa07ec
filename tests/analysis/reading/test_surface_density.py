from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gothic import Units

from analysis.errors import DataError
from analysis.reading.scene import Scene, box_of, centre_of, nearest
from analysis.reading.snapshots import Particles, Snapshot, read_snapshot
from analysis.reading.surface_density import Field, surface_density
from tests.analysis.galaxies import HEIGHT, KPC, write_snapshot

ORIGIN = np.zeros(3)


def sheet(number: int = 200_000) -> Particles:
    """Draw a square of unit mass and side 4, thin in z."""
    position = np.random.default_rng(3).uniform(-2, 2, (number, 3)) * [1, 1, 0]
    return Particles(position, np.zeros_like(position), np.full(number, 1 / number))


@pytest.mark.parametrize("neighbours", [32, 96, 192])
def test_uniform_sheet_is_even_up_to_the_noise_of_so_many_particles(neighbours: int) -> None:
    field = Field.of(1.0, pixels=256)
    density = surface_density(sheet(), ORIGIN, "z", field, neighbours)
    assert density.shape == (256, 256)
    assert density.mean() == pytest.approx(1 / 16, rel=0.02)
    # A Gaussian weighs so many particles unevenly, as if they were twice as many.
    assert density.std() / density.mean() == pytest.approx(1 / np.sqrt(neighbours), rel=0.35)


def test_surface_density_of_a_disc_is_that_of_its_closed_form(disc: Particles) -> None:
    field = Field.of(4.0)
    density = surface_density(disc, ORIGIN, "z", field)
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
        for side, flattening in (("z", 1.0), ("y", 0.5)):
            field = Field.of(5.0, flattening, pixels=200)
            density = surface_density(part, ORIGIN, side, field, neighbours)
            assert density.sum() * field.pixel**2 == pytest.approx(part.mass.sum(), rel=1e-4)


def test_edge_on_shows_the_height(disc: Particles) -> None:
    field = Field.of(4.0, 0.4)
    density = surface_density(disc, ORIGIN, "y", field)
    rows, columns = density.shape
    assert (columns, rows) == (512, 204)
    z = (np.arange(rows) + 0.5 - rows / 2) * field.pixel
    core = density[:, columns // 2 - 64 : columns // 2 + 64].sum(axis=1)
    assert np.sqrt((core * z**2).sum() / core.sum()) == pytest.approx(HEIGHT, rel=0.1)


@pytest.mark.parametrize(
    ("centre", "shift"),
    [
        ("disc", [3.0, -2.0, 1.0]),
        ("mass", [1.5, -1.0, 0.5]),
        ("origin", [0, 0, 0]),
        ("1,2,3", [1, 2, 3]),
    ],
)
def test_centre_is_the_one_that_is_named(galaxy: Snapshot, centre: str, shift: list[float]) -> None:
    disc = galaxy.components["disc"]
    moved = Particles(disc.position + np.array([3.0, -2.0, 1.0]), disc.velocity, disc.mass)
    near = np.linalg.norm(galaxy.components["halo"].position, axis=1) < 10  # the mean is finite
    halo = Particles(*(column[near] for column in vars(galaxy.components["halo"]).values()))
    halo = Particles(halo.position, halo.velocity, halo.mass / halo.mass.sum())
    snapshot = Snapshot(0.0, KPC, {"halo": halo, "disc": moved}, galaxy.stars)
    np.testing.assert_allclose(centre_of(snapshot, centre), shift, atol=0.05)


def test_lengths_of_a_scene_are_kpc_in_physical_units(galaxy: Snapshot) -> None:
    parsec = KPC._replace(length_in_cm=KPC.length_in_cm / 1000)
    snapshot = Snapshot(0.0, parsec, galaxy.components, galaxy.stars)
    np.testing.assert_allclose(centre_of(snapshot, "1,2,3"), [1000, 2000, 3000], rtol=1e-6)
    assert box_of([snapshot], Scene(width=4.0)).half == pytest.approx(2000)


def test_box_is_as_wide_as_the_stars_and_as_high_as_they_need(galaxy: Snapshot) -> None:
    box = box_of([galaxy], Scene("origin"))
    assert box.half == pytest.approx(1.6 * 3.89, rel=0.03)  # (1 + R) exp(-R) = 0.1
    assert box.height == pytest.approx(0.4 * box.half)
    sphere = Snapshot(0.0, KPC, {"halo": galaxy.components["halo"]})
    box = box_of([sphere], Scene("origin"))
    assert 0.75 * box.half < box.height <= box.half
    moved = Particles(*(column + 9.0 for column in vars(galaxy.components["disc"]).values()))
    both = box_of([galaxy, Snapshot(1.0, KPC, {"disc": moved})], Scene("origin"))
    assert both.half == pytest.approx(1.6 * 3.89 + 9 * np.sqrt(3), rel=0.03)


def test_picture_needs_mass(galaxy: Snapshot) -> None:
    disc = galaxy.components["disc"]
    light = Snapshot(0.0, KPC, {"disc": Particles(disc.position, disc.velocity, 0 * disc.mass)})
    with pytest.raises(DataError, match="there is no mass; a picture needs particles with mass"):
        box_of([light], Scene())
    with pytest.raises(DataError, match="all particles are at the centre; give a width"):
        box_of([light], Scene("origin"))


def test_state_is_the_nearest_in_time() -> None:
    times = {Path("a"): 0.0, Path("b"): 100.0, Path("c"): 200.0}
    assert [nearest(times, time) for time in (0, 60, 200.1)] == [Path("a"), Path("b"), Path("c")]
    for time in (-10, 300):
        with pytest.raises(DataError, match=f"time: is {time}; states are from 0 to 200"):
            nearest(times, time)


def test_stars_are_those_of_their_particle_type(
    tmp_path: Path, plummer: Particles, disc: Particles
) -> None:
    parts = {"cluster": plummer, "disc": disc}
    found = read_snapshot(write_snapshot(tmp_path / "ic.h5", parts))
    assert found.stars == {"disc"}
    assert found.light(found.components) == ["disc"]
    assert Snapshot(0.0, Units(), parts).light(parts) == ["cluster", "disc"]
