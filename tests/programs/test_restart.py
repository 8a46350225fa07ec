"""Runs that stop and go on: as if nothing had happened, or not at all."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.programs.gothic import Gothic, contents
from tests.programs.snapshots import sphere, write_snapshot
from tests.programs.test_output import read_steps

RUN = ("run", "--input", "ic.h5", "--device", "cpu", "--threads", "1")
# Columns of steps.h5 that are seconds.
SECONDS = {"predict", "keys", "sort", "build", "groups_time", "moments", "walk", "correct", "total"}


@pytest.fixture(autouse=True)
def ball(gothic: Gothic) -> None:
    write_snapshot(gothic.folder / "ic.h5", sphere(2048))


def results(folder: Path) -> dict[str, np.ndarray]:
    """Read all datasets of all files of a run but those of checkpoints and seconds."""
    found = {}

    def collect(place: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset) and place.rpartition("/")[2] not in SECONDS:
            found[f"{path.name}/{place}"] = item[()]

    for path in sorted(folder.glob("*.h5")):
        if not path.name.startswith("checkpoint"):
            with h5py.File(path) as file:
                file.visititems(collect)
    return found


def expect_equal(first: Path, second: Path) -> None:
    """Expect the same numbers, to the last bit."""
    one, other = results(first), results(second)
    assert set(one) == set(other)
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name], err_msg=name)


def progress(path: Path) -> dict[str, float]:
    with h5py.File(path) as file:
        return dict(file["Progress"].attrs)


class TestGoingOn:
    """A run that was stopped gives what it would have given."""

    @pytest.mark.parametrize(
        "options",
        [
            (),
            ("--step", "shared", "--dt", "0.0009765625"),
            ("--mac", "opening", "--rebuild-interval", "7"),
            ("--snapshot-interval", "0.02", "--compression", "1"),
        ],
        ids=" ".join,
    )
    def test_a_hundred_steps_are_fifty_and_fifty(
        self, gothic: Gothic, options: tuple[str, ...]
    ) -> None:
        gothic.done(*RUN, *options, "--output", "whole", "--steps", "100")
        # There is a checkpoint after every step; that of the end tells that it is the end.
        often = ("--checkpoint-interval", "1e-9")
        gothic.done(*RUN, *options, "--output", "parts", "--steps", "51", *often)
        checkpoint = gothic.folder / "parts" / "checkpoint.h5"
        (gothic.folder / "parts" / "checkpoint_previous.h5").rename(checkpoint)
        assert progress(checkpoint)["step"] == 50
        assert progress(checkpoint)["ended"] == 0
        gothic.done(*RUN, *options, "--output", "parts", "--steps", "100", "--restart")
        expect_equal(gothic.folder / "whole", gothic.folder / "parts")
        assert len(read_steps(gothic.folder / "parts")["step"]) == 100

    def test_stop_after_every_step_changes_nothing(self, gothic: Gothic) -> None:
        given = ("--steps", "12", "--snapshot-interval", "0.0005", "--softening", "0.01")
        gothic.done(*RUN, *given, "--output", "whole")
        stop = ("--restart", "--stop-after", "1e-9s")
        statuses = [3]
        while statuses[-1] == 3:
            result = gothic.call(*RUN, *given, "--output", "parts", *stop)
            assert result.stderr == ""
            statuses.append(result.returncode)
            assert len(statuses) <= 20
        assert statuses[-1] == 0
        assert len(statuses) > 6
        expect_equal(gothic.folder / "whole", gothic.folder / "parts")
        with h5py.File(gothic.folder / "parts" / "steps.h5") as file:
            timing = dict(file["Timing"].attrs)
            assert timing["parts"] == len(statuses) - 1
            assert timing["interactions_total"] == file["Steps/interactions"][()].sum()

    def test_previous_checkpoint_serves_as_well(self, gothic: Gothic) -> None:
        gothic.done(*RUN, "--output", "whole", "--steps", "20")
        often = ("--checkpoint-interval", "1e-9", "--no-snapshot")
        gothic.done(*RUN, "--output", "parts", "--steps", "10", *often)
        folder = gothic.folder / "parts"
        assert progress(folder / "checkpoint_previous.h5")["step"] == 9
        assert progress(folder / "checkpoint_previous.h5")["ended"] == 0
        (folder / "checkpoint.h5").write_bytes(b"GOTHIC checkpoint 2\n")
        result = gothic.call(*RUN, "--output", "parts", "--steps", "20", "--restart")
        assert result.returncode == 0
        assert result.stderr == (
            "gothic: warning: parts/checkpoint.h5: is damaged, its checksum is wrong; remove it; "
            "going on from parts/checkpoint_previous.h5\n"
        )
        expect_equal(gothic.folder / "whole", folder)

    def test_finished_run_is_left_as_it_is(self, gothic: Gothic) -> None:
        given = ("--output", "out", "--time", "0.02", "--snapshot-interval", "0.01")
        gothic.call(*RUN, *given, "--stop-after", "1e-9s")
        gothic.done(*RUN, *given, "--restart")
        before = results(gothic.folder / "out")
        names = gothic.names()
        gothic.done(*RUN, *given, "--restart")
        assert gothic.names() == names
        after = results(gothic.folder / "out")
        for name, values in before.items():
            np.testing.assert_array_equal(values, after[name])

    def test_finished_run_can_be_extended(self, gothic: Gothic) -> None:
        often = ("--checkpoint-interval", "1e-9")
        gothic.done(*RUN, "--output", "out", "--time", "0.02", *often)
        gothic.done(*RUN, "--output", "out", "--time", "0.05", "--restart")
        assert read_steps(gothic.folder / "out")["time"][-1] == 0.05
        names = {path.name for path in (gothic.folder / "out").glob("snapshot*")}
        assert names == {"snapshot_000.h5", "snapshot_001.h5"}

    def test_input_is_not_needed(self, gothic: Gothic) -> None:
        assert (
            gothic.call(*RUN, "--output", "out", "--steps=9", "--stop-after=1e-9").returncode == 3
        )
        (gothic.folder / "ic.h5").unlink()
        gothic.done(*RUN, "--output", "out", "--steps", "9", "--restart")


class TestRefusal:
    """Checkpoints of other runs, and damaged ones."""

    @pytest.fixture
    def folder(self, gothic: Gothic) -> Path:
        result = gothic.call(*RUN, "--output", "out", "--steps", "9", "--stop-after", "1e-9s")
        assert result.returncode == 3
        return gothic.folder / "out"

    def test_new_run_does_not_replace_a_checkpoint(self, gothic: Gothic, folder: Path) -> None:
        before = contents(folder, "*")
        message = gothic.refused(*RUN, "--output", "out", "--steps", "9")
        assert "--output out: has the checkpoint of a run; add --restart" in message
        assert contents(folder, "*") == before

    def test_differences_of_options_are_listed(self, gothic: Gothic, folder: Path) -> None:
        given = ("--eta", "0.25", "--dt-max", "0.1", "--softening", "0.1")
        message = gothic.refused(*RUN, "--output", "out", "--steps", "9", "--restart", *given)
        assert "checkpoint.h5: is of a run with other options: " in message
        assert "--dt-max was not given and is 0.1" in message
        assert "--eta was 0.5 and is 0.25" in message
        assert "--softening was 0.05" in message
        assert "--accuracy" not in message

    @pytest.mark.parametrize(
        "given",
        [
            ("--log", "none"),
            ("--threads", "2"),
            ("--compression", "3"),
            ("--checkpoint-interval", "1h"),
        ],
    )
    def test_other_options_may_change(
        self, gothic: Gothic, folder: Path, given: tuple[str, str]
    ) -> None:
        run = [word for word in RUN if word not in ("--threads", "1")]
        gothic.done(*run, "--output", "out", "--steps", "9", "--restart", *given)

    def test_another_text_of_the_external_field_is_told(self, gothic: Gothic) -> None:
        field = "[[potential]]\ntype = 'logarithmic'\nspeed = 1.0\nscale = 1.0\n"
        (gothic.folder / "field.toml").write_text(field)
        given = (*RUN, "--output", "field", "--steps", "9", "--external", "field.toml")
        result = gothic.call(*given, "--stop-after", "1e-9s")
        assert result.returncode == 3, result.stderr
        (gothic.folder / "field.toml").write_text(field.replace("scale = 1.0", "scale = 2.0"))
        message = gothic.refused(*given, "--restart")
        assert "another text in the file of --external" in message
