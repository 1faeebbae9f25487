"""Unit 08, merges: which rows match, how many come out, in what order, and whether that belongs on a GPU."""

from __future__ import annotations

from .asof import ASOF
from .attach import ATTACH
from .count import COUNT
from .days import DAYS
from .unknown import UNKNOWN
from .worth import WORTH

PROBLEMS = (COUNT, ATTACH, UNKNOWN, DAYS, WORTH, ASOF)
"""From easy to hard."""
