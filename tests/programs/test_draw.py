"""gothic-ic draws more particles than its memory holds, and tells how far it has got."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.programs.gothic import Gothic

PLUMMER = ROOT / "config" / "models" / "plummer.toml"
BLOCK = 2**22  # particles that are in memory at a time
BYTES = 41  # of each

# Runs a program and prints its peak memory in KiB. The memory of the process before it becomes the
# program counts, too; this process takes little.
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_memory(gothic: Gothic, *arguments: object) -> int:
    """Run gothic-ic and measure the most memory that it took, in bytes."""
    command = [sys.executable, "-c", PEAK, gothic.programs / "gothic-ic", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=gothic.folder, check=True, capture_output=True, text=True, timeout=600
    )
    return 1024 * int(done.stdout)


@pytest.mark.parametrize("options", [("drawn.h5",), ("drawn.tipsy", "--check", "--quiet-start")])
def test_memory_does_not_grow_with_the_particles(gothic: Gothic, options: tuple[str, ...]) -> None:
    def peak(count: int) -> int:
        return peak_memory(gothic, PLUMMER, "--particles", count, "--output", *options)

    few, many = peak(BLOCK), peak(2 * BLOCK)
    assert few == pytest.approx(BLOCK * BYTES, abs=4e7)
    assert many - few < BLOCK, "a byte for each particle more"


def test_progress_tells_memory_and_share_of_the_work(gothic: Gothic) -> None:
    """Each particle is drawn twice."""
    given = ("--particles", 2 * BLOCK, "--output", "drawn.h5", "--threads", 1)
    text = gothic.on_terminal(PLUMMER, *given, program="gothic-ic")
    told = f"\rgothic-ic: drawing {2 * BLOCK} particles with 172 MB of memory: "
    shares = [int(share) for share in re.findall(re.escape(told) + r"(\d+) %", text)]
    assert shares
    assert shares == sorted(shares)
    assert shares[-1] <= 100
