"""What has no order on a GPU, such as the groups of a groupby, gets one here that is always the same, so that a program repeats.

In `varying` it is another one at each call: a program that relies on two calls having one order fails there, as it may on a GPU.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator

_turns: Iterator[int] | None = None


@contextlib.contextmanager
def varying() -> Iterator[None]:
    """In the block each call has an order of its own; the same calls in the same order have the same ones each time."""
    global _turns
    before, _turns = _turns, itertools.count(1)
    try:
        yield
    finally:
        _turns = before


def turn() -> int:
    """A number that goes into the order: 0, but in `varying` another one at each call."""
    return 0 if _turns is None else next(_turns)
