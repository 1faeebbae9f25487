"""Unit 07, dataframes: pandas code on cuDF, nulls and the order of groups, what a table weighs and what fetching it costs."""

from __future__ import annotations

from .fee import FEE
from .pairs import PAIRS
from .port import PORT
from .storage import STORAGE
from .weigh import WEIGH
from .worth import WORTH

PROBLEMS = (PORT, PAIRS, WEIGH, FEE, WORTH, STORAGE)
"""From easy to hard."""
