"""What Miki & Umemura (2017) state, judged by the tables of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pandas as pd
import yaml

from analysis.paper import judge_balls, judge_gains, judge_sizes, judge_steps
from analysis.paper.evidence import Evidence, EvidenceError
from analysis.paper.verdicts import (
    DEPENDS,
    PARTLY,
    UNDECIDED,
    UNTESTABLE,
    Judgement,
)
from analysis.study.tables import Study

FILE = Path(__file__).with_name("statements.yaml")
# By the tables of a study, a model, and the paper's numbers.
Judge = Callable[[Evidence, str, Mapping], Judgement]
JUDGES: dict[str, Judge] = {
    judge.__name__: judge
    for judge in (
        judge_gains.gain_by_accuracy,
        judge_gains.gain_between,
        judge_gains.fastest_criterion,
        judge_gains.multipole_share,
        judge_gains.mean_rate,
        judge_steps.step_levels,
        judge_steps.rebuild_interval,
        judge_steps.rebuild_triggers,
        judge_steps.slow_rates,
        judge_steps.share_of_peak,
        judge_steps.moments_constant,
        judge_steps.orbit_integration,
        judge_steps.sort_limits,
        judge_steps.first_steps,
        judge_sizes.knee_by_sharing,
        judge_sizes.steep_end,
        judge_sizes.scaling_with_particles,
        judge_sizes.floor_of_moments,
        judge_sizes.walk_dominates,
        judge_sizes.tree_against_direct,
        judge_sizes.elapsed_seconds,
        judge_sizes.times_as_fast,
        judge_balls.ebs_radii,
        judge_balls.geo_radii,
        judge_balls.com_radii,
        judge_balls.cost_of_balls,
        judge_balls.best_ball,
    )
}


@dataclass(frozen=True)
class Statement:
    """A statement of the paper; statements.yaml tells what its parts mean."""

    section: str
    statement: str
    paper: str
    quantity: str
    models: tuple[str, ...]
    time: bool
    judge: str = ""
    numbers: Mapping = field(default_factory=dict)
    untestable: str = ""
    takes: str = ""
    needs: str = ""
    study: str = "config/paper.yaml, config/full.yaml"
    why: Mapping[str, str] = field(default_factory=dict)

    def judgement(self, evidence: Evidence, model: str) -> Judgement:
        """Judge the statement for a model.

        An `EvidenceError` if the study lacks what it needs.
        """
        if self.untestable:
            return Judgement(UNTESTABLE, self.untestable)
        return JUDGES[self.judge](evidence, model, self.numbers)


@cache
def statements() -> tuple[Statement, ...]:
    """Read all statements."""
    return tuple(Statement(**one) for one in yaml.safe_load(FILE.read_text()))


def findings(study: Study) -> pd.DataFrame:
    """Judge every statement by the tables of a study.

    Returns
    -------
    pandas.DataFrame
        A row for each statement and model: its ``number``, ``section``, ``statement``, ``paper``,
        ``model``, ``verdict``, ``numbers`` (ours, in words), ``why``, and whether the study is
        ``lacking`` what it needs.
    """
    evidence = Evidence(study)
    rows = []
    for number, one in enumerate(statements(), 1):
        told = {"number": number, "section": one.section, "statement": one.statement}
        for model in one.models:
            lacking = False
            try:
                verdict, numbers = one.judgement(evidence, model)
            except EvidenceError as error:
                verdict, numbers, lacking = UNDECIDED, str(error), True
            why = one.why.get(verdict, "").strip()
            row = {"paper": one.paper, "model": model, "verdict": verdict, "numbers": numbers}
            rows.append(told | row | {"why": why, "lacking": lacking})
    return pd.DataFrame(rows)


def together(verdicts: Iterable[str], otherwise: str) -> str:
    """Join verdicts: the one of all that are decided, or else another."""
    decided = list(dict.fromkeys(verdict for verdict in verdicts if verdict != UNDECIDED))
    return otherwise if len(decided) > 1 else next(iter(decided), UNDECIDED)


def overall(rows: pd.DataFrame, time: bool) -> str:
    """Join the verdicts on a statement, of several models and devices.

    Where models differ it holds partly. Where devices differ in a time it depends on hardware.

    Parameters
    ----------
    rows
        Of `findings`, with a column ``device_name``.
    """
    devices = [together(one["verdict"], PARTLY) for _, one in rows.groupby("device_name")]
    return together(devices, DEPENDS if time else PARTLY)
