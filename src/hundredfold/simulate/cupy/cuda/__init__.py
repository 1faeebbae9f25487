"""Devices, streams, events and memory, simulated."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .._core.names import refused_class, refuser
from . import device, memory, nvtx, pinned_memory, profiler, runtime, stream
from .device import Device, get_device_id
from .memory import MemoryPointer, MemoryPool, alloc, get_allocator, set_allocator, using_allocator
from .pinned_memory import (
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    set_pinned_memory_allocator,
)
from .stream import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time

MemoryAsyncPool = refused_class("cupy.cuda.MemoryAsyncPool", "cupy.cuda.MemoryPool")
Graph = refused_class("cupy.cuda.Graph")
Module = refused_class("cupy.cuda.Module")
Function = refused_class("cupy.cuda.Function")


def is_available() -> bool:
    """Whether there is a device: in simulation there always is."""
    return True


def get_local_runtime_version() -> int:
    """The CUDA version whose libraries are stood in for."""
    return runtime.runtimeGetVersion()


def get_cuda_path() -> None:
    """There is no CUDA installation to point at."""
    return None


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """Switch on a profiler that sees nothing of a simulation."""
    yield


__all__ = [
    "Device", "Event", "ExternalStream", "Function", "Graph", "MemoryAsyncPool", "MemoryPointer", "MemoryPool", "Module",
    "PinnedMemoryPointer", "PinnedMemoryPool", "Stream", "alloc", "alloc_pinned_memory", "device", "get_allocator",
    "get_cuda_path", "get_current_stream", "get_device_id", "get_elapsed_time", "get_local_runtime_version",
    "is_available", "memory", "nvtx", "pinned_memory", "profile", "profiler", "runtime", "set_allocator",
    "set_pinned_memory_allocator", "stream", "using_allocator",
]  # fmt: skip
__getattr__ = refuser("cupy.cuda")
