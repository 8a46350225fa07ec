"""The model beside its particles, and their figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from gothic import Units
from scipy.spatial.transform import Rotation

from analysis.errors import DataError
from analysis.figures import model
from analysis.reading.model_check import MEASURED, compare, deviation, interpolate, read_check
from analysis.reading.origin import Model
from analysis.reading.snapshots import Particles, Snapshot, read_snapshot
from tests.analysis.figures.test_figures import lines
from tests.analysis.galaxies import (
    disc_check,
    draw_disc,
    draw_plummer,
    plummer_check,
    write_snapshot,
)


@pytest.fixture(scope="module")
def sphere(plummer: Particles) -> Snapshot:
    return Snapshot(0.0, Units(), {"cluster": plummer})


@pytest.fixture(scope="module")
def disc() -> Snapshot:
    return Snapshot(0.0, Units(), {"disc": draw_disc()})


@pytest.mark.parametrize("quantity", MEASURED["sphere"])
def test_particles_agree_with_their_own_sphere(sphere: Snapshot, quantity: str) -> None:
    table = compare(plummer_check(), sphere)
    assert 0.5 < deviation(table, quantity) < 1.5


@pytest.mark.parametrize("quantity", ["density", "v_mean", "sigma_r", "sigma_z", "height"])
def test_particles_agree_with_their_own_disc(disc: Snapshot, quantity: str) -> None:
    table = compare(disc_check(), disc)
    assert 0.5 < deviation(table[table["radius"] > 0.1], quantity) < 1.5


def test_toomre_q_is_judged_with_the_constant_of_gravity(disc: Snapshot) -> None:
    table = compare(disc_check(), disc)
    model = disc_check()
    at = table["radius"].to_numpy()
    expected = interpolate(model["radius"].to_numpy(), model["toomre_q"].to_numpy(), at)
    inner = table["radius"].between(0.1, 5)
    np.testing.assert_allclose(table["toomre_q_model"][inner] / (2 * expected[inner]), 1, rtol=0.02)
    assert 0.5 < deviation(table[inner], "toomre_q") < 1.5


@pytest.mark.parametrize(("column", "power"), [("mass", 1.1), ("sigma_r", 0.95)])
def test_wrong_model_is_seen(sphere: Snapshot, column: str, power: float) -> None:
    check = plummer_check()
    check[column] **= power
    assert deviation(compare(check, sphere), column) > 4


def test_model_is_averaged_over_bins_that_a_cutoff_divides() -> None:
    random = np.random.default_rng(1)
    radius = 1.05 * random.uniform(size=50_000) ** (1 / 3)
    direction = random.normal(size=(50_000, 3))
    position = direction * (radius / np.linalg.norm(direction, axis=1))[:, None]
    ball = Particles(position, direction, np.full(50_000, 2e-5))
    check = plummer_check("ball", points=4000)
    check["mass"] = np.minimum(check["radius"] / 1.05, 1) ** 3
    check["density"] = np.where(check["radius"] < 1.05, 3 / (4 * np.pi * 1.05**3), 0.0)
    table = compare(check, Snapshot(0.0, Units(), {"ball": ball}))
    last = table.iloc[-1]
    assert last["inner"] < 1.05 < last["outer"]
    assert last["density"] < 0.25 * table["density"].iloc[-2]
    assert last["density_model"] == pytest.approx(last["density"], rel=0.05)


def test_components_go_by_name_or_by_number(tmp_path: Path) -> None:
    parts = {"disc": draw_disc(), "cluster": draw_plummer()}
    check = pd.concat([disc_check(), plummer_check()])
    named, numbered = (
        compare(check, read_snapshot(write_snapshot(tmp_path / f"{named}.h5", parts, named=named)))
        for named in (True, False)
    )
    pd.testing.assert_frame_equal(named, numbered)
    assert list(named["component"].unique()) == ["disc", "cluster"]
    other = Snapshot(0.0, Units(), {"halo": parts["disc"], "cluster": parts["cluster"]})
    with pytest.raises(DataError, match="components disc, cluster, but the particles halo"):
        compare(check, other)


def test_table_of_another_model_is_refused(plummer: Particles) -> None:
    check = plummer_check().assign(model="ball", model_digest="00ff")
    for digest in ("00ff", ""):  # the same, or not known
        models = {"cluster": Model("ball", digest)}
        compare(check, Snapshot(0.0, Units(), {"cluster": plummer}, models=models))
    other = Snapshot(
        0.0, Units(), {"cluster": plummer}, models={"cluster": Model("ball", "1")}, file="s.h5"
    )
    with pytest.raises(DataError, match=r"s.h5: .* the model ball \(1\), not from ball \(00ff"):
        compare(check, other)


def test_particles_of_another_mass_are_refused(plummer: Particles) -> None:
    half = Particles(*(column[::2] for column in vars(plummer).values()))
    with pytest.raises(DataError, match="cluster has the mass 1 in the model, but 0"):
        compare(plummer_check(), Snapshot(0.0, Units(), {"cluster": half}))


@pytest.mark.parametrize(("degrees", "refused"), [(0, False), (10, False), (60, True), (180, 0)])
def test_tilted_disc_is_refused(degrees: float, refused: bool) -> None:
    disc = draw_disc()
    turn = Rotation.from_euler("x", degrees, degrees=True).as_matrix().T
    turned = Particles(disc.position @ turn, disc.velocity @ turn, disc.mass)
    snapshot = Snapshot(0.0, Units(), {"disc": turned})
    if degrees != 60:
        compare(disc_check(), snapshot)
        return
    with pytest.raises(DataError, match=f"the disc disc is tilted by {degrees} degrees"):
        compare(disc_check(), snapshot)


def test_black_hole_is_no_profile(plummer: Particles) -> None:
    hole = Particles(np.zeros((1, 3)), np.zeros((1, 3)), np.array([0.1]))
    rows = plummer_check("hole").assign(kind="black_hole", mass=0.1)
    check = pd.concat([plummer_check(), rows])
    snapshot = Snapshot(0.0, Units(), {"cluster": plummer, "hole": hole})
    table = compare(check, snapshot)
    assert set(table["component"]) == {"cluster"}
    figure = model.draw(check, table, snapshot)
    assert [text.get_text() for text in figure.legends[0].get_texts()][:2] == ["cluster", "hole"]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda table: table.drop(columns="v_circ"), "column v_circ is missing"),
        (lambda table: table.assign(kind="bar"), "kind bar is unknown"),
    ],
)
def test_foreign_table_is_refused(tmp_path: Path, change: object, complaint: str) -> None:
    change(plummer_check()).to_csv(tmp_path / "check.csv", index=False)
    with pytest.raises(DataError, match=complaint):
        read_check(tmp_path / "check.csv")
    with pytest.raises(DataError, match="No such file"):
        read_check(tmp_path / "none.csv")


def test_spheres_are_drawn_in_four_panels(sphere: Snapshot) -> None:
    check = plummer_check()
    table = compare(check, sphere)
    figure = model.draw(check, table, sphere)
    assert len(figure.axes) == 4
    density, speed, dispersion, mass = figure.axes
    assert density.get_yscale() == mass.get_yscale() == "log"
    assert [len(axes.containers) for axes in figure.axes] == [1, 0, 2, 1]
    shown = density.containers[0].lines[0]
    np.testing.assert_allclose(shown.get_xdata(orig=False), table["radius"])
    np.testing.assert_allclose(shown.get_ydata(orig=False), table["density"])
    symbols = next(line for line in speed.get_lines() if line.get_marker() == "o")
    expected = np.sqrt(
        (1 + symbols.get_xdata(orig=False) ** -2.0) ** -1.5 / symbols.get_xdata(orig=False)
    )
    outer = symbols.get_xdata(orig=False) > 0.3
    np.testing.assert_allclose(symbols.get_ydata(orig=False)[outer], expected[outer], rtol=0.02)
    assert dispersion.get_ylim()[0] == 0
    assert not lines(dispersion)


@pytest.mark.parametrize("spheres", [True, False])
def test_disc_is_drawn_with_its_own_panels(
    disc: Snapshot, plummer: Particles, spheres: bool
) -> None:
    check, snapshot = disc_check(), disc
    if spheres:
        cluster = plummer_check().assign(v_circ=lambda table: np.sqrt(table["radius"]))
        check = pd.concat([check, cluster])
        snapshot = Snapshot(0.0, Units(), {**disc.components, "cluster": plummer})
    table = compare(check, snapshot)
    figure = model.draw(check, table, snapshot)
    panels = {axes.get_label(): axes for axes in figure.axes}
    expected = {"speed", "dispersion", "surface_density", "toomre_q", "height"}
    assert set(panels) == (expected | {"density"} if spheres else expected)
    table = table[table["component"] == "disc"]
    for name, quantity in (
        ("speed", "v_mean"),
        ("surface_density", "density"),
        ("toomre_q", "toomre_q"),
        ("height", "height"),
    ):
        shown = panels[name].containers[0].lines[0]
        np.testing.assert_allclose(shown.get_xdata(orig=False), table["radius"])
        np.testing.assert_allclose(shown.get_ydata(orig=False), table[quantity])
    assert len(panels["dispersion"].containers) == 3 + 2 * spheres


def test_caption_tells_numbers_and_deviations(sphere: Snapshot, disc: Snapshot) -> None:
    table = compare(plummer_check(), sphere)
    text = model.caption(plummer_check().assign(model="ball", model_digest="0"), table, sphere)
    assert "snapshot  at $t = 0$ (G = 1). Lines are the model ball, symbols the" in text
    assert "cluster, 100000 particles" in text
    assert f"cluster density {deviation(table, 'density'):.2f}" in text
    text = model.caption(disc_check(), compare(disc_check(), disc), disc)
    assert "Toomre's Q" in text
    assert "height" in text.split("bins: ")[-1]
