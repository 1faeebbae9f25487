"""Streams and events.  All streams share the one queue, in order of submission: an order that CUDA allows too."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from gpusim.device import activity, device, queue, shapes
from gpusim.importing.errors import NotSimulatedError

from .graph import Graph

_local = threading.local()


class Event:
    """A point in the work of a stream.

    Recording one runs all work submitted before it and takes the time, so the time between two events is that of
    the simulated work between them, launching it included.
    """

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False):
        if interprocess and not disable_timing:
            raise ValueError("Timing must be disabled for interprocess events")
        self.ptr = next(activity.handles)
        self._timing = not disable_timing
        self._time: float | None = None
        self._captured: queue.Capture | None = None

    def record(self, stream: Any = None) -> None:
        """Record the event on a stream."""
        ptr = activity.stream() if stream is None else stream.ptr
        self._captured = queue.capture if queue.capture is not None and ptr in queue.capture.streams else None
        if self._captured is not None:  # it orders the operations of a graph, which are in their order
            return
        activity.note("record", stream=ptr, key=self.ptr)
        queue.drain()
        self._time = time.perf_counter()

    @property
    def done(self) -> bool:
        """Whether the work before the event is done."""
        return True

    def synchronize(self) -> None:
        """Wait for the work before the event."""
        queue.synchronize(event=self.ptr)


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Milliseconds between two recorded events; printed, it says that they were simulated."""
    from .runtime import CUDARuntimeError

    if shapes.on:
        raise shapes.refuse("A time is asked for")
    if start_event._time is None or end_event._time is None or not (start_event._timing and end_event._timing):
        raise CUDARuntimeError(400)
    return activity.SimulatedMilliseconds((end_event._time - start_event._time) * 1e3)


class _BaseStream:
    def __init__(self, ptr: int, device_id: int):
        self.ptr = ptr
        self.device_id = device_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _BaseStream) and self.ptr == other.ptr

    def __hash__(self) -> int:
        return self.ptr

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.ptr} (device {self.device_id})>"

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.ptr

    def __enter__(self) -> Any:
        # As CuPy does: what a `with` goes back to is the stream of the `with` around it, and not one that `use` chose.
        self._check()
        _stack().append(getattr(_local, "entered", {}).get(device.current(), Stream.null))
        _enter(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _enter(_stack().pop())

    def use(self) -> Any:
        """Make this the current stream."""
        self._check()
        _set(self)
        return self

    def _check(self) -> None:
        here = device.current()
        if self.device_id not in (-1, here):
            raise RuntimeError(
                f"The device that the stream is created on ({self.device_id}) does not match with the current device "
                f"({here})"
            )

    @property
    def done(self) -> bool:
        """Whether all work on the stream is done."""
        return not queue.pending()

    @property
    def is_non_blocking(self) -> bool:
        """Whether the stream runs beside the null stream on a GPU."""
        return getattr(self, "_non_blocking", False)

    @property
    def priority(self) -> int:
        """Its priority."""
        return getattr(self, "_priority", 0)

    def synchronize(self) -> None:
        """Wait for the work on the stream."""
        queue.synchronize(self.ptr)

    def record(self, event: Event | None = None) -> Event:
        """Record an event on the stream."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Order later work after an event: it is, in the one queue."""
        if event._captured is not None and event._captured is queue.capture:
            event._captured.streams.add(self.ptr)
            return
        activity.note("after", stream=self.ptr, key=event.ptr)

    def launch_host_func(self, callback: Callable[[Any], None], arg: Any) -> None:
        """Call a host function when the work before it is done."""
        queue.submit_uncounted("host function", callback, (arg,))

    def add_callback(self, callback: Callable[[Any, int, Any], None], arg: Any) -> None:
        """Call a host function with the stream, an error status and an argument when the work before it is done."""
        queue.submit_uncounted("host function", callback, (self, 0, arg))

    def begin_capture(self, mode: Any = None) -> None:
        """Keep what is put on the stream from here on, instead of running it."""
        from .runtime import CUDARuntimeError

        if self.ptr in (0, 1):
            raise RuntimeError("cannot capture on the default (legacy) stream")
        if self.is_capturing():
            raise CUDARuntimeError(401)
        if queue.capture is not None:
            raise NotSimulatedError("capturing two CUDA graphs at once", "one after the other")
        queue.capture = queue.Capture(self.ptr, lambda: CUDARuntimeError(900))

    def end_capture(self) -> Graph:
        """The graph of what was put on the stream since `begin_capture`."""
        from .runtime import CUDARuntimeError

        captured = queue.capture
        if captured is None or not self.is_capturing():
            raise CUDARuntimeError(401)
        queue.capture = None
        if not captured.valid:
            raise CUDARuntimeError(901)
        return Graph._of(captured)

    def is_capturing(self) -> bool:
        """Whether what is put on the stream becomes part of a graph."""
        return queue.capture is not None and self.ptr in queue.capture.streams


class Stream(_BaseStream):
    """A stream.

    Parameters
    ----------
    null : bool
        The default stream.
    non_blocking : bool
        Beside the default stream on a GPU.
    ptds : bool
        The per-thread default stream.
    priority : int, optional
        Its priority.
    """

    null: Stream
    ptds: Stream

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: int | None = None):
        if null:
            super().__init__(0, -1)
        elif ptds:
            super().__init__(2, -1)
        else:
            super().__init__(next(activity.handles), device.current())
        self._non_blocking = non_blocking
        if non_blocking:
            activity.unblocked.add(self.ptr)
        self._priority = priority or 0

    @classmethod
    def from_external(cls, obj: Any) -> Stream:
        """A stream of another library, which hands it over by ``__cuda_stream__``; its work shares the one queue."""
        try:
            version, handle = obj.__cuda_stream__()
        except AttributeError:
            raise TypeError(
                f"Object of type {type(obj).__name__} does not implement the CUDA stream protocol (__cuda_stream__ method)"
            ) from None
        except (TypeError, ValueError):
            raise TypeError("__cuda_stream__() must return a 2-tuple of (version, stream_ptr)") from None
        if not isinstance(version, int) or not isinstance(handle, int):
            raise TypeError(
                f"__cuda_stream__() must return (int, int), got ({type(version).__name__}, {type(handle).__name__})"
            )
        if version != 0:
            raise TypeError(f"__cuda_stream__() returned unsupported version {version}, only version 0 is supported")
        stream = cls.__new__(cls)
        _BaseStream.__init__(stream, handle, -1)
        stream._foreign_stream_ref = obj
        return stream


class ExternalStream(_BaseStream):
    """A stream of another library, by its handle; its work shares the one queue."""

    def __init__(self, ptr: int, device_id: int = -1):
        warnings.warn(
            "ExternalStream is deprecated. Use Stream.from_external() instead to interoperate with external streams that "
            "implement the CUDA stream protocol.",
            DeprecationWarning,
            stacklevel=2,
        )
        super().__init__(ptr, device_id)


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)


def _stack() -> list:
    if not hasattr(_local, "stack"):
        _local.stack = []
    return _local.stack


def _current_ptr(device_id: int | None = None) -> int:
    chosen = getattr(_local, "streams", None)  # on the path of each allocation
    stream = chosen and chosen.get(device.current() if device_id is None else device_id)
    return stream.ptr if stream else activity.LEGACY


def _enter(stream: _BaseStream) -> None:
    if not hasattr(_local, "entered"):
        _local.entered = {}
    _local.entered[device.current()] = stream
    _set(stream)


def _set(stream: _BaseStream) -> None:
    if not hasattr(_local, "streams"):
        _local.streams = {}
        activity.current = _current_ptr  # before, each allocation asks for the stream in vain
    _local.streams[device.current()] = stream


def get_current_stream(device_id: int = -1) -> _BaseStream:
    """The current stream of this thread and device."""
    return getattr(_local, "streams", {}).get(device.current() if device_id == -1 else device_id, Stream.null)


def get_current_stream_ptr() -> int:
    """Handle of the current stream."""
    return get_current_stream().ptr


def get_default_stream_ptr() -> int:
    """Handle of the default stream as CUDA numbers it: 2 where each thread has its own, else 1."""
    import os

    return 2 if os.environ.get("CUPY_CUDA_PER_THREAD_DEFAULT_STREAM", "0") != "0" else 1
