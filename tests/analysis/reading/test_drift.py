"""What counts as a drift, on states that are changed on purpose."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from gothic import Units

from analysis.errors import DataError
from analysis.figures import equilibrium
from analysis.reading.drift import drift, dynamical_time, largest_drifts
from analysis.reading.snapshots import Particles, Snapshot
from analysis.study.measure import duration
from tests.analysis.conftest import MADE_BY
from tests.analysis.galaxies import (
    KPC,
    SIGMA_R,
    disc_check,
    plummer_check,
    write_snapshot,
)


def stretched(part: Particles, x: float, z: float, v: float = 1.0) -> Particles:
    """Stretch positions in the plane and across it, and velocities."""
    return Particles(part.position * [x, x, z], part.velocity * v, part.mass)


def test_dynamical_time_is_that_of_the_half_mass_radius(plummer: Particles) -> None:
    exact = np.sqrt(1.304766**3 / 0.5)
    assert dynamical_time(Snapshot(0.0, Units(), {"a": plummer})) == pytest.approx(exact, rel=0.01)
    halves = [Particles(*(column[n::2] for column in vars(plummer).values())) for n in (0, 1)]
    both = Snapshot(0.0, Units(), dict(zip("ab", halves, strict=True)))
    assert dynamical_time(both) == pytest.approx(exact, rel=0.01)
    heavy = Particles(plummer.position, plummer.velocity, 4 * plummer.mass)
    assert dynamical_time(Snapshot(0.0, Units(), {"a": heavy})) == pytest.approx(
        exact / 2, rel=0.01
    )


def test_length_of_a_run_is_in_dynamical_times_or_myr(tmp_path: Path, plummer: Particles) -> None:
    model = write_snapshot(tmp_path / "model.h5", {"a": plummer}, 0.0)
    found = duration({"dynamical_times": 2.0}, model)
    assert found == pytest.approx(2 * np.sqrt(1.304766**3 / 0.5), rel=0.01)
    with pytest.raises(DataError, match="has no physical units; give the run a time"):
        duration({"myr": 500.0}, model)
    galaxy = Snapshot(0.0, KPC, {"a": plummer})
    assert galaxy.units.myr == pytest.approx(1 / 977.8, rel=1e-4)  # kpc / (km/s) is 977.8 Myr


def test_stretched_sphere_has_drifted(plummer: Particles) -> None:
    states = [
        Snapshot(time, Units(), {"cluster": stretched(plummer, factor, factor)})
        for time, factor in ((1.0, 1.0), (2.0, 1.02), (3.0, 0.99))
    ]
    table = drift(states, plummer_check())
    assert len(table) == 9
    assert list(table["time"].unique()) == [0.0, 1.0, 2.0]
    np.testing.assert_allclose(table["change"][:3], 0, atol=1e-12)
    np.testing.assert_allclose(table["change"][3:6], 0.02, rtol=0.05)
    np.testing.assert_allclose(table["change"][6:], -0.01, rtol=0.05)
    radii = table["value"][:3]
    np.testing.assert_allclose(radii, [0.524028, 1.304766, 3.707113], rtol=0.02)
    assert table["myr"].isna().all()
    largest = largest_drifts(table)
    np.testing.assert_allclose(largest["change"], 0.02, rtol=0.05)
    assert (largest["dynamical_times"] == table["dynamical_times"][3]).all()


def test_stretched_disc_has_another_density_height_and_q(disc: Particles) -> None:
    changed = stretched(disc, 1.0, 1.1, 1.2)
    states = [Snapshot(t, KPC, {"disc": part}) for t, part in ((0.0, disc), (0.5, changed))]
    table = drift(states, disc_check())
    last = table[table["time"] > 0]
    assert set(last["quantity"]) == {"lagrangian_radius", "surface_density", "height", "toomre_q"}
    for quantity, change in (("surface_density", 0.0), ("height", 0.1), ("toomre_q", 0.2)):
        rows = last[last["quantity"] == quantity]
        assert len(rows) == 12
        np.testing.assert_allclose(rows["change"], change, atol=0.01)
        assert rows["scatter"].between(0.005, 0.03).all()
    assert last["myr"].iloc[0] == pytest.approx(0.5 * 977.8, rel=1e-4)


def test_toomre_q_of_rings_is_that_of_the_model(disc: Particles) -> None:
    table = drift([Snapshot(0.0, Units(), {"disc": disc})], disc_check())
    rows = table[table["quantity"] == "toomre_q"]
    inner = rows[rows["position"].between(0.5, 3)]
    density = np.exp(-inner["position"]) / (2 * np.pi)
    expected = np.sqrt(3 / inner["position"]) * SIGMA_R / (3.36 * density)
    np.testing.assert_allclose(inner["value"], expected, rtol=0.05)


def test_single_particle_has_no_radii(plummer: Particles) -> None:
    hole = Particles(np.zeros((1, 3)), np.zeros((1, 3)), np.array([0.01]))
    state = Snapshot(0.0, Units(), {"cluster": plummer, "hole": hole})
    check = pd.concat([plummer_check(), plummer_check("hole").assign(kind="black_hole", mass=0.01)])
    assert set(drift([state], check)["component"]) == {"cluster"}


def test_figure_has_a_panel_per_component_and_three_per_disc(
    plummer: Particles, disc: Particles
) -> None:
    check = pd.concat([disc_check(), plummer_check().assign(v_circ=np.nan)])
    states = [
        Snapshot(
            float(time),
            Units(),
            {"disc": stretched(disc, 1 + 0.02 * time, 1.0), "cluster": plummer},
            file="start.h5",
        )
        for time in range(3)
    ]
    table = drift(states, check).assign(model="m31", **MADE_BY)
    figure = equilibrium.draw(table)
    titles = [axes.get_title() for axes in figure.axes[:5]]
    assert titles[:2] == ["disc", "cluster"]
    assert [title.split(":")[0] for title in titles[2:]] == ["disc"] * 3
    half = next(bars for bars in figure.axes[0].containers if bars.get_label() == "50 %")
    np.testing.assert_allclose(half.lines[0].get_ydata(orig=False), [0, 2, 4], atol=0.05)
    assert len(figure.axes[2].get_lines()) == 3  # two times and zero
    text = equilibrium.caption(table)
    assert "snapshot start.h5, left to itself for" in text
    assert "M31, left to itself for" in equilibrium.caption(table.drop(columns="name"))
    assert "states at 3 times" in text
    assert re.search(r"disc \+3\.\d\d % at 10 % of the mass", text)
    assert "Q is taken with the rotation curve" in text


def test_sphere_is_drawn_alone(plummer: Particles) -> None:
    states = [Snapshot(float(time), Units(), {"cluster": plummer}) for time in range(2)]
    figure = equilibrium.draw(drift(states, plummer_check()))
    assert len(figure.axes) == 1
