"""Unit 15, capstone: two tracks to choose from, each six milestones from raw records to a finished picture.

The first two milestones, a plan, are those of both: what a run at full size will need, and which stage belongs where.
"""

from __future__ import annotations

from .budget import BUDGET
from .days import DAYS
from .futures import FUTURES
from .light import LIGHT
from .median import MEDIAN
from .patches import PATCHES
from .prepare import PREPARE
from .propagate import PROPAGATE
from .wall import WALL
from .worth import WORTH

PROBLEMS = (BUDGET, WORTH, PREPARE, PROPAGATE, DAYS, FUTURES, LIGHT, MEDIAN, PATCHES, WALL)
"""The plan; then the flights, then the pictures, each in the order in which they build on each other."""
