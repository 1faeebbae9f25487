"""Unit 09, learning: models on a GPU: when two are the same, what a search costs, what may not leak, what stays behind."""

from __future__ import annotations

from .cost import COST
from .leak import LEAK
from .pagerank import PAGERANK
from .same import SAME
from .worth import WORTH

PROBLEMS = (SAME, COST, LEAK, WORTH, PAGERANK)
"""From easy to hard."""
