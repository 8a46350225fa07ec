"""What devices can do at most by their makers' figures; how interactions are counted."""

from __future__ import annotations

from dataclasses import dataclass

# Three subtractions, three multiplications and seven fused multiply-adds: acceleration and
# potential of a pair without the root (Miki & Umemura 2017).
FLOPS_WITHOUT_ROOT = 20


@dataclass(frozen=True)
class Peak:
    """What a device can do.

    A reciprocal square root stands for as many operations as the throughput of additions is larger
    than the throughput of roots (Miki & Umemura 2017).
    """

    flops: float  # single-precision operations per second, without tensor units
    root: int

    @property
    def flops_per_interaction(self) -> int:
        """Operations that an interaction counts for."""
        return FLOPS_WITHOUT_ROOT + self.root


# A multiprocessor of an H200 adds 128 numbers a clock and finds 16 roots.
PEAKS = {"NVIDIA H200": Peak(66.9e12, 8)}
