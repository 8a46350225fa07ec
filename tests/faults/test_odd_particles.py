"""Few, degenerate and extreme particles get right forces; those beyond single precision do not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.programs.gothic import Gothic
from tests.programs.snapshots import Arrays, direct_sum, read_forces, sphere, write_snapshot

SOFTENING = 0.05


def expect_right(gothic: Gothic, arrays: Arrays, softening: float = SOFTENING) -> None:
    """Compare tree forces and direct sums with numpy's; advance and expect finite results."""
    write_snapshot(gothic.folder / "odd.h5", arrays, header={"Softening": softening})
    exact, _ = direct_sum(arrays, softening)
    exact = exact[np.argsort(arrays["ParticleIDs"])]
    scale = np.abs(exact).max() + 1e-300
    for command, more in {"force": ("--accuracy", "1e-6"), "direct": ()}.items():
        gothic.done(command, "--input", "odd.h5", "--output", "forces.h5", *more)
        found = read_forces(gothic.folder / "forces.h5")
        assert len(found["Acceleration"]) == len(exact)
        np.testing.assert_allclose(found["Acceleration"], exact, rtol=0, atol=2e-5 * scale)
        assert np.isfinite(found["Potential"]).all()
    gothic.done("run", "--input", "odd.h5", "--output", "out", "--steps", 4)
    state = read_forces(gothic.folder / "out" / "snapshot_000.h5")
    assert sorted(state["ParticleIDs"]) == sorted(arrays["ParticleIDs"])
    for name, values in state.items():
        assert np.isfinite(values).all(), name


@pytest.mark.parametrize("count", [1, 2, 3, 9, 17, 33])
def test_any_small_number_works(gothic: Gothic, count: int) -> None:
    expect_right(gothic, sphere(count))


def scaled(*factors: float) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays["Coordinates"] *= np.float32(factors)

    return change


def outlier(place: float) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays["Coordinates"][0] = (place, 0, 0)

    return change


def masses(index: object, value: float) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays["Masses"][index] = value

    return change


SHAPES = {
    "point": scaled(0, 0, 0),
    "line": scaled(1, 0, 0),
    "plane": scaled(1, 1, 0),
    "needle of 1e6": scaled(1, 1e-6, 1e-6),
    "pancake of 1e6": scaled(1, 1, 1e-6),
    "long needle of 1e6": scaled(1e6, 1, 1),
    "outlier at 1e6": outlier(1e6),
    "outlier at 1e9": outlier(1e9),
    "tiny": scaled(1e-19, 1e-19, 1e-19),
    "one heavy": masses(0, 1e6),
    "half without mass": masses(slice(None, None, 2), 0),
    "light": masses(slice(None), 1e-25),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_degenerate_shapes_work(gothic: Gothic, shape: str) -> None:
    arrays = sphere(200)
    SHAPES[shape](arrays)
    expect_right(gothic, arrays)


BEYOND = {
    "coordinates at 1e19": (scaled(1e19, 1e19, 1e19), "Coordinates: one is "),
    "outlier at 3e38": (outlier(3e38), "Coordinates: one is "),
    "masses of 1e38": (masses(slice(None), 1e38), "Masses: their sum is "),
    "one mass of 3e38": (masses(0, 3e38), "Masses: their sum is "),
    "masses of 1e-44": (masses(slice(None), 1e-44), "Masses: their sum is "),
}


@pytest.mark.parametrize("command", ["force", "direct", "run"])
@pytest.mark.parametrize("case", BEYOND)
def test_beyond_single_precision_is_refused(gothic: Gothic, case: str, command: str) -> None:
    change, complaint = BEYOND[case]
    arrays = sphere(100)
    change(arrays)
    write_snapshot(gothic.folder / "odd.h5", arrays)
    more = ("--steps", "1") if command == "run" else ()
    message = gothic.refused(command, "--input", "odd.h5", "--output", "out", *more)
    assert f"odd.h5: {complaint}" in message
    assert "out of the range of single precision; choose other units" in message


NUMBERS = {"NaN": np.nan, "infinity": np.inf, "minus infinity": -np.inf}


@pytest.mark.parametrize("value", NUMBERS)
@pytest.mark.parametrize("field", ["Coordinates", "Velocities", "Masses"])
def test_not_a_number_is_refused(gothic: Gothic, field: str, value: str) -> None:
    arrays = sphere(16)
    arrays[field].flat[5] = NUMBERS[value]
    write_snapshot(gothic.folder / "odd.h5", arrays)
    message = gothic.refused("force", "--input", "odd.h5", "--output", "out.h5")
    assert f"/PartType1/{field}: a value of the particle with ID " in message
    assert "is NaN, infinite or beyond single precision; correct or remove" in message


TYPES = {
    "strings": "S4",
    "truth values": "?",
    "complex numbers": "c8",
    "pairs": [("a", "f4"), ("b", "f4")],
}
SHAPES_OF_ARRAYS = {
    "nothing": (0,),
    "one row": (1,),
    "one row more": (17,),
    "two columns": (16, 2),
    "three axes": (16, 3, 1),
}


@pytest.mark.parametrize("field", ["Coordinates", "Velocities", "Masses", "ParticleIDs"])
class TestArrays:
    """Every dataset of a wrong type, and of a wrong shape."""

    def refused(self, gothic: Gothic, field: str, values: np.ndarray) -> str:
        write_snapshot(gothic.folder / "odd.h5", sphere(16) | {field: values}, header=HEADER)
        message = gothic.refused("force", "--input", "odd.h5", "--output", "out.h5")
        assert f"odd.h5: /PartType1/{field}: " in message
        return message

    @pytest.mark.parametrize("kind", TYPES)
    def test_wrong_type(self, gothic: Gothic, field: str, kind: str) -> None:
        shape = (16, 3) if field in ("Coordinates", "Velocities") else (16,)
        message = self.refused(gothic, field, np.zeros(shape, TYPES[kind]))
        assert "has the wrong type; store " in message

    @pytest.mark.parametrize("kind", SHAPES_OF_ARRAYS)
    def test_wrong_shape(self, gothic: Gothic, field: str, kind: str) -> None:
        message = self.refused(gothic, field, np.zeros(SHAPES_OF_ARRAYS[kind], "i8"))
        assert "has shape [" in message
        assert "; it needs [16" in message


HEADER = {"NumPart_ThisFile": [0, 16, 0, 0, 0, 0]}
