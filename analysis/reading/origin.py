"""What particles were drawn from, what a file was made by, and how captions call it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from analysis.errors import DataError
from analysis.programs import MODELS, file_of
from analysis.reading.files import PROVENANCE, package

MODEL_HELP = "refuse particles that were not drawn from it: a path, or a name in config/models"
NAMES = {
    "nfw": "NFW sphere",
    "plummer": "Plummer sphere",
    "hernquist": "Hernquist sphere",
    "king": "King sphere",
    "m31": "M31",
    "milky_way": "Milky Way",
    "early_type": "early-type galaxy",
}


def is_model_key(name: str) -> bool:
    """Whether a parameter is a key of the model, such as ``halo.scale``."""
    return "." in name


class Model(NamedTuple):
    """A model by its name and the digest of its text; both are empty where it is not known."""

    name: str = ""
    digest: str = ""


@cache
def read_identity(path: Path) -> Model:
    """Read name and digest of a model file; a `DataError` if it is none."""
    with package() as gothic:
        return Model(*gothic.model_identity(path))


def called(model: Model) -> str:
    """Name a model; a full name only if it is that of config/models. Empty if not known."""
    file = MODELS / f"{model.name}.toml"
    if model.name not in NAMES or not file.exists():
        return model.name
    known = read_identity(file).digest == model.digest
    return NAMES[model.name] if known else f"{model.name} (not that of config/models)"


def subject(models: Mapping[str, Model], file: str) -> str:
    """Name what a snapshot shows: the models of its components, or else the file.

    Components of one galaxy, ``A/halo`` and ``A/disc``, are named together.
    """
    galaxies: dict[str, list[str]] = {}
    for component, model in models.items():
        names = galaxies.setdefault(component.rpartition("/")[0], [])
        if called(model) not in names:
            names.append(called(model))
    if not models or any("" in names for names in galaxies.values()):
        return f"snapshot {file}"
    whole = [
        f"{galaxy} ({' with '.join(names)})" if galaxy else " with ".join(names)
        for galaxy, names in galaxies.items()
    ]
    return " and ".join(whole)


def require_model(models: Mapping[str, Model], wanted: Model, what: str) -> None:
    """Raise a `DataError` unless all components were drawn from a model.

    Parameters
    ----------
    what
        The file of the particles, for the message.
    """
    for component, model in models.items():
        if not model.digest:
            raise DataError(
                f"{what}: does not tell the model of its component {component}; take particles "
                "that gothic-ic or gothic.make_model has drawn"
            )
        if model.digest != wanted.digest:
            raise DataError(
                f"{what}: its component {component} was drawn from the model {called(model)} "
                f"({model.digest}), not from {called(wanted)} ({wanted.digest}); take the file of "
                "that model"
            )


def require_file_of_model(models: Mapping[str, Model], model: str | None, what: str) -> None:
    """Raise a `DataError` unless particles were drawn from a model file, if one is named."""
    if model:
        require_model(models, read_identity(file_of(model)), what)


def facts_of(path: Path) -> dict[str, str]:
    """Read what has written a file, the attributes `PROVENANCE`; empty where it does not tell."""
    with package() as gothic:
        facts = gothic.read_attributes(path).get("Provenance", {})
    return {name: facts.get(name, "") for name in ("program", *PROVENANCE)}


def written_by(path: Path) -> str:
    """Tell in a sentence what has written a file."""
    facts = facts_of(path)
    if not facts["version"]:
        return f"{path.name} does not tell which program has written it."
    device = f"Device: {facts['device']}; " if facts["device"] not in ("", "cpu") else ""
    return (
        f"{device}{facts['program']} {facts['version']}, revision {facts['revision']}; "
        f"{facts['compiler']}."
    )
