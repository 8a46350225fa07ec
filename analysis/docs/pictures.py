"""Draw all pictures of docs, and write them with their captions into the pages.

python -m analysis.docs.pictures [--programs build/bin] [--root .]

A page asks for a picture or a table by its name:

    <!-- picture: elapsed_vs_error_m31 -->
    <!-- end of picture -->

What lies between the lines is written anew: the picture (docs/pictures/...png) or the table, its
caption, its data and its command. A figure of a study is shown for every folder of `MEASURED` that
has it; of several names, each folder shows the first that it has. With ``short`` in the place of
``picture`` stands the first sentence of the caption alone. docs/pictures/...dot are drawings, which
Graphviz draws; the comment at the head of one is its caption.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
from PIL import Image, ImageChops, ImageStat

from analysis.checks import trend
from analysis.checks.history import read_entries
from analysis.docs.pages import title_of
from analysis.errors import DataError, main
from analysis.examples import m31_gigayear
from analysis.figures.common import use_style
from analysis.figures.draw import failure
from analysis.programs import MODELS, ROOT, Programs
from analysis.reading.csv_tables import read_table
from analysis.study.parameters import model_folder, sample
from analysis.study.tables import Study

# Folders of analysis/measured whose figures the pages show, and what was measured there.
MEASURED = {
    "h200/h200": "one NVIDIA H200",
    "h200/deviations": "one NVIDIA H200, 2^20 particles",
    "h200/deviations_large": "one NVIDIA H200, 2^23 particles",
    "epyc/full": "two cores of an AMD EPYC",
    "epyc/deviations": "two cores of an AMD EPYC",
}
# Figures of particles that are drawn anew, with seed 1.
PARTICLES = [
    {"name": "map_m31", "kind": "map", "where": {"model": "m31", "particles": 2**20}},
    {"name": "model_m31", "kind": "model", "where": {"model": "m31", "particles": 2**17}},
]
GIGAYEAR = Path("analysis/examples/gigayear")  # tables of a run that takes a quarter of an hour
EXAMPLE = "orbits_and_forces"
HISTORY = Path("analysis/measured/epyc/history.jsonl")
UNSEEN = 1.0  # root mean square of what fewer colours may change, of 255
PICTURES = Path("docs/pictures")
MADE = (".png", ".txt")  # suffixes of what is made there
CAPTION = re.compile(r"/\* (.*?) \*/", re.DOTALL)  # of a drawing
DOT = "dot -Tpng -Gdpi=150"  # the command that draws it
BLOCK = re.compile(r"(<!-- (picture|short): ([\w ]+) -->\n).*?(<!-- end of picture -->)", re.DOTALL)


@dataclass(frozen=True)
class Picture:
    """A picture or table that was drawn.

    Attributes
    ----------
    name
        Path of its files without suffix, below `PICTURES`.
    title
        What was measured, if it is a measurement.
    data
        Files that it was drawn of, relative to the repository.
    command
        What draws it.
    caption
        Its caption.
    table
        The table in Markdown; empty for a picture.
    """

    name: str
    title: str
    data: tuple[Path, ...]
    command: str
    caption: str
    table: str = ""

    def block(self, folder: str) -> str:
        """Write it for a page in a folder, which is told relative to the repository."""
        links = (f"[{path.name}]({os.path.relpath(path, folder)})" for path in self.data)
        return (
            f"{self.shown(folder)}\n\n> {escaped(self.caption)}\n\n"
            f"Data: {', '.join(links)}. Command: `{self.command}`\n"
        )

    def short(self, folder: str) -> str:
        """Write it with the first sentence of its caption, and a link to all of it."""
        first = self.caption.split(". ")[0].rstrip(".")
        whole = os.path.relpath(PICTURES / f"{self.name}.txt", folder)
        return f"{self.shown(folder)}\n\n*{escaped(first)} ([caption]({whole})).*\n"

    def shown(self, folder: str) -> str:
        """Write where it was measured, and the picture or the table itself."""
        heading = f"On {self.title}:\n\n" if self.title else ""
        if self.table:
            return heading + self.table.rstrip("\n")
        file = os.path.relpath(PICTURES / f"{self.name}.png", folder)
        return f"{heading}![{title_of(Path(self.name).name)}]({file})"


def escaped(text: str) -> str:
    """Write a text so that Markdown shows it as it is."""
    return re.sub(r"([*_|<])", r"\\\1", text)


def pages(root: Path) -> list[Path]:
    """List the pages that may ask for pictures."""
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def asked_in(page: Path) -> list[str]:
    """List what a page asks for: a name, or several, of which each folder shows the first."""
    return [match[3] for match in BLOCK.finditer(page.read_text())]


def chosen(asked: Iterable[str], known: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Pair what is asked for with the first of its names that is known, if one is."""
    for names in asked:
        if found := [name for name in names.split() if name in known]:
            yield names, found[0]


def draw_measured(asked: Iterable[str], folder: Path) -> Iterator[tuple[str, Picture]]:
    """Draw the figures of the measured studies that are asked for."""
    for device, title in MEASURED.items():
        place = Path("analysis/measured") / device
        figures = {figure["name"]: figure for figure in Study(ROOT / place).figures}
        for names, name in chosen(asked, figures):
            study = Study(ROOT / place)
            draw_figure(study, figures[name], folder / device)
            data = tuple(sorted(path.relative_to(ROOT) for path in study.read))
            command = (
                f".venv/bin/python -m analysis.figures.draw {place} --figure {name} "
                "--output pictures"
            )
            yield names, drawn(folder, f"{device}/{name}", title, data, command)


def draw_particles(
    asked: Iterable[str], folder: Path, programs: Path
) -> Iterator[tuple[str, Picture]]:
    """Draw particles of models, and then the figures of them that are asked for."""
    study = Study(folder / "particles")
    figures = {figure["name"]: figure for figure in PARTICLES}
    for names, name in chosen(asked, figures):
        figure = figures[name]
        where = figure["where"]
        model, number = where["model"], where["particles"]
        at = Path("ic") / sample({"seed": 1} | where) / "ic.h5"
        check = Path("ic") / model_folder(where) / "check.csv"
        for path in (at, check):
            (study.folder / path).parent.mkdir(parents=True, exist_ok=True)
        maker = Programs(programs, study.folder)
        maker.draw(model, number, str(at), "--seed", "1")
        maker.call("gothic-ic", MODELS / f"{model}.toml", "--check", "--table", check)
        draw_figure(study, figure, folder)
        file = (MODELS / f"{model}.toml").relative_to(ROOT)
        command = f"build/bin/gothic-ic {file} --particles {number} --seed 1 --output {model}.h5"
        kind = f".venv/bin/python -m analysis.figures.{figure['kind']} --snapshot {model}.h5"
        if figure["kind"] == "model":
            command += f" --table {model}.csv"
            kind += f" --check {model}.csv"
        command = f"{command} && {kind} --stem {name}"
        yield names, drawn(folder, name, "", (file,), command)


def draw_figure(study: Study, figure: Mapping[str, object], folder: Path) -> None:
    """Draw a figure of a study; a `DataError` if that fails."""
    if problem := failure(study, figure, folder):
        raise DataError(f"{figure['name']}: {problem}")
    plt.close("all")


def draw_gigayear(asked: Iterable[str], folder: Path) -> Iterator[tuple[str, Picture]]:
    """Draw the figures of the long run that are asked for."""
    files = {f"gigayear_{path.stem}": path for path in sorted((ROOT / GIGAYEAR).glob("*.csv"))}
    command = f".venv/bin/python -m analysis.examples.m31_gigayear {GIGAYEAR} --output pictures"
    for names, name in chosen(asked, files):
        path = files[name]
        m31_gigayear.draw_tables({path.stem: read_table(path)}, folder)
        plt.close("all")
        yield names, drawn(folder, name, "", (path.relative_to(ROOT),), command)


def draw_history(asked: Iterable[str], folder: Path) -> Iterator[tuple[str, Picture]]:
    """Draw the history that is kept, if it is asked for."""
    if "history" not in asked:
        return
    command = f"make history HISTORY={HISTORY}"
    for path, _, _ in trend.write_all(read_entries(ROOT / HISTORY), folder):
        yield "history", drawn(folder, path.stem, "", (HISTORY,), command)


def draw_example(asked: Iterable[str], folder: Path) -> Iterator[tuple[str, Picture]]:
    """Run the example of Python, which draws a picture, if it is asked for."""
    if EXAMPLE not in asked:
        return
    module = f"analysis.examples.{EXAMPLE}"
    words = [sys.executable, "-m", module, "--output", folder / f"{EXAMPLE}.png"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DataError(f"{module}: {done.stderr.strip()}")
    file = Path(f"analysis/examples/{EXAMPLE}.py")
    yield EXAMPLE, drawn(folder, EXAMPLE, "", (file,), f".venv/bin/python -m {module}")


def draw_drawings(asked: Iterable[str], folder: Path) -> Iterator[tuple[str, Picture]]:
    """Let Graphviz draw the drawings that are asked for."""
    files = {path.stem: path for path in sorted((ROOT / PICTURES).glob("*.dot"))}
    for names, name in chosen(asked, files):
        file = files[name].relative_to(ROOT)
        text = files[name].read_text()
        found = CAPTION.match(text)
        if found is None:
            raise DataError(f"{file}: has no caption; begin it with a comment")
        if shutil.which("dot") is None:
            raise DataError(f"{file}: Graphviz is missing, which draws it; run tools/setup.sh site")
        words = [*DOT.split(), "-o", folder / f"{name}.png"]
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DataError(f"{file}: {done.stderr.strip()}")
        (folder / f"{name}.txt").write_text(" ".join(found[1].split()) + "\n")
        command = f"{DOT} {file} -o pictures/{name}.png"
        yield names, drawn(folder, name, "", (file,), command)


def drawn(folder: Path, name: str, title: str, data: tuple[Path, ...], command: str) -> Picture:
    """Read caption and table of what was drawn below a folder, and make its picture small."""
    stem = folder / name
    table = stem.with_name(f"{stem.name}.md")
    picture = stem.with_name(f"{stem.name}.png")
    if picture.exists():
        reduce_colours(picture)
    caption = stem.with_name(f"{stem.name}.txt").read_text().strip()
    return Picture(name, title, data, command, caption, table.read_text() if table.exists() else "")


def reduce_colours(picture: Path) -> None:
    """Write a picture with 256 colours, in a third of the bytes, where that cannot be seen."""
    with Image.open(picture) as file:
        whole = file.convert("RGB")
    few = whole.quantize(256, dither=Image.Dither.NONE)
    change = ImageStat.Stat(ImageChops.difference(whole, few.convert("RGB"))).rms
    (few if max(change) < UNSEEN else whole).save(picture, optimize=True)


def draw_all(asked: Sequence[str], folder: Path, programs: Path) -> dict[str, list[Picture]]:
    """Draw all that is asked for into a folder; a `DataError` if nothing draws one of it."""
    use_style()
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Picture]] = {names: [] for names in asked}
    for pictures in (
        draw_measured(asked, folder),
        draw_particles(asked, folder, programs),
        draw_gigayear(asked, folder),
        draw_history(asked, folder),
        draw_example(asked, folder),
        draw_drawings(asked, folder),
    ):
        for names, picture in pictures:
            found[names].append(picture)
    if unknown := [names for names, pictures in found.items() if not pictures]:
        raise DataError(f"{unknown[0]}: nothing draws it; see analysis/docs/pictures.py")
    return found


def filled(page: Path, root: Path, pictures: Mapping[str, Sequence[Picture]]) -> str:
    """Write a page with its pictures."""
    folder = os.path.relpath(page.parent, root)

    def block(match: re.Match[str]) -> str:
        short = match[2] == "short"
        written = [one.short(folder) if short else one.block(folder) for one in pictures[match[3]]]
        return "\n".join([match[1], *written, match[4]])

    return BLOCK.sub(block, page.read_text())


def made_before(root: Path) -> list[Path]:
    """List the pictures and captions of docs; drawings are not among them."""
    return [path for path in sorted((root / PICTURES).rglob("*")) if path.suffix in MADE]


def files_of(pictures: Mapping[str, Sequence[Picture]]) -> list[str]:
    """Name the files of pictures; tables stand in the pages."""
    every = [one.name for found in pictures.values() for one in found if not one.table]
    return [f"{name}.{suffix}" for name in every for suffix in ("png", "txt")]


def run() -> None:
    """Draw the pictures and fill the pages."""
    parser = argparse.ArgumentParser(prog="python -m analysis.docs.pictures", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    told = "folder of gothic-ic (default: %(default)s)"
    parser.add_argument("--programs", type=Path, default=Path("build/bin"), help=told)
    parser.add_argument("--root", type=Path, default=ROOT, help="where README.md and docs are")
    given = parser.parse_args()
    asked = {page: asked_in(page) for page in pages(given.root)}
    every = list(dict.fromkeys(names for found in asked.values() for names in found))
    with tempfile.TemporaryDirectory() as folder:
        pictures = draw_all(every, Path(folder), given.programs)
        for path in made_before(given.root):
            path.unlink()
        for name in files_of(pictures):
            target = given.root / PICTURES / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(folder) / name, target)
    for page, found in asked.items():
        if found:
            page.write_text(filled(page, given.root, pictures))
    print(f"{len(files_of(pictures)) // 2} pictures in {given.root / PICTURES}")


if __name__ == "__main__":
    main(run)
