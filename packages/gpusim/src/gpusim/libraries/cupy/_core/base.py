"""The device array's state, its constructor and its attributes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gpusim.device import device as _device

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


def switch_device(array: Any) -> _On:
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
