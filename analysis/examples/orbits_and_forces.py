"""Tree forces, direct sums and orbits in a galaxy model, from Python.

A script of cells (# %%), to be run as a whole or cell by cell in an editor:

    python -m analysis.examples.orbits_and_forces --particles 16384 --output orbits_and_forces.png

Beside the picture it writes the state at the end (.h5) and a caption (.txt).
"""

# %% What is needed
from __future__ import annotations

import argparse
from pathlib import Path

import gothic
import matplotlib.pyplot as plt
import numpy as np

from analysis.figures.common import NO_STAMPS, use_style

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
told = []
for exponent, color, line in ((4, "#D55E00", ":"), (7, "#0072B2", "-"), (10, "#009E73", "--")):
    tree = gothic.tree_forces(galaxy, accuracy=2.0**-exponent)
    error = np.sort(np.linalg.norm(tree.acceleration - reference.acceleration, axis=1) / size)
    larger = 1 - np.arange(len(error)) / len(error)
    pairs = tree.timing["interactions"] / len(galaxy)
    label = f"$2^{{-{exponent}}}$, {pairs:.0f} pairs each"
    errors.loglog(error, larger, color=color, linestyle=line, label=label)
    most = np.quantile(error, 0.99)
    unit = 10 ** np.floor(np.log10(most))  # rounded up to one digit
    told.append(f"{np.ceil(most / unit) * unit:.1g} with 2^-{exponent}")
    print(f"99 % of the errors are below {told[-1]}")
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
looks = zip(("#D55E00", "#0072B2", "#009E73"), (":", "-", "--"), x, y, strict=True)
for color, line, one_x, one_y in looks:
    orbits.plot(one_x, one_y, color=color, linestyle=line, linewidth=1)
    orbits.plot(one_x[0], one_y[0], "o", color=color)
orbits.set(xlabel="$x$", ylabel="$y$", aspect="equal", title=f"orbits until $t$ = {times[-1]:.3g}")

# %% How well energy and momentum are conserved
start = energies[0]
change = np.array([energy.total / start.total - 1 for energy in energies])
momentum = np.array([np.linalg.norm(energy.momentum) for energy in energies])
speed = (galaxy.masses * np.linalg.norm(galaxy.velocities, axis=1)).sum()
drift = (momentum - momentum[0]) / speed
conservation.plot(times, 1e4 * change, "o-", color="#0072B2", label="energy")
conservation.plot(times, 1e4 * drift, "s--", color="#D55E00", label=r"$|\sum m v| / \sum m |v|$")
conservation.axhline(0, color="0.4", linewidth=0.6, zorder=0)
both = 1e4 * np.array([change, drift])
whole = np.floor(both.min()), np.ceil(both.max())  # last digits do not move the picture
conservation.set(xlabel="time", ylabel=r"relative change [$10^{-4}$]", ylim=whole)
conservation.legend()
print(f"{options.steps} steps to time {times[-1]:.3g}: energy changed by {change[-1]:.1e}")

# %% The picture, and the state as a file for gothic run, yt or pynbody
figure.savefig(options.output, metadata=NO_STAMPS["png"])
caption = (
    f"{options.particles} particles of {Path(options.model).stem}. Left: fraction of particles "
    f"whose force has a larger error than the abscissa; 99 % are below {', '.join(told)}. Middle: "
    f"three orbits of {options.steps} steps, from the dots on. Right: changes of the energy, over "
    "its first value, and of the total momentum, over the sum of m |v|."
)
options.output.with_suffix(".txt").write_text(caption + "\n")
simulation.snapshot().write(options.output.with_suffix(".h5"))
