"""Criteria and kinds of steps that figures compare, and the fiducial setting of the paper."""

from __future__ import annotations

from python.option_table import commands

_OPTIONS = commands()["gothic run"].options
CRITERIA = tuple(_OPTIONS["mac"].choices)
STEP_MODES = tuple(_OPTIONS["step"].choices)
FIDUCIAL = {"criterion": "acceleration", "accuracy": 2.0**-7}
