"""A parabolic encounter of two galaxies, from models to a film."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path

import gothic
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from analysis.figures import movie
from analysis.figures.common import use_style
from analysis.reading.files import states_of
from analysis.reading.scene import Scene, box_of
from analysis.reading.snapshots import read_snapshot
from tests.analysis.films import film_of, places_in
from tests.conftest import ROOT

PARTICLES = 20000  # of each galaxy
WIDTH = 460.0  # kpc


@pytest.fixture(scope="module")
def encounter(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Follow two galaxies on a parabola for 3 Gyr."""
    folder = tmp_path_factory.mktemp("encounter")
    model = ROOT / "config" / "models" / "m31.toml"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # so few particles are warned of
        a, b = (gothic.make_model(model, particles=PARTICLES, seed=seed) for seed in (1, 2))
    masses = float(a.masses.sum()), float(b.masses.sum())
    first, second = gothic.kepler_orbit(masses, separation=300, pericentre=20, units=a.units)
    b = b.rotated(Rotation.from_euler("x", 60, degrees=True))
    both = a.named("A").shifted(*first) + b.named("B").shifted(*second)
    both.write(folder / "merger.h5")
    command = [programs / "gothic", "run", "--input", folder / "merger.h5", "--output", folder]
    options = ["--accuracy", "0.0078125", "--softening", "0.1", "--device", "cpu"]
    times = ["--time", "3000 Myr", "--snapshot-interval", "100 Myr"]
    subprocess.run([*command, *options, *times], check=True, capture_output=True)
    return folder


def centres(path: Path) -> list[np.ndarray]:
    """Find the densest points of the stars of both, told apart by their IDs, about all mass."""
    state = gothic.read(path)
    middle = np.average(state.positions, axis=0, weights=state.masses.astype(float))
    first = state.ids <= PARTICLES
    stars = state.types == 4
    return [
        gothic.densest_point(state.positions[mine & stars]) - middle for mine in (first, ~first)
    ]


@pytest.mark.long
def test_every_frame_has_both_galaxies_where_they_are(encounter: Path, tmp_path: Path) -> None:
    use_style()
    paths, scene = states_of(encounter), Scene(width=WIDTH)
    assert len(paths) == 31
    box = box_of(map(read_snapshot, paths[:1]), scene)
    found = movie.frames(map(read_snapshot, paths), scene, box)
    movie.film(found, gothic.GALACTIC, "about the centre of mass", tmp_path / "film.gif")
    pixel, apart = WIDTH / movie.PIXELS, 0
    for path, frame, picture in zip(paths, found, film_of(tmp_path / "film.gif"), strict=True):
        true = centres(path)
        top = frame.panels[0]
        assert [layer.name for layer in top.layers] == ["A", "B"]
        for density, place in zip(top.densities, true, strict=True):
            row, column = np.unravel_index(density.argmax(), density.shape)
            seen = (np.array([column, row]) + 0.5) * pixel - WIDTH / 2
            assert np.abs(seen - place[:2]).max() <= pixel, path.name
        if np.linalg.norm(true[0][:2] - true[1][:2]) > 60:  # their cores do not mix
            apart += 1
            for seen, place in zip(places_in(picture, WIDTH), true, strict=True):
                # The film has 256 colours, so that bright places are known to a pixel more.
                assert np.abs(seen - place[:2]).max() <= 2 * pixel, path.name
    assert apart > 10
    assert {frame.panels[0].field for frame in found} == {found[0].panels[0].field}
