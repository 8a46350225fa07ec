"""The times of a step that a figure may show."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.study.sweeps import STEPS


@dataclass(frozen=True)
class Clock:
    """A definition of the time of a step: a column of `runs.csv`, its axis, a sentence."""

    column: str
    label: str
    words: str


CLOCKS = {
    "steps": Clock(
        "stages_per_step_s",
        "time per step by the timers [s]",
        "Time is that of the timers of the steps, without start-up and files.",
    ),
    "wall": Clock(
        "elapsed_per_step_s",
        "wall time per step, with start-up and files [s]",
        f"Time is the wall time of a step in a run of {STEPS} steps, start-up, files and tuning "
        "included.",
    ),
}
