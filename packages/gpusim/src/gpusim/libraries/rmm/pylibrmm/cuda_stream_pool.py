"""Some streams to take turns with."""

from __future__ import annotations

import itertools

from .stream import CudaStreamFlags, Stream


class CudaStreamPool:
    """Streams that are given out in turn, or by number."""

    def __init__(self, pool_size: int = 16, flags: CudaStreamFlags = CudaStreamFlags.SYNC_DEFAULT) -> None:
        if pool_size < 1:
            raise RuntimeError("Stream pool size must be greater than zero")
        self._streams = [Stream(flags=flags) for _ in range(pool_size)]
        self._turn = itertools.count()

    def get_stream(self, stream_id: int | None = None) -> Stream:
        """The next stream, or the one of a number."""
        return self._streams[(next(self._turn) if stream_id is None else stream_id) % len(self._streams)]

    def get_pool_size(self) -> int:
        """How many there are."""
        return len(self._streams)
