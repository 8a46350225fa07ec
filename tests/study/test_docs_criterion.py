"""The example of docs/howto_criterion.md fits the sources."""

from __future__ import annotations

import re
import subprocess

from tests.study.workflow import ROOT


def test_example_can_be_applied() -> None:
    text = (ROOT / "docs" / "howto_criterion.md").read_text()
    (patch,) = re.findall(r"```diff\n(.*?)```", text, re.DOTALL)
    done = subprocess.run(
        ["git", "apply", "--check", "-"],
        cwd=ROOT,
        input=patch,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr}\nmake the example anew"
