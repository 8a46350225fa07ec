"""Simulations from Python equal runs of gothic run, bit by bit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from tests.programs.gothic import Gothic
from tests.python.conftest import flags

gothic = pytest.importorskip("gothic", reason="run make build first", exc_type=ImportError)

SECONDS = {"predict", "keys", "sort", "build", "groups_time", "moments", "walk", "correct", "total"}
RUN = ("run", "--input", "ic.h5", "--output", "run")


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({"eta": 0.25}, {"steps": 12}),
        ({"mac": "opening", "accuracy": 0.7, "rebuild_interval": 2}, {"steps": 9}),
        ({"step": "shared", "dt": 0.0625}, {"time": 0.5}),
        ({"threads": 1, "dt_max": 0.05}, {"time": 0.4}),
    ],
)
def test_state_and_steps_equal_those_of_the_program(
    program: Gothic, ball: gothic.Snapshot, options: dict[str, object], limit: dict[str, object]
) -> None:
    program.done(*RUN, *flags(options | limit))
    if "time" in limit:
        simulation = gothic.Simulation(ball, **options, **limit)
        steps = simulation.run()
        assert simulation.finished
    else:
        simulation = gothic.Simulation(ball, **options)
        steps = simulation.run(**limit)

    log = gothic.read_log(program.folder / "run" / "steps.h5")
    table = pd.DataFrame(steps)
    assert set(table.columns) == set(log.columns)
    for name in set(log.columns) - SECONDS:
        np.testing.assert_array_equal(table[name], log[name])

    snapshot = simulation.snapshot()
    theirs = gothic.read(program.folder / "run" / "snapshot_000.h5")
    order = np.argsort(ball.ids)
    for name in ("positions", "velocities", "masses", "ids"):
        np.testing.assert_array_equal(getattr(snapshot, name)[order], getattr(theirs, name))
    assert snapshot.time == theirs.time == simulation.time
    with h5py.File(program.folder / "run" / "snapshot_000.h5") as file:
        np.testing.assert_array_equal(snapshot.accelerations[order], file["PartType1/Acceleration"])
        np.testing.assert_array_equal(snapshot.potentials[order], file["PartType1/Potential"])


def test_times_on_the_way_equal_snapshots_of_the_program(
    program: Gothic, ball: gothic.Snapshot
) -> None:
    times = (0.11, 0.25)
    program.done(*RUN, "--time", 0.4, "--snapshot-times", ",".join(map(str, times)))
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


def test_energies_equal_those_of_the_program(program: Gothic, ball: gothic.Snapshot) -> None:
    program.done(*RUN, "--time", 0.5)
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


def test_virial_ratio_is_the_same_wherever_a_galaxy_is() -> None:
    with pytest.warns(UserWarning, match="encounters"):
        galaxy = gothic.make_model("config/models/m31.toml", particles=4096)
    own = gothic.Simulation(galaxy).energy().virial_ratio
    assert own == pytest.approx(1, abs=0.1)
    for place, speed in ((0, 2000), (1e4, 0), (5e4, 2000)):
        moved = galaxy.shifted(position=[place] * 3, velocity=[speed, 0, 0])
        found = gothic.Simulation(moved).energy().virial_ratio
        assert found == pytest.approx(own, rel=1e-4), (place, speed)


def test_measurements_equal_logs_of_the_program(program: Gothic, ball: gothic.Snapshot) -> None:
    times = (0.11, 0.25)
    program.done(*RUN, "--time", 0.4, "--snapshot-times", ",".join(map(str, times)))
    simulation = gothic.Simulation(ball, time=0.4)
    measured = {name: simulation.measure(name) for name in ("energy", "lagrange")}
    for until in (*times, 0.4):
        while simulation.time < until:
            simulation.run(until=until, steps=1)
            if simulation.synchronised:
                measured["energy"] += simulation.measure("energy")
        measured["lagrange"] += simulation.measure("lagrange")
    for name, rows in measured.items():
        table, log = pd.DataFrame(rows), gothic.read_log(program.folder / "run" / f"{name}.h5")
        pd.testing.assert_frame_equal(table[log.columns], log, rtol=1e-12, check_names=False)
    assert rows[0]._fields[:3] == ("step", "time", "component")


def test_what_cannot_be_measured_is_refused(ball: gothic.Snapshot) -> None:
    simulation = gothic.Simulation(ball)
    for name in ("steps", "bars"):
        with pytest.raises(ValueError, match=f"no observer '{name}'; use one of energy, force"):
            simulation.measure(name)
    while simulation.synchronised:
        simulation.step()
    with pytest.raises(RuntimeError, match="the particles are at different times"):
        simulation.measure("energy")
    assert simulation.measure("lagrange")[0].time == simulation.time


def test_measurements_go_on_after_a_restart(ball: gothic.Snapshot, tmp_path: Path) -> None:
    first = gothic.Simulation(ball)
    first.run(until=0.1)
    first.checkpoint(tmp_path / "folder")
    second = gothic.Simulation.resume(tmp_path / "folder")
    for name in ("energy", "lagrange"):
        np.testing.assert_array_equal(second.measure(name), first.measure(name))


def test_file_of_the_state_has_options_and_device(program: Gothic, ball: gothic.Snapshot) -> None:
    simulation = gothic.Simulation(ball, eta=0.25)
    simulation.snapshot().write(program.folder / "state.h5")
    with h5py.File(program.folder / "state.h5") as file:
        assert file["Provenance"].attrs["program"] == b"gothic.Simulation"
        assert file["Provenance"].attrs["device"].decode() == simulation.device
        assert float(file["Options"].attrs["eta"]) == 0.25
        assert float(file["Options"].attrs["softening"]) == 0.05
        assert "Acceleration" in file["PartType1"]


def test_states_are_copies(ball: gothic.Snapshot) -> None:
    before = ball.positions.copy()
    simulation = gothic.Simulation(ball)
    ball.positions[:] = 0
    start = simulation.snapshot()
    simulation.run(steps=3)
    np.testing.assert_array_equal(start.positions, before)
    assert not np.array_equal(simulation.snapshot().positions, before)


def test_time_is_met_exactly_and_passed_afterwards(ball: gothic.Snapshot) -> None:
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


def test_end_is_an_end(ball: gothic.Snapshot) -> None:
    simulation = gothic.Simulation(ball, time=0.1)
    simulation.run()
    assert (simulation.finished, simulation.time) == (True, 0.1)
    assert simulation.run() == []
    with pytest.raises(RuntimeError, match="the end is reached"):
        simulation.step()


def test_energy_needs_one_time(ball: gothic.Snapshot) -> None:
    simulation = gothic.Simulation(ball)
    while simulation.synchronised:
        simulation.step()
    with pytest.raises(RuntimeError, match="the particles are at different times"):
        simulation.energy()


def test_run_needs_an_end(ball: gothic.Snapshot) -> None:
    simulation = gothic.Simulation(ball)
    with pytest.raises(ValueError, match="run: there is no end"):
        simulation.run()
    with pytest.raises(ValueError, match="run: steps are 0"):
        simulation.run(steps=0)


def test_wrong_options_are_refused(ball: gothic.Snapshot) -> None:
    with pytest.raises(gothic.InputError, match=r"^dt: block steps are adaptive"):
        gothic.Simulation(ball, dt=0.1)
    with pytest.raises(TypeError, match="no option output"):
        gothic.Simulation(ball, output="folder")
    with pytest.raises(TypeError, match="the initial state is a Snapshot"):
        gothic.Simulation("ic.h5")


def test_infinite_energy_stops_it() -> None:
    snapshot = gothic.Snapshot([[0, 0, 0], [1e-6, 0, 0]], 1e18, softening=1e-6)
    with pytest.raises(RuntimeError, match=r"became infinite at time .*: particle [12] at"):
        gothic.Simulation(snapshot, step="shared", dt=1.0).run(steps=2000)


def test_other_threads_of_python_go_on(ball: gothic.Snapshot) -> None:
    simulations = [gothic.Simulation(ball, threads=1, energy_bound=0) for _ in range(2)]
    simulations.append(simulations[0])
    workers = [
        threading.Thread(target=simulation.run, kwargs={"steps": 20}) for simulation in simulations
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert simulations[0].step().step == 41
    assert simulations[1].step().step == 21


def test_nothing_is_beyond_the_end(ball: gothic.Snapshot) -> None:
    simulation = gothic.Simulation(ball, time=0.3)
    simulation.run(until=0.1 + 0.1)
    with pytest.raises(RuntimeError, match=r"the end is reached before 0\.4, at 0\.3; give"):
        simulation.run(until=0.4)
    assert simulation.time == 0.2
    assert simulation.run(until=0.1 + 0.1 + 0.1)  # above 0.3 by rounding
    assert (simulation.finished, simulation.time) == (True, 0.3)
    assert simulation.run() == simulation.run(until=0.3) == []
    for beyond in ({"until": 0.4}, {"until": 0.3, "steps": 1}, {"steps": 1}):
        with pytest.raises(RuntimeError, match="the end is reached"):
            simulation.run(**beyond)


def test_rule_stops_a_simulation(ball: gothic.Snapshot) -> None:
    simulation = gothic.Simulation(
        ball, time=10, dt_max=0.01, energy_bound=0, stop_when="energy > 1e-5"
    )
    first = simulation.energy().total
    assert simulation.stopped_by == ""
    simulation.run()
    assert not simulation.finished
    change = abs(simulation.energy().total / first - 1)
    assert change > 1e-5
    assert simulation.stopped_by == f"energy > 1e-5 ({change:.4g})"
    with pytest.raises(gothic.InputError, match=r"stop_when 'energy': is no rule; write"):
        gothic.Simulation(ball, stop_when="energy")


INTERRUPTED = """
import gothic, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # also in the background
sphere = {"name": "a", "profile": "plummer", "mass": 1, "scale": 1}
particles = gothic.make_model({"softening": 0.01, "component": [sphere]}, particles=2000)
simulation = gothic.Simulation(particles, eta=0.01, threads=1, energy_bound=0)
print("ready", flush=True)
try:
    simulation.run(steps=10**9)
except KeyboardInterrupt:
    before = simulation.time
    simulation.run(steps=2)
    sys.exit(7 if simulation.time > before > 0 else 1)
"""


def test_interrupt_comes_between_steps() -> None:
    command = [sys.executable, "-c", INTERRUPTED]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
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
    command = [sys.executable, "-c", MEMORY]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert result.stdout == "out of memory; use fewer particles or a machine with more\n"


def test_energy_beyond_its_bound_is_warned_of_once() -> None:
    """Particles in one point have no acceleration, so that one step takes all of the time."""
    random = np.random.default_rng(3)
    point = gothic.Snapshot(
        np.zeros((100, 3)), 0.01, 0.3 * random.normal(size=(100, 3)), softening=0.05
    )
    with pytest.warns(
        RuntimeWarning, match=r"energy has changed by .*: the steps are too long"
    ) as told:
        gothic.Simulation(point, time=1).run()
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gothic.Simulation(point, time=1, energy_bound=0).run()
