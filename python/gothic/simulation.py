"""Particles that are advanced in time."""

from __future__ import annotations

import os
from collections import namedtuple
from typing import NamedTuple, Unpack

from gothic import _gothic
from gothic.arguments import as_arguments, require_known
from gothic.option_types import SimulationOptions
from gothic.snapshot import Path, Snapshot, unfilled


def _row_type(name: str, columns: list[tuple[str, str, str]], doc: str) -> type[tuple]:
    """Make a named tuple of columns, given by name, unit and meaning."""
    row = namedtuple(name, [column for column, unit, meaning in columns])
    row.__doc__ = doc
    for column, unit, meaning in columns:
        getattr(row, column).__doc__ = f"{meaning} [{unit}]" if unit else meaning
    return row


# Rows of logs by the names of observers.
_ROWS = {
    name: _row_type(f"{group}Row", columns, f"{meaning.capitalize()}: a row of ``{name}.h5``.")
    for name, group, meaning, columns in _gothic.observers()
}
Step = _row_type(
    "Step",
    next(columns for name, group, meaning, columns in _gothic.observers() if name == "steps"),
    """Measurements of one step: a row of ``steps.h5``, under the names of its columns.

``pandas.DataFrame(simulation.run(steps=100))`` makes a table of them.
""",
)

Vector = tuple[float, float, float]


class Energy(NamedTuple):
    """Sums over all particles; momenta are about the origin.

    The virial ratio is -2 K / sum m r . a about the center and its velocity, which is 1 in
    equilibrium. The center is the centre of mass.
    """

    kinetic: float
    potential: float
    virial_ratio: float
    momentum: Vector
    angular_momentum: Vector
    center: Vector

    @property
    def total(self) -> float:
        """Kinetic and potential energy."""
        return self.kinetic + self.potential


class Simulation(_gothic.Simulation):
    """Particles with forces that can be advanced in time, as ``gothic run`` does.

    Parameters
    ----------
    snapshot
        The initial state, which is copied.
    **options
        See ``SimulationOptions``.

    Raises
    ------
    InputError
        If an option or the particles are wrong, or the device is not there.
    MemoryError
        If there is not enough memory.
    """

    def __init__(self, snapshot: Snapshot, **options: Unpack[SimulationOptions]) -> None:
        require_known("Simulation", SimulationOptions, options)
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"the initial state is a Snapshot, not {type(snapshot).__name__}")
        super().__init__(snapshot, as_arguments(options))

    @classmethod
    def resume(cls, folder: Path, **options: Unpack[SimulationOptions]) -> Simulation:
        """Go on from the newest checkpoint of a folder, by ``checkpoint`` or by ``gothic run``.

        On a CPU the simulation goes on as the one that wrote the checkpoint would have, bit by bit,
        except with options that follow measured times. If the newest checkpoint is damaged, the one
        before is used, with a ``RuntimeWarning``.

        Parameters
        ----------
        folder
            The folder that has the checkpoint.
        **options
            Default: the options of the checkpoint. Only ``device``, ``threads`` and ``time``, which
            counts from the first state, may differ from them.

        Raises
        ------
        InputError
            If there is no checkpoint, none is whole, or its simulation has other options.
        """
        require_known("Simulation.resume", SimulationOptions, options)
        simulation = cls.__new__(cls)
        _gothic.Simulation.__init__(simulation, os.fspath(folder), as_arguments(options))
        return simulation

    def step(self) -> Step:
        """Advance to the next time at which particles are due.

        Raises
        ------
        RuntimeError
            If the end is reached, or the energy became infinite.
        """
        return Step(*self._step())

    def run(self, until: float | None = None, *, steps: int | None = None) -> list[Step]:
        """Advance to a time, by a number of steps, or to the end, or until a stop rule holds.

        Ctrl-C stops it between two steps; it can go on afterwards.

        Parameters
        ----------
        until
            Time to which to advance, and at which all particles are synchronised; default: the
            end.
        steps
            Largest number of steps; default: no limit.

        Raises
        ------
        ValueError
            If there is neither a time nor a number nor an end, or the time is before the present.
        RuntimeError
            If the end is reached before that time, or was reached before that step, or the energy
            became infinite.
        """
        if until is None and steps is None and not self._has_end:
            raise ValueError("run: there is no end; give until or steps")
        if steps is not None and steps < 1:
            raise ValueError(f"run: steps are {steps}; give at least 1")
        return [Step(*row) for row in self._run(until, steps or 0)]

    def checkpoint(self, folder: Path) -> None:
        """Write everything that the further course depends on, for ``resume``.

        The file is ``checkpoint.h5`` in the folder, which is made if it is missing; the checkpoint
        before stays as ``checkpoint_previous.h5``.

        Raises
        ------
        InputError
            If the folder has the checkpoint of another simulation, another program is writing
            there, or it cannot be written to.
        OSError
            If the disk is full.
        """
        self._checkpoint(os.fspath(folder))

    def energy(self) -> Energy:
        """Sum energies, momenta and the centre of mass.

        Raises
        ------
        RuntimeError
            Unless the particles are synchronised.
        """
        (row,) = self.measure("energy")
        vectors = (
            tuple(getattr(row, f"{name}_{axis}") for axis in "xyz")
            for name in ("momentum", "angular_momentum", "center")
        )
        return Energy(row.kinetic, row.potential, row.virial_ratio, *vectors)

    def measure(self, observer: str) -> list[tuple]:
        """Measure what ``gothic run`` writes to a log.

        Parameters
        ----------
        observer
            The name of a log but ``steps``: ``energy``, ``force_errors`` or ``lagrange``. See
            `Step` for steps.

        Returns
        -------
        list
            Named tuples: the rows that the log gets, under the names of its columns.

        Raises
        ------
        ValueError
            If there is no such observer.
        RuntimeError
            Unless the particles are synchronised, if the observer needs that.
        """
        if observer not in _ROWS or observer == "steps":
            known = ", ".join(name for name in _ROWS if name != "steps")
            raise ValueError(f"measure: there is no observer {observer!r}; use one of {known}")
        return [_ROWS[observer](*row) for row in self._measure(observer)]

    def snapshot(self) -> Snapshot:
        """Copy the present state with the forces, in the order of the initial snapshot.

        Particles that are not due are predicted to the present time.
        """
        snapshot = unfilled()
        self._save(snapshot)
        return snapshot

    def __repr__(self) -> str:
        """Tell time and device."""
        return f"<Simulation at time {self.time:g} on {self.device}>"
