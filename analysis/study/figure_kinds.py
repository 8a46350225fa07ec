"""The kinds of figures that a study may ask for; a module of analysis/figures draws each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.study.parameters import (
    LENGTHS,
    SAMPLE,
    Parameters,
    fits,
    keeps_states,
    listed,
    spell,
)
from analysis.study.run_row import FILES, is_measured

FIGURE = ("pdf", "png", "csv", "txt")
TABLE = ("csv", "md", "html", "txt")
SCENE = ("centre", "width", "sides", "colour")  # what `analysis.reading.scene.Scene` shows
Figure = dict[str, object]  # name, kind, where and further keys of the kind
# Why a figure cannot be drawn of the runs that it chooses, by the study; empty if it can.
Check = Callable[[Sequence[Parameters], Mapping[str, object]], str]


def differing(runs: Sequence[Mapping[str, object]], *but: str) -> str:
    """Refuse runs that differ in other parameters than those given."""
    for name in dict.fromkeys(name for run in runs for name in run):
        values = {run.get(name) for run in runs}
        if name not in ("repeat", *but) and len(values) > 1:
            told = sorted(values, key=lambda value: (isinstance(value, str), value is None, value))
            words = ("not set" if value is None else spell(value) for value in told)
            return f"the runs differ in {name}, {', '.join(words)}; choose one with where"
    return ""


def sweep(runs: Sequence[Parameters], _: Mapping[str, object]) -> str:
    """Refuse runs that differ in anything but criterion, accuracy or error, step and steps."""
    return differing(runs, "criterion", "accuracy", "force_error", "step", "steps")


def sweep_with_errors(runs: Sequence[Parameters], config: Mapping[str, object]) -> str:
    """Refuse what `sweep` does, and runs without force errors."""
    return sweep(runs, config) or (
        "" if "reference" in config else "needs force errors; add reference: {}"
    )


def sweep_of_both_steps(runs: Sequence[Parameters], config: Mapping[str, object]) -> str:
    """Refuse what `sweep` does, and runs with one kind of step."""
    kinds = {run["step"] for run in runs}
    one = "" if len(kinds) > 1 else "compares block and shared steps; make runs with both"
    return sweep(runs, config) or one


def sweep_of_published_parts(runs: Sequence[Parameters], config: Mapping[str, object]) -> str:
    """Refuse runs that differ in anything but model, length, accuracy and published parts."""
    unlike = differing(runs, "model", "accuracy", "as_published", *LENGTHS)
    if unlike or "reference" not in config:
        return unlike or "needs force errors; add reference: {}"
    ours = any(run["as_published"] == "none" for run in runs)
    return "" if ours else "compares with our own algorithm; make runs with as_published: none"


def sizes(runs: Sequence[Parameters], _: Mapping[str, object]) -> str:
    """Refuse runs that differ in anything but the number of particles."""
    return differing(runs, "particles")


def one_of_each_model(runs: Sequence[Parameters], _: Mapping[str, object]) -> str:
    """Refuse runs of one model that differ."""
    models = dict.fromkeys(run["model"] for run in runs)
    found = (differing([run for run in runs if run["model"] == model]) for model in models)
    return next(filter(None, found), "")


def with_states(runs: Sequence[Parameters], _: Mapping[str, object]) -> str:
    """Refuse runs that differ, and a run that keeps no states."""
    none = "" if keeps_states(runs[0]) else "the run keeps no states; give it a snapshot_count"
    return differing(runs) or none


def with_states_of_a_model(runs: Sequence[Parameters], config: Mapping[str, object]) -> str:
    """Refuse what `with_states` does, and an input."""
    if any(run["input"] for run in runs):
        return "compares with a model, which an input has not; choose with where"
    return with_states(runs, config)


def anything(_runs: Sequence[Parameters], _config: Mapping[str, object]) -> str:
    """Refuse nothing."""
    return ""


@dataclass(frozen=True)
class Kind:
    """A kind of figure.

    Its source are the tables ``runs``, ``steps`` (of some runs) or ``drift`` (changes of models),
    the ``snapshots`` of a run, ``benches``, or the ``particles`` of a model.
    """

    section: str  # heading under which pages show it
    source: str
    each_model: bool = True  # whether there is one for each model
    words: tuple[str, ...] = ()  # words of `analysis.reading.bench_tables` whose tables it needs
    files: Sequence[str] = FIGURE  # suffixes
    keys: tuple[str, ...] = ()  # further keys that it takes, the options of its ``make``
    check: Check = anything

    @property
    def of_runs(self) -> bool:
        """Whether it is drawn of runs, which it chooses with where."""
        return self.source not in ("benches", "particles") or self.check is one_of_each_model

    @property
    def group(self) -> str:
        """Figures of a group are drawn together, when everything that they need is there."""
        return self.source if self.source in ("benches", "particles") else "runs"


KINDS = {
    "model": Kind("Models", "particles"),
    "map": Kind("Models", "particles", keys=SCENE),
    "elapsed_vs_error": Kind("Time and accuracy", "runs", keys=("clock",), check=sweep_with_errors),
    "speedup": Kind("Time and accuracy", "runs", check=sweep_of_both_steps),
    "deviations": Kind(
        "Time and accuracy", "runs", False, files=TABLE, check=sweep_of_published_parts
    ),
    "breakdown_vs_particles": Kind("Parts of a step", "runs", check=sizes),
    "stages_vs_step": Kind("Parts of a step", "steps", check=one_of_each_model),
    "interactions_vs_step": Kind("Performance", "steps", False, check=one_of_each_model),
    "performance": Kind("Performance", "benches", False, ("peak",), TABLE, check=one_of_each_model),
    "environment": Kind("Machines", "benches", False, files=TABLE),
    "hilbert_vs_morton": Kind("Performance", "benches", False, ("order",), TABLE),
    "crossover": Kind("Performance", "benches", True, ("crossover",)),
    "equilibrium": Kind("Models left to themselves", "drift", check=with_states_of_a_model),
    "movie": Kind(
        "Models left to themselves",
        "snapshots",
        files=(*FIGURE, "gif"),
        keys=(*SCENE, "time"),
        check=with_states,
    ),
    "walk_vs_active": Kind("Tuning", "benches", True, ("sharing",)),
    "enclosing_balls": Kind("Tuning", "benches", True, ("balls",)),
    "ball_costs": Kind("Tuning", "benches", False, ("balls",), TABLE),
    "findings": Kind("Findings", "benches", False, files=TABLE),
    "plot": Kind("Plots", "runs", each_model=False),
}


def figures_of(config: Mapping[str, object], runs: Sequence[Parameters]) -> list[Figure]:
    """List the figures of a study, one for each model where its kind says so.

    Parameters
    ----------
    config
        With the defaults of the schema.
    runs
        Parameters of its runs.
    """
    found: list[Figure] = []
    for figure in config["figures"]:
        kind, where = figure["kind"], figure["where"]
        one = figure | {"name": figure.get("name", kind)}
        if not KINDS[kind].each_model:
            found.append(one)
            continue
        for model in dict.fromkeys(models_of(figure, config, runs)):
            named = f"{one['name']}_{Path(model).stem}"
            own = {"name": named, "where": where | {"model": model}}
            found.append(one | own)
    for plot in config["plots"]:
        name = plot.get("name", f"{plot['y']}_vs_{plot['x']}")
        found.append(plot | {"name": name, "kind": "plot"})
    return found


def models_of(
    figure: Figure, config: Mapping[str, object], runs: Sequence[Parameters]
) -> Iterator[str]:
    """Name the models that a figure asks for, or else the models of what it is drawn from."""
    where, kind = figure["where"], KINDS[figure["kind"]]
    if "model" in where:
        yield from listed(where["model"])
    elif kind.words:
        for bench in config["benches"]:
            if bench["word"] in kind.words:
                yield from listed(bench["model"])
    else:
        for run in chosen_runs(figure, runs):
            yield run["model"]


def chosen_runs(figure: Figure, runs: Sequence[Parameters]) -> Iterator[Parameters]:
    """List the runs that a figure is drawn from."""
    for run in runs:
        if all(fits(run.get(name), value) for name, value in figure["where"].items()):
            yield run


def may_fit(run: Parameters, where: Mapping[str, object]) -> bool:
    """Whether a run meets conditions, as far as its parameters tell; others are yet to be measured.

    The particles of an input are counted by the run.
    """
    told = [
        name
        for name in where
        if name in run or not (is_measured(name) or name in (*SAMPLE, *FILES))
    ]
    told = [name for name in told if not (with_unit(run.get(name)) and ".." in str(where[name]))]
    return all(fits(run.get(name), where[name]) for name in told)


def with_unit(value: object) -> bool:
    """Whether a value is a number with a unit, whose place in a range is known by the run."""
    return isinstance(value, str) and value[:1].isdigit()


def files_of(figures: Sequence[Figure], group: str, folder: str | Path) -> list[str]:
    """List the files of the figures of a group."""
    return [
        f"{folder}/{figure['name']}.{suffix}"
        for figure in figures
        if KINDS[figure["kind"]].group == group
        for suffix in KINDS[figure["kind"]].files
    ]
