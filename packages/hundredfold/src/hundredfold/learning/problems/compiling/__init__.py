"""Unit 04, compiling: loops as machine code, on one core and on all, and what a compiler takes for granted."""

from __future__ import annotations

from .edges import EDGES
from .follow import FOLLOW
from .histogram import HISTOGRAM
from .steps import STEPS
from .types import TYPES
from .worth import WORTH

PROBLEMS = (FOLLOW, EDGES, TYPES, HISTOGRAM, WORTH, STEPS)
"""From easy to hard."""
