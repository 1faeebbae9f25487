"""What requests move of global memory, in sectors of 32 bytes.

The memory of a GPU is read and written in sectors of 32 bytes, four to a cache line; a request moves each sector that one
of its lanes touches, whole [NVIDIA, Nsight Compute documentation, "Memory tables": sectors per request].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpusim.device.indices import indices
from gpusim.kernels.sanitizer.log import Log

from .requests import Requests, pairs, requests

SECTOR = 32


@dataclass(frozen=True)
class Traffic:
    """What one place in the source moves of global memory.

    Attributes
    ----------
    line : int
        1-based, in the source of `function`.
    function : str
        The device function it is in; empty for the kernel.
    kind : str
        ``"read"``, ``"write"`` or ``"atomic"``.
    arrays : tuple of str
    text : str
        The access as it is written.
    requests : int
        How often a warp asked.
    sectors : int
        32-byte sectors moved.
    asked : int
        Bytes asked for; those that several lanes of a request ask for count once.
    fewest : int
        Sectors that the same bytes would fill if they lay together.
    """

    line: int
    function: str
    kind: str
    arrays: tuple[str, ...]
    text: str
    requests: int
    sectors: int
    asked: int
    fewest: int

    @property
    def per_request(self) -> float:
        """Sectors moved for each request."""
        return self.sectors / self.requests

    @property
    def efficiency(self) -> float:
        """Bytes asked for / bytes moved, 0 to 1."""
        return self.asked / (self.sectors * SECTOR)


def traffic(log: Log) -> list[Traffic]:
    """Return the traffic of each place in the source, in the order of the source."""
    found = [_of(log, item) for item in requests(log, "global")]
    return sorted(found, key=lambda t: (t.function, t.line))


def _of(log: Log, item: Requests) -> Traffic:
    first, last = item.address // SECTOR, (item.address + item.nbytes - 1) // SECTOR
    request, sector = item.request, first
    for step in range(1, int((last - first).max(initial=0)) + 1):  # an access that lies across sectors
        more = first + step <= last
        request, sector = np.concatenate([request, item.request[more]]), np.concatenate([sector, (first + step)[more]])
    places, _ = pairs(item.request, item.address)
    asked = np.bincount(indices(places), minlength=item.count) * item.nbytes
    return Traffic(
        line=item.site.line,
        function="" if item.site.function in ("", log.kernel) else item.site.function,
        kind=item.site.kind,
        arrays=item.arrays,
        text=item.site.text,
        requests=item.count,
        sectors=len(pairs(request, sector)[0]),
        asked=int(asked.sum()),
        fewest=int((-(-asked // SECTOR)).sum()),
    )
