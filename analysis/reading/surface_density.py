"""Surface density of particles on a grid, smoothed where they are few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import fourier_gaussian

from analysis.reading.snapshots import Particles

NEIGHBOURS = 48  # particles under a Gaussian
STEP = np.sqrt(2.0)  # ratio of consecutive widths
WIDEST = 1 / 20  # of the larger side of the field
SIDES = {"z": (0, 1), "y": (0, 2), "x": (1, 2)}  # line of sight, and the axes across and up


@dataclass(frozen=True)
class Field:
    """A rectangle around the origin, in pixels that are squares.

    Attributes
    ----------
    half
        Half of its width.
    pixels
        Pixels along its width and its height.
    """

    half: float
    pixels: tuple[int, int]

    @classmethod
    def of(cls, half: float, flattening: float = 1.0, pixels: int = 512) -> Field:
        """Make a field of given half width, whose height is `flattening` times as much."""
        return cls(half, (pixels, max(2, 2 * round(pixels * flattening / 2))))

    @property
    def pixel(self) -> float:
        """Side of a pixel."""
        return 2 * self.half / self.pixels[0]

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, lower and upper edge, as Matplotlib takes them."""
        height = self.half * self.pixels[1] / self.pixels[0]
        return -self.half, self.half, -height, height


def surface_density(
    part: Particles, origin: np.ndarray, side: str, field: Field, neighbours: int = NEIGHBOURS
) -> np.ndarray:
    """Project particles along an axis and smooth them by their local number.

    The mass in a pixel is spread over a Gaussian that is just wide enough for `neighbours`
    particles around the pixel, at least one pixel and at most `WIDEST` of the field; where a pixel
    holds that many itself, it stays as it is. Mass is conserved: what leaves the field comes from
    beyond its edge elsewhere.

    Parameters
    ----------
    part
        Particles.
    origin
        Position of the middle of the field, shape (3,).
    side
        One of `SIDES`: the axis along which one looks.
    field
        The grid.
    neighbours
        Effective number of particles under a Gaussian: the sum of 2 exp(-r^2 / (2 sigma^2)).

    Returns
    -------
    numpy.ndarray
        Mass per area, shape (rows, columns), the first row at the lower edge.
    """
    widest = WIDEST * max(field.pixels)
    margin = int(np.ceil(3 * widest))
    columns, rows = (n + 2 * margin for n in field.pixels)
    place = (part.position - origin)[:, SIDES[side]] / field.pixel
    column, row = np.floor(place + np.array([columns, rows]) / 2).astype(int).T
    inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
    cell = row[inside] * columns + column[inside]
    shape = rows, columns
    count = np.bincount(cell, minlength=rows * columns).reshape(shape).astype(float)
    mass = np.bincount(cell, part.mass[inside], minlength=rows * columns).reshape(shape)
    smooth = spread(mass, smoothing(count, widest, neighbours))
    return smooth[margin : rows - margin, margin : columns - margin] / field.pixel**2


def blurred(transform: np.ndarray, sigma: float, shape: tuple[int, int]) -> np.ndarray:
    """Convolve with a Gaussian; the input is what `numpy.fft.rfft2` makes of an array."""
    return fourier_gaussian(transform, sigma, n=shape[1], axis=1) if sigma else transform


def smoothing(count: np.ndarray, widest: float, neighbours: int) -> list[tuple[float, np.ndarray]]:
    """Find how wide a Gaussian must be to cover a number of particles, pixel by pixel.

    Returns
    -------
    list
        Widths in pixels, increasing, and the part of the mass of every pixel that is to be spread
        over each; the parts of a pixel add up to one. Between two widths the parts are linear in
        the logarithm of the number.
    """
    transform = np.fft.rfft2(count)
    sigmas = [0.0, *STEP ** np.arange(np.ceil(np.log(widest) / np.log(STEP)) + 1)]
    before, left = np.zeros_like(count), np.ones_like(count)
    parts = [np.zeros_like(count) for _ in sigmas]
    for n, sigma in enumerate(sigmas):
        covered = count
        if sigma:
            density = np.fft.irfft2(blurred(transform, sigma, count.shape), s=count.shape)
            covered = np.maximum(4 * np.pi * sigma**2 * density, before)
        reached = (covered >= neighbours) & (left > 0)
        if n == 0:
            parts[0][reached] = 1.0
        else:
            low = np.log(np.maximum(before[reached], 0.5))
            share = (np.log(neighbours) - low) / (np.log(covered[reached]) - low)
            parts[n][reached] = share
            parts[n - 1][reached] += 1 - share
        left[reached] = 0.0
        before = covered
    parts[-1] += left
    return list(zip(sigmas, parts, strict=True))


def spread(mass: np.ndarray, widths: list[tuple[float, np.ndarray]]) -> np.ndarray:
    """Spread the mass of every pixel over Gaussians, by the table of `smoothing`."""
    total = np.zeros((mass.shape[0], mass.shape[1] // 2 + 1), dtype=complex)
    for sigma, part in widths:
        total += blurred(np.fft.rfft2(mass * part), sigma, mass.shape)
    return np.maximum(np.fft.irfft2(total, s=mass.shape), 0.0)
