"""A kernel together with how it is to be launched."""

from __future__ import annotations

import pickle
from typing import Any

from . import _streams, _warn


class ForAll:
    """A kernel to be launched on at least ``ntasks`` threads of a 1-d grid."""

    def __init__(self, dispatcher: Any, ntasks: int, tpb: int, stream: Any, sharedmem: int):
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
        self.dispatcher, self.ntasks, self.thread_per_block = dispatcher, ntasks, tpb
        self.stream, self.sharedmem = stream, sharedmem

    def __call__(self, *args: Any) -> None:
        if self.ntasks == 0:
            return
        threads = self.thread_per_block or self.dispatcher._most_threads()
        blocks = (self.ntasks + threads - 1) // threads
        self.dispatcher[blocks, threads, self.stream, self.sharedmem](*args)


class _LaunchConfiguration:
    """A kernel with its grid, block, stream and dynamic shared memory: call it with the arguments.

    Attributes
    ----------
    griddim, blockdim : tuple of int
    stream : Stream or 0
    sharedmem : int
        Bytes.
    pre_launch_callbacks : list
        Called with ``(kernel, configuration)`` before each launch.
    """

    def __init__(self, dispatcher: Any, griddim: tuple, blockdim: tuple, stream: Any, sharedmem: int):
        self.dispatcher, self.griddim, self.blockdim = dispatcher, griddim, blockdim
        self.stream, self.sharedmem = _streams.of(stream), sharedmem
        self.pre_launch_callbacks: list = []
        blocks = griddim[0] * griddim[1] * griddim[2]
        if blocks < 128:
            _warn.performance_warning(
                "CUDA_LOW_OCCUPANCY_WARNINGS",
                f"Grid size {blocks} will likely result in GPU under-utilization due to low occupancy.",
            )

    def __call__(self, *args: Any) -> None:
        return self.dispatcher.call(args, self)

    def __getstate__(self) -> dict[str, Any]:
        if self.pre_launch_callbacks:
            raise pickle.PicklingError("Cannot pickle configured launches with pre-launch callbacks")
        return self.__dict__ | {"stream": int(self.stream)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.stream = _streams.Stream(state["stream"]) if state["stream"] else 0
