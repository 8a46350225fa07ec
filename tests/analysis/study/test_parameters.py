from __future__ import annotations

from pathlib import PurePath

import pytest

from analysis.study.parameters import (
    MAIN,
    all_runs,
    complete,
    conflicts,
    model_folder,
    number,
    parameters_of,
    pull,
    runs_by_path,
    sample,
    wanted,
)
from analysis.study.schema import run_defaults

DEFAULTS = run_defaults()
RUN = {"model": "nfw", "particles": 16384, "accuracy": 2.0**-7, "steps": 64}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2^-7", 2.0**-7),
        ("2^14", 16384),
        ("1e-3", 1e-3),
        ("0.5", 0.5),
        ("block", "block"),
        ("cuda:1", "cuda:1"),
        ("1.989e43", 1.989e43),  # as a float, which TOML can write
        ("9^9999", "9^9999"),
        ("nan", "nan"),
        (3, 3),
        (True, True),
    ],
)
def test_numbers_may_be_powers(text: object, value: object) -> None:
    assert number(text) == value
    assert type(number(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("2^-3..1", (0.125, 1)), ("../a.toml", "../a.toml"), (["2^3", "b"], [8, "b"])],
)
def test_range_has_two_numbers(text: object, value: object) -> None:
    assert wanted(text) == value


def test_force_error_takes_the_place_of_the_accuracy() -> None:
    common = {"accuracy": 2.0**-7, "steps": 64}
    sphere = {"model": "nfw", "particles": 16384}
    asked = complete(sphere | {"force_error": 1e-3}, common, DEFAULTS)
    assert (asked["force_error"], asked["accuracy"]) == (1e-3, 0)
    assert not list(conflicts(asked))
    own = complete(sphere | {"accuracy": 0.5}, {"force_error": 1e-3, "steps": 64}, DEFAULTS)
    assert (own["force_error"], own["accuracy"]) == (0, 0.5)
    both = complete(sphere | {"force_error": 1e-3, "accuracy": 0.5}, common, DEFAULTS)
    assert [name for name, _ in conflicts(both)] == ["force_error"]
    lists = {"grids": [sphere | {"force_error": [1e-3, 1e-4]}], "defaults": common}
    paths = list(runs_by_path(lists, DEFAULTS))
    assert len(paths) == 2
    assert parameters_of(PurePath(paths[1]))["force_error"] == 1e-4


def test_path_tells_the_main_parameters_and_what_differs() -> None:
    (path,) = runs_by_path({"list": [RUN | {"rebuild_interval": 1, "curve": "hilbert"}]}, DEFAULTS)
    assert path == (
        "model~nfw/particles~16384/seed~1/criterion~acceleration/accuracy~2pow-07/step~block/"
        "eta~0.5/softening~0/device~auto/sharing~0/steps~64/rebuild_interval~1/repeat~1"
    )


def test_path_begins_with_the_particles_and_their_model() -> None:
    keys = {"halo.scale": 5, "halo.cutoff": 100.0, "quiet_start": True, "external": "a b/c~d.toml"}
    (path,) = runs_by_path({"list": [RUN | keys | {"model": "my/nfw.toml"}]}, DEFAULTS)
    (_, run) = runs_by_path({"list": [RUN | keys | {"repeats": 2}]}, DEFAULTS).values()
    start = "model~nfw/halo.cutoff~100/halo.scale~5"
    assert model_folder(run) == start
    assert sample(run) == f"{start}/particles~16384/seed~1/quiet_start~true"
    assert pull(run) == "softening~0/external~a%20b%2Fc%7Ed.toml"
    assert path.startswith(f"{sample(run).replace('nfw', 'my%2Fnfw.toml')}/criterion~")
    assert parameters_of(PurePath(path)).items() >= (keys | {"model": "my/nfw.toml"}).items()


def test_input_takes_the_place_of_the_particles_of_all_runs() -> None:
    runs = {"defaults": RUN | {"halo.scale": 5}, "list": [{"input": "own/ic.h5"}, {}]}
    (own, drawn) = runs_by_path(runs, DEFAULTS).items()
    assert own[0].startswith("input~own%2Fic.h5/criterion~")
    assert own[1].items() >= {"input": "own/ic.h5", "model": "ic"}.items()
    assert not {"particles", "seed", "halo.scale", "quiet_start"} & own[1].keys()
    assert parameters_of(PurePath(own[0]))["model"] == "ic"
    assert drawn[0].startswith("model~nfw/halo.scale~5/particles~16384/")
    assert complete({"model": "nfw"}, {"input": "own/ic.h5"}, DEFAULTS)["input"] == ""


VARIED = {
    "accuracy": [2.0**-20, 0.7, 1e-5, 1],
    "criterion": ["multipole", "opening"],
    "softening": [0, 1 / 3],
    "device": ["cuda:1"],
    "group_extent": ["auto", 0.25],
    "dt_max": [0.125],
    "snapshot_interval": ["100Myr"],
}


def test_path_and_parameters_tell_the_same() -> None:
    runs = runs_by_path({"grids": [VARIED], "defaults": RUN}, DEFAULTS)
    assert len(runs) == 32
    for path, parameters in runs.items():
        found = parameters_of(PurePath("results/study/runs", path))
        assert found == {name: parameters[name] for name in found}
        assert {*MAIN, "repeat", "steps", *VARIED} == set(found)


def test_run_that_occurs_twice_in_grids_is_made_once() -> None:
    grid = {"accuracy": [2.0**-7, 2.0**-9], "step": ["block", "shared"], "repeats": 3}
    runs = {"grids": [grid, grid], "list": [{"accuracy": 2.0**-9, "eta": 0.5}], "defaults": RUN}
    assert len(runs_by_path(runs, DEFAULTS)) == 12


def test_part_has_the_runs_that_meet_its_conditions() -> None:
    grid = {"accuracy": [2.0**-n for n in range(3, 9)], "step": ["block", "shared"], "repeats": 2}
    runs = {"grids": [grid], "list": [{"criterion": "multipole"}], "defaults": RUN}
    only = {"accuracy": "0.01..0.1", "step": "block", "repeat": 1, "criterion": ["acceleration"]}
    part = runs_by_path({**runs, "only": only}, DEFAULTS)
    assert [run["accuracy"] for run in part.values()] == [2.0**-n for n in range(4, 7)]
    assert part.keys() < runs_by_path(runs, DEFAULTS).keys()
    assert all_runs({"runs": {**runs, "only": only}}, DEFAULTS) == runs_by_path(runs, DEFAULTS)


def test_paths_stay_when_a_study_grows() -> None:
    runs = {"defaults": RUN, "grids": [{"step": ["block", "shared"]}]}
    larger = {
        "defaults": RUN,
        "grids": [{"step": ["block", "shared"], "ball": ["geo", "seb"], "repeats": 2}],
        "list": [{"time": 3.0}],
    }
    assert set(runs_by_path(runs, DEFAULTS)) < set(runs_by_path(larger, DEFAULTS))


def test_length_of_a_run_replaces_a_common_one_of_the_other_kind() -> None:
    run = complete({"time": 0.5}, RUN, DEFAULTS)
    assert run["time"] == 0.5
    assert "steps" not in run
    assert list(conflicts(run)) == []


@pytest.mark.parametrize(
    ("changes", "name", "problem"),
    [
        ({"criterion": "opening", "accuracy": 1.5}, "accuracy", "opening angle of 1.5"),
        ({"dt": 0.1}, "dt", "add step: shared"),
        ({"dt": 0.1, "step": "shared", "dt_max": 0.1}, "dt_max", "leave out dt_max or dt"),
        ({"sharing": 2, "group_size": 32}, "sharing", "leave out sharing or group_size"),
        ({"ranks": 2, "device": "cuda:1"}, "ranks", "all be on cuda:1; write device: cuda, or"),
        ({"ranks": 2, "group_extent": "auto"}, "ranks", "does not go with group_extent: auto"),
        ({"time": 1.0}, "time", "leave out steps or time"),
        ({"time": 1.0, "myr": 1.0}, "myr", "leave out steps or time or myr"),
        ({"snapshot_count": 2}, "snapshot_count", "give a time instead of steps"),
        ({"snapshot_times": "1,2", "snapshot_interval": 1}, "snapshot_times", "does not go with"),
        ({"input": "ic.h5"}, "seed", "the particles are those of the input; leave out seed and"),
        ({"snapshot_times": "1.25," * 60}, "snapshot_times", "at most 255 letters; shorten it"),
    ],
)
def test_impossible_combination_is_named(changes: dict, name: str, problem: str) -> None:
    ((found, why),) = conflicts(DEFAULTS | RUN | changes)
    assert found == name
    assert problem in why


@pytest.mark.parametrize("name", ["model", "particles", "accuracy", "steps"])
def test_parameter_without_default_must_be_given(name: str) -> None:
    run = DEFAULTS | RUN
    del run[name]
    ((found, why),) = conflicts(run)
    assert found == name
    assert why.startswith("is missing; give")
