"""Unit 03, protocols: code for any library's arrays, and arrays that change hands without a copy."""

from __future__ import annotations

from .adopt import ADOPT
from .anywhere import ANYWHERE
from .blend import BLEND
from .moved import MOVED
from .send import SEND
from .worth import WORTH

PROBLEMS = (MOVED, ANYWHERE, ADOPT, SEND, WORTH, BLEND)
"""From easy to hard."""
