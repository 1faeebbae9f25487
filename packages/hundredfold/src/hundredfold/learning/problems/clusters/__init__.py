"""Unit 11, clusters: what lies where, futures that follow results, when to distribute, and a worker that dies."""

from __future__ import annotations

from .foretell import FORETELL
from .histogram import HISTOGRAM
from .scores import SCORES
from .search import SEARCH
from .worth import WORTH

PROBLEMS = (SCORES, FORETELL, SEARCH, WORTH, HISTOGRAM)
"""From easy to hard."""
