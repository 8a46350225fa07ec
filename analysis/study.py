"""What the study draws, and from what; the workflow makes its rules of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analysis.sweep import STEP_MODES

PACKAGE = Path(__file__).parent
FIGURE = ("pdf", "png", "csv", "txt")
TABLE = ("csv", "md", "html", "txt")
# Files beside the modules that some of them read.
DATA = {
    "figures/common.py": ["paper.mplstyle"],
    "index.py": ["page.css", "page.js"],
    "published.py": ["published.csv"],
}


@dataclass(frozen=True)
class Figure:
    """A figure or table of the study.

    Attributes
    ----------
    name
        Module in ``analysis/figures`` that draws it, called with ``--stem STEM`` and one option for
        each of `tables`. Its files are called NAME_MODEL or, without models, NAME.
    section
        Heading under which the index page shows it.
    tables
        File or files that it is drawn from by the option that takes them, as a rule's input has
        them: ``{model}`` is a wildcard.
    models
        Models for which the target ``all`` draws it; None where one figure serves the whole study.
    measured
        Names of the same files in a folder of ``analysis/measured``; without them it is not drawn
        from there. Where `models` is None, ``{model}`` stands for every model that is there.
    some
        Whether it is drawn from such of them as are there; the options of the others are left out.
    fits
        Tells of such files, by option, whether they hold what the figure needs.
    options
        Further arguments, which may hold ``{wildcards.model}``.
    kinds
        Suffixes of its files.
    """

    name: str
    section: str
    tables: Mapping[str, object]
    models: Sequence[str] | None = None
    measured: Mapping[str, str] = field(default_factory=dict)
    some: bool = False
    fits: Callable[[dict[str, list[Path]]], bool] = lambda files: True
    options: str = ""
    kinds: Sequence[str] = FIGURE

    @property
    def stem(self) -> str:
        """Name of its files without suffix, with the wildcard of the model."""
        return self.name if self.models is None else f"{self.name}_{{model}}"

    @property
    def stems(self) -> list[str]:
        """Names of its files without suffix in the target ``all``."""
        return [self.name] if self.models is None else [f"{self.name}_{m}" for m in self.models]

    def outputs(self, folder: str) -> dict[str, str]:
        """Name its files in a folder by their suffix."""
        return {kind: f"{folder}/{self.stem}.{kind}" for kind in self.kinds}

    def arguments(self, wildcards: object, input: Mapping[str, object]) -> str:  # noqa: A002
        """Arguments of the module, for a rule that names its input files as `tables` does."""
        words = []
        for option in self.tables:
            files = input[option]
            if files:
                words += [f"--{option}", *([files] if isinstance(files, str) else files)]
        return " ".join([*words, self.options.format(wildcards=wildcards)]).strip()

    def found(self, folder: Path) -> list[str]:
        """Name the figures for which a folder of tables has everything, without suffix."""
        if not self.measured:
            return []
        if self.models is None:
            files = {option: matches(folder, name) for option, name in self.measured.items()}
            enough = any(files.values()) if self.some else all(files.values())
            return [self.name] if enough and self.fits(files) else []
        pattern = next(name for name in self.measured.values() if "{model}" in name)
        head, tail = pattern.split("{model}")
        names = []
        for path in matches(folder, pattern):
            model = path.name[len(head) : len(path.name) - len(tail)]
            files = {o: [folder / n.format(model=model)] for o, n in self.measured.items()}
            if all(path.exists() for (path,) in files.values()) and self.fits(files):
                names.append(f"{self.name}_{model}")
        return names

    def measured_tables(self, folder: str) -> dict[str, object]:
        """Find its files in a folder of tables, as a rule's input has them.

        ``{device}`` in the folder's name is a wildcard.
        """

        def all_of(name: str) -> Callable[[object], list[str]]:
            return lambda wildcards: [
                str(path) for path in matches(Path(folder.format(device=wildcards.device)), name)
            ]

        def is_list(name: str) -> bool:
            return self.models is None and (self.some or "{model}" in name)

        return {
            option: all_of(name) if is_list(name) else f"{folder}/{name}"
            for option, name in self.measured.items()
        }


def both_modes(files: dict[str, list[Path]]) -> bool:
    """Whether tables of timings have runs with block and with shared steps."""
    text = "".join(path.read_text() for path in files["timings"])
    return all(f",{mode}," in text for mode in STEP_MODES)


def matches(folder: Path, name: str) -> list[Path]:
    """List the files of a name in which ``{model}`` stands for any model."""
    return sorted(folder.glob(name.replace("{model}", "*")))


def drawable(folder: Path, figures: Iterable[Figure]) -> list[tuple[Figure, str]]:
    """List the figures that a folder DEVICE of tables allows, with their names DEVICE/NAME."""
    return [
        (figure, f"{folder.name}/{name}") for figure in figures for name in figure.found(folder)
    ]


def code(module: str) -> list[Path]:
    """List a module of this package and everything in the package that it needs.

    Parameters
    ----------
    module
        Path of the module, relative to the package.
    """
    waiting, seen = [module], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        waiting += DATA.get(name, [])
        if name.endswith(".py"):
            waiting += imports(PACKAGE / name)
    return [PACKAGE / name for name in sorted(seen)]


def imports(path: Path) -> list[str]:
    """List the modules of this package that a file imports, as paths relative to the package."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("analysis"):
            parts = node.module.split(".")[1:]
            names = [parts, *([*parts, alias.name] for alias in node.names)]
            candidates = ["/".join(name) + ".py" for name in names]
            found += [name for name in candidates if (PACKAGE / name).is_file()]
    return found
