"""Simulations that go on from checkpoints: as if nothing had happened, or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.programs.gothic import Gothic
from tests.python.conftest import flags

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)

MEASURED = {"predict", "correct", "total", "keys", "sort", "build", "groups_time", "moments"}
RUN = ("run", "--input", "ic.h5", "--output", "run", "--device", "cpu")


def expect_same_state(one: gothic.Simulation, other: gothic.Simulation) -> None:
    assert (one.time, one.finished) == (other.time, other.finished)
    ours, theirs = one.snapshot(), other.snapshot()
    names = ("positions", "velocities", "accelerations", "potentials", "masses", "ids", "types")
    for name in names:
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def counted(steps: list[gothic.Step]) -> list[dict[str, object]]:
    """Leave out what is measured."""
    left_out = MEASURED | {"walk"}
    return [{k: v for k, v in step._asdict().items() if k not in left_out} for step in steps]


@pytest.mark.parametrize(
    "options",
    [
        {"eta": 0.3},
        {"step": "shared", "dt": 0.03125, "time": 1},
        {"mac": "opening", "rebuild_interval": 5, "softening": 0.1, "dt_max": 0.1},
    ],
)
def test_course_is_that_of_a_simulation_that_never_stopped(
    ball: gothic.Snapshot, tmp_path: Path, options: dict[str, object]
) -> None:
    whole = gothic.Simulation(ball, device="cpu", **options)
    whole.run(steps=7)
    whole.checkpoint(tmp_path / "made" / "here")
    part = gothic.Simulation.resume(tmp_path / "made" / "here")
    expect_same_state(part, whole)
    assert counted(part.run(steps=9)) == counted(whole.run(steps=9))
    expect_same_state(part, whole)
    assert part.snapshot().component_table == ball.component_table


def test_stop_on_the_way_is_kept(ball: gothic.Snapshot, tmp_path: Path) -> None:
    whole = gothic.Simulation(ball, device="cpu", time=0.5)
    whole.run(until=0.3, steps=2)
    whole.checkpoint(tmp_path)
    part = gothic.Simulation.resume(tmp_path)
    for simulation in (whole, part):
        simulation.run()
        assert simulation.time == 0.5
    expect_same_state(part, whole)


def test_two_checkpoints_are_kept_and_the_older_serves(
    ball: gothic.Snapshot, tmp_path: Path
) -> None:
    simulation = gothic.Simulation(ball)
    folder, times = tmp_path / "out", []
    for _ in range(3):
        simulation.run(steps=2)
        simulation.checkpoint(folder)
        times.append(simulation.time)
    newest, previous = folder / "checkpoint.h5", folder / "checkpoint_previous.h5"
    assert {path.name for path in folder.iterdir()} == {newest.name, previous.name}
    newest.write_bytes(newest.read_bytes()[:-100])
    with pytest.warns(RuntimeWarning, match=r"its checksum is wrong.*; going on from .*previous"):
        older = gothic.Simulation.resume(folder)
    assert older.time == times[1]
    kept = previous.read_bytes()
    older.checkpoint(folder)  # takes the place of the damaged one
    assert previous.read_bytes() == kept
    assert gothic.Simulation.resume(folder).time == times[1]
    newest.unlink()
    previous.write_bytes(b"nothing")
    with pytest.raises(gothic.InputError, match="is no checkpoint of this program; remove it"):
        gothic.Simulation.resume(folder)


def test_end_can_be_moved(ball: gothic.Snapshot, tmp_path: Path) -> None:
    simulation = gothic.Simulation(ball, time=0.25)
    simulation.run(steps=3)
    simulation.checkpoint(tmp_path)
    for end in (0.25, 0.2, 0.375):
        part = gothic.Simulation.resume(tmp_path, time=end)
        part.run()
        assert (part.time, part.finished) == (end, True)
        with pytest.raises(RuntimeError, match="the end is reached"):
            part.step()
    part = gothic.Simulation.resume(tmp_path, threads=1)
    part.run()
    assert part.time == 0.25


class TestRefusal:
    """Checkpoints of other simulations."""

    @pytest.fixture
    def folder(self, ball: gothic.Snapshot, tmp_path: Path) -> Path:
        """Make a checkpoint of a simulation in a field."""
        field = tmp_path / "field.toml"
        field.write_text("[[potential]]\ntype = 'logarithmic'\nspeed = 1.0\nscale = 1.0\n")
        simulation = gothic.Simulation(ball, eta=0.25, external=field)
        simulation.run(steps=2)
        simulation.checkpoint(tmp_path / "out")
        return tmp_path / "out"

    def test_options_are_those_of_the_checkpoint(self, folder: Path) -> None:
        gothic.Simulation.resume(folder, eta="0.250")
        with pytest.raises(gothic.InputError) as refusal:
            gothic.Simulation.resume(folder, eta=0.5, dt_max=0.1, mac="opening", threads=1)
        message = str(refusal.value)
        assert "checkpoint.h5: is of a run with other options: " in message
        assert "dt_max was not given and is 0.1" in message
        assert "eta was 0.25 and is 0.5" in message
        assert "mac was acceleration and is opening" in message
        assert message.endswith("; give the same ones, or none")
        assert "--" not in message

    def test_another_field_is_told(self, folder: Path) -> None:
        field = folder.parent / "field.toml"
        field.write_text(field.read_text().replace("scale = 1.0", "scale = 2.0"))
        with pytest.raises(gothic.InputError, match="another text in the file of external"):
            gothic.Simulation.resume(folder)

    def test_field_may_lie_elsewhere(self, folder: Path) -> None:
        field = (folder.parent / "field.toml").rename(folder.parent / "moved.toml")
        with pytest.raises(gothic.InputError, match=r"field\.toml: .*there is no such file"):
            gothic.Simulation.resume(folder)
        gothic.Simulation.resume(folder, external=field)

    def test_another_simulation_does_not_replace_a_checkpoint(
        self, folder: Path, ball: gothic.Snapshot
    ) -> None:
        before = (folder / "checkpoint.h5").read_bytes()
        with pytest.raises(gothic.InputError, match=r"has checkpoint\.h5 of another simulation; "):
            gothic.Simulation(ball).checkpoint(folder)
        assert (folder / "checkpoint.h5").read_bytes() == before
        gothic.Simulation.resume(folder).checkpoint(f"{folder}/")  # but its own

    def test_there_must_be_a_checkpoint(self, tmp_path: Path) -> None:
        for place in (tmp_path, tmp_path / "none"):
            with pytest.raises(gothic.InputError, match="has no checkpoint; check the name"):
                gothic.Simulation.resume(place)
        with pytest.raises(TypeError, match=r"Simulation\.resume has no option etta; did you mean"):
            gothic.Simulation.resume(tmp_path, etta=0.5)

    def test_place_must_be_a_folder(self, ball: gothic.Snapshot, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(gothic.InputError, match="file: the folder cannot be made"):
            gothic.Simulation(ball).checkpoint(tmp_path / "file")


class TestProgram:
    """Checkpoints of gothic run."""

    def test_python_goes_on_with_a_run(self, program: Gothic, ball: gothic.Snapshot) -> None:
        options = {"eta": 0.25, "time": 0.25, "dt_max": 0.0625}
        given = (*RUN, *flags(options))
        assert program.call(*given, "--stop-after", "1e-9s").returncode == 3
        shutil.copytree(program.folder / "run", program.folder / "stopped")
        program.done(*given, "--restart")
        simulation = gothic.Simulation.resume(program.folder / "stopped")
        simulation.run()
        theirs = gothic.read(program.folder / "run" / "snapshot_000.h5")
        snapshot = simulation.snapshot()
        order = np.argsort(snapshot.ids)
        assert snapshot.time == theirs.time
        for name in ("positions", "velocities"):
            np.testing.assert_array_equal(getattr(snapshot, name)[order], getattr(theirs, name))
        with pytest.raises(gothic.InputError, match=r"has checkpoint\.h5 of another simulation"):
            simulation.checkpoint(program.folder / "stopped")  # it would lack the run's logs

    def test_run_refuses_a_checkpoint_of_python(
        self, program: Gothic, ball: gothic.Snapshot
    ) -> None:
        gothic.Simulation(ball).checkpoint(program.folder / "run")
        message = program.refused(*RUN, "--steps", 5, "--restart")
        assert "--input was not given and is ic.h5" in message
