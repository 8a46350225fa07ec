"""Mistakes in the files of a configuration, and the lines where they stand."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from yaml.nodes import MappingNode, Node, SequenceNode

from analysis.errors import DataError
from analysis.study.parameters import Parameters, combinations, complete
from analysis.study.schema import run_defaults

Keys = tuple[str | int, ...]
CLOSE = 0.7  # how alike names are that may have been mistaken for each other, 1 for the same


@dataclass(frozen=True)
class Mistake:
    """What is wrong with the value behind some keys, and what to do about it."""

    keys: Keys
    problem: str


class Source:
    """The files of a configuration, later ones before earlier ones, under the command line."""

    def __init__(self, files: Iterable[Path], given: Mapping[str, object]) -> None:
        self.given = given
        self.places = {Path(path): list(places(composed(Path(path)))) for path in files}

    def place(self, keys: Keys) -> tuple[str, int]:
        """Name the file and line of a value, or of the innermost part around it that is written."""
        if not self.places or (keys and keys[0] in self.given):
            return "--config", 0
        lines = {path: dict(found) for path, found in reversed(self.places.items())}
        wanted = tuple(map(str, keys))
        while not (having := [path for path in lines if wanted in lines[path]]):
            wanted = wanted[:-1]
        return os.path.relpath(having[0]), lines[having[0]][wanted]

    def duplicates(self) -> Iterator[tuple[str, int, Mistake]]:
        """Find keys that are written twice, of which YAML would take the last."""
        for path, found in self.places.items():
            first: dict[Keys, int] = {}
            again = set()
            for keys, line in found:
                if keys in first:
                    again.add(keys)
                    if keys[:-1] not in again:
                        problem = f"is there already, in line {first[keys]}; remove one of them"
                        yield os.path.relpath(path), line, Mistake(keys[-1:], problem)
                first.setdefault(keys, line)


def composed(path: Path) -> MappingNode:
    """Read a file as YAML nodes, which know their lines; a `DataError` if it is no mapping."""
    try:
        node = yaml.compose(path.read_text())
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; correct the name") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1
        raise DataError(f"{path}:{line}: {error.problem}; correct the YAML") from error
    except (UnicodeError, yaml.YAMLError) as error:
        raise DataError(f"{path}: is no text; write YAML in UTF-8") from error
    if not isinstance(node, MappingNode):
        held = "has other things than keys" if node else "is empty"
        raise DataError(f"{path}: {held}; write study: NAME and what docs/studies.md tells")
    return node


def places(node: Node, keys: Keys = ()) -> Iterator[tuple[Keys, int]]:
    """Walk through a YAML node: the keys that lead to each part, as texts, and its line."""
    if not keys:
        yield keys, node.start_mark.line + 1
    parts = []
    if isinstance(node, MappingNode):
        parts = [(name.value, name.start_mark, value) for name, value in node.value]
    elif isinstance(node, SequenceNode):
        parts = [(str(n), value.start_mark, value) for n, value in enumerate(node.value)]
    for key, mark, value in parts:
        yield (*keys, key), mark.line + 1
        yield from places(value, (*keys, key))


def written(place: str, line: int, mistake: Mistake) -> str:
    """Write a mistake as FILE:LINE: KEY: PROBLEM."""
    key = ".".join(map(str, mistake.keys)) or "configuration"
    where = f"{place}:{line}" if line else place
    return f"{where}: {key}: {mistake.problem}"


def hint(name: object, known: Iterable[str], otherwise: str = "") -> str:
    """Tell the name that may have been meant, or what is known."""
    if near := difflib.get_close_matches(str(name), known, 1, CLOSE):
        return f"did you mean {near[0]}?"
    return otherwise or f"known are {', '.join(known)}"


def single_runs(config: Mapping[str, object]) -> Iterator[tuple[Keys, Parameters, Parameters]]:
    """List the runs of a study: where they stand, what they say themselves, and all of it."""
    runs, defaults = config["runs"], run_defaults()
    found = [(("runs", "list", n), [run]) for n, run in enumerate(runs["list"])]
    found += [(("runs", "grids", n), combinations(grid)) for n, grid in enumerate(runs["grids"])]
    for keys, single in found:
        for run in single:
            yield keys, run, complete(run, runs["defaults"], defaults)


def place(config: Mapping[str, object], keys: Keys, run: Parameters, name: str) -> Keys:
    """Tell where a parameter of a run stands."""
    inherited = name in config["runs"]["defaults"] and name not in run
    return (*(("runs", "defaults") if inherited else keys), name)
