"""How many inputs were tried and how many faults injected, told when the tests end."""

from __future__ import annotations

from collections import Counter


class Tally:
    """Counts of what the tests of this folder did."""

    def __init__(self) -> None:
        self.inputs = 0
        self.faults: Counter[str] = Counter()
        self.lost = 0

    def tried(self, kind: str | None = None) -> None:
        """Count an input and, if it has one, its fault."""
        self.inputs += 1
        if kind:
            self.faults[kind] += 1

    def line(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.faults.items()))
        return (
            f"faults: {self.inputs} inputs tried, {self.faults.total()} faults injected ({kinds}), "
            f"{self.lost} lost"
        )


TALLY = Tally()
