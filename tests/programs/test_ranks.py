"""One simulation on several ranks gives what one rank gives."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import h5py
import numpy as np
import pytest

from analysis.reading.files import read_attributes
from tests.programs.gothic import NEEDS_MPIRUN, Gothic, finish, ranks_of, said, wait_for
from tests.programs.results import datasets, expect_equal, progress, read_bytes, read_log
from tests.programs.snapshots import sphere, write_snapshot

pytestmark = NEEDS_MPIRUN

CPU = ("--device", "cpu", "--threads", "1")
RUN = ("run", "--input", "ic.h5", *CPU, "--energy-bound", "0")


@pytest.fixture
def gothic(gothic: Gothic) -> Gothic:
    """Let ic.h5 hold 4096 particles, whose IDs do not ascend."""
    write_snapshot(gothic.folder / "ic.h5", sphere(4096))
    return gothic


def accelerations(path: Path) -> np.ndarray:
    with h5py.File(path) as file:
        return file["PartType1/Acceleration"][()].astype(float)


def relative_errors(found: np.ndarray, exact: np.ndarray) -> np.ndarray:
    return np.linalg.norm(found - exact, axis=1) / np.linalg.norm(exact, axis=1)


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_forces_are_as_exact_as_on_one_rank(gothic: Gothic, ranks: int) -> None:
    given = ("--input", "ic.h5", *CPU, "--output")
    gothic.done("direct", *given, "exact.h5")
    gothic.done("force", *given, "one.h5")
    gothic.on(ranks).done("force", *given, "several.h5")
    exact = accelerations(gothic.folder / "exact.h5")
    one, several = (
        relative_errors(accelerations(gothic.folder / name), exact)
        for name in ("one.h5", "several.h5")
    )
    assert np.percentile(several, 99) < 1.15 * np.percentile(one, 99)
    ids = [
        datasets(gothic.folder / name)["PartType1/ParticleIDs"] for name in ("one.h5", "several.h5")
    ]
    np.testing.assert_array_equal(*ids)


def test_forces_at_points_come_in_their_order(gothic: Gothic) -> None:
    points = np.random.default_rng(2).normal(size=(5001, 3))
    with h5py.File(gothic.folder / "points.h5", "w") as file:
        file["Coordinates"] = points
    given = ("--input", "ic.h5", "--at", "points.h5", *CPU, "--output")
    gothic.done("direct", *given, "exact.h5")
    gothic.done("force", *given, "one.h5")
    gothic.on(3).done("force", *given, "several.h5")
    exact, one, several = (
        datasets(gothic.folder / name) for name in ("exact.h5", "one.h5", "several.h5")
    )
    np.testing.assert_array_equal(several["Points/Coordinates"], exact["Points/Coordinates"])
    errors = [
        relative_errors(found["Points/Acceleration"], exact["Points/Acceleration"])
        for found in (one, several)
    ]
    assert np.percentile(errors[1], 99) < 1.15 * np.percentile(errors[0], 99)


@pytest.mark.parametrize("ranks", [2, 4])
def test_run_keeps_what_one_rank_keeps(gothic: Gothic, ranks: int) -> None:
    given = (*RUN, "--time", "0.5", "--snapshot-interval", "0.25", "--output")
    gothic.done(*given, "one")
    gothic.on(ranks).done(*given, "several")
    one, several = (gothic.folder / name for name in ("one", "several"))
    assert {path.name for path in one.iterdir()} == {path.name for path in several.iterdir()}
    for name in ("snapshot_000.h5", "snapshot_002.h5"):
        start, other = datasets(one / name), datasets(several / name)
        assert set(start) == set(other)
        np.testing.assert_array_equal(
            start["PartType1/ParticleIDs"], other["PartType1/ParticleIDs"]
        )
        np.testing.assert_array_equal(start["PartType1/Masses"], other["PartType1/Masses"])
        far = np.linalg.norm(
            start["PartType1/Coordinates"] - other["PartType1/Coordinates"], axis=1
        )
        assert np.percentile(far, 90) < 1e-3
    energies = [read_log(folder, "energy")["total"] for folder in (one, several)]
    np.testing.assert_allclose(energies[1][[0, -1]], energies[0][[0, -1]], rtol=2e-4)
    radii = [read_log(folder, "lagrange")["r_50"] for folder in (one, several)]
    np.testing.assert_allclose(radii[1], radii[0], rtol=2e-3)
    steps = [read_log(folder, "steps") for folder in (one, several)]
    pairs = [log["interactions"].sum() for log in steps]
    assert 0.9 < pairs[1] / pairs[0] < 1.1
    assert steps[0]["remote_cells"].sum() == 0
    assert steps[1]["remote_cells"].min() > 0


def test_there_may_be_more_ranks_than_particles(gothic: Gothic) -> None:
    write_snapshot(gothic.folder / "ic.h5", sphere(3))
    gothic.on(8).done(*RUN, "--steps", "3", "--output", "out")
    found = datasets(gothic.folder / "out" / "snapshot_000.h5")
    assert list(found["PartType1/ParticleIDs"]) == sorted(found["PartType1/ParticleIDs"])


def test_run_that_stops_after_every_step_ends_as_the_whole_one(gothic: Gothic) -> None:
    several = gothic.on(3)
    given = (*RUN, "--steps", "6", "--output")
    several.done(*given, "whole")
    statuses = []
    while 0 not in statuses:
        result = several.call(*given, "parts", "--restart-or-start", "--stop-after", "1e-9s")
        statuses.append(result.returncode)
    assert statuses == [3] * 5 + [0]
    expect_equal(gothic.folder / "whole", gothic.folder / "parts")


@pytest.mark.parametrize(("before", "after"), [(2, 3), (3, 1), (1, 4)])
def test_another_number_of_ranks_goes_on(gothic: Gothic, before: int, after: int) -> None:
    particles = sphere(4096)
    particles["ParticleIDs"].sort()
    write_snapshot(gothic.folder / "ic.h5", particles)
    given = (*RUN, "--steps", "20", "--output")
    gothic.done(*given, "whole")
    gothic.on(before).done(*RUN, "--steps", "10", "--output", "parts")
    gothic.on(after).done(*given, "parts", "--restart")
    assert progress(gothic.folder / "parts" / "checkpoint.h5")["step"] == 20
    whole, parts = (
        datasets(gothic.folder / "whole" / "snapshot_000.h5"),
        datasets(gothic.folder / "parts" / "snapshot_001.h5"),
    )
    np.testing.assert_array_equal(whole["PartType1/ParticleIDs"], parts["PartType1/ParticleIDs"])
    np.testing.assert_allclose(
        parts["PartType1/Coordinates"], whole["PartType1/Coordinates"], atol=1e-2
    )


def test_several_ranks_need_a_checkpoint_in_the_order_of_the_ids(gothic: Gothic) -> None:
    gothic.done(*RUN, "--steps", "1", "--output", "out")
    result = gothic.on(2).call(*RUN, "--steps", "2", "--output", "out", "--restart")
    assert result.returncode == 2
    assert [line.rpartition("; ")[2] for line in said(result.stderr)] == ["continue it on one rank"]


def test_dry_run_tells_the_memory_of_each_rank(gothic: Gothic) -> None:
    write_snapshot(gothic.folder / "ic.h5", sphere(100_000))
    run = (*RUN, "--steps", "2", "--output", "out")
    text = gothic.on(2).done(*run, "--dry-run")
    assert text.count("time of the run") == 1
    assert "Memory of rank 0" in text
    assert "Memory of rank 1" in text
    told = re.findall(r"of the host, at most +(\S+ \S+)", text)
    assert len(told) == 2
    gothic.on(2).done(*run)
    peak = read_attributes(gothic.folder / "out" / "steps.h5", "Timing")["memory"]
    assert read_bytes(told[0]) == pytest.approx(peak, rel=0.1, abs=12e6)


class TestFault:
    """What goes wrong ends all ranks with one message."""

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            (
                ("run", "--input", "no.h5", "--output", "out", "--steps", "1"),
                "there is no such file",
            ),
            (("run", "--input", "ic.h5", "--output", "out", "--steps", "x"), "--steps"),
            ((*RUN, "--output", "out", "--steps", "1", "--group-size", "65536"), "group-size"),
            ((*RUN, "--output", "out", "--steps", "1", "--group-extent", "auto"), "one device"),
            ((*RUN, "--output", "out", "--steps", "1", "--as-published", "walk"), "one device"),
            ((*RUN, "--output", "ic.h5/out", "--steps", "1"), "the folder cannot be made"),
            (("direct", "--input", "ic.h5", "--output", "out.h5"), "leave out mpirun or srun"),
        ],
    )
    def test_wrong_usage_is_told_once(
        self, gothic: Gothic, given: tuple[str, ...], words: str
    ) -> None:
        before = gothic.files()
        result = gothic.on(3).call(*given)
        assert result.returncode == 2, result.stderr
        assert len(said(result.stderr)) == 1, result.stderr
        assert words in said(result.stderr)[0]
        assert gothic.files() == before

    def test_ranks_must_agree_about_options(self, gothic: Gothic) -> None:
        given = (*RUN, "--output", "out", "--steps", "3", "--eta")
        other = (":", "-n", "1", gothic.programs / "gothic", *given, "2")
        result = gothic.on(2).call(*given, "1", *other)
        assert result.returncode == 2
        assert said(result.stderr) == [
            "gothic: rank 0: rank 2 was started with other options than rank 0; start all with the "
            "same"
        ]

    def test_killed_rank_ends_all(self, gothic: Gothic) -> None:
        several = gothic.on(3)
        command = (*RUN, "--output", "out", "--time", "1e5", "--checkpoint-interval", "1e-9")
        process = several.start(*command)
        wait_for(gothic.folder / "out" / "checkpoint.h5")
        os.kill(ranks_of(process)[1], signal.SIGKILL)
        _, text = finish(process, seconds=30)
        assert process.returncode != 0
        assert "rank 1" in text
        done = int(progress(gothic.folder / "out" / "checkpoint.h5")["step"])
        several.done(*RUN, "--output", "out", "--steps", done + 2, "--restart")
        assert len(read_log(gothic.folder / "out", "steps")["step"]) == done + 2

    def test_stop_of_one_rank_stops_all_with_a_checkpoint(self, gothic: Gothic) -> None:
        process = gothic.on(2).start(*RUN, "--output", "out", "--time", "1e5")
        wait_for(gothic.folder / "out" / "steps.h5.partial")
        os.kill(ranks_of(process)[1], signal.SIGUSR1)
        finish(process)
        assert process.returncode == 3
        assert progress(gothic.folder / "out" / "checkpoint.h5")["step"] > 0
