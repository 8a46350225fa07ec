from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from analysis.errors import DataError
from analysis.figures import map as maps
from analysis.figures import movie
from analysis.reading.snapshots import Particles, Snapshot, Units
from tests.analysis.conftest import FACTS
from tests.analysis.galaxies import KPC


def test_panels_share_colours_by_kind_and_fields_by_view(galaxy: Snapshot) -> None:
    found = maps.panels(galaxy, 4.0, pixels=128)
    figure = maps.draw(found, galaxy.units)
    images = [axes.images[0] for axes in figure.axes if axes.images]
    assert len(images) == 4
    texts = [axes.texts[0].get_text() for axes in figure.axes[:4]]
    assert texts == [
        "stars, face-on",
        "all particles, face-on",
        "stars, edge-on",
        "all particles, edge-on",
    ]
    assert images[0].norm is images[2].norm
    assert images[1].norm is images[3].norm
    assert figure.axes[2].get_xlabel() == "$x$ [kpc]"
    np.testing.assert_allclose(images[0].get_extent(), [-4, 4, -4, 4])
    model = maps.draw(
        maps.panels(Snapshot(0.0, Units(), galaxy.components), 4.0, pixels=64), Units()
    )
    assert model.axes[2].get_xlabel() == "$x$"


def test_table_of_the_map_holds_its_mass_in_solar_masses(galaxy: Snapshot) -> None:
    found = maps.panels(galaxy, 4.0, pixels=128)
    table = maps.tabulate(found)
    rows = table[(table["kind"] == "stars") & (table["view"] == "face-on")]
    assert len(rows) == 64
    inside = np.abs(galaxy.components["disc"].position[:, :2]).max(axis=1) < 4
    assert rows["density"].sum() == pytest.approx(1e10 * inside.mean(), rel=0.01)  # unit squares
    text = maps.caption(found, galaxy, "m31", FACTS)
    assert "N = 200000 particles: halo, 100000; disc, 100000" in text
    assert "solar masses" in text
    assert "revision abc" in text


def test_film_has_a_frame_for_each_state(tmp_path: Path, disc: Particles) -> None:
    states = [Snapshot(time, KPC, {"disc": disc}, frozenset({"disc"})) for time in (1.0, 1.1, 1.2)]
    found = movie.frames(states)
    assert [frame.time for frame in found] == pytest.approx([0, 97.78, 195.56], rel=1e-4)
    figure = movie.draw(found, KPC)
    labels = [axes.texts[0].get_text() for axes in figure.axes[:3]]
    assert labels == ["0 Myr", "98 Myr", "196 Myr"]
    movie.film(found, KPC, tmp_path / "film.gif")
    with Image.open(tmp_path / "film.gif") as film:
        pictures = []
        for number in range(3):
            film.seek(number)
            pictures.append(np.asarray(film.convert("RGB"), dtype=int))
    # The same stars every time: frames differ in the label of the time alone.
    different = np.abs(pictures[1] - pictures[2]).max(axis=2) > 64
    assert 0 < different.mean() < 0.01
    table = movie.table(found)
    assert set(table["time"].round()) == {0, 98, 196}


def test_model_must_be_one_of_config_models() -> None:
    maps.require_model("m31")
    with pytest.raises(DataError, match=r"--model nope: .* use early_type, hernquist, "):
        maps.require_model("nope")
