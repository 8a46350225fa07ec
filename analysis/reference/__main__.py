"""Write docs/reference.md, or complain if it is not what would be written.

python -m analysis.reference --programs build/bin --output docs/reference.md [--check]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from analysis.cli import main
from analysis.reference.page import page


def run() -> None:
    """Write the reference."""
    parser = argparse.ArgumentParser(prog="python -m analysis.reference", description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="folder of the programs")
    parser.add_argument("--output", type=Path, required=True, help="Markdown file")
    parser.add_argument(
        "--check", action="store_true", help="only say whether the file is up to date"
    )
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        text = page(given.programs.resolve(), Path(folder))
    if not given.check:
        given.output.write_text(text)
    elif not given.output.exists() or given.output.read_text() != text:
        print(f"{given.output} is not up to date; run make docs", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main(run)
