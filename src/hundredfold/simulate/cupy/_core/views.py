"""Views and copies of the device array.  A view touches no data, so it is made at once; a copy is queued."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hundredfold.engine import device, queue

from . import launch
from .base import normal_dtype, normal_order, reshaped, switch_device


class Views:
    """Methods of the device array that change how its memory is looked at, or copy it."""

    __slots__ = ()

    def _view(self, a: np.ndarray):
        """A device array of a NumPy view of the same block."""
        view = object.__new__(launch.array_class)
        view._a = a
        view._block = self._block
        view.base = self if self.base is None else self.base
        return view

    @property
    def T(self):
        """The array with its axes reversed, a view."""
        return self._view(self._a.T)

    @property
    def mT(self):
        """The array with its last two axes swapped, a view."""
        if self._a.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self._view(self._a.swapaxes(-1, -2))

    @property
    def flat(self):
        """A flat iterator over the array."""
        from .flatiter import flatiter

        return flatiter(self)

    @property
    def real(self):
        """The real part, a view."""
        return self._view(self._a.real) if self._a.dtype.kind == "c" else self

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self):
        """The imaginary part, a view; zeros for real arrays."""
        if self._a.dtype.kind == "c":
            return self._view(self._a.imag)
        from .convert import full

        return full(self.shape, 0, self.dtype)

    @imag.setter
    def imag(self, value: Any) -> None:
        if self._a.dtype.kind != "c":
            raise TypeError("cupy.ndarray does not have imaginary part to set")
        self.imag[...] = value

    def view(self, dtype: Any = None, type: Any = None):
        """The same memory as another dtype, or as a subclass."""
        if isinstance(dtype, _class) and issubclass(dtype, launch.array_class):
            if type is not None:
                raise ValueError("Cannot specify output type twice.")
            dtype, type = None, dtype
        if type is not None and not (isinstance(type, _class) and issubclass(type, launch.array_class)):
            raise ValueError("Type must be a sub-type of ndarray type")
        if dtype is not None:
            dtype = np.dtype(dtype)
            dtype = dtype if dtype.kind in "Mm" else normal_dtype(dtype)
        a = self._a.view() if dtype is None else self._a.view(dtype)
        view = self._view(a)
        kind = type or self.__class__
        if kind is not launch.array_class:
            made = object.__new__(kind)
            made._a, made._block, made.base = view._a, view._block, view.base
            made.__array_finalize__(self)
            return made
        return view

    def reshape(self, *shape: Any, order: str = "C", copy: Any = None):
        """The elements in another shape; a view where the layout allows."""
        if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)):
            shape = tuple(shape[0])
        order = normal_order(order, "CFA")
        shape = _fill_in(shape, self.size)
        if copy is not True:
            try:
                return self._view(reshaped(self._a, shape, order))
            except ValueError:
                if copy is False:
                    raise ValueError("Unable to avoid creating a copy while reshaping.") from None
        if order == "A":
            order = "F" if self._a.flags.fnc else "C"
        result = launch.empty(shape, self._a.dtype, order)
        flat = reshaped(result._a, self._a.shape, order) if self.size else result._a
        launch.copy_into(flat, self._a)
        return result

    def ravel(self, order: str = "C"):
        """The elements in one row; a view where the layout allows."""
        order = normal_order(order, "CFAK")
        if order == "K":  # as the elements lie in memory
            flat = self._view(self._a.transpose(_walk(self._a.strides))).reshape(self.size)
        else:
            flat = self.reshape(self.size, order=order)
        return flat if flat._a.flags.c_contiguous else flat.copy()

    def flatten(self, order: str = "C"):
        """The elements in one row, always a copy."""
        flat = self.ravel(order)
        return flat.copy() if np.may_share_memory(flat._a, self._a) else flat

    def transpose(self, *axes: Any):
        """The axes permuted, a view."""
        return self._view(self._a.transpose(*axes))

    def swapaxes(self, axis1: int, axis2: int):
        """Two axes exchanged, a view."""
        return self._view(self._a.swapaxes(axis1, axis2))

    def squeeze(self, axis: Any = None):
        """Without axes of length 1, a view."""
        return self._view(self._a.squeeze(axis))

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1):
        """A diagonal, a view."""
        a = self._a.diagonal(offset, axis1, axis2)
        a.flags.writeable = True  # CuPy's is a view to write through
        return self._view(a)

    def reduced_view(self, dtype: Any = None):
        """A view with as few axes as the layout allows."""
        return self._view(self._a.reshape(-1)) if self._a.ndim > 1 and self._a.flags.c_contiguous else self

    def astype(self, dtype: Any, order: str = "K", casting: Any = None, subok: Any = None, copy: bool = True):
        """The elements as another dtype; casts like C, without a warning."""
        if casting is not None:
            raise TypeError("casting is not supported yet")
        if subok is not None:
            raise TypeError("subok is not supported yet")
        a = self._a
        dtype = a.dtype if dtype is a.dtype or np.dtype(dtype) == a.dtype else normal_dtype(dtype)
        order = normal_order("K" if order is None else order, "CFAK")
        if (
            not copy
            and dtype == a.dtype
            and (order == "K" or (order == "A" and a.flags.forc) or a.flags[{"C": "C", "F": "F"}.get(order, "C")])
        ):
            return self
        result = launch.empty_keeping(a, dtype, order)
        launch.copy_into(result._a, a)
        return result

    def copy(self, order: str = "C"):
        """A copy on the current device."""
        if self._block.device_id != device.current() and self.size:
            return self._copy_across(order)
        return self.astype(self._a.dtype, order)

    def _copy_across(self, order: str):
        with switch_device(self):
            source = self.astype(self.dtype, order, copy=False)
        if not source._a.flags.forc:
            raise NotImplementedError("CuPy cannot copy non-contiguous array between devices.")
        result = launch.empty_keeping(source._a, self.dtype)
        queue.count("memcpy PtoP", self.nbytes, self.nbytes, "d2d")
        queue.submit_uncounted("memcpy PtoP", np.copyto, (result._a, source._a))
        return result

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo: dict):
        with switch_device(self):
            return self.copy()

    def byteswap(self, inplace: bool = False):
        """The elements with their bytes reversed."""
        result = self if inplace else launch.empty_keeping(self._a, self.dtype)
        return launch.submit_into("cupy_byteswap", result, np.ndarray.byteswap, self)

    def fill(self, value: Any) -> None:
        """Set all elements to one value."""
        from .convert import from_like

        value = from_like(value)
        if isinstance(value, launch.array_class):
            if value.shape != ():
                raise ValueError("non-scalar cupy.ndarray cannot be used for fill")
            launch.copy_into(self._a, value._a, "cupy_fill")
            return
        host = np.asarray(value, dtype=self.dtype)
        if host.shape != ():
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        if self.size:
            launch.submit("cupy_fill", np.ndarray.fill, (self._a, host[()]), None, 0, self.nbytes)


_class = type  # `view` has an argument of that name


def _walk(strides: tuple[int, ...]) -> list[int]:
    """The axes in the order in which ``K`` walks through memory: broadcast ones first (NumPy's nditer decides so)."""
    axes: list[int] = []
    for axis in reversed(range(len(strides))):
        place = 0
        if strides[axis]:
            for at, other in enumerate(axes):
                if strides[other] and abs(strides[other]) <= abs(strides[axis]):
                    break
                if strides[other]:
                    place = at + 1
        axes.insert(place, axis)
    return axes


def _fill_in(shape: tuple, size: int) -> tuple[int, ...]:
    """Work out a -1 in a new shape and check that it fits."""
    shape = tuple(length.__index__() for length in shape)
    unknown = shape.count(-1)
    if unknown > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown:
        rest = -math.prod(shape)
        if rest == 0 or size % rest:
            raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
        shape = tuple(size // rest if length == -1 else length for length in shape)
    elif math.prod(shape) != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    return shape
