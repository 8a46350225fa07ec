"""Table of the parts of the published algorithm: each in place of ours, and all but each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.errors import DataError
from analysis.figures.command import of_study
from analysis.figures.common import model_name, save, setting
from analysis.paper.criteria import FIDUCIAL
from analysis.study.tables import Study, Where

OURS, ALL = "none", "all"
# What is compared at equal 99 % error, as sums over a run per unit of simulated time.
AT_EQUAL_ERROR = ("seconds", "pairs")
# What is compared at equal accuracy parameters.
AT_FIDUCIAL = ("updates", "error_99", "energy_error")
WITHIN = "_within"
HEADINGS = {
    "seconds": "time at equal error",
    "pairs": "pairs at equal error",
    f"seconds{WITHIN}": "time, the others as published",
    f"pairs{WITHIN}": "pairs, the others as published",
    "updates": "updates",
    "error_99": "99 % error",
    "energy_error": "energy error",
}


def costs(runs: pd.DataFrame) -> pd.DataFrame:
    """Tell what each run cost per unit of simulated time, and how well it did."""
    time = runs["simulated_time"].astype(float)
    steps = runs["steps"].astype(float)
    return runs[["model", "particles", "accuracy", "repeat", "as_published"]].assign(
        seconds=runs["stages_per_step_s"] * steps / time,
        pairs=runs["interactions"].astype(float) / time,
        updates=runs["active_fraction"] * steps * runs["particles"].astype(float) / time,
        error_99=runs["error_99"],
        energy_error=runs["energy_drift_max"].abs(),
    )


def at_error(line: pd.DataFrame, error: float, name: str) -> float:
    """Interpolate a cost at a 99 % error, both as logarithms; NaN where the runs do not reach."""
    line = line.sort_values("error_99")
    errors = np.log(line["error_99"].to_numpy(float))
    values = np.log(line[name].to_numpy(float))
    return float(np.exp(np.interp(np.log(error), errors, values, left=np.nan, right=np.nan)))


def compared(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare each part with our own algorithm, one row for each model and part.

    Parameters
    ----------
    runs
        Rows of the table of runs that differ in model, accuracy, ``as_published`` and repeat.

    Returns
    -------
    pandas.DataFrame
        ``seconds`` of the stages and ``pairs`` per unit of simulated time, over ours at the 99 %
        error that ours has with the fiducial accuracy; the same ``_within`` the published
        algorithm, with all parts over all but this one; ``updates`` of particles, ``error_99`` and
        ``energy_error`` over ours with the fiducial accuracy. Medians over the repeats, each of
        which is compared with the same repeat of the others; ``_least`` and ``_greatest`` beside
        them.

    Raises
    ------
    DataError
        If our own algorithm was not run with the fiducial accuracy.
    """
    table = costs(runs)
    left_out = parts_left_out(table["as_published"].unique())
    rows = []
    for (model, repeat), one in table.groupby(["model", "repeat"], sort=False):
        ours = one[one["as_published"] == OURS]
        fiducial = ours[np.isclose(ours["accuracy"], FIDUCIAL["accuracy"])]
        if len(fiducial) != 1:
            raise DataError(f"{model}: one run with as_published none and accuracy 2^-7 is needed")
        start = fiducial.iloc[0]
        error = float(start["error_99"])
        lines = dict(iter(one.groupby("as_published", sort=False)))
        others = {left_out[parts]: line for parts, line in lines.items() if parts in left_out}
        for part, line in lines.items():
            if part in left_out:
                continue
            row = {"model": model, "part": part, "repeat": repeat, "at_error_99": error}
            for name in AT_EQUAL_ERROR:
                row[name] = at_error(line, error, name) / at_error(ours, error, name)
                row[name + WITHIN] = (
                    at_error(lines[ALL], error, name) / at_error(others[part], error, name)
                    if part in others and ALL in lines
                    else np.nan
                )
            same = line[np.isclose(line["accuracy"], FIDUCIAL["accuracy"])]
            for name in AT_FIDUCIAL:
                row[name] = float(same[name].iloc[0] / start[name]) if len(same) else np.nan
            rows.append(row)
    found = pd.DataFrame(rows)
    groups = found.groupby(["model", "part"], sort=False)
    numbers = ["at_error_99", *HEADINGS]
    table = groups[numbers].median()
    for end, values in (("least", groups[numbers].min()), ("greatest", groups[numbers].max())):
        table = table.join(values.add_suffix(f"_{end}"))
    return table.assign(repeats=groups.size()).reset_index()


def parts_left_out(combinations: Iterable[str]) -> dict[str, str]:
    """Find combinations that are all parts but one, and name that one."""
    sets = {text: set(text.split(",")) - {OURS, ALL} for text in combinations}
    every = set().union(*sets.values())
    return {
        text: next(iter(every - parts))
        for text, parts in sets.items()
        if len(parts) > 1 and len(every - parts) == 1
    }


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the table as readers see it: ratios, with the range of the repeats."""
    parts = table[table["part"] != OURS]
    columns = {"model": parts["model"].map(model_name), "part": parts["part"]}
    for name, heading in HEADINGS.items():
        if name.endswith(WITHIN) and parts[name].isna().all():
            continue
        columns[heading] = [ratio(row, name) for _, row in parts.iterrows()]
    return pd.DataFrame(columns)


def ratio(row: pd.Series, name: str) -> str:
    """Write a ratio and, where repeats differ, their range."""
    if pd.isna(row[name]):
        return "-" if name.endswith(WITHIN) else "not reached"
    middle, low, high = (f"{row[f'{name}{end}']:.2f}" for end in ("", "_least", "_greatest"))
    return middle if low == high else f"{middle} ({low}-{high})"


def repeated(repeats: int) -> str:
    """Tell how often runs were made."""
    return "Each run was made once." if repeats == 1 else f"Medians and ranges of {repeats} runs."


def make(study: Study, where: Where, stem: Path) -> None:
    """Write the table from the runs of a study."""
    runs = study.runs(where)
    table = compared(runs)
    errors = " and ".join(
        f"{rows['at_error_99'].iloc[0]:.2e} ({model_name(model)})"
        for model, rows in table.groupby("model", sort=False)
    )
    caption = (
        "Parts of the algorithm of Miki & Umemura (2017) put in place of our own, over our own "
        "algorithm: time of the stages and pairs, both per unit of simulated time, at the 99 % "
        f"force error that ours has with the accuracy 2^-7, {errors}; time and pairs of the "
        "published algorithm over the one with this part in our way, at the same error; updates of "
        "particles per unit of time, 99 % force error, and largest error of the energy, over our "
        "own algorithm, with the accuracy 2^-7. "
        f"{repeated(int(table['repeats'].max()))} "
        f"{setting(runs, ' and '.join(map(model_name, runs['model'].unique())))}"
    )
    save(shown(table), table, caption, stem)


if __name__ == "__main__":
    of_study("deviations", __doc__, make)
