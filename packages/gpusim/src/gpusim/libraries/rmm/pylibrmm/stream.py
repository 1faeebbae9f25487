"""Streams: names for the one queue of the simulated device."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from gpusim.device import activity, queue


class CudaStreamFlags(IntEnum):
    """How a new stream treats the default one."""

    SYNC_DEFAULT = 0
    NON_BLOCKING = 1


class Stream:
    """A stream: a new one, or that of an object of CuPy or Numba, or of any with ``__cuda_stream__``."""

    def __init__(self, obj: Any = None, flags: CudaStreamFlags | None = None) -> None:
        if obj is not None and flags is not None:
            raise ValueError(
                "flags may only be specified when obj is None; flags cannot be applied to an existing stream."
            )
        self._owner = obj
        if obj is None:
            self._handle = next(activity.handles)
        elif isinstance(obj, Stream):
            self._handle, self._owner = obj._handle, obj._owner
        elif hasattr(obj, "__cuda_stream__"):
            version, self._handle = obj.__cuda_stream__()
            if version != 0:
                raise NotImplementedError(
                    f"RMM does not currently support the CUDA Stream Protocol version: '{version}'."
                )
        elif type(obj).__module__.startswith("numba.cuda"):
            self._handle = int(obj)
        elif type(obj).__module__.startswith("cupy"):
            self._handle = obj.ptr
        else:
            raise TypeError(f"Cannot create stream from {type(obj)}")

    @classmethod
    def _of(cls, handle: int) -> Stream:
        stream = cls.__new__(cls)
        stream._handle, stream._owner = handle, None
        return stream

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._handle

    def synchronize(self) -> None:
        """Wait for its work."""
        queue.synchronize(self._handle)

    def is_default(self) -> bool:
        """Whether it is the default stream."""
        return self._handle in (0, 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other._handle == self._handle

    def __hash__(self) -> int:
        return hash(self._handle)


DEFAULT_STREAM = Stream._of(0)
LEGACY_DEFAULT_STREAM = Stream._of(1)
PER_THREAD_DEFAULT_STREAM = Stream._of(2)


def as_stream(stream: Any) -> Stream:
    """A stream, as each function that takes one accepts it."""
    return stream if isinstance(stream, Stream) else Stream(stream)
