"""Unit 12, svd: a matrix in pieces: what crosses the wire, how to cut it, what squaring loses, and when not to distribute."""

from __future__ import annotations

from .choose import CHOOSE
from .chunks import CHUNKS
from .gram import GRAM
from .images import IMAGES
from .wire import WIRE

PROBLEMS = (WIRE, CHUNKS, GRAM, CHOOSE, IMAGES)
"""From easy to hard."""
