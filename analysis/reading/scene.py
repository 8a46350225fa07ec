"""What part of space a picture shows: its centre, its box, and the sides that it is seen from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from gothic import Units, densest_point, lagrangian_radii

from analysis.errors import DataError
from analysis.reading.files import KILOPARSEC
from analysis.reading.snapshots import MASS, ORIGIN, Particles, Snapshot
from analysis.reading.surface_density import SIDES, Field

COLOURS = ("density", "component", "galaxy")
HELD = 0.9  # of the mass of all that is told apart lies well inside the box at every time
ROOM = 1.6  # half of the box, over the radius within which this part of a sphere lies
HIGH = 1.5  # of a sphere, that radius over the height within which this part lies
FLATTENING = 0.4  # least height of a box over its width


@dataclass(frozen=True)
class Scene:
    """What a picture, or all frames of a film, show.

    Attributes
    ----------
    centre
        ``origin`` of the coordinates; ``mass``, the centre of mass of all particles; the name of a
        component or a galaxy, whose densest point is meant; or a place ``X,Y,Z``.
    width
        Width of the box, kpc or units of the model; without it the box holds `HELD` of the mass
        of everything that is told apart.
    sides
        Axes along which one looks, of `SIDES`.
    colour
        What colours tell: one of `COLOURS`. Without it galaxies, if there are several, or else the
        surface density.
    """

    centre: str = MASS
    width: float | None = None
    sides: tuple[str, ...] = ("z", "y")
    colour: str | None = None

    @classmethod
    def of(
        cls,
        centre: object = MASS,
        width: object = None,
        sides: Iterable[str] = "zy",
        colour: object = None,
    ) -> Scene:
        """Read the options of a command line or of a study; a `DataError` for a wrong one."""
        place = ",".join(map(str, centre)) if isinstance(centre, list) else str(centre)
        try:
            wide = None if width is None else float(width)
        except (TypeError, ValueError):
            wide = -1.0
        if wide is not None and not (np.isfinite(wide) and wide > 0):
            raise DataError(f"width: is {width}; give a length above 0")
        letters = tuple("".join(map(str, sides)))
        if not letters or set(letters) - set(SIDES) or len(set(letters)) < len(letters):
            raise DataError(f"sides: is {sides}; give some of x, y and z, such as zy")
        if colour is not None and colour not in COLOURS:
            raise DataError(f"colour: is {colour}; give one of {', '.join(COLOURS)}")
        return cls(place, wide, letters, None if colour is None else str(colour))


@dataclass(frozen=True)
class Box:
    """Half of the width of a box along x and y, and along z, in units of the snapshot."""

    half: float
    height: float

    def field(self, side: str, pixels: int) -> Field:
        """Make the grid of one side."""
        return Field.of(self.half, 1.0 if side == "z" else self.height / self.half, pixels)


def scales(units: Units) -> float:
    """Length of the axes, kpc or the unit of the model, in units of a snapshot."""
    return KILOPARSEC / units.length_in_cm if units.physical else 1.0


def centre_of(snapshot: Snapshot, centre: str) -> np.ndarray:
    """Find the centre of a picture, shape (3,); a `DataError` if the snapshot has no such one."""
    if centre == ORIGIN:
        return np.zeros(3)
    if centre == MASS:
        every = snapshot.joined()
        return np.average(every.position, axis=0, weights=mass_of(every, snapshot.file))
    galaxies = snapshot.galaxies()
    if centre in snapshot.components or centre in galaxies:
        part = snapshot.joined(snapshot.light(galaxies.get(centre, [centre])))
        return densest_point(part.position, mass_of(part, snapshot.file))
    try:
        place = np.array([float(number) for number in centre.split(",")])
    except ValueError:
        place = np.full(0, np.nan)
    if place.shape != (3,) or not np.isfinite(place).all():
        known = ", ".join(dict.fromkeys([ORIGIN, MASS, *galaxies, *snapshot.components]))
        raise DataError(f"centre: is {centre}; give X,Y,Z or one of {known}")
    return place * scales(snapshot.units)


def mass_of(part: Particles, file: str) -> np.ndarray:
    """Masses, of which there must be some."""
    if not part.mass.sum() > 0:
        raise DataError(f"{file}: there is no mass; a picture needs particles with mass")
    return part.mass


def centre_in_words(snapshot: Snapshot, centre: str) -> str:
    """Say what the coordinates of a picture are relative to."""
    if centre == ORIGIN:
        return "the origin of the coordinates"
    if centre == MASS:
        return "the centre of mass of all particles"
    if centre in snapshot.components:
        return f"the densest point of {centre}"
    if own := snapshot.galaxies().get(centre):
        of_stars = any(name in snapshot.stars for name in own)
        return f"the densest point of {'the stars of ' if of_stars else ''}{centre}"
    return f"the point {centre}"


def told_apart(snapshot: Snapshot, colour: str | None) -> dict[str, list[str]]:
    """List what a picture tells apart by colours, each with its components.

    Galaxies and the picture of the density alone show their stars, where there are any.
    """
    galaxies = snapshot.galaxies()
    if colour == "galaxy" and not galaxies:
        raise DataError(
            f"colour: {snapshot.file} names no galaxies; use component, or name them before their "
            "sum with Snapshot.named"
        )
    if colour == "component":
        return {name: [name] for name in snapshot.components}
    if colour == "galaxy" or (colour is None and len(galaxies) > 1):
        alone = [name for name in snapshot.components if "/" not in name]
        rest = {"other particles": alone} if alone else {}
        return {name: snapshot.light(own) for name, own in (galaxies | rest).items()}
    names = snapshot.light(snapshot.components)
    return {"stars" if names[0] in snapshot.stars else "all particles": names}


def box_of(snapshots: Iterable[Snapshot], scene: Scene) -> Box:
    """Find the box that suits all snapshots of a scene.

    It is as wide as it says. Otherwise it has room, at every time, for everything that is told
    apart. Its height is at least `FLATTENING` of its width.
    """
    half = height = 0.0
    for snapshot in snapshots:
        if scene.width is not None:
            wide = scene.width * scales(snapshot.units) / 2
            return Box(wide, wide)
        centre = centre_of(snapshot, scene.centre)
        for names in told_apart(snapshot, scene.colour).values():
            part = snapshot.joined(names)
            if part.mass.sum() > 0:
                half = max(half, reach(part, centre, slice(None)))
                height = max(height, HIGH * reach(part, centre, slice(2, 3)))
    if not half > 0:
        raise DataError("all particles are at the centre; give a width")
    half = float(f"{half:.1e}")
    return Box(half, float(np.clip(height, FLATTENING * half, half)))


def reach(part: Particles, centre: np.ndarray, axes: slice) -> float:
    """Distance from the centre, along some axes, that a box needs to show particles."""
    own = np.average(part.position, axis=0, weights=part.mass)
    distance = np.linalg.norm((part.position - own)[:, axes], axis=1)
    (size,) = lagrangian_radii(distance, part.mass, (HELD,))
    return float(np.linalg.norm((own - centre)[axes]) + ROOM * size)


def nearest(times: Mapping[Path, float], wanted: float) -> Path:
    """Choose the state that is nearest to a time.

    Raises
    ------
    DataError
        If the time is before the first state or beyond the last.
    """
    first, last = min(times.values()), max(times.values())
    slack = 1e-3 * max(abs(first), abs(last))  # a time that is written in a few digits
    if not first - slack <= wanted <= last + slack:
        raise DataError(f"time: is {wanted:g}; states are from {first:g} to {last:g}")
    return min(times, key=lambda path: abs(times[path] - wanted))
