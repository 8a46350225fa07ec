"""Every kind of noise that a machine has: logarithms of seconds, shape (..., rounds, programs)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Noise = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def heavy_tails(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Most measurements are exact to 1 %, a few are far off."""
    return 0.01 * np.abs(rng.standard_t(2, shape))


def drift(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """The machine becomes slower from round to round; the programs of a round notice it alike."""
    rounds = np.cumsum(rng.normal(0.02, 0.02, shape[:-1]), axis=-1)
    return rounds[..., None] + rng.normal(0, 0.01, shape)


def bursts(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """One measurement in thirty takes up to twice as long."""
    return rng.normal(0, 0.01, shape) + (rng.random(shape) < 1 / 30) * rng.uniform(0, 0.7, shape)


def two_speeds(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Rounds are 30 % slower with a chance of one half, and some change within the round."""
    slow = rng.random(shape[:-1]) < 0.5
    changes = rng.random(shape) < 0.03
    return 0.3 * (slow[..., None] ^ changes) + rng.normal(0, 0.01, shape)


NOISES = (heavy_tails, drift, bursts, two_speeds)
