"""GOTHIC from Python: models of galaxies, tree and direct forces, simulations, and their logs.

Everything is computed by the code of the programs ``gothic`` and ``gothic-ic``, with their options
under the same names, their defaults and their checks; ``gothic run --help`` explains each of them.

>>> import gothic
>>> galaxy = gothic.make_model("config/models/plummer.toml", particles=4096)
>>> tree = gothic.tree_forces(galaxy, accuracy=2**-7)
>>> simulation = gothic.Simulation(galaxy, eta=0.25)
>>> steps = simulation.run(steps=100)
"""

from __future__ import annotations

try:
    from gothic import _gothic
except ImportError as error:
    raise ImportError(
        f"gothic's compiled part cannot be loaded ({error}); run make build, or install the wheel"
    ) from error

from gothic._gothic import InputError
from gothic.forces import Forces, direct_forces, tree_forces
from gothic.logs import read_attributes, read_forces, read_log
from gothic.models import make_model, model_identity
from gothic.option_types import (
    DirectForceOptions,
    ModelOptions,
    SimulationOptions,
    TreeForceOptions,
)
from gothic.orbits import kepler_orbit
from gothic.simulation import Energy, Simulation, Step
from gothic.snapshot import GALACTIC, Component, Snapshot, Units, read
from gothic.structure import densest_point, lagrangian_radii

_provenance = _gothic.provenance()

__version__: str = _provenance["version"]
__revision__: str = _provenance["revision"]
"""Last commit of the sources that this was built from, "-dirty" if they were changed."""

__all__ = [
    "GALACTIC",
    "Component",
    "DirectForceOptions",
    "Energy",
    "Forces",
    "InputError",
    "ModelOptions",
    "Simulation",
    "SimulationOptions",
    "Snapshot",
    "Step",
    "TreeForceOptions",
    "Units",
    "__revision__",
    "__version__",
    "densest_point",
    "direct_forces",
    "kepler_orbit",
    "lagrangian_radii",
    "make_model",
    "model_identity",
    "read",
    "read_attributes",
    "read_forces",
    "read_log",
    "tree_forces",
]
