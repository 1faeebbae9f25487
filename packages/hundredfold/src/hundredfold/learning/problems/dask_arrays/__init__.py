"""Unit 10, dask-arrays: chunks, graphs and what a scheduler costs."""

from __future__ import annotations

from .lean import LEAN
from .once import ONCE
from .plan import PLAN
from .port import PORT
from .smooth import SMOOTH
from .worth import WORTH

PROBLEMS = (PORT, SMOOTH, ONCE, PLAN, WORTH, LEAN)
"""From easy to hard."""
