"""Unit 01, arrays: NumPy code on the device, timed without fooling oneself, where it pays and where it does not."""

from __future__ import annotations

from .clock import CLOCK
from .count import COUNT
from .lean import LEAN
from .port import PORT
from .possible import POSSIBLE
from .worth import WORTH

PROBLEMS = (PORT, COUNT, CLOCK, POSSIBLE, WORTH, LEAN)
"""From easy to hard."""
