"""The device array's state, its constructor and its attributes."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any

import numpy as np

from hundredfold.engine import device as _device

from . import launch

_REFUSES = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # a browser's NumPy is older


def reshaped(array: np.ndarray, shape: Any, order: str = "C") -> np.ndarray:
    """An array's elements in another shape, the same memory.

    Raises
    ------
    ValueError
        If its layout does not allow that without a copy.
    """
    if _REFUSES:
        return array.reshape(shape, order=order, copy=False)
    made = array.reshape(shape, order=order)
    if array.size and not np.may_share_memory(made, array):
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return made


SUPPORTED = frozenset("?bhilqBHILQefdFD")


def normal_dtype(dtype: Any) -> np.dtype:
    """Make a dtype that device memory can hold.

    Raises
    ------
    ValueError
        For objects, strings, dates and big-endian types, as CuPy.
    """
    dtype = np.dtype(
        np.int64 if dtype is int else dtype
    )  # a GPU's, also where the host's own has 32 bits (a browser's)
    if dtype.char not in SUPPORTED:
        if dtype.kind == "V" and not dtype.hasobject and dtype.subdtype is None and dtype.itemsize:
            return dtype
        raise ValueError(f"Unsupported dtype {dtype}")
    if not dtype.isnative:
        raise ValueError(f"Unsupported dtype {dtype} with big-endian byte-order")
    return dtype


def normal_shape(shape: Any) -> tuple[int, ...]:
    """Make a tuple of sizes of an int or a sequence of ints."""
    if type(shape) is not tuple:
        if shape is None:
            raise TypeError("Use () not None as shape arguments")
        shape = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    shape = tuple(map(operator.index, shape))
    if len(shape) > launch.MAX_NDIM:
        raise ValueError(f"maximum supported dimension for an ndarray is {launch.MAX_NDIM}, found {len(shape)}")
    if shape and min(shape) < 0:
        raise ValueError("Negative dimensions are not allowed")
    return shape


def normal_order(order: Any, allowed: str = "CF") -> str:
    """Make ``C``, ``F``, ``A`` or ``K`` of what a caller may write."""
    order = "C" if order is None else str(order)[:1].upper() or "C"
    if order not in allowed:
        raise ValueError("order 'K' is not permitted" if order == "K" else "order not understood")
    return order


def _check_strides(shape: tuple[int, ...], strides: Any, itemsize: int) -> None:
    reach = [(n - 1) * step for n, step in zip(shape, strides, strict=True) if n]
    if any(step < 0 for step in reach):
        raise ValueError("ndarray() with strides currently does not allow negative strides")
    size = math.prod(shape) * itemsize
    if not size:
        return
    if sum(reach) + itemsize > max(size, itemsize):
        raise ValueError(
            f"ndarray() with strides must stay withing a contiguous size of {size} but got {sum(reach) + itemsize}."
        )


class Base:
    """State: a NumPy view ``_a`` of device memory, the ``_block`` it lies in, and the array it is a view of."""

    __slots__ = ("__weakref__", "_a", "_block", "base")
    __array_priority__ = 100.0

    def __new__(cls, shape: Any = None, dtype: Any = float, memptr: Any = None, strides: Any = None, order: str = "C"):
        self = object.__new__(cls)
        if shape is None:  # a subclass that initialises itself
            return self
        shape, dtype, order = normal_shape(shape), normal_dtype(dtype), normal_order(order)
        self.base = None
        if memptr is None:
            if strides is not None:
                _check_strides(shape, strides, dtype.itemsize)
            block, offset = launch.allocate(math.prod(shape) * dtype.itemsize), 0
        else:
            block, offset = memptr._block, memptr._offset
        self._block = block
        self._a = np.ndarray(shape, dtype, block.raw, offset=offset, strides=strides, order=order)
        return self

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __array_finalize__(self, obj: Any) -> None:
        pass

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes; may be assigned where no copy is needed."""
        return self._a.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        try:
            self._a = reshaped(self._a, shape)
        except ValueError:
            raise AttributeError("Incompatible shape for in-place modification.") from None

    @property
    def dtype(self) -> np.dtype:
        """Type of the elements."""
        return self._a.dtype

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._a.size

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._a.ndim

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self._a.nbytes

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._a.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis."""
        return self._a.strides

    @property
    def flags(self) -> Flags:
        """Memory layout: ``c_contiguous``, ``f_contiguous``, ``owndata``."""
        return Flags(self._a.flags.c_contiguous, self._a.flags.f_contiguous, self.base is None)

    @property
    def data(self) -> Any:
        """Pointer to the first element in (simulated) device memory."""
        from ..cuda.memory import MemoryPointer

        start = self._a.ctypes.data - self._block.ptr if self._a.size else 0
        return MemoryPointer(self._block, start)

    @property
    def device(self) -> Any:
        """The device on which this array lies."""
        from ..cuda.device import Device

        return Device(self._block.device_id)

    @property
    def __cuda_array_interface__(self) -> dict:
        from .. import _util
        from ..cuda.stream import get_current_stream_ptr

        stream = get_current_stream_ptr() or 1  # the null stream is 1 there
        return {
            "shape": self._a.shape,
            "typestr": self._a.dtype.str,
            "descr": self._a.dtype.descr,
            **({"stream": stream} if _util.CUDA_ARRAY_INTERFACE_EXPORT_VERSION == 3 else {}),
            "version": _util.CUDA_ARRAY_INTERFACE_EXPORT_VERSION,
            "strides": None if self._a.flags.c_contiguous else self._a.strides,
            "data": (self._a.ctypes.data if self._a.size else 0, False),
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        from .dlpack import device_of

        return device_of(self)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None):
        from .dlpack import export

        return export(self, stream, max_version, dl_device, copy)

    def toDlpack(self) -> Any:
        """A capsule of this memory (deprecated)."""
        from ..exceptions import VisibleDeprecationWarning

        warnings.warn(
            "This function is deprecated and will be removed in a future release. Use the cupy.from_dlpack() array "
            "constructor instead.",
            VisibleDeprecationWarning,
            stacklevel=2,
        )
        return self.__dlpack__()

    @property
    def _c_contiguous(self) -> bool:
        return self._a.flags.c_contiguous

    @property
    def _f_contiguous(self) -> bool:
        return self._a.flags.f_contiguous

    def _is_on(self, device_id: int) -> bool:
        return self._block.device_id == device_id


class Flags:
    """Memory layout of a device array (``cupy._core.flags.Flags``)."""

    __slots__ = ("_c", "_f", "_own")

    def __init__(self, c_contiguous: bool, f_contiguous: bool, owndata: bool):
        self._c, self._f, self._own = c_contiguous, f_contiguous, owndata

    @property
    def c_contiguous(self) -> bool:
        return self._c

    @property
    def f_contiguous(self) -> bool:
        return self._f

    @property
    def owndata(self) -> bool:
        return self._own

    @property
    def fnc(self) -> bool:
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        return self.f_contiguous or self.c_contiguous

    def __getitem__(self, name: str) -> bool:
        try:
            return getattr(self, {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata"}.get(name, name.lower()))
        except AttributeError:
            raise KeyError(f"{name} is not defined for cupy.ndarray.flags") from None

    def __repr__(self) -> str:
        return f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}\n  OWNDATA : {self.owndata}"


def switch_device(array: Base) -> _On:
    """Use the device on which an array lies, inside a ``with``."""
    return _On(array._block.device_id)


class _On:
    def __init__(self, device_id: int):
        self._id = device_id

    def __enter__(self) -> None:
        self._before = _device.current()
        _device.use(self._id)

    def __exit__(self, *exception: object) -> None:
        _device.use(self._before)
