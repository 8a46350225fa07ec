"""The names of the study: settings, runs, and the paths that carry them."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CRITERIA = ("acceleration", "multipole", "opening")
STEP_MODES = ("block", "shared")
KILOPARSEC = 3.085678e21  # cm
MYR = 3.15576e13  # s


@dataclass(frozen=True)
class Setting:
    """An acceptance criterion and its accuracy parameter.

    Attributes
    ----------
    criterion
        One of `CRITERIA`.
    accuracy
        Delta_acc, Delta_mul (powers of two) or the opening angle theta. Delta_mul is an
        acceleration, in the units of `acceleration_unit`.
    """

    criterion: str
    accuracy: float

    @property
    def label(self) -> str:
        """Spelling used in file names: ``acceleration_2pow-07``, ``opening_0.5``."""
        if self.criterion == "opening":
            return f"opening_{self.accuracy:g}"
        return f"{self.criterion}_2pow{round(math.log2(self.accuracy)):+03d}"

    def option(self, unit: float = 1.0) -> str:
        """Write the exact value as the simulator's command line takes it.

        Parameters
        ----------
        unit
            Unit of Delta_mul, in the units of the particles.
        """
        return repr(self.accuracy * unit if self.criterion == "multipole" else self.accuracy)

    @classmethod
    def from_label(cls, label: str) -> Setting:
        """Read the spelling of `label`.

        Raises
        ------
        ValueError
            If the label is not one that `label` writes.
        """
        if match := re.fullmatch(r"(acceleration|multipole)_2pow([+-]\d\d)", label):
            return cls(match[1], 2.0 ** int(match[2]))
        if match := re.fullmatch(r"opening_(\d+(?:\.\d+)?(?:e-\d+)?)", label):
            return cls("opening", float(match[1]))
        raise ValueError(f"{label}: not the name of a setting such as acceleration_2pow-07")


def acceleration_unit(model: Path) -> float:
    """Find what Delta_mul is a multiple of, in the units of a model file.

    The model's own unit where G = 1; kpc / (100 Myr)^2 where the units are physical, as the
    numbers of Miki & Umemura (2017) for M31 are.
    """
    units = tomllib.loads(model.read_text()).get("units", {})
    length = units.get("length_in_cm", 1.0)
    velocity = units.get("velocity_in_cm_per_s", 1.0)
    if all(value == 1.0 for value in units.values()):
        return 1.0
    return KILOPARSEC / (100 * MYR) ** 2 / (velocity**2 / length)


def has_disc(model: Path) -> bool:
    """Whether a model file has a disc among its components."""
    components = tomllib.loads(model.read_text()).get("component", [])
    return any("disc" in component.get("profile", "") for component in components)


FIDUCIAL = Setting("acceleration", 2.0**-7)


def model_of(sample: str) -> str:
    """Name the model behind a sample such as ``nfw_N131072_s1``."""
    return str(sample).split("_N")[0]


def settings(sweep: Mapping[str, Mapping[str, list[float]]]) -> list[Setting]:
    """List the settings of a configuration's ``sweep`` section, criterion by criterion."""
    found = []
    for criterion in CRITERIA:
        section = sweep.get(criterion, {})
        found += [Setting(criterion, 2.0**exponent) for exponent in section.get("exponents", [])]
        found += [Setting(criterion, float(angle)) for angle in section.get("angles", [])]
    return found


@dataclass(frozen=True)
class Run:
    """One timed run; its folder is ``run/<mode>_<steps>steps/<setting>/repeat<n>``."""

    setting: Setting
    mode: str
    steps: int
    repeat: int

    @property
    def folder(self) -> str:
        """Folder of the run, relative to the folder of its sample."""
        return f"run/{self.mode}_{self.steps}steps/{self.setting.label}/repeat{self.repeat}"

    @classmethod
    def from_path(cls, path: Path) -> Run:
        """Read the run's parameters from the path of a file in its folder.

        Raises
        ------
        ValueError
            If the path does not lie in a folder of a run.
        """
        parts = path.parts[-4:-1]
        if len(parts) == 3:
            mode = re.fullmatch(r"(block|shared)_(\d+)steps", parts[0])
            repeat = re.fullmatch(r"repeat(\d+)", parts[2])
            if mode and repeat:
                return cls(Setting.from_label(parts[1]), mode[1], int(mode[2]), int(repeat[1]))
        raise ValueError(f"{path}: not in a folder such as block_64steps/opening_0.5/repeat1")
