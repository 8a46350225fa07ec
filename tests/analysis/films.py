"""What the pictures of a film show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.colors import to_rgb
from PIL import Image
from scipy.ndimage import gaussian_filter

from analysis.figures.map import LIGHTS

FIRST, SECOND = (255 * np.array(to_rgb(light)) for light in LIGHTS[:2])


def film_of(path: Path) -> list[np.ndarray]:
    """Read the pictures of a film, as integers of shape (rows, columns, 3)."""
    with Image.open(path) as film:
        pictures = []
        for number in range(film.n_frames):
            film.seek(number)
            pictures.append(np.asarray(film.convert("RGB"), dtype=int))
    return pictures


def places_in(picture: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Find the first and the second of two galaxies in the upper panel of a frame of a film.

    Returns
    -------
    tuple
        The brightest places of both, kpc.
    """
    dark = picture.max(axis=2) < 40
    rows = np.flatnonzero(dark.mean(axis=1) > 0.5)
    parts = np.split(rows, np.flatnonzero(np.diff(rows) > 8) + 1)
    rows = next(part for part in parts if len(part) > 100)
    columns = np.flatnonzero(dark[rows].mean(axis=0) > 0.5)
    panel = picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    pixel = width / panel.shape[1]
    assert abs(panel.shape[0] - panel.shape[1]) <= 3
    panel = panel[: int(0.8 * len(panel))].copy()  # without names of colours
    panel[: int(0.12 * len(panel)), : len(panel) // 3] = 0  # and without the time
    for edge in (panel[:8], panel[:, :8], panel[:, -8:]):  # with ticks
        edge[:] = 0
    panel = gaussian_filter(panel.astype(float), (1, 1, 0))  # its dots stand for mixed colours
    # How much light of either colour is in it: its blue is of the first alone.
    first = panel[..., 2] / FIRST[2]
    second = (panel[..., 0] - FIRST[0] * first) / SECOND[0]
    found = []
    for light in (first, second):
        y, x = (np.median(axis) for axis in np.nonzero(light > 0.9 * light.max()))
        found.append(np.array([(x + 0.5) * pixel - width / 2, (len(rows) / 2 - y - 0.5) * pixel]))
    return found[0], found[1]
