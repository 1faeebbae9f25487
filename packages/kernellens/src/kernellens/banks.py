"""Bank conflicts of shared memory.

Shared memory has 32 banks, successive 4-byte words in successive banks, and each bank serves one word a cycle; lanes that
want the same word share it [CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later].  Wider
accesses are served half a warp (8 bytes) or a quarter (16 bytes) at a time; no instruction moves another number of bytes, so
a record that is copied whole moves in pieces of 8 bytes, or of what its size is a multiple of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gpusim.kernels.sanitizer.log import Log

from .requests import Requests, distinct, requests

BANKS = 32
WORD = 4
WIDTHS = (1, 2, 4, 8, 16)
"""Bytes that one instruction moves for a lane."""


@dataclass(frozen=True)
class Conflicts:
    """The bank conflicts of one place in the source.

    Attributes
    ----------
    line : int
    function : str
        The device function it is in; empty for the kernel.
    arrays : tuple of str
    text : str
    requests : int
    cycles : int
        Cycles that the banks need for the requests.
    extra : int
        Of these, those that conflicts cost.
    worst : int
        Ways of the worst conflict: 1 is none.
    """

    line: int
    function: str
    arrays: tuple[str, ...]
    text: str
    requests: int
    cycles: int
    extra: int
    worst: int


def conflicts(log: Log) -> list[Conflicts]:
    """Return the conflicts of each place in the source that touches shared memory, in the order of the source."""
    found = [_of(log, item) for item in requests(log, "shared")]
    return sorted(found, key=lambda c: (c.function, c.line))


def cycles_of(item: Requests) -> np.ndarray:
    """Cycles that the banks need for each request and each part of it that is served at a time, shape (requests, parts)."""
    width = item.nbytes if item.nbytes in WIDTHS else math.gcd(item.nbytes, 8)
    pieces = item.nbytes // width
    lanes = min(32, 32 * WORD // width)
    parts = 32 // lanes * pieces
    part = item.request * parts + item.lane // lanes * pieces
    first, words = item.address, max(1, width // WORD)
    if pieces > 1:
        part = np.repeat(part, pieces) + np.tile(np.arange(pieces), len(part))
        first = np.repeat(first, pieces) + np.tile(np.arange(pieces) * width, len(first))
    part, word = np.repeat(part, words), (first[:, None] // WORD + np.arange(words)).ravel()
    low = int(word.min())
    span = int(word.max()) - low + 1
    wanted, _ = distinct(part * span + (word - low))
    part, word = wanted // span, wanted % span + low
    slots, ways = distinct(part * BANKS + word % BANKS)
    cycles = np.zeros(item.count * parts, np.int64)
    np.maximum.at(cycles, slots // BANKS, ways)
    return cycles.reshape(item.count, parts)


def _of(log: Log, item: Requests) -> Conflicts:
    cycles = cycles_of(item)
    return Conflicts(
        line=item.site.line,
        function="" if item.site.function in ("", log.kernel) else item.site.function,
        arrays=item.arrays,
        text=item.site.text,
        requests=item.count,
        cycles=int(cycles.sum()),
        extra=int((cycles - 1)[cycles > 0].sum()),
        worst=int(cycles.max(initial=1)),
    )
