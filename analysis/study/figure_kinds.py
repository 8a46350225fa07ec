"""The kinds of figures that a study may ask for; a module of analysis/figures draws each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.study.parameters import Parameters, wanted

FIGURE = ("pdf", "png", "csv", "txt")
TABLE = ("csv", "md", "html", "txt")


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

    @property
    def group(self) -> str:
        """Figures of a group are drawn together, when everything that they need is there."""
        return self.source if self.source in ("benches", "particles") else "runs"


KINDS = {
    "model": Kind("Models", "particles"),
    "map": Kind("Models", "particles"),
    "elapsed_vs_error": Kind("Time and accuracy", "runs"),
    "speedup": Kind("Time and accuracy", "runs"),
    "breakdown_vs_particles": Kind("Parts of a step", "runs"),
    "stages_vs_step": Kind("Parts of a step", "steps"),
    "interactions_vs_step": Kind("Performance", "steps", each_model=False),
    "performance": Kind("Performance", "benches", False, ("peak",), TABLE),
    "hilbert_vs_morton": Kind("Performance", "benches", False, ("order",), TABLE),
    "crossover": Kind("Performance", "benches", True, ("crossover",)),
    "equilibrium": Kind("Models left to themselves", "drift"),
    "movie": Kind("Models left to themselves", "snapshots", files=(*FIGURE, "gif")),
    "walk_vs_active": Kind("Tuning", "benches", True, ("sharing",)),
    "enclosing_balls": Kind("Tuning", "benches", True, ("balls",)),
    "ball_costs": Kind("Tuning", "benches", False, ("balls",), TABLE),
    "findings": Kind("Findings", "benches", False, files=TABLE),
    "plot": Kind("Plots", "runs", each_model=False),
}
Figure = dict[str, object]  # name, kind, where and, of plots, x, y and colour


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
        one = {"name": figure.get("name", kind), "kind": kind, "where": where}
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


def fits(value: object, where: object) -> bool:
    """Whether a parameter is a value, one of a list, or within a range LEAST..MOST."""
    found = wanted(where)
    if isinstance(found, tuple):
        return isinstance(value, int | float) and found[0] <= value <= found[1]
    return value in listed(found)


def listed(value: object) -> list:
    """Make a list of one of a single value."""
    return value if isinstance(value, list) else [value]


def files_of(figures: Sequence[Figure], group: str, folder: str | Path) -> list[str]:
    """List the files of the figures of a group."""
    return [
        f"{folder}/{figure['name']}.{suffix}"
        for figure in figures
        if KINDS[figure["kind"]].group == group
        for suffix in KINDS[figure["kind"]].files
    ]
