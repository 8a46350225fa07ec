"""What is wrong with the figures and plots of a study, before anything is made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from analysis.programs import model_names
from analysis.reading.origin import is_model_key
from analysis.reading.snapshots import MASS, ORIGIN
from analysis.study.figure_kinds import (
    KINDS,
    Figure,
    chosen_runs,
    figures_of,
    listed,
    may_fit,
    with_unit,
)
from analysis.study.mistakes import Mistake, hint
from analysis.study.model_files import component_names, follows_particles
from analysis.study.overlay import wrong_overlays
from analysis.study.parameters import (
    Parameters,
    all_runs,
    draws,
    keeps_states,
    model_folder,
    parameters_of,
    wanted,
)
from analysis.study.run_row import (
    ERRORS,
    FILES,
    FORCE,
    LAYER,
    MEASURED,
    TEXTS,
    USED,
    is_growing,
    is_measured,
    of_component,
)
from analysis.study.schema import run_defaults

ANY = ""  # component of an input, whose names are not known yet
TOLD = "docs/studies.md lists them"
# Parameters that set the length of steps, and so the time that a number of them spans; so do the
# keys of a model.
OF_STEPS = ("eta", "softening", "step", "dt", "dt_max", "external")


def impossible_plots(config: Mapping[str, object]) -> Iterator[Mistake]:
    """Find columns of plots that the table does not have, nothing fills, or cannot be compared."""
    runs = all_runs(config, run_defaults())
    table = {*MEASURED, *FILES}.union(*map(parameters_of, map(PurePath, runs)))
    if "reference" not in config:
        alone = any(run.get("steps") == 0 for run in runs.values())
        table -= {*ERRORS} if alone else {*ERRORS, *FORCE}
    of_models = {model_folder(run): run for run in runs.values() if not run["input"]}
    components = {name for run in of_models.values() for name in component_names(run)}
    if any(run["input"] for run in runs.values()):
        components.add(ANY)
    for n, plot in enumerate(config["plots"]):
        named = [((key,), plot[key]) for key in ("x", "y", "colour", "average") if key in plot]
        axes = table - {*FILES, "repeat"}
        problems = [(key, wrong_column(column, axes, components)) for key, column in named]
        problems += [(("where", c), wrong_column(c, table, components)) for c in plot["where"]]
        problems += [(("where", "model"), unknown_model(plot, runs.values()))]
        if not any(problem for _, problem in problems):
            problems += wrong_choice(plot, list(runs.values()))
        problems += wrong_overlays(plot)
        for key, problem in problems:
            if problem:
                yield Mistake(("plots", n, *key), problem)


def wrong_column(column: str, table: Collection[str], components: Collection[str]) -> str:
    """Say why the table of runs will lack a column; nothing if it has it."""
    if column in table or column.removesuffix(USED) in table:
        return ""
    if column in (*ERRORS, *FORCE):
        return f"{column} needs direct sums; add reference: {{}}"
    component, _ = of_component(column)
    if not component:
        return f"the table has no column {column}; {hint(column, table, TOLD)}"
    if component in components or ANY in components:
        return ""
    return f"no model has a component {component}; {hint(component, components)}"


def unknown_model(figure: Figure, runs: Iterable[Parameters]) -> str:
    """Say that a figure asks for a model that is neither in config/models nor of a run."""
    known = dict.fromkeys([*model_names(), *(run["model"] for run in runs)])
    for model in listed(figure["where"].get("model", [])):
        if model not in known and not model.endswith(".toml"):
            return f"{model!r} is unknown; {hint(model, known)}"
    return ""


def wrong_choice(
    plot: Mapping[str, object], runs: Sequence[Parameters]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Find conditions that no run meets, and runs that cannot be compared."""
    where = plot["where"]
    shown = {key: plot[key] for key in ("x", "y", "colour") if key in plot}
    for name, value in where.items():
        number = name in MEASURED and name not in TEXTS
        if number and any(isinstance(one, str) for one in listed(wanted(value))):
            yield ("where", name), f"{value} is no number, as {name} is; give one, or LEAST..MOST"
    runs = [run for run in runs if may_fit(run, where)]
    if not runs:
        yield ("where",), f"no run has {where}; choose others"
        return
    for key in ("x", "y"):
        column = plot[key]
        if not is_measured(column) and not any(column in run for run in runs):
            yield (key,), f"no run that is drawn has {column}; choose others with where"
        values = [run[column] for run in runs if column in run]
        words = column in TEXTS or any(isinstance(v, str) and not with_unit(v) for v in values)
        if plot["overlay"] and words:
            yield ("overlay",), f"{column} has words, among which points have no place; remove it"
    for key, column in shown.items():
        if of_component(column)[1] in LAYER and not any(map(keeps_states, runs)):
            yield (key,), f"{column} needs states of the runs; give them a snapshot_count"
    yield from wrong_average(plot, shown)
    if "simulated_time" in shown.values() or not (names := unequal(runs)):
        return
    for key, column in shown.items():
        if is_growing(column):
            yield (
                (key,),
                f"{column} grows with time, but as many steps span other times where {names} "
                "differ; give these runs a time instead of steps, or choose one value with where",
            )


def wrong_average(
    plot: Mapping[str, object], shown: Mapping[str, str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Find averages over what is no parameter, or is shown."""
    averaged = plot.get("average", "")
    if is_measured(averaged):
        yield ("average",), f"{averaged} was measured; name a parameter of runs, such as seed"
    elif averaged in shown.values():
        yield ("average",), f"{averaged} is shown, too; choose another"


def unequal(runs: Sequence[Parameters]) -> str:
    """Name what differs in runs of a model of as many steps that then span different times.

    Where the softening follows the number of particles, so do the steps.
    """
    differing = set()
    by_steps: dict[tuple[object, int], list[Parameters]] = {}
    for run in runs:
        if "steps" in run:
            by_steps.setdefault((run["model"], run["steps"]), []).append(run)
    for alike in by_steps.values():
        names = {name for run in alike for name in run if name in OF_STEPS or is_model_key(name)}
        of_models = {model_folder(run): run for run in alike if not run["softening"]}
        if any(map(follows_particles, of_models.values())):
            names.add("particles")
        differing |= {name for name in names if len({run.get(name) for run in alike}) > 1}
    return " and ".join(sorted(differing))


def impossible_figures(config: Mapping[str, object]) -> Iterator[Mistake]:
    """Find what kinds of figures need and do not have, and names used twice."""
    measured = [bench["word"] for bench in config["benches"]]
    for n, bench in enumerate(config["benches"]):
        if bench["word"] in measured[:n]:
            yield Mistake(("benches", n), f"{bench['word']} is there already; give it lists")
        if bench["word"] != "peak" and not bench["model"]:
            yield Mistake(("benches", n, "model"), "is missing; add it")
    runs = list(all_runs(config, run_defaults()).values())
    names = [figure["name"] for figure in figures_of(config, runs)]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield Mistake(("figures",), f"there are two figures or plots {name}; give one a name")
    for n, figure in enumerate(config["figures"]):
        kind = KINDS[figure["kind"]]
        for name in sorted(figure.keys() - {"kind", "where", "name", *kind.keys}):
            yield Mistake(("figures", n, name), f"{figure['kind']} takes no {name}; remove it")
        if problem := unknown_model(figure, runs):
            yield Mistake(("figures", n, "where", "model"), problem)
            continue
        wrong = wrong_particles if kind.source == "particles" else wrong_bench
        for name, problem in wrong(figure, config):
            yield Mistake(("figures", n, "where", name) if name else ("figures", n), problem)
        for problem in wrong_runs(figure, runs, config):
            yield Mistake(("figures", n), problem)


def wrong_particles(figure: Figure, _: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Find what particles lack that a figure asks for, and what tells nothing about them."""
    where = figure["where"]
    for name in sorted({"model", "particles"} - where.keys()):
        yield name, "is missing; add it"
    for name, value in where.items():
        if not draws(name):
            yield name, "does not change particles that are drawn; leave it out"
        elif name != "model" and (isinstance(value, list) or isinstance(wanted(value), tuple)):
            yield name, f"{value} are several; give one value"


def wrong_bench(figure: Figure, config: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Find measurements that a figure needs and the study does not make."""
    benches = {bench["word"]: bench for bench in config["benches"]}
    for word in KINDS[figure["kind"]].words:
        if word not in benches:
            yield "", f"{figure['kind']} needs the word {word} among benches; add it"
            continue
        models = listed(benches[word]["model"])
        for model in listed(figure["where"].get("model", [])):
            if word != "peak" and model not in models:
                yield "model", f"the bench {word} has no model {model}; add it there"


def wrong_runs(
    figure: Figure, runs: Sequence[Parameters], config: Mapping[str, object]
) -> Iterator[str]:
    """Find figures whose runs are missing or cannot be drawn together."""
    kind = KINDS[figure["kind"]]
    drawn = figures_of(config | {"figures": [figure], "plots": []}, runs)
    if kind.of_runs and not drawn:
        yield f"no run has {figure['where']}; choose others"
    for one in drawn:
        chosen = list(chosen_runs(one, runs))
        if kind.of_runs and not chosen:
            yield f"no run has {one['where']}; choose others"
        elif problem := kind.check(chosen, config) or wrong_centre(one, chosen):
            yield f"{one['kind']}: {problem}"


def wrong_centre(figure: Figure, chosen: Sequence[Parameters]) -> str:
    """Say that a model of a figure lacks the component that is to be the centre."""
    centre = figure.get("centre", MASS)
    if not isinstance(centre, str) or centre in (MASS, ORIGIN) or "," in centre:
        return ""
    for run in chosen or [figure["where"]]:
        components = [] if run.get("input") else component_names(run)
        if components and centre not in components:
            return f"centre {centre}: {hint(centre, [ORIGIN, MASS, *components])}"
    return ""
