"""Table of what was published, confirmed or contradicted by the numbers of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from analysis.errors import DataError
from analysis.figures.command import of_study
from analysis.figures.common import bench_made_by, model_name, save
from analysis.paper.judgements import CONFIRMED, CONTRADICTED, PARTLY, UNDECIDED, findings
from analysis.paper.published import size
from analysis.study.figure_kinds import SHOWN
from analysis.study.tables import Study, Where


def tables_of(study: Study) -> dict[str, list[pd.DataFrame]]:
    """Read what the other figures of a study show, one table for each model."""
    read = {"sweep": study.sweep, "scaling": study.runs, "trace": study.steps}
    tables: dict[str, list[pd.DataFrame]] = {name: [] for name in SHOWN.values()}
    for figure in study.figures:
        if name := SHOWN.get(figure["kind"]):
            reader = read.get(name, partial(study.bench, name))
            tables[name].append(reader(figure["where"]))
    return tables


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it."""
    return pd.DataFrame(
        {
            "published": table["finding"],
            "model": table["model"].map(model_name),
            "here": table["verdict"],
            "our numbers": table["numbers"],
        }
    )


def caption(table: pd.DataFrame, tables: Mapping[str, Sequence[pd.DataFrame]]) -> str:
    """Describe the table and count its verdicts."""
    count = table["verdict"].value_counts()
    verdicts = (CONFIRMED, PARTLY, CONTRADICTED, UNDECIDED)
    words = ", ".join(f"{count.get(verdict, 0)} {verdict}" for verdict in verdicts)
    first = next(one for kind in tables.values() for one in kind)
    sizes = {
        f"{model_name(one['model'].iloc[0])} {size(one['particles'].iloc[0])}"
        for kind in ("sweep", "trace", "sharing", "histogram")
        for one in tables[kind]
    }
    return (
        "Qualitative findings of Miki & Umemura (2017), tried on the tables of this study: "
        f"{words}. Partly means that some of the numbers agree; not decided, that they cannot "
        f"tell. Particles: {', '.join(sorted(sizes)) or 'as in the tables'}. "
        f"{bench_made_by(first)}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table from what the other figures show."""
    tables = tables_of(study)
    if not any(tables.values()):
        raise DataError(f"no other figure is asked for; add one of {', '.join(SHOWN)}")
    table = findings(tables)
    save(shown(table), table, caption(table, tables), stem)


if __name__ == "__main__":
    of_study("findings", __doc__, make)
