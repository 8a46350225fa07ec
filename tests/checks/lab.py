"""A repository with a clone where nightly jobs are run, which take no time."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.conftest import ROOT

# `record` adds a line where a night has something new; `history` fails once there is a line "slow".
MAKEFILE = """\
record:
\t[ -z "$$NEW" ] || echo "$$NEW on $(DEVICE)" >> $(HISTORY)
history:
\tcat $(HISTORY)
\t! grep -q slow $(HISTORY)
"""


class Lab:
    """A repository, with a clone where each night is spent."""

    def __init__(self, folder: Path) -> None:
        self.remote, self.clone = folder / "remote.git", folder / "clone"
        git(folder, "init", "--quiet", "--bare", "--initial-branch=main", self.remote)
        git(folder, "clone", "--quiet", self.remote, self.clone)
        for name in ("tools", "config/ci"):
            (self.clone / name).mkdir(parents=True)
        for name in ("tools/nightly.sh", "config/ci/nightly.sbatch"):
            shutil.copy(ROOT / name, self.clone / name)
        (self.clone / "Makefile").write_text(MAKEFILE)
        (self.clone / ".gitignore").write_text("/build*/\n")
        git(self.clone, "add", ".")
        git(self.clone, "commit", "--quiet", "-m", "All")
        git(self.clone, "push", "--quiet", "origin", "HEAD:main")

    def night(
        self, new: str, *arguments: str, clone: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Spend a night."""
        return subprocess.run(
            ["tools/nightly.sh", *arguments],
            cwd=clone or self.clone,
            env=os.environ | {"NEW": new} | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def kept(self) -> list[str]:
        """Read the lines of the branch."""
        return git(self.remote, "show", "history:history.jsonl").splitlines()


def git(folder: Path, *words: object) -> str:
    """Call git, as somebody."""
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@localhost")
    done = subprocess.run(
        ["git", *who, *map(str, words)], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout
