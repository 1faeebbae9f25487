"""What device arrays and device records share: shape, memory, stream, and the ways to the host and back."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gpusim.device import queue, shapes

from .. import _memory
from .._context import get_context
from . import _layout

ERRMSG_CONTIGUOUS = (
    "Array contains non-contiguous buffer and cannot be transferred as a single memory region. Please ensure contiguous "
    "buffer with numpy .ascontiguousarray()"
)


def normal_shape(shape: Any) -> tuple[int, ...]:
    """Make a tuple of Python ints of a shape."""
    if isinstance(shape, (int, np.integer)):
        return (int(shape),)
    made = []
    for length in shape:
        if not isinstance(length, (int, np.integer)):
            raise TypeError(f"shape elements must be integers, got {type(length).__name__}")
        made.append(int(length))
    if made and min(made) < 0:
        raise ValueError(f"negative dimensions are not allowed: {tuple(made)}")
    return tuple(made)


class DeviceNDArrayBase:
    """An array in simulated device memory.

    Parameters
    ----------
    shape, strides : tuple of int
    dtype
    stream : Stream or 0
        What later operations use where they are given none.
    gpu_data : MemoryPointer, optional
        The memory; by default it is allocated.
    """

    __cuda_memory__ = True
    __cuda_ndarray__ = True

    def __init__(self, shape: Any, strides: Any, dtype: Any, stream: Any = 0, gpu_data: Any = None):
        shape = normal_shape(shape)
        strides = (int(strides),) if isinstance(strides, (int, np.integer)) else tuple(int(s) for s in strides or ())
        dtype = np.dtype(dtype)
        if dtype.hasobject:
            raise TypeError(f"a device array cannot hold Python objects (dtype {dtype}): use a number or a record type")
        if len(strides) != len(shape):
            raise ValueError("strides not match ndim")
        self.shape, self.strides, self.dtype = shape, strides, dtype
        self.ndim, self.size = len(shape), math.prod(shape)
        self.alloc_size = _memory.memory_size_from_info(shape, strides, dtype.itemsize) if self.size else 0
        if not self.size:
            gpu_data = _memory.MemoryPointer.of(get_context(), _memory._NOTHING, None)
        elif gpu_data is None:
            first, _ = _memory.extents(shape, strides, dtype.itemsize)
            gpu_data = get_context().memalloc(self.alloc_size).view(-first, self.alloc_size)
        self.gpu_data = gpu_data
        self.stream = stream
        self._a = gpu_data.array(shape, strides, dtype)

    @property
    def _block(self) -> Any:
        """What keeps the memory, and which device it is on."""
        return self.gpu_data

    @property
    def flags(self) -> dict[str, bool]:
        """``C_CONTIGUOUS`` and ``F_CONTIGUOUS``."""
        return _layout.contiguity(self.shape, self.strides, self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.dtype.itemsize * self.size

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "strides": None if is_contiguous(self) else self.strides,
            "data": (self._a.ctypes.data if self.size else 0, False),
            "typestr": self.dtype.str,
            "stream": int(self.stream) if not _is_zero(self.stream) else None,
            "version": 3,
        }

    @property
    def device_ctypes_pointer(self) -> Any:
        """The address of the first element as a ctypes object."""
        return self.gpu_data.device_ctypes_pointer

    def as_cuda_arg(self) -> Any:
        """The memory."""
        return self.gpu_data

    def get_ipc_handle(self) -> Any:
        """Share the memory with another process: not simulated."""
        return get_context().get_ipc_handle(self.gpu_data)

    def _like(self, shape: tuple, strides: tuple, dtype: Any, gpu_data: Any, stream: Any = 0) -> Any:
        from .devicearray import DeviceNDArray

        return DeviceNDArray(shape, strides, dtype, stream=stream, gpu_data=gpu_data)

    def __copy__(self) -> Any:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __reduce_ex__(self, protocol: int) -> Any:
        raise TypeError(
            "cannot pickle 'weakref.ProxyType' object: a device array stays on its device. "
            "Send x.copy_to_host(), and cuda.to_device() what arrives; Dask does so by itself."
        )

    def bind(self, stream: Any = 0) -> Any:
        """The same array with another default stream."""
        clone = self.__copy__()
        clone.stream = stream
        return clone

    def _default_stream(self, stream: Any) -> Any:
        return self.stream if not stream else stream

    @property
    def T(self) -> Any:
        """The transpose of a 2-d array: a new array, as in numba-cuda."""
        return self.transpose()

    def transpose(self, axes: Any = None) -> Any:
        """The transpose of a 2-d array: a new array, as in numba-cuda."""
        if axes and tuple(axes) == tuple(range(self.ndim)):
            return self
        if self.ndim != 2:
            raise NotImplementedError("transposing a non-2D DeviceNDArray isn't supported")
        if axes is not None and set(axes) != set(range(self.ndim)):
            raise ValueError(f"invalid axes list {axes!r}")
        shape = self.shape[::-1]
        made = self._like(shape, _layout.packed_strides(shape, self.dtype.itemsize), self.dtype, None, self.stream)
        if made.size:
            queue.submit("transpose", np.copyto, (made._a, self._a.T), reads=(self._a,), writes=(made._a,))
        return made

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Copy an array of the host or the device into this one.

        Raises
        ------
        TypeError, ValueError
            If dtype, shape or strides differ.
        """
        if not hasattr(ary, "size"):
            raise TypeError(f"copy_to_device takes an array, not {type(ary).__name__}: use numpy.asarray(x)")
        if ary.size == 0:
            return
        stream = self._default_stream(stream)
        target = _core_of(self)
        if getattr(ary, "__cuda_memory__", False):
            source = _core_of(ary)
            check_array_compatibility(target, source)
            _memory.copy_on_device(target, source.reshape(target.shape), self.alloc_size)
            return
        source = np.asarray(array_core(ary))
        source = np.array(source, order="C" if target.flags.c_contiguous else "F", copy=None)
        check_array_compatibility(target, source)
        _memory.copy_from_host(target, source.reshape(target.shape), self.alloc_size, stream)

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> np.ndarray:
        """Copy to the host, waiting for the device; with a stream and pinned memory the copy is queued.

        Parameters
        ----------
        ary : numpy.ndarray, optional
            Where to; a new array by default.
        stream : Stream, optional

        Returns
        -------
        numpy.ndarray
        """
        if self.size and any(s < 0 for s in self.strides):
            raise NotImplementedError(f"D->H copy not implemented for negative strides: {self.strides}")
        stream = self._default_stream(stream)
        if shapes.on:
            return _memory.unread(self, ary)
        if ary is None:
            raw = np.empty(self.alloc_size, np.byte)
            host = (
                np.ndarray(self.shape, self.dtype, raw, 0, self.strides)
                if self.size
                else np.empty(self.shape, self.dtype)
            )
        else:
            check_array_compatibility(self, ary)
            host = ary
        if self.alloc_size:
            target = host.view(np.ndarray) if isinstance(host, np.ndarray) else np.asarray(host)
            _memory.copy_to_host(target.reshape(self.shape), self._a, self.alloc_size, stream)
        return host

    def split(self, section: int, stream: Any = 0) -> Iterator[Any]:
        """Parts of ``section`` elements; the last may be shorter."""
        stream = self._default_stream(stream)
        if self.ndim != 1:
            raise ValueError("only support 1d array")
        if self.strides[0] != self.dtype.itemsize:
            raise ValueError("only support unit stride")
        item = self.dtype.itemsize
        for begin in range(0, self.size, section):
            end = min(begin + section, self.size)
            yield self._like(
                (end - begin,), self.strides, self.dtype, self.gpu_data.view(begin * item, end * item), stream
            )

    def squeeze(self, axis: Any = None, stream: Any = 0) -> Any:
        """Without axes of length 1, a view."""
        shape, strides = _layout.squeezed(self.shape, self.strides, axis)
        return self._like(shape, strides, self.dtype, self.gpu_data, self._default_stream(stream))

    def view(self, dtype: Any) -> Any:
        """The same memory as another dtype."""
        dtype = np.dtype(dtype)
        shape, strides = list(self.shape), list(self.strides)
        if self.dtype.itemsize != dtype.itemsize:
            if not self.flags["C_CONTIGUOUS"]:
                raise ValueError("To change to a dtype of a different size, the array must be C-contiguous")
            shape[-1], rest = divmod(shape[-1] * self.dtype.itemsize, dtype.itemsize)
            if rest:
                raise ValueError(
                    "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last "
                    "axis of the array."
                )
            strides[-1] = dtype.itemsize
        return self._like(shape, strides, dtype, self.gpu_data, self.stream)


def _is_zero(stream: Any) -> bool:
    return stream is None or (isinstance(stream, int) and stream == 0)


def is_contiguous(ary: Any) -> bool:
    """Whether an array is C-contiguous but for broadcast axes."""
    step = ary.dtype.itemsize
    for length, stride in zip(reversed(ary.shape), reversed(ary.strides), strict=True):
        if length > 1 and stride != 0:
            if step != stride:
                return False
            step *= length
    # numba-cuda says yes for broadcast arrays too, and hands out strides that do not fit; we do not.
    return not any(stride == 0 and length > 1 for length, stride in zip(ary.shape, ary.strides, strict=True))


def array_core(ary: Any) -> Any:
    """An array without what broadcasting repeats."""
    if not ary.strides or not ary.size or 0 not in ary.strides:
        return ary
    return ary[tuple(0 if stride == 0 else slice(None) for stride in ary.strides)]


def _core_of(ary: Any) -> np.ndarray:
    """The memory of a device array without what broadcasting repeats; refused if it is not contiguous."""
    view = ary._a
    core = view[(*(0 if stride == 0 and view.size else slice(None) for stride in view.strides), Ellipsis)]
    if not core.flags.forc:
        raise ValueError(ERRMSG_CONTIGUOUS)
    return core


def sentry_contiguous(ary: Any) -> None:
    """Raise ValueError if an array is not contiguous."""
    flags = array_core(ary).flags if isinstance(ary, np.ndarray) else ary.flags
    if not flags["C_CONTIGUOUS"] and not flags["F_CONTIGUOUS"]:
        raise ValueError(ERRMSG_CONTIGUOUS)


def check_array_compatibility(ary1: Any, ary2: Any) -> None:
    """Raise TypeError or ValueError if one array cannot be copied into the other byte by byte."""
    if ary1.dtype != ary2.dtype:
        raise TypeError(f"incompatible dtype: {ary1.dtype} vs. {ary2.dtype}")
    one, other = ary1.squeeze(), ary2.squeeze()
    if one.shape != other.shape:
        raise ValueError(f"incompatible shape: {ary1.shape} vs. {ary2.shape}")
    if ary1.size and one.strides != other.strides:
        raise ValueError(f"incompatible strides: {ary1.strides} vs. {ary2.strides}")
