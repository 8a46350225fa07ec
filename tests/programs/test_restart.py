"""Runs that stop and go on: as if nothing had happened, or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import numpy as np
import pytest

from analysis.reading.files import read_attributes
from tests.programs.gothic import NEEDS_MPIRUN, Gothic, contents, said, wait_for
from tests.programs.results import expect_equal, progress, read_log
from tests.programs.snapshots import Arrays, sphere, write_snapshot

RUN = ("run", "--input", "ic.h5", "--device", "cpu", "--threads", "1", "--energy-bound", "0")
STOP = ("--stop-after", "1e-9s")  # after one step
STOPPED = "; the same command with --restart continues"


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--step shared --dt 0.0009765625",
        "--mac opening --rebuild-interval 7",
        "--snapshot-interval 0.0005 --compression 1 --softening 0.01",
        "--as-published steps,groups,sizes,criteria,points,walk",
    ],
)
def test_run_that_stops_after_every_step_ends_as_the_whole_one(
    gothic: Gothic, options: str
) -> None:
    """The input is needed by the first part alone; the others tell that it is gone."""
    write_snapshot(gothic.folder / "ic.h5", sphere(2048))
    given = (*RUN, "--steps", "16", *options.split(), "--output")
    gothic.done(*given, "whole")
    statuses = []
    while 0 not in statuses:
        result = gothic.call(*given, "parts", "--restart-or-start", *STOP)
        assert (STOPPED in result.stderr) == (result.returncode == 3)
        gone = (
            "warning: ic.h5: there is no such file any more; going on with the particles of parts"
        )
        assert (gone in result.stderr) == (len(statuses) > 0)
        statuses.append(result.returncode)
        (gothic.folder / "ic.h5").unlink(missing_ok=True)
    assert statuses == [3] * 15 + [0]
    expect_equal(gothic.folder / "whole", gothic.folder / "parts")
    timing = read_attributes(gothic.folder / "parts" / "steps.h5", "Timing")
    assert timing["parts"] == len(statuses)
    interactions = read_log(gothic.folder / "parts", "steps")["interactions"]
    assert timing["interactions_total"] == interactions.sum()


def test_checkpoint_amid_a_run_serves_as_well(gothic: Gothic) -> None:
    gothic.done(*RUN, "--output", "whole", "--steps", "100")
    # There is a checkpoint after every step; the last one tells that the end is reached.
    gothic.done(*RUN, "--output", "parts", "--steps", "51", "--checkpoint-interval", "1e-9")
    checkpoint = gothic.folder / "parts" / "checkpoint.h5"
    checkpoint.with_name("checkpoint_previous.h5").rename(checkpoint)
    assert (progress(checkpoint)["step"], progress(checkpoint)["ended"]) == (50, 0)
    gothic.done(*RUN, "--output", "parts", "--steps", "100", "--restart")
    expect_equal(gothic.folder / "whole", gothic.folder / "parts")


def test_finished_run_stays_as_it_is_until_it_is_extended(gothic: Gothic) -> None:
    given = (*RUN, "--output", "out", "--time")
    gothic.done(*given, "0.02")
    shutil.copytree(gothic.folder / "out", gothic.folder / "before")
    assert ", finished before after " in gothic.done(*given, "0.02", "--restart")
    expect_equal(gothic.folder / "before", gothic.folder / "out")
    gothic.done(*given, "0.05", "--restart")
    assert read_log(gothic.folder / "out", "steps")["time"][-1] == 0.05
    names = {path.name for path in (gothic.folder / "out").glob("snapshot*")}
    assert names == {"snapshot_000.h5", "snapshot_001.h5"}
    message = gothic.refused(*given, "0.03", "--restart")
    assert message == "gothic: --time 0.03: the run is at time 0.05 already; give a later end"


class TestFolder:
    """A folder with a run takes another run only if told so."""

    def test_results_are_not_replaced_unless_told(self, gothic: Gothic) -> None:
        """Snapshots of another run do not stay among the snapshots of the new run."""
        often = ("--time", "0.1", "--snapshot-interval", "0.02", "--no-final-checkpoint")
        gothic.done(*RUN, "--output", "out", *often)
        before = contents(gothic.folder / "out")
        given = ("--time", "0.15", "--snapshot-interval", "0.05")
        message = gothic.refused(*RUN, "--output", "out", *given)
        assert message.startswith("gothic: --output out: has energy.h5 of a run; add --restart")
        for restart in ("--restart", "--restart-or-start"):
            message = gothic.refused(*RUN, "--output", "out", *given, restart)
            assert "checkpoint" in message
        assert contents(gothic.folder / "out") == before
        (gothic.folder / "out" / "notes.txt").write_text("mine")
        gothic.done(*RUN, "--output", "out", *given, "--overwrite")
        gothic.done(*RUN, "--output", "fresh", *given)
        expect_equal(gothic.folder / "fresh", gothic.folder / "out")
        assert (gothic.folder / "out" / "notes.txt").read_text() == "mine"
        assert len(list((gothic.folder / "out").glob("snapshot*"))) == 4

    def test_restart_needs_a_checkpoint_or_leave_to_start(self, gothic: Gothic) -> None:
        given = (*RUN, "--output", "out", "--steps", "3")
        message = gothic.refused(*given, "--restart")
        assert message.startswith("gothic: --output out: has no checkpoint to continue from; ")
        gothic.done(*given, "--restart-or-start")

    def test_input_is_never_removed(self, gothic: Gothic) -> None:
        gothic.done(*RUN, "--output", "out", "--steps", "3")
        given = ("run", "--input", "out/snapshot_000.h5", "--output", "out", "--steps", "1")
        message = gothic.refused(*given, "--overwrite")
        assert "out/snapshot_000.h5 is the input; choose another place" in message

    def test_killed_run_without_a_checkpoint_starts_again(self, gothic: Gothic) -> None:
        """Its snapshots are removed, but for those that the new run writes."""
        process = gothic.start(
            *RUN, "--output", "out", "--time", "1e3", "--snapshot-interval", "0.01"
        )
        wait_for(gothic.folder / "out" / "snapshot_008.h5")
        process.kill()
        process.communicate(timeout=60)
        given = ("--time", "0.05", "--snapshot-interval", "0.01")
        assert "--restart" in gothic.refused(*RUN, "--output", "out", *given)
        result = gothic.call(*RUN, "--output", "out", *given, "--restart-or-start")
        assert result.returncode == 0
        assert "ended before its first checkpoint; starting again" in result.stderr
        gothic.done(*RUN, "--output", "fresh", *given)
        expect_equal(gothic.folder / "fresh", gothic.folder / "out")
        assert len(list((gothic.folder / "out").glob("snapshot*"))) == 6


FIELD = "[[potential]]\ntype = 'logarithmic'\nspeed = 1.0\nscale = 1.0\n"


class TestRefusal:
    """Checkpoints of other runs."""

    @pytest.fixture
    def command(self, gothic: Gothic) -> tuple[str, ...]:
        """Stop a run in a field after a step, and return its command."""
        (gothic.folder / "field.toml").write_text(FIELD)
        command = (*RUN[:5], "--output", "out", "--steps", "9", "--external", "field.toml")
        assert gothic.call(*command, *STOP).returncode == 3
        return command

    def test_other_options_are_listed(self, gothic: Gothic, command: tuple[str, ...]) -> None:
        given = ("--eta", "0.25", "--dt-max", "0.1", "--softening", "0.1")
        message = gothic.refused(*command, "--restart", *given)
        assert "checkpoint.h5: is of a run with other options: " in message
        assert "--dt-max was not given and is 0.1" in message
        assert "--eta was 0.5 and is 0.25" in message
        assert "--softening was 0.05" in message
        assert "--accuracy" not in message

    def test_another_field_is_told(self, gothic: Gothic, command: tuple[str, ...]) -> None:
        (gothic.folder / "field.toml").write_text(FIELD.replace("scale = 1.0", "scale = 2.0"))
        message = gothic.refused(*command, "--restart")
        assert "another text in the file of --external" in message

    @pytest.mark.parametrize("given", ["log=none", "threads=1", "compression=3", "eta=0.50"])
    def test_options_that_change_no_number_may_differ(
        self, gothic: Gothic, command: tuple[str, ...], given: str
    ) -> None:
        gothic.done(*command, "--restart", f"--{given}")


class TestInput:
    """A restart knows its input by its particles, whatever its name is."""

    @pytest.fixture(params=[1, pytest.param(2, marks=NEEDS_MPIRUN)])
    def stopped(self, gothic: Gothic, request: pytest.FixtureRequest) -> Gothic:
        """Stop a run on one or two ranks after a step."""
        write_snapshot(gothic.folder / "ic.h5", ordered(sphere(64)))
        assert gothic.on(request.param).call(*self.given(), *STOP).returncode == 3
        return gothic

    @staticmethod
    def given(name: object = "ic.h5") -> tuple[str, ...]:
        return ("run", "--input", str(name), *RUN[3:], "--output", "out", "--steps", "9")

    @pytest.mark.parametrize(
        ("change", "difference"),
        [
            (lambda given: given | sphere(64, seed=2), "other positions, other velocities"),
            (lambda given: ordered(sphere(65)), "65 particles instead of 64"),
            (lambda given: given | {"Masses": 2 * given["Masses"]}, "other masses"),
            (
                lambda given: given | {"ParticleIDs": given["ParticleIDs"] + np.uint64(1)},
                "other IDs",
            ),
        ],
        ids=["seed", "number", "masses", "IDs"],
    )
    def test_other_particles_are_refused_with_the_difference(
        self, stopped: Gothic, change: Callable[[Arrays], Arrays], difference: str
    ) -> None:
        write_snapshot(stopped.folder / "ic.h5", ordered(change(ordered(sphere(64)))))
        message = stopped.refused(*self.given(), "--restart")
        assert message == (
            "gothic: out/checkpoint.h5: is of a run with another --input: ic.h5 has "
            f"{difference}; give the file that the run began with, or another --output"
        )

    def test_same_particles_are_accepted_under_any_name(self, stopped: Gothic) -> None:
        """Their order in the file does not count."""
        shuffled = {name: values[::-1] for name, values in ordered(sphere(64)).items()}
        write_snapshot(stopped.folder / "shuffled.h5", shuffled)
        for name in ("./ic.h5", stopped.folder / "ic.h5", "shuffled.h5"):
            result = stopped.call(*self.given(name), "--restart", *STOP)
            assert result.returncode == 3, result.stderr
        digests = {
            read_attributes(path, "Options")["input.digest"]
            for path in (stopped.folder / "out").glob("*.h5")
        }
        assert len(digests) == 1

    @pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun")
    def test_digest_is_the_same_on_any_number_of_ranks(self, stopped: Gothic) -> None:
        write_snapshot(stopped.folder / "ic.h5", sphere(64, seed=3))
        for ranks in (1, 2, 3):
            result = stopped.on(ranks).call(*self.given(), "--restart")
            assert result.returncode == 2
            assert "ic.h5 has other positions, other velocities; give" in said(result.stderr)[0]


def ordered(particles: Arrays) -> Arrays:
    """Sort particles by their IDs, so that any number of ranks may continue a run."""
    order = np.argsort(particles["ParticleIDs"])
    return {name: values[order] for name, values in particles.items()}
