"""Galaxies keep their names in sums, files and runs; orbits are those of two bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)


def galaxy(count: int = 50) -> gothic.Snapshot:
    """Make a galaxy with a halo and stars, of which every other particle is one."""
    kind = np.arange(count) % 2
    return gothic.Snapshot(
        np.random.default_rng(count).normal(size=(count, 3)),
        1.0,
        types=np.where(kind, 4, 1),
        components=kind,
        units=gothic.GALACTIC,
        softening=0.1,
        component_table=[gothic.Component("halo", 1), gothic.Component("stars", 4)],
    )


class TestGalaxies:
    """Galaxies in one snapshot."""

    def test_named_galaxies_stay_apart_in_sums_files_and_runs(self, tmp_path: Path) -> None:
        milky, small = galaxy(50).named("Milky Way"), galaxy(30).named("LMC")
        (milky + small).write(tmp_path / "both.h5")
        simulation = gothic.Simulation(gothic.read(tmp_path / "both.h5"), device="cpu")
        simulation.run(steps=1)
        for both in (milky + small, gothic.read(tmp_path / "both.h5"), simulation.snapshot()):
            names = [row.name for row in both.component_table]
            assert names == ["Milky Way/halo", "Milky Way/stars", "LMC/halo", "LMC/stars"]
            assert (both.galaxy("Milky Way").sum(), both.galaxy("LMC").sum()) == (50, 30)
            assert both.component("LMC/stars").sum() == 15
            with pytest.raises(KeyError, match="no galaxy 'SMC'; there are Milky Way, LMC"):
                both.galaxy("SMC")

    def test_names_may_be_given_anew_and_to_particles_without(self) -> None:
        again = galaxy().named("A").named("B")
        assert [row.name for row in again.component_table] == ["B/halo", "B/stars"]
        plain = gothic.Snapshot(galaxy().positions, 1.0).named("C")
        assert [row.name for row in plain.component_table] == ["C/component 1"]
        with pytest.raises(KeyError, match="there are no names"):
            galaxy().galaxy("A")

    @pytest.mark.parametrize("name", ["", "a/b"])
    def test_wrong_names_are_refused(self, name: str) -> None:
        with pytest.raises(gothic.InputError, match=r"galaxy: is .*; give a name without /"):
            galaxy().named(name)

    def test_several_galaxies_are_not_named_as_one(self) -> None:
        both = galaxy().named("A") + galaxy().named("B")
        with pytest.raises(gothic.InputError, match="has several galaxies; name each"):
            both.named("C")


@pytest.mark.parametrize("eccentricity", [0.0, 0.6, 1.0, 1.5])
def test_galaxies_on_a_kepler_orbit_reach_their_pericentre(eccentricity: float) -> None:
    masses, pericentre, far = np.array([3.0, 1.0]), 10.0, 10.0 if eccentricity == 0 else 35.0
    places = gothic.kepler_orbit(tuple(masses), far, pericentre, eccentricity, gothic.GALACTIC)
    x, v = (np.array(vectors) for vectors in zip(*places, strict=True))
    np.testing.assert_allclose(masses @ x, 0, atol=1e-12)
    np.testing.assert_allclose(masses @ v, 0, atol=1e-12)
    gravity = gothic.GALACTIC.gravitational_constant * masses.sum()
    apart, speed = x[0] - x[1], v[0] - v[1]
    assert np.linalg.norm(apart) == pytest.approx(far)
    assert apart @ speed <= 1e-9  # they approach
    energy = speed @ speed / 2 - gravity / far
    assert energy == pytest.approx(-gravity * (1 - eccentricity) / (2 * pericentre), abs=1e-9)

    def course(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[3:], -gravity * y[:3] / np.linalg.norm(y[:3]) ** 3])

    def at_pericentre(_: float, y: np.ndarray) -> float:
        return float(y[:3] @ y[3:])

    at_pericentre.direction = 1
    duration = 5 * np.sqrt(far**3 / gravity)
    start = np.concatenate([apart, speed])
    way = solve_ivp(
        course, (0, duration), start, "DOP853", events=at_pericentre, rtol=1e-11, atol=1e-9
    )
    nearest = np.linalg.norm(way.y[:3], axis=0).min()
    if eccentricity > 0:
        ((place, *_),) = way.y_events
        np.testing.assert_allclose(place[:3], [pericentre, 0, 0], atol=1e-6)
        nearest = np.linalg.norm(place[:3])
    assert nearest == pytest.approx(pericentre, rel=1e-7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((0, 0), 10, 1), "masses: is 0, not above 0"),
        (((-1, 2), 10, 1), "masses: one is negative"),
        (((1, 1), 10, 0), "pericentre: is 0, not above 0"),
        (((1, 1), np.inf, 1), "separation: is inf, not above 0"),
        (((1, 1), 10, 1, -0.5), "eccentricity: is -0.5; give 1 for a parabola"),
        (((1, 1), 10, 1, 0.5), "separation: is 10; on this orbit it lies between 1 and 3"),
        (((1, 1), 1, 10), "separation: is 1; on this orbit it lies between 10 and inf"),
    ],
)
def test_impossible_orbits_are_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(gothic.InputError, match=message):
        gothic.kepler_orbit(*arguments)
