"""Streams and events.  All streams share the engine's one queue, in order of submission: an order that CUDA allows too."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from gpusim.device import activity, queue
from gpusim.kernels.driver_errors import CudaAPIError

LEGACY, PER_THREAD = 1, 2


class Stream:
    """A stream of work.

    Parameters
    ----------
    handle : int
        0 is the default stream.
    external : bool
        Whether another library made it.
    """

    def __init__(self, handle: Any, finalizer: Any = None, external: bool = False):
        self.handle = int(getattr(handle, "value", handle) or 0)
        self.external = external

    def __int__(self) -> int:
        return self.handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle

    def __repr__(self) -> str:
        known = {0: "<Default CUDA stream>", 1: "<Legacy default CUDA stream>", 2: "<Per-thread default CUDA stream>"}
        text = f"<External CUDA stream {self.handle}>" if self.external else f"<CUDA stream {self.handle}>"
        return known.get(self.handle, text)

    def synchronize(self) -> None:
        """Wait for the work on the stream: all work, as all streams share one queue."""
        queue.synchronize(self.handle)

    @contextlib.contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Wait for the work on the stream at the end of a ``with`` block."""
        yield self
        self.synchronize()

    def add_callback(self, callback: Callable[[Stream, int, Any], None], arg: Any = None) -> None:
        """Call ``callback(stream, status, arg)`` in another thread when the work before it is done."""
        queue.submit_uncounted("host function", _call, (callback, self, arg))
        threading.Thread(target=_work_off, name="CUDA stream callback", daemon=True).start()

    def async_done(self) -> asyncio.Future:
        """An awaitable that resolves to the stream when the work before it is done."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def resolve() -> None:
            if not future.done():
                future.set_result(self)

        self.add_callback(lambda stream, status, arg: loop.call_soon_threadsafe(resolve))
        return future


def _call(callback: Callable, stream: Stream, arg: Any) -> None:
    try:
        callback(stream, 0, arg)
    except Exception as error:
        warnings.warn(f"Exception in stream callback: {error}", stacklevel=2)


def _work_off() -> None:
    """Run what waits, for who waits for a callback; an operation's failure is kept for the next synchronisation."""
    failures = []
    while queue.pending():
        try:
            queue.drain()
        except Exception as error:
            failures.append(error)
    for error in failures:
        queue.submit_uncounted("failure", _raise, (error,))


def _raise(error: Exception) -> None:
    raise error


def of(stream: Any) -> Any:
    """What a launch may be given as its stream: 0, None or a Stream.

    Raises
    ------
    TypeError
        For anything else, as numba-cuda.
    """
    if not stream or isinstance(stream, Stream):
        return stream or 0
    raise TypeError(
        f"Expected a Stream object, ExperimentalStream, GraphBuilder, or 0, got {type(stream).__name__}. "
        "A stream of another library becomes one by cuda.external_stream(its handle)."
    )


class Event:
    """A point in the work of a stream.

    Recording one runs all work submitted before it and takes the time, so the time between two events is that of the
    simulated work between them, launching it included.
    """

    def __init__(self, handle: Any = None, finalizer: Any = None, timing: bool = True):
        self.handle = next(activity.handles)
        self._timing = timing
        self._time: float | None = None

    def record(self, stream: Any = 0) -> None:
        """Record the event on a stream."""
        _check(stream)
        activity.note("record", stream=int(stream or 0), key=self.handle)
        queue.drain()
        self._time = time.perf_counter()

    def query(self) -> bool:
        """Whether the work before the event is done."""
        return True

    def synchronize(self) -> None:
        """Wait for the work before the event."""
        queue.synchronize(event=self.handle)

    def wait(self, stream: Any = 0) -> None:
        """Order later work of a stream after the event: in the one queue it is."""
        _check(stream)
        activity.note("after", stream=int(stream or 0), key=self.handle)

    def elapsed_time(self, evtend: Event) -> float:
        """Milliseconds to another event, of this CPU."""
        return event_elapsed_time(self, evtend)


def _check(stream: Any) -> None:
    if stream is not None and not isinstance(stream, Stream) and stream != 0:
        raise TypeError(f"Expected a Stream object or 0, got {type(stream).__name__}")


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """Milliseconds between two recorded events; printed, it says that they were simulated.

    Raises
    ------
    CudaAPIError
        If one was not recorded or does not take times.
    """
    if evtstart._time is None or evtend._time is None or not (evtstart._timing and evtend._timing):
        which = "was made with timing=False" if evtstart._time and evtend._time else "was never recorded: call record()"
        raise CudaAPIError(400, f"Call to cuEventElapsedTime results in CUDA_ERROR_INVALID_HANDLE: an event {which}")
    return activity.SimulatedMilliseconds((evtend._time - evtstart._time) * 1e3)


def new_stream() -> Stream:
    """A stream with a handle of its own."""
    return Stream(next(activity.handles))
