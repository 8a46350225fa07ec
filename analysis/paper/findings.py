"""Write the page of the paper's statements, judged by the tables of analysis/measured.

python -m analysis.paper.findings --output docs/findings.md
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from analysis.errors import DataError, main
from analysis.measured import FOLDER, kept_studies
from analysis.paper.evidence import NOISE, Evidence, named
from analysis.paper.judgements import Statement, findings, overall, statements, together
from analysis.paper.published import size
from analysis.paper.verdicts import DEPENDS, PARTLY, UNDECIDED, UNTESTABLE, VERDICTS
from analysis.study.sweeps import REPEATS, STEPS
from analysis.study.tables import Study

COMMAND = ".venv/bin/python -m analysis.paper.findings --output docs/findings.md"
HEAD = f"""\
# Statements of the paper

This page judges statements of Miki & Umemura (2017) by the tables of `analysis/measured`: those of
studies that show the figure `findings`. This command writes it:

```sh
{COMMAND}
```

`analysis/paper/statements.yaml` has the statements and the paper's numbers, and names the functions
of `analysis/paper/judge_*.py` that judge them. The figure kind `findings` judges the tables of a
study in the same way.

* A time decides something if it was measured {REPEATS} times or more. A run that was made once
  takes its scatter from shorter runs of the same setting that were repeated or, if there are none,
  from those of the other settings of the same model and number of particles.
  Times that scatter by more than {NOISE:.0%} decide nothing. Counts, such as pairs, are exact.
* A number agrees if the range of its repeats reaches the paper's.
* A statement holds partly if some of the numbers agree, or some models.
* Where a formula of the paper holds and its number does not, or where devices differ in a time, the
  verdict is "{DEPENDS}".
* Wall times are those of {STEPS} steps, as in the paper: what a run takes outside of its steps is
  spread over {STEPS}.
* If a study has runs of the paper's own algorithm (`as_published: all`), these are judged, else the
  others.
"""


def studies(folder: Path) -> dict[str, Study]:
    """Find the studies of a folder that show findings, by their folders DEVICE/STUDY."""
    found = {str(path.relative_to(folder)): Study(path) for path in kept_studies(folder)}
    return {
        name: study
        for name, study in found.items()
        if any(figure["kind"] == "findings" for figure in study.figures)
    }


def judged(folder: Path) -> pd.DataFrame:
    """Judge all statements by all studies of a folder that show findings; see `findings`.

    Further columns are ``study`` and ``device_name``. Studies without anything to judge by are left
    out.
    """
    tables = []
    for name, study in studies(folder).items():
        table = findings(study)
        if not table.loc[table["verdict"] != UNTESTABLE, "lacking"].all():
            device = facts(study)["device_name"].iloc[0]
            tables.append(table.assign(study=name, device_name=device))
    if not tables:
        raise DataError(f"{folder}: no tables of a study that statements can be judged by")
    return pd.concat(tables, ignore_index=True)


def facts(study: Study) -> pd.DataFrame:
    """Tell what made the tables of a study: a row for each table and revision."""
    found = []
    for path in sorted(study.folder.glob("*.csv")):
        if path.stem in ("runs", "steps") or path.stem.startswith("bench_"):
            table = study.table(path.stem)
            columns = table[["device_name", "compiler", "revision"]].drop_duplicates()
            found.append(columns.assign(table=path.stem))
    return pd.concat(found, ignore_index=True)


def verdicts(table: pd.DataFrame) -> pd.Series:
    """Join the verdicts on each statement, in the order of the paper's statements."""
    return pd.Series(
        {
            number: overall(table[table["number"] == number], one.time)
            for number, one in enumerate(statements(), 1)
        }
    )


def sentence(table: pd.DataFrame) -> str:
    """Count the verdicts in a sentence."""
    count = verdicts(table).value_counts()
    words = ", ".join(f"{count.get(verdict, 0)} {verdict}" for verdict in VERDICTS)
    return f"Verdicts on {len(statements())} statements of the paper: {words}."


def page(folder: Path = FOLDER) -> str:
    """Write the page."""
    table = judged(folder)
    parts = [HEAD, sentence(table), "## Studies", *made_by(table, studies(folder))]
    parts += ["## Verdicts", "\n".join(summary(table)), "## Numbers"]
    for number, one in enumerate(statements(), 1):
        parts.append("\n".join(told(number, one, table[table["number"] == number])))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def made_by(table: pd.DataFrame, found: dict[str, Study]) -> Iterator[str]:
    """Tell device, revisions and sizes of each study."""
    lines = [
        "| Study | Device | Particles of the sweep | Tables, and the revisions that made them |"
    ]
    lines.append("|---|---|---|---|")
    for name in table["study"].unique():
        rows = facts(found[name])
        tables = [
            f"{', '.join(f'`{one}`' for one in made['table'])}: {revision}"
            for revision, made in rows.groupby("revision", sort=False)
        ]
        device = ", ".join(rows["device_name"].unique())
        lines.append(f"| {name} | {device} | {sizes(found[name])} | {'; '.join(tables)} |")
    yield "\n".join(lines)


def sizes(study: Study) -> str:
    """Tell the particles of the sweeps of a study."""
    evidence, found = Evidence(study), {}
    for model in evidence.runs["model"].unique():
        try:
            table = evidence.sweep(model)
        except DataError:
            continue
        found[named(model)] = size(table["particles"].iloc[0])
    return ", ".join(f"{model} {particles}" for model, particles in found.items()) or "none"


def summary(table: pd.DataFrame) -> Iterator[str]:
    """List all statements with the verdict of each study, and the joint one."""
    names = list(table["study"].unique())
    yield f"| | Where | Statement | {' | '.join(names)} | Verdict |"
    yield "|---|---|---|" + "---|" * (len(names) + 1)
    joint = verdicts(table)
    for number, one in enumerate(statements(), 1):
        rows = table[table["number"] == number]
        each = [together(rows["verdict"][rows["study"] == name], PARTLY) for name in names]
        link = f"[{number}](#{anchor(heading(number, one))})"
        yield f"| {link} | {one.section} | {one.statement} | {' | '.join(each)} | {joint[number]} |"


def heading(number: int, one: Statement) -> str:
    """Write the heading of a statement."""
    return f"{number}. {one.statement.removesuffix('.')}"


def anchor(text: str) -> str:
    """Name a heading as links do."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def told(number: int, one: Statement, rows: pd.DataFrame) -> Iterator[str]:
    """Tell the numbers of a statement: the paper's and those of each study and model."""
    yield f"### {heading(number, one)}\n"
    takes = f" {one.takes.strip()}" if one.takes else ""
    where = one.section[0].upper() + one.section[1:]
    yield f"{where}. The paper: {one.paper}; {one.quantity}.{takes}\n"
    if one.untestable:
        yield f"{UNTESTABLE.capitalize()}: {one.untestable}"
        return
    known = rows[~rows["lacking"]]
    if known.empty:
        why = "; ".join(dict.fromkeys(rows["study"] + ": " + rows["numbers"]))
        yield f"{UNDECIDED.capitalize()}: {why}. It needs {one.needs} ({one.study})."
        return
    yield "| Study | Model | Verdict | Ours |"
    yield "|---|---|---|---|"
    for row in known.itertuples():
        yield f"| {row.study} | {named(row.model)} | {row.verdict} | {row.numbers} |"
    for why in filter(None, dict.fromkeys(known["why"])):
        yield f"\n{why}"
    if (rows["verdict"] == UNDECIDED).all():
        yield f"\nA verdict needs {one.needs} ({one.study})."


def run() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m analysis.paper.findings", description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="the page, docs/findings.md")
    parser.add_argument("--measured", type=Path, default=FOLDER, help="folder of the tables")
    given = parser.parse_args()
    given.output.write_text(page(given.measured))
    print(f"README.md: {sentence(judged(given.measured))}")


if __name__ == "__main__":
    main(run)
