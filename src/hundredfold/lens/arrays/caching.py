"""Which of the bytes that launches touch still lie in the GPU's L2 cache, and which come from memory.

A plain model: the cache keeps whole pieces of memory, the least recently used goes first, what is larger than the cache is
never in it.  In the beginning it is empty, as for code that runs once.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from .events import Event, Span


@dataclass
class _Piece:
    nbytes: int
    dirty: bool = False


def from_memory(events: list[Event], capacity: int) -> list[float | None]:
    """For each event, the bytes between memory and L2; None for transfers, and where it is not known what is touched.

    Parameters
    ----------
    events : list of Event
    capacity : int
        Bytes of the cache.
    """
    held: OrderedDict[tuple[int, int], _Piece] = OrderedDict()
    found: list[float | None] = []
    for event in events:
        if not event.on_device:
            # A copy goes past the cache, and what it overwrites is not worth keeping.
            for span in event.writes:
                held.pop((span.low, span.high), None)
            found.append(None)
            continue
        nbytes = 0.0
        seen = 0
        for span in event.reads:
            nbytes += _touched(held, span, capacity, dirty=False)
            seen += span.nbytes
        for span in event.writes:
            nbytes += _touched(held, span, capacity, dirty=True)
            seen += span.nbytes
        rest = max(0, event.moved - seen)  # touched, but not known where
        found.append(nbytes + rest + _trim(held, capacity - min(rest, capacity)) if event.known else None)
    return found


def _touched(held: OrderedDict, span: Span, capacity: int, *, dirty: bool) -> float:
    key = (span.low, span.high)
    piece = held.pop(key, None)
    missed = 0.0
    if span.nbytes > capacity:
        return float(span.nbytes)
    if piece is None:
        piece = _Piece(span.nbytes)
        missed = 0.0 if dirty else float(span.nbytes)
    piece.dirty = piece.dirty or dirty
    held[key] = piece
    return missed + _trim(held, capacity)


def _trim(held: OrderedDict, capacity: int) -> float:
    """Throw out what does not fit; gives the bytes that have to be written back."""
    back = 0.0
    total = sum(piece.nbytes for piece in held.values())
    while total > capacity:
        _, piece = held.popitem(last=False)
        total -= piece.nbytes
        back += piece.nbytes if piece.dirty else 0
    return back
