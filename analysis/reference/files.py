"""Datasets and attributes of the files that the programs write, with their meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import yaml

from analysis.files import DataError

MEANINGS = Path(__file__).with_name("meanings.yaml")
TYPES = {"f": "real", "i": "integer", "u": "unsigned integer", "S": "text"}


@dataclass(frozen=True)
class Item:
    """A dataset or an attribute.

    Attributes
    ----------
    group
        Path of its group; ``/PartTypeN`` stands for those of all types.
    name
        Its name in the group.
    kind
        ``dataset`` or ``attribute``.
    form
        Its type, in words.
    shape
        Its shape in brackets; empty for a single number.
    """

    group: str
    name: str
    kind: str
    form: str
    shape: str

    @property
    def path(self) -> str:
        """Group and name, as `meanings.yaml` lists them."""
        return f"{self.group}/{self.name}"


def items(path: Path) -> list[Item]:
    """List what a file holds, in the order of the names."""
    with h5py.File(path) as file:
        return list(dict.fromkeys(walk(file)))


def walk(group: h5py.Group) -> Iterator[Item]:
    """List the attributes and datasets of a group, and then those of its groups."""
    where = re.sub(r"^/PartType\d$", "/PartTypeN", group.name)
    for name, value in sorted(group.attrs.items()):
        yield Item(where, name, "attribute", type_name(np.asarray(value)), extent(value, ""))
    rows = rows_of(where)
    for name, member in group.items():
        if isinstance(member, h5py.Dataset):
            yield Item(where, name, "dataset", type_name(member), extent(member, rows))
    for member in group.values():
        if isinstance(member, h5py.Group):
            yield from walk(member)


def rows_of(group: str) -> str:
    """Name the number of rows of the datasets of a group."""
    of_particles = dict.fromkeys(("/PartTypeN", "/Particles", "/State"), "N")
    return (of_particles | {"/Points": "M", "/Components": "components"}).get(group, "rows")


def extent(value: h5py.Dataset | np.ndarray, rows: str) -> str:
    """Write a shape, of which the first number has a name."""
    shape = np.shape(value)
    if not shape:
        return ""
    return f"[{', '.join([rows or str(shape[0]), *map(str, shape[1:])])}]"


def type_name(value: h5py.Dataset | np.ndarray) -> str:
    """Name a type in words: 64-bit real."""
    kind, size = value.dtype.kind, value.dtype.itemsize
    return TYPES[kind] if kind == "S" else f"{8 * size}-bit {TYPES[kind]}"


@dataclass(frozen=True)
class Meaning:
    """What an item stands for: its unit, empty where it has none, and in words."""

    unit: str
    text: str


class Meanings:
    """The table of `meanings.yaml`; it tells which of its entries were never asked for."""

    def __init__(self, path: Path = MEANINGS) -> None:
        self.path = path
        self.tables: dict[str, dict[str, list[str]]] = yaml.safe_load(path.read_text())
        self.unused = {(table, name) for table, rows in self.tables.items() for name in rows}

    def of(self, table: str, name: str) -> Meaning:
        """Look up what is meant by a name in a file of some kind, or in any of ``every file``.

        Raises
        ------
        DataError
            If nobody has written that down.
        """
        for place in (table, "every file"):
            if name in self.tables.get(place, {}):
                self.unused.discard((place, name))
                return Meaning(*self.tables[place][name])
        raise DataError(f"{self.path}: {table}: {name} is missing; add its unit and meaning")

    def finish(self) -> None:
        """Complain about entries that no file has.

        Raises
        ------
        DataError
            If there are some.
        """
        if self.unused:
            table, name = min(self.unused)
            raise DataError(f"{self.path}: {table}: {name} is in no file; remove it")
