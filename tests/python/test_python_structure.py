"""Centres and Lagrangian radii from Python."""

from __future__ import annotations

import numpy as np
import pytest

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)


def test_densest_point_is_the_middle_of_a_cluster_in_a_crowd() -> None:
    random = np.random.default_rng(4)
    cluster = random.normal([1, -2, 3], 0.3, size=(20000, 3))
    crowd = random.uniform(-40, 60, size=(5000, 3))
    found = gothic.densest_point(np.concatenate([cluster, crowd]))
    np.testing.assert_allclose(found, [1, -2, 3], atol=0.1)


def test_lagrangian_radius_counts_mass_and_not_particles() -> None:
    radii, masses = [3.0, 1.0, 2.0], [1.0, 6.0, 1.0]
    np.testing.assert_allclose(gothic.lagrangian_radii(radii, masses, [3 / 8, 7 / 8, 1]), [1, 2, 3])


@pytest.mark.parametrize(
    ("radii", "fractions", "message"),
    [
        ([], [0.5], "at least one"),
        ([1.0], [0.5, 0.1], "ascending"),
        ([1.0], [2], "between 0 and 1"),
    ],
)
def test_what_has_no_radius_is_refused(
    radii: list[float], fractions: list[float], message: str
) -> None:
    with pytest.raises(gothic.InputError, match=message):
        gothic.lagrangian_radii(radii, 1.0, fractions)
