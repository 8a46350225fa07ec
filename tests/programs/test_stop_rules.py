"""Rules by which a run stops, and what is refused as a rule."""

from __future__ import annotations

import re

import numpy as np
import pytest

from analysis.reading.files import read_attributes
from tests.programs.gothic import NEEDS_MPIRUN, Gothic
from tests.programs.results import read_log
from tests.programs.snapshots import write_two_types

# A sphere that collapses: particles of components 1 and 4, whose numbers are their types.
RUN = ("run", "--input", "two.h5", "--time", "2", "--dt-max", "0.01", "--device", "cpu")
OUT = ("--output", "out", "--energy-bound", "0")


@pytest.fixture
def gothic(gothic: Gothic) -> Gothic:
    """Let two.h5 hold particles of two components."""
    write_two_types(gothic.folder / "two.h5")
    return gothic


def radii(gothic: Gothic, component: int) -> np.ndarray:
    """Read the half-mass radii of a component."""
    table = read_log(gothic.folder / "out", "lagrange")
    return table["r_50"][table["component"] == component]


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=NEEDS_MPIRUN)])
@pytest.mark.parametrize(
    "rule",
    [
        "radius(4) < 0.6",
        "radius(4, 0.5) < 0.6 or energy > 0.9",
        "density(4, 0.5) > 0.121",  # 0.5 mass / (4 pi / 3 0.6^3), where the mass is 112 / 512
    ],
)
def test_run_ends_where_a_rule_holds(gothic: Gothic, rule: str, ranks: int) -> None:
    text = gothic.on(ranks).done(*RUN, *OUT, "--overwrite", "--stop-when", rule)
    assert f", stopped by {rule.split(' or ')[0]} (" in text.splitlines()[-2]
    first, *_, last = radii(gothic, 4)
    assert first > 0.65
    assert 0.55 < last < 0.6
    energy = read_log(gothic.folder / "out", "energy")
    assert 0.1 < energy["time"][-1] < 2
    assert (gothic.folder / "out" / "snapshot_000.h5").exists()


def test_time_is_bounded_by_a_rule(gothic: Gothic) -> None:
    text = gothic.done(*RUN, *OUT, "--stop-when", "radius(4) < 0.01 or time > 0.1")
    assert ", stopped by time > 0.1 (" in text.splitlines()[-2]
    time = read_log(gothic.folder / "out", "energy")["time"]
    assert time[-1] > 0.1 >= time[-2]


def test_energy_is_bounded_by_a_rule(gothic: Gothic) -> None:
    (gothic.folder / "run.toml").write_text('stop-when = "energy > 1e-4"\n')
    gothic.done(*RUN, *OUT, "--config", "run.toml", "--eta", "2")
    total = read_log(gothic.folder / "out", "energy")["total"]
    change = np.abs(total / total[0] - 1)
    assert change[-1] > 1e-4 >= change[:-1].max()


def test_run_that_a_rule_stopped_goes_on_without_it(gothic: Gothic) -> None:
    stopping = (*RUN, *OUT, "--stop-when", "radius(4) < 0.6")
    gothic.done(*stopping)
    files = gothic.files()
    assert "stopped by radius(4) < 0.6" in gothic.done(*stopping, "--restart")
    steps = read_attributes(gothic.folder / "out" / "steps.h5", "Timing")["steps"]
    assert gothic.files().keys() == files.keys()
    gothic.done(*RUN, *OUT, "--restart")
    gothic.done(*RUN, "--output", "whole", "--energy-bound", "0")
    whole, parts = (read_log(gothic.folder / name, "energy") for name in ("whole", "out"))
    np.testing.assert_array_equal(whole["total"], parts["total"])
    assert read_attributes(gothic.folder / "out" / "steps.h5", "Timing")["steps"] > steps


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("radius(disc) > 1", "there is no component 'disc'; use one of: 1, 4"),
        ("radius(2) > 1", "there is no component '2'; use one of: 1, 4"),
        ("radius(4, 0.4) > 1", "'0.4' is no fraction .* use one of: 0.01, 0.05, 0.1, 0.25, 0.5"),
        ("radius > 1", "names no component; use one of: 1, 4"),
        ("radius(4) > 1kpc", "the particles have model units; leave out the unit"),
        ("radius(4) > 1s", "'1s' is no number above 0, whose unit may be .*pc"),
        ("density(4) > big", "'big' is no number above 0, whose unit may be .*Msun/pc"),
        ("energy > 0", "'0' is no number above 0; correct it"),
        ("energy(4) > 1", "energy is that of all particles; leave out the component"),
        ("time(4) > 1", "time is that of all particles; leave out the component"),
        ("time > 1kpc", "'1kpc' is no number above 0, whose unit may be .*Gyr"),
        ("time < 2", r"time < 2 \(0\): holds at the start; choose another bound"),
        ("mass > 1", "is no rule; write energy > BOUND"),
        ("energy > 1 or ", "is no rule; write energy > BOUND"),
        ("energy >= 1", "'= 1' is no number above 0; correct it"),
        ("radius(4) < 2", r"radius\(4\) < 2 \(0.\d+\): holds at the start; choose another bound"),
    ],
)
def test_what_is_no_rule_is_refused_before_the_run(gothic: Gothic, rule: str, told: str) -> None:
    message = gothic.refused(*RUN, *OUT, "--stop-when", rule)
    assert message.startswith("gothic: --stop-when ")
    assert re.search(told, message), message
