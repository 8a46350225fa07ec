"""Models that make no sense are refused; models at the edge of sense give finite particles."""

from __future__ import annotations

import resource

import h5py
import numpy as np
import pytest

from tests.programs.gothic import Gothic, limited

Keys = dict[str, object]

SPHERE: Keys = {"profile": "'plummer'", "mass": 1, "scale": 1}
CUT: Keys = {"cutoff": 10, "cutoff_width": 1}
MODELS: dict[str, Keys] = {
    "plummer": SPHERE,
    "nfw": SPHERE | CUT | {"profile": "'nfw'"},
    "hernquist": SPHERE | CUT | {"profile": "'hernquist'", "anisotropy_radius": 10},
    "king": SPHERE | {"profile": "'king'", "w0": 5},
    "sersic": SPHERE | {"profile": "'sersic'", "n": 4},
    "einasto": SPHERE | {"profile": "'einasto'", "alpha": 0.5},
    "double_power": SPHERE | {"profile": "'double_power'", "alpha": 1, "beta": 5, "gamma": 1},
    "disc": SPHERE | {"profile": "'exponential_disc'", "height": 0.1, "toomre_q": 1.5},
}
HOLE: Keys = {"profile": "'black_hole'", "mass": 1e-3, "softening": 0.01}
ABSURD = ["1e30", "1e-30", "1e300", "1e-300", "-1", "0", "nan", "inf", "-inf", "'one'", "[1]"]
# Keys that may have a number from ABSURD all the same.
USABLE = {("mass", "1e30"), ("mass", "1e-30"), ("gamma", "0"), ("gamma", "1e-30")}
USABLE |= {("gamma", "1e-300")}


def write_model(gothic: Gothic, *components: Keys, top: str = "") -> None:
    lines = [top]
    for number, component in enumerate(components):
        lines += ["[[component]]", f"name = 'c{number}'"]
        lines += [f"{key} = {value}" for key, value in component.items()]
    (gothic.folder / "model.toml").write_text("\n".join(lines) + "\n")


def draw(count: object) -> tuple[object, ...]:
    return "model.toml", "--particles", count, "--output", "drawn.h5"


def expect_finite(gothic: Gothic, *components: Keys, count: int = 100) -> None:
    """Draw particles, which must be as many as asked for, and finite."""
    write_model(gothic, *components)
    result = gothic.call(*draw(count), "--duration", 1e-30, program="gothic-ic")
    assert (result.returncode, result.stderr) == (0, "")
    with h5py.File(gothic.folder / "drawn.h5") as file:
        groups = [group for name, group in file.items() if name.startswith("PartType")]
        assert sum(len(group["Masses"]) for group in groups) == count
        for group in groups:
            for name, values in group.items():
                assert np.isfinite(values[()]).all(), name


@pytest.mark.parametrize(
    "model",
    [model if model == "nfw" else pytest.param(model, marks=pytest.mark.long) for model in MODELS],
)
def test_absurd_number_is_refused(gothic: Gothic, model: str) -> None:
    for key in MODELS[model].keys() - {"profile"}:
        for value in ABSURD:
            if (key, value) in USABLE:
                continue
            write_model(gothic, MODELS[model] | {key: value})
            message = gothic.refused(*draw(100), program="gothic-ic")
            assert f": component.{key}: " in message


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("model", MODELS)
def test_few_particles_work(gothic: Gothic, model: str, count: int) -> None:
    expect_finite(gothic, MODELS[model], count=count)


@pytest.mark.parametrize("mass", ["1e30", "1e-30"])
@pytest.mark.parametrize("model", MODELS)
def test_extreme_masses_work(gothic: Gothic, model: str, mass: str) -> None:
    expect_finite(gothic, MODELS[model] | {"mass": mass})


@pytest.mark.parametrize("scale", ["1e9", "1e-9"])
@pytest.mark.parametrize("model", ["plummer", "king", "sersic", "einasto", "double_power"])
def test_extreme_scales_work(gothic: Gothic, model: str, scale: str) -> None:
    expect_finite(gothic, MODELS[model] | {"scale": scale})


DISC, PLUMMER = MODELS["disc"], MODELS["plummer"]
CLASHES: dict[str, tuple[list[Keys], str]] = {
    "disc thicker than wide": ([DISC | {"scale": 1e-3, "height": 1}], "too large for a disc"),
    "disc like paper": ([DISC | {"height": 1e-6}], "height is too small to be resolved"),
    "scale beyond the cut-off": ([MODELS["nfw"] | {"scale": 11}], "inside the scale length 11"),
    "cut-off like a cliff": ([MODELS["nfw"] | {"cutoff_width": 1e-6}], "make it wider"),
    "hot disc": ([DISC | {"toomre_q": 1e6}], "gravity; make toomre_q or sigma_r smaller"),
    "hot and thick disc": ([DISC | {"height": 3}], "make toomre_q, sigma_r or height smaller"),
    "disc that is hot for its height": (
        [MODELS["nfw"] | {"mass": 9, "scale": 2}, DISC | {"height": 3, "toomre_q": 1}],
        "the cause is its height, since sigma_r is at least sigma_z near the centre, so make hei",
    ),
    "Q beyond the disc": ([DISC | {"toomre_q_radius": 1e6}], "beyond the end of the disc"),
    "cusp": ([MODELS["double_power"] | {"gamma": 2.9}], "the slope must be below 2.5"),
    "steep end": ([MODELS["double_power"] | {"beta": 1e6}], "must be from 0 to 100"),
    "dense companion": ([PLUMMER, PLUMMER | {"scale": 1e-3}], "distribution function is negative"),
    "a billion times smaller": ([PLUMMER, PLUMMER | {"scale": 1e-9}], "differs too much"),
    "black hole of no size": (
        [PLUMMER, HOLE | {"mass": 0.1, "softening": 1e-9}],
        "differs too much",
    ),
    "black hole in a core": ([PLUMMER, HOLE], "distribution function is negative"),
    "shares of more than all": ([PLUMMER | {"share": 0.9}] * 2, "they must sum to 1"),
    "black hole without softening": ([{"profile": "'black_hole'", "mass": 1}], "softening"),
}


@pytest.mark.parametrize("clash", CLASHES)
def test_clash_is_refused(gothic: Gothic, clash: str) -> None:
    components, complaint = CLASHES[clash]
    write_model(gothic, *components)
    message = gothic.refused(*draw(100), program="gothic-ic")
    assert complaint in message


@pytest.mark.parametrize("value", ["1e-300", "1e300"])
@pytest.mark.parametrize("unit", ["length_in_cm", "mass_in_g", "velocity_in_cm_per_s"])
def test_absurd_unit_is_refused(gothic: Gothic, unit: str, value: str) -> None:
    units = {"length_in_cm": 1, "mass_in_g": 1, "velocity_in_cm_per_s": 1} | {unit: value}
    lines = [f"{key} = {number}" for key, number in units.items()]
    write_model(gothic, PLUMMER, top="\n".join(["[units]", *lines]))
    message = gothic.refused(*draw(100), program="gothic-ic")
    assert "the units make the gravitational constant " in message


@pytest.mark.parametrize(
    "row", ["1e300 1", "1e-300 1", "1 1e300", "-1 1", "1 0", "nan 1", "1 inf", "1", "a b"]
)
def test_absurd_table_is_refused(gothic: Gothic, row: str) -> None:
    (gothic.folder / "t.txt").write_text(
        f"{row}\n" + "".join(f"{r} {r**-6}\n" for r in range(2, 9))
    )
    write_model(gothic, {"profile": "'table'", "mass": 1, "table": "'t.txt'"})
    message = gothic.refused(*draw(100), program="gothic-ic")
    assert "t.txt:1: table: " in message


def test_disc_that_ends_in_a_cliff_is_refused(gothic: Gothic) -> None:
    (gothic.folder / "t.txt").write_text("1 1\n1.000001 0.9\n1.000002 0.8\n1.000003 1e-30\n")
    disc = {"profile": "'table_disc'", "mass": 1, "table": "'t.txt'"}
    write_model(gothic, disc | {"height": 0.1, "toomre_q": 1, "toomre_q_radius": 1})
    message = gothic.refused(*draw(100), program="gothic-ic")
    assert "its surface density and height leave no equilibrium to be found" in message


@pytest.mark.parametrize("count", ["0", "-1", "nan", "1.5", "1e12", "1000000000000", "many"])
def test_absurd_number_of_particles_is_refused(gothic: Gothic, count: str) -> None:
    write_model(gothic, PLUMMER)
    message = gothic.refused(*draw(count), program="gothic-ic")
    assert f"--particles: {count} is no integer from 1 to 2147483647" in message


def test_more_components_than_particles_are_refused(gothic: Gothic) -> None:
    write_model(gothic, PLUMMER, PLUMMER | {"mass": 2}, HOLE)
    message = gothic.refused(*draw(2), program="gothic-ic")
    assert "--particles: fewer than the model has components; give at least 3" in message


def test_lack_of_memory_is_told(gothic: Gothic) -> None:
    write_model(gothic, PLUMMER)
    message = gothic.failed(
        1,
        *draw(2**22),
        "--threads",
        1,
        program="gothic-ic",
        limit=limited(resource.RLIMIT_AS, 2**27),
    )
    assert "memory" in message
    assert "; use fewer particles or a machine with more" in message
