"""A launch's arguments as host arrays, laid out in memory as the device's are: a trace changes nothing of its user's."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

import gpusim
from gpusim.device import queue

ALIGNMENT = 512
"""Bytes that an allocation on the device is aligned to, at least [CUDA C++ Programming Guide, device memory accesses]."""


def to_host(args: tuple) -> tuple:
    """Return copies of a kernel's arguments that a trace may run on.

    Device arrays (whatever has ``__cuda_array_interface__``) keep their place relative to 512-byte boundaries, and those
    that overlap still do.  Host arrays get memory of their own each, also one that is passed twice: a launch copies each
    argument to the device by itself.

    Raises
    ------
    TypeError
        For an argument that no kernel takes.
    ValueError
        For a host array that is not contiguous.
    """
    queue.run()
    found: list[Any] = []
    for value in args:
        _collect(value, found)
    regions = _regions([value for value in found if _device(value) is not None])
    return tuple(_copied(value, regions) for value in args)


def _collect(value: Any, found: list[Any]) -> None:
    if isinstance(value, tuple):
        for item in value:
            _collect(item, found)
    elif _device(value) is not None or isinstance(value, np.ndarray):
        found.append(value)
    elif not isinstance(value, (bool, int, float, complex, np.generic)):
        kind = type(value)
        raise TypeError(
            f"A kernel takes arrays, numbers and tuples of them, not {kind.__module__}.{kind.__name__}: "
            "pass an array of CuPy, Numba or NumPy."
        )


def _copied(value: Any, regions: list[tuple[int, int, np.ndarray]]) -> Any:
    if isinstance(value, tuple):
        items = [_copied(item, regions) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, np.ndarray):
        return _aligned_copy(value)
    interface = _device(value)
    return value if interface is None else _placed(value, interface, regions)


def _device(value: Any) -> dict | None:
    """The device array's interface, or None for what is none."""
    if isinstance(value, (np.ndarray, np.generic, tuple, int, float, complex)):
        return None
    interface = getattr(value, "__cuda_array_interface__", None)
    return interface if isinstance(interface, dict) else None


def _aligned(nbytes: int, offset: int = 0) -> np.ndarray:
    """Bytes of memory that begin `offset` bytes behind a boundary."""
    raw = np.empty(nbytes + 2 * ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT + offset
    return raw[start : start + nbytes]


def _aligned_copy(array: np.ndarray) -> np.ndarray:
    """A host array as a launch copies it: what broadcasting repeats is there once; refused with gaps, as by a launch."""
    if array.size and 0 in array.strides:
        core = _aligned_copy(np.asarray(array[tuple(0 if step == 0 else slice(None) for step in array.strides)]))
        left = iter(core.strides)
        strides = tuple(next(left) if step else 0 for step in array.strides)
        return np.lib.stride_tricks.as_strided(core, array.shape, strides, writeable=array.flags.writeable)
    if not array.flags.forc:
        raise ValueError(
            "A launch copies a host array to the device in one piece, and this one has gaps or runs backwards: its shape is "
            f"{array.shape}, its strides {array.strides}. Pass numpy.ascontiguousarray(x), or the slice of a device array."
        )
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    copy = np.ndarray(array.shape, array.dtype, _aligned(array.nbytes), order=order)
    copy[...] = array
    return copy


def _span(interface: dict, itemsize: int) -> tuple[int, int]:
    """The lowest address of a device array and the one behind its highest byte."""
    shape, strides = interface["shape"], interface.get("strides")
    start = end = interface["data"][0]
    if 0 in shape:
        return start, start
    if strides is None:
        return start, start + int(np.prod(shape, dtype=np.int64)) * itemsize
    for n, step in zip(shape, strides, strict=True):
        start, end = start + min(step * (n - 1), 0), end + max(step * (n - 1), 0)
    return start, end + itemsize


def _regions(arrays: list[Any]) -> list[tuple[int, int, np.ndarray]]:
    """Copies of the memory that device arrays lie in: ``(start, end, bytes)``, overlapping arrays in one."""
    spans = sorted(
        {
            _span(interface, np.dtype(array.dtype).itemsize)
            for array in arrays
            if (interface := _device(array)) is not None
        }
    )
    merged: list[list[int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        elif end > start:
            merged.append([start, end])
    regions = []
    for start, end in merged:
        copy = _aligned(end - start, start % ALIGNMENT)
        copy[...] = _download(start, end - start)
        regions.append((start, end, copy))
    return regions


def _download(address: int, nbytes: int) -> np.ndarray:
    """The bytes at an address of the device."""

    if gpusim.active():  # the simulated device's memory is this process's own
        memory: Any = (ctypes.c_char * nbytes).from_address(address)
        return np.frombuffer(memory, np.uint8)
    import cupy

    memory = cupy.cuda.UnownedMemory(address, nbytes, None)
    return cupy.ndarray(nbytes, np.uint8, cupy.cuda.MemoryPointer(memory, 0)).get()


def _placed(value: Any, interface: dict, regions: list[tuple[int, int, np.ndarray]]) -> np.ndarray:
    dtype, shape, strides = np.dtype(value.dtype), tuple(interface["shape"]), interface.get("strides")
    address = interface["data"][0]
    for start, end, copy in regions:
        if start <= address < end:
            return np.ndarray(shape, dtype, copy.base, _offset(copy) + address - start, strides)
    return np.ndarray(shape, dtype, _aligned(0))


def _offset(view: np.ndarray) -> int:
    assert view.base is not None  # `_aligned` cuts it from a longer one
    return view.ctypes.data - view.base.ctypes.data
