"""Simulations from Python are those of gothic run, bit by bit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import h5py
import numpy as np
import pytest

from tests.programs.gothic import Gothic

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)

SECONDS = {
    "predict",
    "keys",
    "sort",
    "build",
    "groups_time",
    "moments",
    "walk",
    "correct",
    "total",
}
OPTIONS = [
    ({"eta": 0.25}, {"steps": 12}),
    ({"mac": "opening", "accuracy": 0.7, "rebuild_interval": 2}, {"steps": 9}),
    ({"step": "shared"}, {"time": 0.3}),
    ({"step": "shared", "dt": 0.0625}, {"time": 0.5}),
    ({"threads": 1, "dt_max": 0.05}, {"time": 0.4}),
]


def flags(options: dict[str, object]) -> list[str]:
    """Write options as on a command line."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


class TestAgreement:
    """The same options give the same run."""

    @pytest.mark.parametrize(("options", "limit"), OPTIONS)
    def test_state_and_steps_equal_those_of_the_program(
        self,
        program: Gothic,
        ball: gothic.Snapshot,
        options: dict[str, object],
        limit: dict[str, object],
    ) -> None:
        program.done("run", "--input", "ic.h5", "--output", "run", *flags(options | limit))
        if "time" in limit:
            simulation = gothic.Simulation(ball, **options, **limit)
            steps = simulation.run()
            assert simulation.finished
        else:
            simulation = gothic.Simulation(ball, **options)
            steps = simulation.run(**limit)

        log = gothic.read_log(program.folder / "run" / "steps.h5")
        assert len(log) == len(steps)
        assert set(log.columns) == set(gothic.Step._fields)
        for name in set(gothic.Step._fields) - SECONDS:
            np.testing.assert_array_equal([getattr(step, name) for step in steps], log[name])

        snapshot = simulation.snapshot()
        theirs = gothic.read(program.folder / "run" / "snapshot_000.h5")
        order = np.argsort(ball.ids)
        for name in ("positions", "velocities", "masses", "ids"):
            np.testing.assert_array_equal(getattr(snapshot, name)[order], getattr(theirs, name))
        assert snapshot.time == theirs.time == simulation.time
        with h5py.File(program.folder / "run" / "snapshot_000.h5") as file:
            np.testing.assert_array_equal(
                snapshot.accelerations[order], file["PartType1/Acceleration"]
            )
            np.testing.assert_array_equal(snapshot.potentials[order], file["PartType1/Potential"])

    def test_times_on_the_way_equal_snapshots_of_the_program(
        self, program: Gothic, ball: gothic.Snapshot
    ) -> None:
        times = (0.11, 0.25)
        program.done(
            *("run", "--input", "ic.h5", "--output", "run", "--time", 0.4),
            *("--snapshot-times", ",".join(map(str, times))),
        )
        simulation = gothic.Simulation(ball, time=0.4)
        order = np.argsort(ball.ids)
        for number, until in enumerate((*times, None), 1):
            simulation.run(until)
            assert simulation.synchronised
            snapshot = simulation.snapshot()
            theirs = gothic.read(program.folder / "run" / f"snapshot_{number:03}.h5")
            assert snapshot.time == theirs.time
            np.testing.assert_array_equal(snapshot.positions[order], theirs.positions)
            np.testing.assert_array_equal(snapshot.velocities[order], theirs.velocities)

    def test_energies_equal_those_of_the_program(
        self, program: Gothic, ball: gothic.Snapshot
    ) -> None:
        program.done("run", "--input", "ic.h5", "--output", "run", "--time", 0.5)
        log = gothic.read_log(program.folder / "run" / "energy.h5")
        simulation = gothic.Simulation(ball, time=0.5)
        rows = [simulation.energy()]
        while not simulation.finished:
            simulation.step()
            if simulation.synchronised:
                rows.append(simulation.energy())
        assert len(rows) == len(log)
        for name in ("kinetic", "potential", "total", "virial_ratio"):
            np.testing.assert_array_equal([getattr(row, name) for row in rows], log[name])
        for name in ("momentum", "angular_momentum", "center"):
            columns = log[[f"{name}_{axis}" for axis in "xyz"]]
            np.testing.assert_array_equal([getattr(row, name) for row in rows], columns)

    def test_file_of_the_state_has_options_and_device(
        self, program: Gothic, ball: gothic.Snapshot
    ) -> None:
        simulation = gothic.Simulation(ball, eta=0.25)
        simulation.snapshot().write(program.folder / "state.h5")
        with h5py.File(program.folder / "state.h5") as file:
            assert file["Provenance"].attrs["program"] == b"gothic.Simulation"
            assert file["Provenance"].attrs["device"].decode() == simulation.device
            assert float(file["Options"].attrs["eta"]) == 0.25
            assert float(file["Options"].attrs["softening"]) == 0.05
            assert "Acceleration" in file["PartType1"]


class TestUse:
    """How a simulation is handled."""

    def test_simulation_has_its_own_particles(self, ball: gothic.Snapshot) -> None:
        simulation = gothic.Simulation(ball)
        before = simulation.snapshot().positions.copy()
        ball.positions[:] = 0
        np.testing.assert_array_equal(simulation.snapshot().positions, before)

    def test_snapshots_stay_as_they_were(self, ball: gothic.Snapshot) -> None:
        simulation = gothic.Simulation(ball)
        start = simulation.snapshot()
        simulation.run(steps=3)
        np.testing.assert_array_equal(start.positions, ball.positions)
        assert not np.array_equal(simulation.snapshot().positions, ball.positions)

    def test_steps_are_counted(self, ball: gothic.Snapshot) -> None:
        simulation = gothic.Simulation(ball)
        assert [step.step for step in simulation.run(steps=3)] == [1, 2, 3]
        assert simulation.step().step == 4
        assert simulation.time > 0

    def test_end_is_an_end(self, ball: gothic.Snapshot) -> None:
        simulation = gothic.Simulation(ball, time=0.1)
        simulation.run()
        assert simulation.run() == []
        with pytest.raises(RuntimeError, match="the end is reached"):
            simulation.step()

    def test_time_is_met_exactly_and_passed_afterwards(self, ball: gothic.Snapshot) -> None:
        simulation = gothic.Simulation(ball)
        for until in (0.1, 0.2345, 0.25):
            assert simulation.run(until=until)
            assert simulation.time == until
            assert simulation.synchronised
            assert not simulation.finished
        assert simulation.run(until=0.25) == []
        assert simulation.step().time > 0.25
        assert len(simulation.run(until=1, steps=2)) == 2
        with pytest.raises(gothic.InputError, match=r"until: 0\.1 is before the present time"):
            simulation.run(until=0.1)
        with pytest.raises(gothic.InputError, match="until: nan"):
            simulation.run(until=float("nan"))

    def test_end_comes_before_a_later_time(self, ball: gothic.Snapshot) -> None:
        simulation = gothic.Simulation(ball, time=0.1)
        simulation.run(until=5)
        assert simulation.finished
        assert simulation.time == 0.1

    def test_energy_needs_one_time(self, ball: gothic.Snapshot) -> None:
        simulation = gothic.Simulation(ball)
        while simulation.synchronised:
            simulation.step()
        with pytest.raises(RuntimeError, match="the particles are at different times"):
            simulation.energy()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [({}, "run: there is no end"), ({"steps": 0}, "run: steps are 0")],
    )
    def test_run_needs_an_end(
        self, ball: gothic.Snapshot, arguments: dict[str, int], message: str
    ) -> None:
        with pytest.raises(ValueError, match=message):
            gothic.Simulation(ball).run(**arguments)

    def test_options_are_checked_as_the_program_does(self, ball: gothic.Snapshot) -> None:
        with pytest.raises(gothic.InputError, match=r"^dt: block steps are adaptive"):
            gothic.Simulation(ball, dt=0.1)
        with pytest.raises(gothic.InputError, match=r"^dt_max excludes dt"):
            gothic.Simulation(ball, dt=0.1, dt_max=0.1, step="shared")
        with pytest.raises(TypeError, match="no option output"):
            gothic.Simulation(ball, output="folder")
        with pytest.raises(TypeError, match="the initial state is a Snapshot"):
            gothic.Simulation("ic.h5")

    def test_infinite_energy_stops_it(self) -> None:
        snapshot = gothic.Snapshot([[0, 0, 0], [1e-17, 0, 0]], 1e30, softening=1e-17)
        with pytest.raises((RuntimeError, gothic.InputError)):
            gothic.Simulation(snapshot, step="shared", dt=1.0).run(steps=10)

    def test_other_threads_of_python_go_on(self, ball: gothic.Snapshot) -> None:
        simulations = [gothic.Simulation(ball, threads=1) for _ in range(2)]
        simulations.append(simulations[0])
        workers = [
            threading.Thread(target=simulation.run, kwargs={"steps": 20})
            for simulation in simulations
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert simulations[0].step().step == 41
        assert simulations[1].step().step == 21


INTERRUPTED = """
import gothic, sys
particles = gothic.make_model({model}, particles=2000)
simulation = gothic.Simulation(particles, eta=0.01, threads=1)
print("ready", flush=True)
try:
    simulation.run(steps=10**9)
except KeyboardInterrupt:
    before = simulation.time
    simulation.run(steps=2)
    sys.exit(7 if simulation.time > before > 0 else 1)
"""
MODEL = {
    "softening": 0.01,
    "component": [{"name": "a", "profile": "plummer", "mass": 1, "scale": 1}],
}


def test_interrupt_comes_between_steps() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(model=MODEL)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 7, errors


MEMORY = """
import gothic, numpy, resource
positions = numpy.random.default_rng(1).normal(size=(10**6, 3))
particles = gothic.Snapshot(positions, 1e-6, softening=0.01)
in_use = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = in_use + 2**20  # enough to throw an exception
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    gothic.tree_forces(particles, threads=1)
except MemoryError as error:
    print(error)
"""


def test_lack_of_memory_is_a_memory_error() -> None:
    result = subprocess.run(
        [sys.executable, "-c", MEMORY],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert result.stdout == "out of memory; use fewer particles or a machine with more\n"
