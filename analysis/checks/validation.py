"""Numbers of the programs against closed forms, direct sums and conservation laws."""

from __future__ import annotations

import pandas as pd

from analysis.checks import forces, motion
from analysis.programs import Programs

PARTS = (
    forces.pair,
    forces.independent_sum,
    forces.spheres,
    forces.tree,
    motion.kepler,
    motion.order,
    motion.equilibrium,
    motion.repeatable,
)


def measure(programs: Programs) -> pd.DataFrame:
    """Measure everything: one row per number, with what made it."""
    rows = [row for part in PARTS for row in part(programs)]
    table = pd.DataFrame([vars(row) | {"passed": row.passed} for row in rows])
    return table.assign(**forces.facts(programs))
