"""Unit 16, profiling: what the host waits for, what it asks the driver for, what runs beside what, and what to change first."""

from __future__ import annotations

from .amdahl import AMDAHL
from .first import FIRST
from .overlap import OVERLAP
from .pipeline import PIPELINE
from .reuse import REUSE
from .waits import WAITS

PROBLEMS = (WAITS, REUSE, OVERLAP, AMDAHL, FIRST, PIPELINE)
"""From easy to hard."""
