"""Unit 02, memory: bytes, passes and temporaries, and how to do with fewer of each."""

from __future__ import annotations

from .fuse import FUSE
from .leak import LEAK
from .passes import PASSES
from .single import SINGLE
from .softmax import SOFTMAX
from .worth import WORTH

PROBLEMS = (PASSES, FUSE, LEAK, SINGLE, WORTH, SOFTMAX)
"""From easy to hard."""
