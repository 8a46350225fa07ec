"""Tables that were measured on other machines: a folder DEVICE/STUDY for each study on a device."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def kept_studies(folder: Path = FOLDER) -> list[Path]:
    """List the folders of the studies."""
    return [path.parent for path in sorted(folder.glob("*/*/study.json"))]
