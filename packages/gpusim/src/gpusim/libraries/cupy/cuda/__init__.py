"""Devices, streams, events and memory, simulated."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

from gpusim.importing.names import refused_class

from . import (
    common,
    compiler,
    cub,
    device,
    driver,
    function,
    graph,
    memory,
    memory_hook,
    memory_hooks,
    nvrtc,
    nvtx,
    pinned_memory,
    profiler,
    runtime,
    stream,
    texture,
    thrust,
)
from .device import Device, get_cublas_handle, get_device_id
from .function import Function, Module
from .graph import Graph
from .memory import (
    BaseMemory,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryAsyncPool,
    MemoryPointer,
    MemoryPool,
    PythonFunctionAllocator,
    UnownedMemory,
    alloc,
    get_allocator,
    malloc_async,
    malloc_managed,
    set_allocator,
    using_allocator,
)
from .memory_hook import MemoryHook
from .pinned_memory import (
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    set_pinned_memory_allocator,
)
from .stream import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time

CFunctionAllocator = refused_class("cupy.cuda.CFunctionAllocator", "cupy.cuda.PythonFunctionAllocator")


def is_available() -> bool:
    """Whether there is a device: in simulation there always is."""
    return True


def get_local_runtime_version() -> int:
    """The CUDA version whose libraries are simulated."""
    return runtime.runtimeGetVersion()


def get_cuda_path() -> None:
    """There is no CUDA installation to point at."""
    return None


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """Switch on a profiler that sees nothing of a simulation (deprecated)."""
    warnings.warn(
        "cupy.cuda.profile has been deprecated since CuPy v10 and will be removed in the future. Use cupyx.profiler.profile "
        "instead.",
        stacklevel=3,
    )
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()


def get_nvcc_path() -> None:
    """There is no nvcc that this would use."""


def get_rocm_path() -> None:
    """There is no ROCm."""


def get_hipcc_path() -> None:
    """There is no ROCm."""


__all__ = [
    "BaseMemory", "CFunctionAllocator", "Device", "Event", "ExternalStream", "Function", "Graph", "ManagedMemory", "Memory",
    "MemoryAsync", "MemoryAsyncPool", "MemoryHook", "MemoryPointer", "MemoryPool", "Module", "PinnedMemory",
    "PinnedMemoryPointer", "PinnedMemoryPool", "PythonFunctionAllocator", "Stream", "UnownedMemory", "alloc",
    "alloc_pinned_memory", "common", "compiler", "cub", "device", "driver", "function", "get_allocator", "get_cublas_handle",
    "get_cuda_path", "get_current_stream", "get_device_id", "get_elapsed_time", "get_hipcc_path",
    "get_local_runtime_version", "get_nvcc_path", "get_rocm_path", "graph", "is_available", "malloc_async",
    "malloc_managed", "memory", "memory_hook", "memory_hooks", "nvrtc", "nvtx", "pinned_memory", "profile", "profiler",
    "runtime", "set_allocator", "set_pinned_memory_allocator", "stream", "texture", "thrust", "using_allocator",
]  # fmt: skip
