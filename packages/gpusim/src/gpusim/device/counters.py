"""What the simulated device did: totals that only grow, and a bounded log of recent launches.

Work is counted when it is *enqueued*, as CuPy would launch it, because that is what a learner wrote.  Bytes are the
sizes of the operands a kernel reads and writes once each: the least that an unfused kernel can move.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple, SupportsIndex

LOG_LENGTH = 10_000


class Launch(NamedTuple):
    """One entry of the log.

    Attributes
    ----------
    name : str
        The kernel as CuPy names it (``cupy_add``), or ``memcpy HtoD`` and the like for a transfer.
    bytes_read, bytes_written : int
        Device memory read and written, in bytes.
    kind : str
        ``"kernel"``, ``"h2d"``, ``"d2h"`` or ``"d2d"``.
    """

    name: str
    bytes_read: int
    bytes_written: int
    kind: str = "kernel"


class Counters(NamedTuple):
    """A snapshot of the totals since the process began.  Subtract two to get what happened between them.

    Transfers are not kernels: they stand in the ``h2d`` and ``d2h`` fields, and their bytes are not in
    ``bytes_read`` and ``bytes_written``.
    """

    kernels: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    h2d_bytes: int = 0
    h2d_count: int = 0
    d2h_bytes: int = 0
    d2h_count: int = 0
    syncs: int = 0

    @property
    def bytes(self) -> int:
        """Device memory traffic of the kernels: read plus written, in bytes."""
        return self.bytes_read + self.bytes_written

    def __sub__(self, other: Counters) -> Counters:
        return Counters(*(a - b for a, b in zip(self, other, strict=True)))


# The queue adds to these under its own lock.  A list, because adding to its items is several times cheaper than to
# attributes, and this is on the path of every launch.
totals = [0] * len(Counters._fields)


class Log(deque[tuple[str, int, int, str]]):
    """Launches, kept as plain tuples: making one of a `Launch` takes as long as half of the rest of a submission."""

    def __iter__(self) -> Iterator[Launch]:
        return map(Launch._make, super().__iter__())

    def __getitem__(self, index: SupportsIndex, /) -> Launch:
        return Launch._make(super().__getitem__(index))


log = Log(maxlen=LOG_LENGTH)

KERNELS, READ, WRITTEN, H2D_BYTES, H2D_COUNT, D2H_BYTES, D2H_COUNT, SYNCS = range(len(Counters._fields))
