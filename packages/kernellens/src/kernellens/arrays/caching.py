"""Which of the bytes that launches touch still lie in the GPU's L2 cache, and which come from memory.

A plain model: the cache keeps whole pieces of memory, the least recently used goes first, what is larger than the cache is
never in it.  In the beginning it is empty, as for code that runs once.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from .events import Event, Span


class _Piece(NamedTuple):
    nbytes: int
    dirty: bool


def from_memory(events: list[Event], capacity: int) -> list[float | None]:
    """For each event, the bytes between memory and L2; None for transfers, and where it is not known what is touched.

    Parameters
    ----------
    events : list of Event
    capacity : int
        Bytes of the cache.
    """
    held = _Cache(capacity)
    found: list[float | None] = []
    for event in events:
        if not event.on_device:
            # A copy goes past the cache, and what it overwrites is not worth keeping.
            for span in event.writes:
                held.drop(span)
            found.append(None)
            continue
        nbytes = sum(held.touch(span, dirty=False) for span in event.reads)
        nbytes += sum(held.touch(span, dirty=True) for span in event.writes)
        rest = max(0, event.moved - sum(span.nbytes for span in (*event.reads, *event.writes)))
        nbytes += rest + held.trim(capacity - min(rest, capacity))  # touched too, but not known where
        found.append(float(nbytes) if event.known else None)
    return found


class _Cache:
    def __init__(self, capacity: int):
        self.capacity = capacity
        self.held: OrderedDict[tuple[int, int], _Piece] = OrderedDict()
        self.total = 0

    def drop(self, span: Span) -> _Piece | None:
        piece = self.held.pop((span.low, span.high), None)
        self.total -= piece.nbytes if piece is not None else 0
        return piece

    def touch(self, span: Span, *, dirty: bool) -> int:
        """Read or write a piece; gives the bytes that cross to and from memory for it."""
        piece = self.drop(span)
        if span.nbytes > self.capacity:
            return span.nbytes
        missed = span.nbytes if piece is None and not dirty else 0
        self.held[span.low, span.high] = _Piece(span.nbytes, dirty or piece is not None and piece.dirty)
        self.total += span.nbytes
        return missed + self.trim(self.capacity)

    def trim(self, capacity: int) -> int:
        """Throw out what does not fit; gives the bytes that have to be written back."""
        back = 0
        while self.total > capacity:
            _, piece = self.held.popitem(last=False)
            self.total -= piece.nbytes
            back += piece.nbytes if piece.dirty else 0
        return back
