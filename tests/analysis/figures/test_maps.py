from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import gothic
import h5py
import numpy as np
import pytest
from gothic import Units

from analysis.errors import DataError
from analysis.figures import map as maps
from analysis.figures import movie
from analysis.reading.files import states_of
from analysis.reading.origin import require_file_of_model, subject, written_by
from analysis.reading.scene import Box, Scene, box_of
from analysis.reading.snapshots import Particles, Snapshot, read_snapshot
from tests.analysis.conftest import FACTS
from tests.analysis.films import film_of, places_in
from tests.analysis.galaxies import KPC

BOX = Box(4.0, 1.6)


def columns_of(galaxy: Snapshot, pixels: int) -> list[list[maps.Panel]]:
    layers = maps.layers_of(galaxy, None)
    return [maps.panels(galaxy, Scene("origin"), BOX, layer, pixels) for layer in layers]


def test_panels_share_fields_by_side(galaxy: Snapshot) -> None:
    figure = maps.draw(columns_of(galaxy, 128), galaxy.units, "somewhere")
    images = [axes.images[0] for axes in figure.axes if axes.images]
    assert len(images) == 4
    texts = [axes.texts[0].get_text() for axes in figure.axes[:4]]
    assert texts == [
        "stars, along z",
        "all particles, along z",
        "stars, along y",
        "all particles, along y",
    ]
    assert figure.axes[2].get_xlabel() == "$x$ [kpc]"
    np.testing.assert_allclose(images[0].get_extent(), [-4, 4, -4, 4])
    np.testing.assert_allclose(images[2].get_extent(), [-4, 4, -1.625, 1.625])
    model = Snapshot(0.0, Units(), galaxy.components)
    found = columns_of(model, 64)
    assert [column[0].layers[0].name for column in found] == ["all particles"]
    assert maps.draw(found, Units(), "somewhere").axes[1].get_xlabel() == "$x$"


def test_table_of_the_map_holds_its_mass_in_solar_masses(galaxy: Snapshot) -> None:
    columns = columns_of(galaxy, 128)
    table = maps.tabulate([panel for column in columns for panel in column])
    rows = table[(table["shown"] == "stars") & (table["side"] == "z")]
    assert len(rows) == 64
    inside = np.abs(galaxy.components["disc"].position[:, :2]).max(axis=1) < 4
    assert rows["density"].sum() == pytest.approx(1e10 * inside.mean(), rel=0.01)  # unit squares
    text = maps.caption(columns, galaxy, Scene("origin"), "made by hand")
    for words in (
        "N = 200000 particles: halo, 100000; disc, 100000",
        "at 0 Myr: surface density of stars (disc); all particles (halo, disc), seen along z and y",
        "relative to the origin of the coordinates; the box is 8 kpc wide",
        "solar masses",
        "made by hand",
    ):
        assert words in text


def test_film_has_a_frame_for_each_state(tmp_path: Path, disc: Particles) -> None:
    states = [Snapshot(time, KPC, {"disc": disc}, frozenset({"disc"})) for time in (1.0, 1.1, 1.2)]
    found = movie.frames(states, Scene(), box_of(states, Scene()))
    assert [frame.time for frame in found] == pytest.approx([977.8, 1075.6, 1173.4], rel=1e-4)
    figure = movie.draw(found, KPC, "somewhere")
    labels = [axes.texts[0].get_text() for axes in figure.axes[:3]]
    assert labels == ["977.8 Myr", "1076 Myr", "1173 Myr"]
    movie.film(found, KPC, "somewhere", tmp_path / "film.gif")
    pictures = film_of(tmp_path / "film.gif")
    assert len(pictures) == 3
    # The same stars every time: frames differ in the label of the time alone.
    different = np.abs(pictures[1] - pictures[2]).max(axis=2) > 64
    assert 0 < different.mean() < 0.01
    table = movie.table(found)
    assert set(table["time"].round()) == {978, 1076, 1173}


# --- Two galaxies


def ball(random: np.random.Generator, number: int = 2000) -> gothic.Snapshot:
    """Draw a small ball of stars in a wide halo, units of kpc."""
    table = [gothic.Component("halo", 1), gothic.Component("stars", 4)]
    size = np.repeat([20.0, 1.5], number // 2)[:, None]
    return gothic.Snapshot(
        size * random.normal(size=(number, 3)),
        1e-3,
        types=np.repeat([1, 4], number // 2),
        components=np.repeat([0, 1], number // 2),
        units=gothic.GALACTIC,
        component_table=table,
    )


PLACES = [  # of A and B, at each time
    ([-120.0, -40.0, 10.0], [120.0, 40.0, -10.0]),
    ([-30.0, 25.0, 5.0], [30.0, -25.0, -5.0]),
    ([45.0, 90.0, 0.0], [-45.0, -90.0, 0.0]),
]


@pytest.fixture(scope="module")
def encounter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write states of two galaxies that pass each other, far from the origin."""
    folder, random = tmp_path_factory.mktemp("encounter"), np.random.default_rng(3)
    a, b = ball(random).named("A"), ball(random).named("B")
    for number, places in enumerate(PLACES):
        both = sum_of(galaxy.shifted(at) for galaxy, at in zip((a, b), places, strict=True))
        moved = both.shifted([500.0, 0.0, 0.0], time=number * gothic.GALACTIC.myr * 100)
        moved.write(folder / f"snapshot_{number:03}.h5")
    return folder


def sum_of(parts: Sequence[gothic.Snapshot]) -> gothic.Snapshot:
    first, *others = parts
    for other in others:
        first = first + other
    return first


def test_film_shows_both_galaxies_where_they_are(encounter: Path, tmp_path: Path) -> None:
    paths = states_of(encounter)
    movie.draw_states(paths, Scene(width=400.0), [], tmp_path / "film")
    pictures = film_of(tmp_path / "film.gif")
    assert len(pictures) == len(PLACES)
    for picture, places in zip(pictures, PLACES, strict=True):
        found = places_in(picture, 400.0)
        for seen, true in zip(found, places, strict=True):
            assert np.abs(seen - true[:2]).max() < 400.0 / movie.PIXELS


@pytest.mark.parametrize(
    ("centre", "shift", "words"),
    [
        ("mass", [0, 0, 0], "the centre of mass of all particles"),
        ("origin", [500, 0, 0], "the origin of the coordinates"),
        ("400,50,0", [100, -50, 0], "the point 400,50,0"),
        ("B", None, "the densest point of the stars of B"),
        ("A/stars", None, "the densest point of A/stars"),
    ],
)
def test_all_frames_have_the_centre_that_is_named(
    encounter: Path, centre: str, shift: list[float] | None, words: str
) -> None:
    paths, scene = states_of(encounter), Scene(centre, width=1400.0)
    states = [read_snapshot(path) for path in paths]
    found = movie.frames(states, scene, box_of(states, scene))
    for frame, places in zip(found, PLACES, strict=True):
        top = frame.panels[0]
        own = shift or -np.array(places["AB".index(centre[0])])
        for density, place in zip(top.densities, places, strict=True):
            row, column = np.unravel_index(density.argmax(), density.shape)
            seen = (np.array([column, row]) + 0.5) * top.field.pixel - top.field.half
            assert np.abs(seen - (np.array(place) + own)[:2]).max() < 1.01 * top.field.pixel
    text = movie.caption(found, states[0], scene, "")
    assert f"In every frame coordinates are relative to {words}, and the box is 1400 kpc" in text


def test_box_holds_all_galaxies_at_all_times(encounter: Path) -> None:
    states = [read_snapshot(path) for path in states_of(encounter)]
    box = box_of(states, Scene())
    assert 126 < box.half < 150
    found = movie.frames(states, Scene(), box)
    for frame in found:
        assert [layer.name for layer in frame.panels[0].layers] == ["A", "B"]
        for density in frame.panels[0].densities:
            mass = density.sum() * frame.panels[0].field.pixel ** 2
            assert mass == pytest.approx(1000 * 1e-3 * 1e10, rel=1e-3)  # every star
    fields = {frame.panels[0].field for frame in found}
    assert len(fields) == 1


def test_galaxies_without_names_are_both_in_every_frame(encounter: Path) -> None:
    states = []
    for path in states_of(encounter):
        named = read_snapshot(path)
        parts = {kind: named.joined([f"A/{kind}", f"B/{kind}"]) for kind in ("halo", "stars")}
        states.append(Snapshot(named.time, named.units, parts, frozenset({"stars"})))
    for frame in movie.frames(states, Scene(), box_of(states, Scene())):
        top = frame.panels[0]
        assert [layer.name for layer in top.layers] == ["stars"]
        mass = top.densities[0].sum() * top.field.pixel**2
        assert mass == pytest.approx(2 * 1000 * 1e-3 * 1e10, rel=1e-3)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"centre": "C"}, "centre: is C; give X,Y,Z or one of origin, mass, A, B, A/halo"),
        ({"centre": "1,2"}, "centre: is 1,2; give X,Y,Z"),
        ({"width": 0}, "width: is 0; give a length above 0"),
        ({"width": "wide"}, "width: is wide; give a length above 0"),
        ({"sides": "zz"}, "sides: is zz; give some of x, y and z"),
        ({"sides": ""}, "sides: is ; give some of x, y and z"),
        ({"colour": "blue"}, "colour: is blue; give one of density, component, galaxy"),
        ({"centre": "9e9,0,0", "width": 1}, "nothing lies in the picture; choose another centre"),
    ],
)
def test_wrong_scenes_are_refused(
    encounter: Path, tmp_path: Path, options: dict[str, object], complaint: str
) -> None:
    with pytest.raises(DataError, match=complaint):
        maps.draw_snapshot(encounter / "snapshot_000.h5", Scene.of(**options), tmp_path / "map")
    assert list(tmp_path.iterdir()) == []


def test_colours_tell_components_of_any_snapshot(encounter: Path, tmp_path: Path) -> None:
    path = encounter / "snapshot_001.h5"
    snapshot = read_snapshot(path)
    by_component = maps.layers_of(snapshot, "component")
    assert [layer.name for layer in by_component[0]] == ["A/halo", "A/stars", "B/halo", "B/stars"]
    assert [len(layers) for layers in maps.layers_of(snapshot, "density")] == [1, 1]
    scene = Scene.of(sides="xz", colour="component")
    column = maps.panels(snapshot, scene, BOX, by_component[0], 64)
    text = maps.caption([column], snapshot, scene, "")
    assert text.startswith(
        "snapshot snapshot_001.h5 at 100 Myr: surface density of A/halo; A/stars"
    )
    assert "seen along x and z" in text
    axes = maps.draw([column], KPC, "somewhere").axes
    assert [one.get_xlabel() for one in axes[:2]] == ["$y$ [kpc]", "$x$ [kpc]"]
    assert [one.get_ylabel() for one in axes[:2]] == ["$z$ [kpc]", "$y$ [kpc]"]
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == [*snapshot.components]
    with pytest.raises(DataError, match="names no galaxies; use component"):
        maps.layers_of(Snapshot(0.0, KPC, {"disc": snapshot.components["A/stars"]}), "galaxy")


# --- Names of models


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Draw a model of config/models, one of the same name and other text, and a sum of both."""
    folder = tmp_path_factory.mktemp("drawn")
    ball = {"name": "ball", "profile": "plummer", "mass": 1, "scale": 1}
    known = gothic.make_model("config/models/plummer.toml", particles=1000)
    other = gothic.make_model(
        {"name": "plummer", "softening": 0.1, "component": [ball]}, particles=900
    )
    known.write(folder / "known.h5")
    other.write(folder / "other.h5")
    (known.named("A").shifted([9, 0, 0]) + other.named("B")).write(folder / "both.h5")
    (known + known).write(folder / "twice.h5")
    return folder


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("known", "Plummer sphere"),
        ("other", "plummer (not that of config/models)"),
        ("both", "A (Plummer sphere) and B (plummer (not that of config/models))"),
        ("twice", "snapshot twice.h5"),
    ],
)
def test_only_particles_of_a_model_have_its_name(drawn: Path, name: str, words: str) -> None:
    snapshot = read_snapshot(drawn / f"{name}.h5")
    assert subject(snapshot.models, snapshot.file) == words


@pytest.mark.parametrize(
    ("name", "model", "complaint"),
    [
        ("known", "config/models/king.toml", "was drawn from the model Plummer sphere"),
        ("other", "plummer", r"plummer \(not that of config/models\) .*, not from Plummer sphere"),
        ("both", "plummer", "its component B/ball was drawn from"),
        ("twice", "plummer", "does not tell the model of its component"),
        ("known", "m41", "m41.toml"),
    ],
)
def test_particles_of_another_model_are_refused(
    drawn: Path, tmp_path: Path, name: str, model: str, complaint: str
) -> None:
    require_file_of_model(read_snapshot(drawn / "known.h5").models, "plummer", "known.h5")
    with pytest.raises(DataError, match=complaint):
        maps.draw_snapshot(drawn / f"{name}.h5", Scene(), tmp_path / "map", model)
    assert list(tmp_path.iterdir()) == []


def test_what_made_a_file_is_told_as_far_as_it_is_known(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    gothic.Snapshot(random.normal(size=(500, 3)), 1.0).write(tmp_path / "bare.h5")
    with h5py.File(tmp_path / "bare.h5", "a") as file:
        del file["Provenance"], file["Options"]
    told = "bare.h5 does not tell which program has written it."
    assert written_by(tmp_path / "bare.h5") == told
    with h5py.File(tmp_path / "bare.h5", "a") as file:
        file.create_group("Provenance").attrs.update(FACTS | {"program": "gothic run"})
    told = "Device: CPU; gothic run 1.2.3, revision abc; GNU 12."
    assert written_by(tmp_path / "bare.h5") == told
