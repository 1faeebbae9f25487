"""Resources that watch, limit or log what passes through them."""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable
from datetime import datetime
from typing import Any

from rmm.pylibrmm.helper import format_bytes
from rmm.pylibrmm.stream import DEFAULT_STREAM

from gpusim.device import device

from ._base import DeviceMemoryResource, ForeignBlock, UpstreamResourceAdaptor, out_of_memory
from ._pools import align_up


class CallbackMemoryResource(DeviceMemoryResource):
    """Memory from functions of the user's: ``allocate_func(nbytes, stream) -> address``, ``deallocate_func(address, …)``."""

    def __init__(self, allocate_func: Callable[..., int], deallocate_func: Callable[..., None]) -> None:
        super().__init__()
        self._allocate_func = allocate_func
        self._deallocate_func = deallocate_func

    def _take(self, nbytes: int) -> Any:
        return ForeignBlock(int(self._allocate_func(nbytes, DEFAULT_STREAM)), nbytes)

    def _give(self, block: Any, nbytes: int) -> None:
        self._deallocate_func(block.ptr, nbytes, DEFAULT_STREAM)


class LimitingResourceAdaptor(UpstreamResourceAdaptor):
    """Refuses what would exceed ``allocation_limit`` bytes, counted in steps of 256."""

    def __init__(self, upstream_mr: DeviceMemoryResource, allocation_limit: int) -> None:
        super().__init__(upstream_mr)
        self._limit = int(allocation_limit)
        self._allocated = 0

    def get_allocated_bytes(self) -> int:
        """Bytes given out now."""
        return self._allocated

    def get_allocation_limit(self) -> int:
        """The limit in bytes."""
        return self._limit

    def _take(self, nbytes: int) -> Any:
        if self._allocated + align_up(nbytes) > self._limit:
            raise out_of_memory(
                "RMM failure at:rmm/mr/limiting_resource_adaptor.hpp: Exceeded memory limit (failed to allocate "
                f"{format_bytes(nbytes)})"
            )
        block = super()._take(nbytes)
        self._allocated += align_up(nbytes)
        return block

    def _give(self, block: Any, nbytes: int) -> None:
        self._allocated -= align_up(nbytes)
        super()._give(block, nbytes)


class LoggingResourceAdaptor(UpstreamResourceAdaptor):
    """Writes a line of CSV for each allocation and deallocation: thread, time, action, address, bytes, stream."""

    def __init__(self, upstream_mr: DeviceMemoryResource, log_file_name: str | None = None) -> None:
        super().__init__(upstream_mr)
        log_file_name = log_file_name or os.getenv("RMM_LOG_FILE")
        if not log_file_name:
            raise ValueError(
                "RMM log file must be specified either using log_file_name= argument or RMM_LOG_FILE environment variable"
            )
        name, extension = os.path.splitext(log_file_name)
        self._log_file_name = os.path.abspath(f"{name}.dev{device.current()}{extension}")
        self._file = open(self._log_file_name, "w")  # noqa: SIM115 - it lives as long as this does
        self._file.write("Thread,Time,Action,Pointer,Size,Stream\n")

    def flush(self) -> None:
        """Write what waits."""
        self._file.flush()

    def get_file_name(self) -> str:
        """Where the log is: the name asked for with the device's number in it."""
        return self._log_file_name

    def _line(self, action: str, ptr: int, nbytes: int) -> None:
        now = datetime.now().strftime("%H:%M:%S:%f")
        self._file.write(f"{threading.get_native_id()},{now},{action},{ptr:#x},{nbytes},0x0\n")

    def _take(self, nbytes: int) -> Any:
        try:
            block = super()._take(nbytes)
        except MemoryError:
            self._line("allocate failure", 0, nbytes)
            raise
        self._line("allocate", block.ptr, nbytes)
        return block

    def _give(self, block: Any, nbytes: int) -> None:
        if not self._file.closed:  # at the interpreter's end it may be
            self._line("free", block.ptr, nbytes)
        super()._give(block, nbytes)


class StatisticsResourceAdaptor(UpstreamResourceAdaptor):
    """Counts bytes and allocations: now, at the most, altogether. Counters can be pushed and popped."""

    def __init__(self, upstream_mr: DeviceMemoryResource) -> None:
        super().__init__(upstream_mr)
        self._stack = [_Counters()]

    @property
    def allocation_counts(self) -> Any:
        """The counters on top, as `rmm.statistics.Statistics`."""
        return self._stack[-1].statistics()

    def push_counters(self) -> Any:
        """Begin to count anew; the statistics before that."""
        before = self.allocation_counts
        self._stack.append(_Counters())
        return before

    def pop_counters(self) -> Any:
        """End the newest counting and add it to the one below; its statistics."""
        if len(self._stack) == 1:
            raise IndexError("cannot pop the last allocation counter")
        top = self._stack.pop()
        self._stack[-1].add(top)
        return top.statistics()

    def _take(self, nbytes: int) -> Any:
        block = super()._take(nbytes)
        self._stack[-1].change(nbytes, 1)
        return block

    def _give(self, block: Any, nbytes: int) -> None:
        self._stack[-1].change(-nbytes, -1)
        super()._give(block, nbytes)


class _Counters:
    """Bytes and allocations, each now, at the most and altogether."""

    def __init__(self) -> None:
        self.now, self.peak, self.total = [0, 0], [0, 0], [0, 0]

    def change(self, nbytes: int, count: int) -> None:
        for i, change in enumerate((nbytes, count)):
            self.now[i] += change
            self.total[i] += max(change, 0)
            self.peak[i] = max(self.peak[i], self.now[i])

    def add(self, inner: _Counters) -> None:
        """Take in what was counted inside."""
        for i in (0, 1):
            self.peak[i] = max(self.peak[i], self.now[i] + inner.peak[i])
            self.now[i] += inner.now[i]
            self.total[i] += inner.total[i]

    def statistics(self) -> Any:
        from rmm.statistics import Statistics

        return Statistics(
            current_bytes=self.now[0], current_count=self.now[1], peak_bytes=self.peak[0], peak_count=self.peak[1],
            total_bytes=self.total[0], total_count=self.total[1],
        )  # fmt: skip


class TrackingResourceAdaptor(UpstreamResourceAdaptor):
    """Knows each allocation that is not given back yet, and where it was made if asked to."""

    def __init__(self, upstream_mr: DeviceMemoryResource, capture_stacks: bool = False) -> None:
        super().__init__(upstream_mr)
        self._capture = capture_stacks
        self._known: dict[int, tuple[int, str]] = {}

    def get_allocated_bytes(self) -> int:
        """Bytes given out now."""
        return sum(nbytes for nbytes, _ in list(self._known.values()))

    def get_outstanding_allocations_str(self) -> str:
        """A line for each allocation: address and bytes, and the stack where it was captured."""
        return "".join(f"{ptr:#x}: {nbytes} B{stack}\n" for ptr, (nbytes, stack) in list(self._known.items()))

    def log_outstanding_allocations(self) -> None:
        """Print them where a debug build of RMM logs."""

    def _take(self, nbytes: int) -> Any:
        block = super()._take(nbytes)
        stack = " : callstack:\n" + "".join(traceback.format_stack()[:-2]) if self._capture else ""
        self._known[block.ptr] = (nbytes, stack)
        return block

    def _give(self, block: Any, nbytes: int) -> None:
        self._known.pop(block.ptr, None)
        super()._give(block, nbytes)


class FailureCallbackResourceAdaptor(UpstreamResourceAdaptor):
    """Where memory runs out, calls ``callback(nbytes)`` and tries again as long as that returns True."""

    def __init__(self, upstream_mr: DeviceMemoryResource, callback: Callable[[int], bool]) -> None:
        super().__init__(upstream_mr)
        self._callback = callback

    def _take(self, nbytes: int) -> Any:
        while True:
            try:
                return super()._take(nbytes)
            except MemoryError:
                if not self._callback(nbytes):
                    raise


class PrefetchResourceAdaptor(UpstreamResourceAdaptor):
    """Brings managed memory to the device when it is allocated; in simulation it is there."""

    def __init__(self, upstream_mr: DeviceMemoryResource) -> None:
        super().__init__(upstream_mr)
