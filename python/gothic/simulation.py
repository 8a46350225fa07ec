"""Particles that are advanced in time."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple, Unpack

from gothic import _gothic
from gothic.arguments import as_arguments
from gothic.option_types import SimulationOptions
from gothic.snapshot import Snapshot

Step = namedtuple("Step", [name for name, unit, meaning in _gothic.step_columns()])
Step.__doc__ = """What happened in one step: a row of ``steps.h5``, under the names of its columns.

``pandas.DataFrame(simulation.run(steps=100))`` makes a table of them.
"""
for _name, _unit, _meaning in _gothic.step_columns():
    getattr(Step, _name).__doc__ = f"{_meaning} [{_unit}]" if _unit else _meaning


Vector = tuple[float, float, float]


class Energy(NamedTuple):
    """Sums over all particles.

    Attributes
    ----------
    kinetic, potential
        Energies.
    virial_ratio
        -2 K / sum m r . a, 1 in equilibrium.
    momentum, angular_momentum
        About the origin.
    center
        Of mass.
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


class Simulation:
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
        """Sort the particles and find the forces on them."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"the initial state is a Snapshot, not {type(snapshot).__name__}")
        arguments = as_arguments("Simulation", SimulationOptions, options)
        self._held = _gothic.Simulation(snapshot._held, arguments)
        self._has_end = options.get("time") is not None

    def step(self) -> Step:
        """Advance to the next time at which particles are due.

        Raises
        ------
        RuntimeError
            If the end is reached, or the energy became infinite.
        """
        return Step(*self._held.step())

    def run(self, until: float | None = None, *, steps: int | None = None) -> list[Step]:
        """Advance to a time, by a number of steps, or to the end.

        Ctrl-C stops it between two steps; it can go on afterwards.

        Parameters
        ----------
        until
            Time at which all particles are synchronised then, if the end is not before; default:
            the end.
        steps
            Number of steps at most; default: any.

        Returns
        -------
        list of Step
            What happened.

        Raises
        ------
        ValueError
            If there is neither a time, a number nor an end, or the time is before the present one.
        RuntimeError
            If the energy became infinite.
        """
        if until is None and steps is None and not self._has_end:
            raise ValueError("run: there is no end; give until or steps")
        if steps is not None and steps < 1:
            raise ValueError(f"run: steps are {steps}; give at least 1")
        return [Step(*row) for row in self._held.run(until, steps or 0)]

    @property
    def time(self) -> float:
        """Time of the state."""
        return self._held.time

    @property
    def finished(self) -> bool:
        """Whether the end is reached."""
        return self._held.finished

    @property
    def synchronised(self) -> bool:
        """Whether all particles are at the present time, not predicted to it."""
        return self._held.synchronised

    @property
    def device(self) -> str:
        """Name of what it runs on."""
        return self._held.device

    @property
    def threads(self) -> int:
        """Number of CPU threads; 0 on a GPU."""
        return self._held.threads

    def energy(self) -> Energy:
        """Sum energies, momenta and the centre of mass.

        Raises
        ------
        RuntimeError
            Unless the particles are synchronised.
        """
        return Energy(*self._held.energy())

    def snapshot(self) -> Snapshot:
        """Copy the present state, in the order of the initial one, with the forces.

        Particles that are not due are predicted to the present time.
        """
        return Snapshot._of(self._held.snapshot())

    def __repr__(self) -> str:
        """Tell time and device."""
        return f"<Simulation at time {self.time:g} on {self.device}>"
