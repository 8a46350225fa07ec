"""The build leaves a package that .venv imports."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not (ROOT / "build" / "bin" / "gothic").exists(), reason="run make build first")
def test_package_of_the_build_can_be_imported_anywhere(tmp_path: Path) -> None:
    result = subprocess.run(
        [ROOT / ".venv" / "bin" / "python", "-c", "import gothic; print(gothic.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(result.stdout.strip()) == ROOT / "build" / "python" / "gothic" / "__init__.py"
