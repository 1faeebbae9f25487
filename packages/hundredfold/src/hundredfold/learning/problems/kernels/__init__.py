"""Unit 05, kernels: one thread for each element, what each of them touches, and what they may not touch together."""

from __future__ import annotations

from .fastest import FASTEST
from .guard import GUARD
from .histogram import HISTOGRAM
from .launch import LAUNCH
from .smooth import SMOOTH
from .worth import WORTH

PROBLEMS = (LAUNCH, GUARD, SMOOTH, HISTOGRAM, WORTH, FASTEST)
"""From easy to hard."""
