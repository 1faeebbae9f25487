"""Handing device memory to other libraries, and taking theirs, by DLPack: a capsule with a C struct that says where it lies.

The memory is the host's in truth; it goes under the name of a CUDA device, so that only what knows the simulation takes it.
"""

from __future__ import annotations

import ctypes
import math
import sys
import warnings
from typing import Any

import numpy as np

from gpusim.device import queue, shapes, unowned
from gpusim.importing.errors import NotSimulatedError

from . import launch

CPU, CUDA, MANAGED = 1, 2, 13
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Plain(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", _Deleter),
        ("flags", ctypes.c_uint64), ("tensor", _Tensor),
    ]  # fmt: skip


_STRUCTS = {b"dltensor": _Plain, b"dltensor_versioned": _Versioned}
_USED = {b"dltensor": b"used_dltensor", b"dltensor_versioned": b"used_dltensor_versioned"}
_alive: dict[int, tuple] = {}  # what a struct points to, until its deleter is called

_api = ctypes.pythonapi
_new = _api.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _api))


@_Deleter
def _delete(address: int) -> None:
    _alive.pop(address, None)


def _sweep() -> None:
    """Let go of what capsules that nobody consumed, and nobody holds any more, point to.

    A capsule's destructor could do it at once, but may run while an error is on its way, which Python code must not.
    """
    for address, entry in list(_alive.items()):
        (capsule,) = entry[-1]
        # Held by the entry, by this name and by the call; one that was consumed has another name and waits for its deleter.
        if sys.getrefcount(capsule) == 3 and any(_valid(capsule, name) for name in _STRUCTS):
            _alive.pop(address, None)


def device_of(array: Any) -> tuple[int, int]:
    """DLPack's kind of device, and its number."""
    from ..cuda._addresses import _managed
    from ..cuda._pointers import ManagedMemory

    memory = array._block
    managed = isinstance(getattr(memory, "owner", memory), ManagedMemory) or memory.ptr in _managed
    return (MANAGED if managed else CUDA), memory.device_id


def export(array: Any, stream: Any, max_version: Any, dl_device: Any, copy: Any) -> Any:
    """The capsule of a device array."""
    if shapes.on:
        raise shapes.refuse("Another library is given an array's memory")
    versioned = max_version is not None and max_version[0] >= 1
    place = device_of(array)
    if dl_device is None or tuple(dl_device) == place:
        if copy is True:
            raise BufferError("copy=True only supported for copy to CPU.")
    elif tuple(dl_device) == (CPU, 0):
        if copy is False and place[0] != MANAGED:
            raise ValueError("GPU memory cannot be exported to CPU without copy.")
        queue.synchronize()
        host = array._a if place[0] == MANAGED and copy is not True else array.get()
        return _capsule(host, host if host is not array._a else array, CPU, 0, versioned)
    else:
        raise BufferError("unsupported device requested.")
    if isinstance(stream, int) and stream < -1:
        raise ValueError(
            "On CUDA, the valid stream for the DLPack protocol is -1, 1, 2, or any larger value, but "
            f"{stream} was provided"
        )
    if stream == 0 and stream is not None:
        warnings.warn(
            "Stream 0 is passed from a library that you are converting to; CuPy assumes 0 as a legacy default stream. Please "
            "report this problem to the library as this violates the DLPack protocol.",
            stacklevel=3,
        )
    return _capsule(array._a, array, *place, versioned)


def _capsule(view: np.ndarray, owner: Any, kind: int, device_id: int, versioned: bool) -> Any:
    if view.dtype.kind not in _CODES:
        raise BufferError(f"dtype {view.dtype} is not supported by DLPack")
    shape = (ctypes.c_int64 * max(view.ndim, 1))(*view.shape)
    strides = (ctypes.c_int64 * max(view.ndim, 1))(*(s // view.itemsize for s in view.strides))
    struct = (_Versioned if versioned else _Plain)()
    tensor = struct.tensor
    tensor.data, tensor.device_type, tensor.device_id = (view.ctypes.data if view.size else None), kind, device_id
    tensor.ndim, tensor.code, tensor.bits, tensor.lanes = view.ndim, _CODES[view.dtype.kind], view.itemsize * 8, 1
    tensor.shape, tensor.strides, tensor.byte_offset = shape, strides, 0
    struct.deleter = _delete
    if versioned:
        struct.major, struct.minor, struct.flags = 1, 0, 0
    _sweep()
    address = ctypes.addressof(struct)
    capsule = _new(address, b"dltensor_versioned" if versioned else b"dltensor", None)
    _alive[address] = (struct, shape, strides, owner, [capsule])
    return capsule


class _Owner:
    """Calls the deleter of a consumed struct when nobody uses its memory any more."""

    def __init__(self, struct: Any):
        self._struct = struct

    def __del__(self) -> None:
        if self._struct.deleter:
            self._struct.deleter(ctypes.addressof(self._struct))


def take(capsule: Any) -> Any:
    """The device array of a capsule, without a copy; a host tensor is uploaded."""
    name = next((name for name in _STRUCTS if _valid(capsule, name)), None)
    if name is None:
        raise ValueError("A DLPack tensor object cannot be consumed multiple times")
    struct = _STRUCTS[name].from_address(_get(capsule, name))
    _rename(capsule, _USED[name])
    owner, tensor = _Owner(struct), struct.tensor
    if tensor.code not in _KINDS or tensor.lanes != 1:
        raise TypeError(f"dtype code {tensor.code} with {tensor.lanes} lanes is not supported")
    kind = _KINDS[tensor.code]
    dtype = np.dtype(bool) if kind == "b" else np.dtype(f"{kind}{tensor.bits // 8}")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] * dtype.itemsize for i in range(tensor.ndim)) if tensor.strides else None
    if 0 in shape:
        return launch.empty(shape, dtype)
    reach = [(n - 1) * s for n, s in zip(shape, strides, strict=True)] if strides else []
    before, after = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    nbytes = after - before + dtype.itemsize if strides else math.prod(shape) * dtype.itemsize
    start = (tensor.data or 0) + tensor.byte_offset + before
    if tensor.device_type == CPU:
        raw = np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(start))
        return launch.upload(np.ndarray(shape, dtype, raw, -before, strides))
    block = unowned.borrow(start, nbytes, tensor.device_id, owner)
    if block is None:
        raise NotSimulatedError("taking over another library's device memory", "cupy.asarray of a host array")
    return launch.wrap(np.ndarray(shape, dtype, block.raw, -before, strides), block)


def from_dlpack(array: Any, *, device: Any = None, copy: Any = None) -> Any:
    """Take over another library's device array without a copy."""
    if not hasattr(array, "__dlpack_device__"):
        return take(array)
    kind, _ = array.__dlpack_device__()
    if device is not None:
        raise NotImplementedError("from_dlpack() does not support device yet.")
    if kind == CPU:
        raise TypeError(
            "CPU arrays cannot be directly imported to CuPy. Use `cupy.array(numpy.from_dlpack(input))` instead."
        )
    if kind not in (CUDA, MANAGED):
        raise TypeError(f"Unsupported array type: DLPack device {kind}")
    from ..cuda.stream import get_current_stream_ptr

    try:
        return take(array.__dlpack__(stream=get_current_stream_ptr() or 1, max_version=(1, 0), copy=copy))
    except TypeError:
        if copy is not None:
            raise
        return take(array.__dlpack__(stream=get_current_stream_ptr() or 1))


def fromDlpack(dltensor: Any) -> Any:
    """Take over the memory of a capsule (deprecated)."""
    from ..exceptions import VisibleDeprecationWarning

    warnings.warn("This function is deprecated and will be removed in a future release. Use the cupy.from_dlpack() array "
                  "constructor instead.", VisibleDeprecationWarning, stacklevel=2)  # fmt: skip
    return take(dltensor)
