"""Table of what the paper states, judged by the tables of a study."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.figures.command import of_study
from analysis.figures.common import bench_made_by, model_name, save
from analysis.paper.judgements import findings
from analysis.paper.verdicts import VERDICTS
from analysis.study.tables import Study, Where


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it."""
    return pd.DataFrame(
        {
            "where": table["section"],
            "published": table["statement"],
            "numbers": table["paper"],
            "model": table["model"].map(model_name),
            "here": table["verdict"],
            "our numbers": table["numbers"] + (". " + table["why"]).where(table["why"] != "", ""),
        }
    )


def caption(table: pd.DataFrame, study: Study) -> str:
    """Describe the table and count its verdicts."""
    count = table["verdict"].value_counts()
    words = ", ".join(f"{count.get(verdict, 0)} {verdict}" for verdict in VERDICTS)
    names = ["runs", *(path.stem for path in sorted(study.folder.glob("bench_*.csv")))]
    first = next((study.table(name) for name in names if study.has(name)), None)
    made = f" {bench_made_by(first)}" if first is not None else ""
    return (
        "Statements of Miki & Umemura (2017), a line for each model, judged by the tables of this "
        f"study: {words}. Partly means that some of the numbers agree; not decided, that the "
        "tables do not suffice: times decide nothing unless they were measured three times. "
        f"docs/findings.md has the rules.{made}"
    )


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table."""
    table = findings(study)
    save(shown(table), table, caption(table, study), stem)


if __name__ == "__main__":
    of_study("findings", __doc__, make)
