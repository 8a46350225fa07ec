"""Models drawn from Python equal the models of gothic-ic, bit by bit."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.programs.gothic import Gothic

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "config" / "models"
TWO = {
    "softening": 0.02,
    "units": {"length_in_cm": 3.085678e21, "mass_in_g": 1.989e43, "velocity_in_cm_per_s": 1e5},
    "component": [
        {"name": 'the "halo"', "profile": "plummer", "mass": 100, "scale": 20.0},
        {"name": "bulge", "profile": "plummer", "mass": 1.5, "scale": 3, "type": 4},
    ],
}
PLUMMER = {"name": "ball", "profile": "plummer", "mass": 1, "scale": 1}
DENSE_COMPANION = {
    "softening": 0.01,
    "component": [PLUMMER, PLUMMER | {"name": "core", "scale": 1e-3}],
}


def contents(path: Path) -> dict[str, object]:
    """Read all datasets and attributes of a file, but not the attributes about the program."""
    found: dict[str, object] = {}

    def visit(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]
        found.update({f"{name}@{key}": value for key, value in item.attrs.items()})

    with h5py.File(path) as file:
        file.visititems(visit)
    del found["Provenance@program"], found["Provenance@revision"]
    return found


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({}, []),
        ({"seed": 7, "threads": 1}, ["--seed", 7]),
        ({"quiet_start": True}, ["--quiet-start"]),
    ],
)
def test_file_equals_that_of_the_program(
    program: Gothic, options: dict[str, int], flags: list[object]
) -> None:
    model = MODELS / "nfw.toml"
    result = program.call(
        model, "--particles", 1000, "--output", "program.h5", *flags, program="gothic-ic"
    )
    assert result.returncode == 0, result.stderr
    gothic.make_model(model, particles=1000, **options).write(program.folder / "python.h5")
    ours, theirs = (contents(program.folder / f"{name}.h5") for name in ("python", "program"))
    assert set(ours) == set(theirs)
    for name, value in theirs.items():
        np.testing.assert_array_equal(ours[name], value, err_msg=name)


def test_model_may_be_a_mapping() -> None:
    snapshot = gothic.make_model(TWO, particles=500, allow_negative=True)
    assert len(snapshot) == 500
    assert snapshot.units == gothic.GALACTIC
    assert snapshot.softening == 0.02
    names = [component.name for component in snapshot.component_table]
    assert names == ['the "halo"', "bulge"]
    assert set(snapshot.types[snapshot.component("bulge")]) == {4}
    assert snapshot.masses.sum() == pytest.approx(101.5, rel=1e-3)


def test_components_tell_the_model_that_they_were_drawn_from(tmp_path: Path) -> None:
    def models(snapshot: gothic.Snapshot) -> list[tuple[str, str]]:
        return [(row.model, row.model_digest) for row in snapshot.component_table]

    plummer = gothic.make_model(MODELS / "plummer.toml", particles=1000)
    ((name, digest),) = models(plummer)
    assert name == "plummer"
    moved = plummer.shifted([9, 0, 0]).rotated([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for kept in (moved, moved[::2], moved.named("A")):
        assert models(kept) == [(name, digest)]
    named = gothic.make_model(
        {"name": "own", "softening": 0.1, "component": [PLUMMER]}, particles=9
    )
    other = models(named)[0]
    assert other[0] == "own"
    assert other[1] != digest
    two = moved.named("A") + named.named("B")
    assert models(two) == [(name, digest), other]
    two.write(tmp_path / "two.h5")
    assert models(gothic.read(tmp_path / "two.h5")) == models(two)
    assert models(plummer + plummer) == [("", "")]  # one component that no model has


def test_too_few_particles_are_warned_of() -> None:
    options = {"particles": 500, "allow_negative": True}
    with pytest.warns(
        UserWarning, match="component 'bulge': encounters .* than the duration of 10"
    ):
        gothic.make_model(TWO, **options)
    with warnings.catch_warnings(action="error"):
        gothic.make_model(TWO, **options, duration=1e-3)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("none.toml", {}, "none.toml: model: there is no such file"),
        ({"component": [{"name": "a"}]}, {}, r"^model:\d+: component.profile: is missing"),
        (TWO | {"colour": 1}, {}, "^model:.*unknown key"),
        (TWO, {"particles": 1}, "^particles: fewer than the model has components"),
        (
            DENSE_COMPANION,
            {},
            "is negative, .* or pass allow_negative=True to set it to zero there",
        ),
        (TWO, {"particles": 2**31}, "particles: 2147483648 is no integer"),
    ],
)
def test_wrong_models_are_refused(model: object, options: dict[str, int], message: str) -> None:
    with pytest.raises(gothic.InputError, match=message):
        gothic.make_model(model, **({"particles": 10} | options))


def test_too_many_particles_are_refused_before_they_are_drawn() -> None:
    count, bytes_each = 2**31 - 1, 49
    if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > count * bytes_each:
        pytest.skip("this machine has room for them")
    with pytest.raises(
        MemoryError, match=rf"^{count} particles take 105 GB of memory, and .* free"
    ):
        gothic.make_model(MODELS / "plummer.toml", particles=count)


def test_unknown_options_are_named_before_missing_particles() -> None:
    with pytest.raises(TypeError, match="make_model has no option particels; did you mean part"):
        gothic.make_model(TWO, particels=10)
    with pytest.raises(TypeError, match="make_model needs the number of particles"):
        gothic.make_model(TWO)


def test_values_of_a_mapping_are_checked() -> None:
    with pytest.raises(TypeError, match="mass must be a number or a string, not NoneType"):
        gothic.make_model({"component": [{"mass": None}]}, particles=10)
