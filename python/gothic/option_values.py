"""What the options of the programs take: judged and worded by the programs' own code.

>>> from gothic.option_values import refusal, values_of
>>> values_of("gothic run", "eta")
'number above 0'
>>> refusal("gothic run", "eta", "-2")
'-2 is no number above 0; correct it'
"""

from __future__ import annotations

from gothic._gothic import refusal, values_of

__all__ = ["refusal", "values_of"]
