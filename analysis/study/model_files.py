"""Model files of studies: where they lie, and copies in which some keys are changed.

python -m analysis.study.model_files results/STUDY/ic/model~MODEL/COMPONENT.KEY~VALUE/model.toml

A parameter such as ``halo.scale`` is a key of a component of the model; ``units.length_in_cm`` is
one of its units, and ``model.softening`` one of its top level.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import tomli_w
import yaml

from analysis.errors import DataError, main
from analysis.programs import ROOT, file_of
from analysis.study.parameters import Parameters, model_keys, parameters_of

MEANINGS = ROOT / "analysis" / "reading" / "meanings.yaml"
TOP = "model"
# Parts of meanings.yaml that list the keys of a model.
PARTS = {TOP: "top level of a model", "units": "units of a model"}
OF_COMPONENTS = "component of a model"


def read_model(path: Path) -> dict:
    """Read a model file; a `DataError` if it is none."""
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; correct the name") from error
    except ValueError as error:
        raise DataError(f"{path}: {error}; correct the TOML") from error


def components_of(model: Mapping) -> list[dict]:
    """List the components of a model; none where gothic-ic will refuse the file."""
    listed = model.get("component")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def component_names(parameters: Parameters) -> list[str]:
    """Name the components of the model of a run; none of an input or a model that is wrong."""
    return [str(component.get("name")) for component in components_of(changed_model(parameters))]


def follows_particles(parameters: Parameters) -> bool:
    """Whether the softening that a model recommends follows the number of particles."""
    model = changed_model(parameters)
    own = [component.get("softening") for component in components_of(model)]
    return "softening" not in model and not all(own)


def changed_model(parameters: Parameters) -> dict:
    """Read the model of a run, with the keys that the run changes; empty if that cannot be."""
    if parameters.get("input"):
        return {}
    with suppress(DataError):
        model = read_model(file_of(str(parameters["model"])))
        keys, known = model_keys(parameters), known_keys(model)
        return changed(model, {name: keys[name] for name in keys if name in known})
    return {}


def known_keys(model: Mapping) -> list[str]:
    """List the parameters that are keys of a model."""
    meanings = yaml.safe_load(MEANINGS.read_text())
    of_components = [
        f"{component.get('name')}.{key}"
        for component in components_of(model)
        for key in meanings[OF_COMPONENTS]
    ]
    others = [f"{where}.{key}" for where, part in PARTS.items() for key in meanings[part]]
    return [*of_components, *(name for name in others if name != f"{TOP}.component")]


def changed(model: Mapping, keys: Mapping[str, object]) -> dict:
    """Change keys of a model, which must be among `known_keys`."""
    components = [dict(component) for component in components_of(model)]
    units = dict(model.get("units", {}))
    tables = {component.get("name"): component for component in components}
    found = dict(model)
    tables |= {"units": units, TOP: found}
    for name, value in keys.items():
        where, key = name.rsplit(".", 1)
        tables[where][key] = value
    return found | ({"units": units} if units else {}) | {"component": components}


def moved(model: Mapping, start: Path, end: Path) -> dict:
    """Name tables of profiles, which lie beside the model, from another folder."""

    def place(component: dict) -> dict:
        if not isinstance(component.get("table"), str):
            return component
        return component | {"table": os.path.relpath(start / component["table"], end)}

    return dict(model) | {"component": [place(component) for component in components_of(model)]}


def tables_of(path: Path, keys: Mapping[str, object]) -> list[str]:
    """List the tables of profiles that a model with changed keys reads."""
    found = components_of(moved(changed(read_model(path), keys), path.parent, Path()))
    return [component["table"] for component in found if isinstance(component.get("table"), str)]


def write_changed(path: Path, keys: Mapping[str, object], output: Path) -> None:
    """Write a model with changed keys, with a head and a name that tell of what it was made."""
    told = ", ".join(f"{name} = {value}" for name, value in keys.items())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    model = moved(changed(read_model(path), keys), path.parent, output.parent)
    model["name"] = f"{model.get('name', path.stem)} with {told}"
    components = model.pop("component")
    parts = [f"# {path}\n# (SHA-256 {digest})\n# with {told}.\n", tomli_w.dumps(model)]
    parts += [f"[[component]]\n{tomli_w.dumps(component)}" for component in components]
    output.write_text("\n".join(parts))


def run() -> None:
    """Write the copy of a model that a path tells."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis.study.model_files", description=__doc__
    )
    parser.add_argument("output", type=Path, help="file to write; its folders name model and keys")
    output = parser.parse_args().output
    parameters = parameters_of(output.parent)
    write_changed(file_of(str(parameters["model"])), model_keys(parameters), output)


if __name__ == "__main__":
    main(run)
