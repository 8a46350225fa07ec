"""Tree forces, direct sums and orbits in a galaxy model, from Python.

A script of cells (# %%), to be run as a whole or cell by cell in an editor:

    python -m analysis.examples.orbits_and_forces --particles 16384 --output orbits_and_forces.png
"""

# %% What is needed
from __future__ import annotations

import argparse
from pathlib import Path

import gothic
import matplotlib.pyplot as plt
import numpy as np

from analysis.figures.common import use_style

parser = argparse.ArgumentParser(description="Tree forces, direct sums and orbits from Python.")
parser.add_argument("--model", default="config/models/hernquist.toml", help="a model file")
parser.add_argument("--particles", type=int, default=16384)
parser.add_argument("--steps", type=int, default=400, help="steps of the simulation")
parser.add_argument("--output", type=Path, default=Path("orbits_and_forces.png"))
options = parser.parse_args()
use_style()
figure, (errors, orbits, conservation) = plt.subplots(1, 3, figsize=(10.5, 3.4))

# %% A model in equilibrium: the same particles as gothic-ic makes
galaxy = gothic.make_model(options.model, particles=options.particles, seed=1)
radius = np.linalg.norm(galaxy.positions, axis=1)
print(galaxy, f"softening {galaxy.softening:g}, half-mass radius {np.median(radius):.3g}")

# %% Errors of tree forces against direct summation in double precision
reference = gothic.direct_forces(galaxy)
size = np.linalg.norm(reference.acceleration, axis=1)
for exponent, color in ((4, "#D55E00"), (7, "#0072B2"), (10, "#009E73")):
    tree = gothic.tree_forces(galaxy, accuracy=2.0**-exponent)
    error = np.sort(np.linalg.norm(tree.acceleration - reference.acceleration, axis=1) / size)
    larger = 1 - np.arange(len(error)) / len(error)
    pairs = tree.timing["interactions"] / len(galaxy)
    label = f"$2^{{-{exponent}}}$, {pairs:.0f} pairs each"
    errors.loglog(error, larger, color=color, label=label)
    print(f"accuracy 2^-{exponent}: 99 % of the errors are below {np.quantile(error, 0.99):.2g}")
errors.set(xlabel="relative error of a force", ylabel="fraction of particles with more")
errors.set(xlim=(1e-7, 0.1), ylim=(0.5 / len(galaxy), 1.5))
errors.legend(title="accuracy", loc="lower left")

# %% The rotation curve, at points where there is no particle
distance = np.geomspace(0.05, 20, 40) * np.median(radius)
points = np.zeros((len(distance), 3))
points[:, 0] = distance
inwards = -gothic.tree_forces(galaxy, at=points).acceleration[:, 0]
fastest = np.argmax(speed := np.sqrt(distance * inwards))
print(f"circular speed: at most {speed[fastest]:.3g}, at radius {distance[fastest]:.3g}")

# %% Some orbits of a simulation, step by step
simulation = gothic.Simulation(galaxy, eta=0.25)
chosen = np.argsort(radius)[[len(galaxy) * part // 10 for part in (1, 3, 5)]]
places = [simulation.snapshot().positions[chosen]]
times, energies = [simulation.time], [simulation.energy()]
for _ in range(options.steps):
    simulation.step()
    places.append(simulation.snapshot().positions[chosen])
    if simulation.synchronised:
        times.append(simulation.time)
        energies.append(simulation.energy())
x, y = np.array(places).transpose(2, 1, 0)[:2]
for color, one_x, one_y in zip(("#D55E00", "#0072B2", "#009E73"), x, y, strict=True):
    orbits.plot(one_x, one_y, color=color, linewidth=0.8)
    orbits.plot(one_x[0], one_y[0], "o", color=color)
orbits.set(xlabel="$x$", ylabel="$y$", aspect="equal", title=f"orbits until $t$ = {times[-1]:.3g}")

# %% How well energy and momentum are conserved
start = energies[0]
change = [abs(energy.total / start.total - 1) for energy in energies]
momentum = [np.linalg.norm(energy.momentum) for energy in energies]
conservation.semilogy(times[1:], change[1:], "o-", color="#0072B2", label="$|E / E_0 - 1|$")
conservation.semilogy(times[1:], momentum[1:], "s--", color="#D55E00", label="momentum")
conservation.set(xlabel="time", ylabel="change")
conservation.legend()
print(f"{options.steps} steps to time {times[-1]:.3g}: energy changed by {change[-1]:.1e}")

# %% The picture, and the state as a file for gothic run, yt or pynbody
figure.savefig(options.output)
simulation.snapshot().write(options.output.with_suffix(".h5"))
