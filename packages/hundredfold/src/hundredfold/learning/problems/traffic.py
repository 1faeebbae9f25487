"""What a learner's code moved: over the bus between host and device, and through device memory.

In simulation the engine counts both exactly. On a GPU the bus is watched at CuPy's own doors (``ndarray.get`` and
``.set``, which `.item()`, `float()`, `asnumpy` and `asarray` end in): a copy by a bare `cupy.cuda.runtime.memcpy` is
not seen. Device memory traffic is not counted on a GPU (`Traffic.device` is None); what judges it has it counted in another process
(`counting`).
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import devices
from .verdict import refuse


@dataclass
class Traffic:
    """Bytes moved while it was watched.

    Parameters
    ----------
    to_host, to_device : int
        Bytes over the bus.
    largest : int
        Bytes of the largest copy among these.
    device : int or None
        Bytes that kernels read and wrote in device memory; None where they cannot be counted.
    launches : list of (str, int)
        In simulation each kernel's name and the bytes it read and wrote, in order.
    """

    to_host: int = 0
    to_device: int = 0
    largest: int = 0
    device: int | None = None
    launches: list[tuple[str, int]] = field(default_factory=list)

    @property
    def bus(self) -> int:
        return self.to_host + self.to_device


@contextlib.contextmanager
def watch() -> Iterator[Traffic]:
    """Count what is moved inside the `with` block; read the result after it."""
    traffic = Traffic()
    with _counted(traffic) if devices.simulated() else _doors(traffic):
        yield traffic


@contextlib.contextmanager
def _counted(traffic: Traffic) -> Iterator[None]:
    from gpusim.device import queue

    # What earlier cells left in the queue is theirs, and so is its failing.
    try:
        devices.synchronize()
    except Exception as error:
        refuse("exception", f"work that an earlier cell had queued raised {type(error).__name__}: {error}")
    before = queue.counters()
    yield
    devices.synchronize()
    moved = queue.counters() - before
    traffic.to_host, traffic.to_device = int(moved.d2h_bytes), int(moved.h2d_bytes)
    copies = [launch for launch in queue.log if launch.kind in ("d2h", "h2d")]
    copies = copies[max(0, len(copies) - moved.d2h_count - moved.h2d_count) :]  # the log is not endless
    traffic.largest = max((max(each.bytes_read, each.bytes_written) for each in copies), default=0)
    traffic.device = int(moved.bytes_read + moved.bytes_written)
    ran = [launch for launch in queue.log if launch.kind == "kernel"] if moved.kernels else []
    traffic.launches = [(each.name, each.bytes_read + each.bytes_written) for each in ran[-moved.kernels :]]


@contextlib.contextmanager
def _doors(traffic: Traffic) -> Iterator[None]:
    cupy = devices.need_cupy()
    with contextlib.ExitStack() as doors:

        @functools.wraps(cupy.ndarray.get)
        def get(self: Any, *args: Any, **kwargs: Any) -> Any:
            traffic.to_host += self.nbytes
            traffic.largest = max(traffic.largest, self.nbytes)
            return original_get(self, *args, **kwargs)

        @functools.wraps(cupy.ndarray.set)
        def put(self: Any, *args: Any, **kwargs: Any) -> Any:
            traffic.to_device += self.nbytes
            traffic.largest = max(traffic.largest, self.nbytes)
            return original_set(self, *args, **kwargs)

        original_get, original_set = cupy.ndarray.get, cupy.ndarray.set
        for name, ours in (("get", get), ("set", put)):
            # In CuPy both are inherited: taking ours off the class again leaves no trace.
            own = vars(cupy.ndarray).get(name)
            undo = (delattr, cupy.ndarray, name) if own is None else (setattr, cupy.ndarray, name, own)
            setattr(cupy.ndarray, name, ours)
            doors.callback(*undo)
        for name in ("array", "asarray", "asanyarray", "ascontiguousarray"):
            original = getattr(cupy, name)
            setattr(cupy, name, _counting_arrivals(original, traffic))
            doors.callback(setattr, cupy, name, original)
        yield


def _counting_arrivals(original: Any, traffic: Traffic) -> Any:
    @functools.wraps(original)
    def arrive(a: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(a, (np.ndarray, list, tuple)):
            traffic.to_device += np.asarray(a).nbytes
            traffic.largest = max(traffic.largest, np.asarray(a).nbytes)
        return original(a, *args, **kwargs)

    return arrive


def spell(nbytes: float) -> str:
    """A number of bytes for a sentence: ``"8 bytes"``, ``"7.84 kB"``, ``"1.6 GB"`` (powers of ten)."""
    for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if nbytes >= scale:
            return f"{nbytes / scale:.3g} {unit}"
    return f"{nbytes:.0f} byte{'' if nbytes == 1 else 's'}"
