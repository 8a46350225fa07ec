"""What the programs say about a study before anything is made: about options, models and units.

The package gothic, which was built with the programs, judges with their code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path

import tomli_w

from analysis.errors import DataError
from analysis.reading.files import package, units_of, use_package_of
from analysis.study.figure_kinds import KINDS, figures_of
from analysis.study.mistakes import Mistake, place, single_runs
from analysis.study.model_files import changed, components_of, file_of, read_model
from analysis.study.parameters import DRAWING, Parameters, listed, model_keys, spell
from analysis.study.schema import file_options, varied_options

# Of benches that take the number of runs.defaults or their own, which no model lacks.
LEAST_PARTICLES = 2**10
MODEL_UNITS = (1.0, 1.0, 1.0)
Units = tuple[float, float, float]  # of length, mass and velocity, in cgs


class Judge:
    """Asks the package that was built with the programs in a folder."""

    def __init__(self, programs: Path) -> None:
        use_package_of(programs)
        with package():
            from gothic import option_values
        self.values = option_values
        self.judged = cache(judged)
        self.units_of = cache(units_of)

    def option(self, command: str, name: str, value: str, units: Units | None = None) -> str:
        """Say why an option does not take a value, and the remedy; nothing if it takes it."""
        return self.values.refusal(command, name, value, units)

    def mistakes(self, config: Mapping[str, object]) -> Iterator[Mistake]:
        """Find models that cannot be drawn, and values that do not fit units of particles."""
        for keys, run, parameters in single_runs(config):
            for name, problem in self.wrong(parameters):
                yield Mistake(place(config, keys, run, name), problem)
        for n, bench in enumerate(config["benches"]):
            numbers = listed(bench.get("particles", LEAST_PARTICLES))
            for model, number in product(listed(bench["model"]), numbers):
                for name, problem in self.wrong({"model": model, "particles": number}):
                    yield Mistake(("benches", n, name), problem)
        for n, figure in enumerate(config["figures"]):
            if KINDS[figure["kind"]].source == "particles":
                for drawn in figures_of(config | {"figures": [figure], "plots": []}, []):
                    where = drawn["where"]
                    for name, problem in [*self.wrong_drawing(where)] or self.wrong(where):
                        yield Mistake(("figures", n, "where", name), problem)

    def wrong_drawing(self, parameters: Parameters) -> Iterator[tuple[str, str]]:
        """Name the options of gothic-ic that do not take their values, and say why."""
        for name in ("particles", "seed", *DRAWING):
            value = spell(parameters.get(name, ""))
            if value and (problem := self.option("gothic-ic", name.replace("_", "-"), value)):
                yield name, problem

    def wrong(self, parameters: Parameters) -> Iterator[tuple[str, str]]:
        """Name the parameters that cannot be, and say why."""
        try:
            units = self.units(parameters)
        except DataError as error:
            yield named(parameters, str(error))
            return
        for name in file_options():
            if problem := wrong_field(str(parameters.get(name, "")), units):
                yield name, problem
        if units == MODEL_UNITS:
            yield from self.units_where_there_are_none(parameters)

    def units_where_there_are_none(self, parameters: Parameters) -> Iterator[tuple[str, str]]:
        """Name the parameters that have units, though the particles have model units."""
        if "myr" in parameters:
            yield "myr", "the particles have model units; give a time in these, not myr"
        for name, option in varied_options().items():
            value = parameters.get(name)
            may_have_unit = option.unit and isinstance(value, str) and value
            if not may_have_unit or self.option("gothic run", option.name, value):
                continue  # the latter is told where the schema is judged
            if problem := self.option("gothic run", option.name, value, MODEL_UNITS):
                yield name, problem

    def units(self, parameters: Parameters) -> Units:
        """Tell the units of particles in cgs; a `DataError` if there cannot be such particles."""
        if parameters.get("input"):
            return tuple(self.units_of(Path(str(parameters["input"]))))
        path, keys = file_of(str(parameters["model"])), model_keys(parameters)
        model = read_model(path)
        text = tomli_w.dumps(changed(model, keys)) if keys else None
        # More particles than components make no difference to what is judged.
        particles = min(parameters["particles"], len(components_of(model)))
        negative = spell(parameters.get("allow_negative", False))
        units, problem = self.judged(path, text, particles, negative)
        if problem:
            raise DataError(problem)
        return units


def judged(path: Path, text: str | None, particles: int, negative: str) -> tuple[Units, str]:
    """Judge a model as gothic-ic does: its units, or what is wrong with it."""
    try:
        with package():
            from gothic import _gothic

            options = [("particles", spell(particles)), ("allow-negative", negative)]
            return _gothic.judge_model(path, text, options), ""
    except DataError as error:
        return MODEL_UNITS, str(error)


def wrong_field(path: str, units: Units) -> str:
    """Say why a file of potentials cannot act on particles; nothing if it can, or is none."""
    if not path:
        return ""
    try:
        with package():
            from gothic import _gothic

            _gothic.judge_field(path, units)
    except DataError as error:
        return str(error)
    return ""


def named(parameters: Parameters, problem: str) -> tuple[str, str]:
    """Name the parameter that the programs complain of, and leave out what a study does not know.

    A line is that of the model; models with changed keys have other lines.
    """
    if parameters.get("input"):
        return "input", problem
    if problem.startswith("particles: "):
        return "particles", problem.removeprefix("particles: ")
    path, keys = file_of(str(parameters["model"])), model_keys(parameters)
    told = re.fullmatch(rf"{re.escape(str(path))}(:\d+)?: (.*)", problem)
    if not (keys and told):
        return "model", problem
    key, _, rest = told[2].removeprefix("component.").partition(": ")
    mine = [name for name in keys if name.rsplit(".", 1)[-1] == key]
    meant = [name for name in mine if f"is {spell(keys[name])};" in rest] or mine
    return (meant[0], rest) if mine else (next(iter(keys)), told[2])
