"""The text of docs/validation.md."""

from __future__ import annotations

import pandas as pd

from analysis.reference.markdown import table as markdown

HEAD = """\
# Validation

Numbers of the programs beside what they should be: closed forms, direct sums, conserved
quantities. `make validation` measures them anew, in minutes on two cores, and fails if one is out
of bounds. A number passes if it differs from what is expected by no more than the bound. The table
is [validation.csv](validation.csv).

Made by gothic {version}, revision {revision}, on {device}; {compiler}.

"""
NOTES = {
    "Two particles": (
        "Largest relative error of m d / (d^2 + softening^2)^1.5 for distances d of 2^-8 to 2^4 "
        "and a softening of 2^-4."
    ),
    "Direct summation": (
        "`gothic direct` against a sum with NumPy, 1024 particles of a Plummer sphere: largest "
        "relative errors."
    ),
    "Spheres against the smooth model": (
        "Spheres of 32768 particles, direct sums in double precision with a softening of 1e-3; the "
        "model's mass and potential are integrals of its density, cutoff included. Ratios are "
        "means over the particles of a shell, and their scatter from sample to sample makes the "
        "bound."
    ),
    "Tree against direct summation": (
        "32768 particles each, softening of the model. Errors are abs(a - a_direct) / "
        "abs(a_direct) unless they are called absolute. The acceleration criterion bounds the "
        "error of each cell, by Delta_acc of the particle's acceleration."
    ),
    "Kepler orbit": (
        "Two bodies, eccentricity 0.5, from the pericentre; `--step shared --dt`, which is the "
        "leapfrog."
    ),
    "Energy against the step": (
        "Plummer sphere, 4096 particles, softening 1/8, forces at 2^-20, four units of time: "
        "largest relative change of the energy."
    ),
    "Equilibrium": (
        "16384 particles, five dynamical times, block steps with eta 0.25, acceleration criterion "
        "2^-10. A virial ratio is -2 K / sum m r.a, whenever all particles are synchronised."
    ),
    "Repeatability": "16384 particles; positions, velocities, accelerations and potentials.",
}


def page(table: pd.DataFrame) -> str:
    """Write a table of `analysis.validation.row.tabulate` as a page."""
    parts = [HEAD.format(**table.iloc[0])]
    for section, rows in table.groupby("section", sort=False):
        parts.append(f"## {section}\n\n")
        if section in NOTES:
            parts.append(NOTES[section] + "\n\n")
        lines = [
            (
                row.quantity,
                f"{row.expected:g}",
                f"{row.measured:.6g}" if row.expected else f"{row.measured:.2g}",
                f"{row.bound:.2g}",
                row.why,
                "yes" if row.passed else "NO",
            )
            for row in rows.fillna("").itertuples()
        ]
        headings = ("Quantity", "Expected", "Measured", "Bound", "What the bound is", "Passed")
        parts.append(markdown(headings, lines) + "\n")
    return "".join(parts).rstrip("\n") + "\n"
