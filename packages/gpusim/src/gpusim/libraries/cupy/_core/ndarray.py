"""``cupy.ndarray``.

Over 800 lines: it is one class, and most of its methods only call the function of the same name.
"""

from __future__ import annotations

import functools
import math
import pickle
import warnings
from collections.abc import Callable
from types import GenericAlias
from typing import Any

import numpy as np

from gpusim.device import device, pinned, queue, shapes

from . import indexing, launch, products, reduction, shaping, sorting, unread
from .base import Flags, normal_dtype, normal_order, normal_shape, reshaped, switch_device
from .checks import check_output
from .convert import array, from_like, full
from .indexing import BASIC, advanced_get, assign, basic_error, fields, is_field, scatter, whole
from .products import matmul
from .ufuncs import by_name, clip


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


_SCALARS = (int, float, complex, np.generic)  # bool is an int


def _use_reflected(x: Any, y: Any) -> bool:
    """Whether the other operand wants the operation (``_should_use_rop`` in cupy/_core/core.pyx)."""
    if hasattr(y, "__array_ufunc__"):
        return y.__array_ufunc__ is None
    return getattr(y, "__array_priority__", 0) > x.__array_priority__


def _binary(function: Any, numpy_function: Any) -> tuple[Callable, Callable]:
    fast = function.on_arrays

    def forward(x: Any, y: Any) -> Any:
        if type(y) is type(x):
            return fast(x, y)
        if isinstance(y, launch.array_class) or isinstance(y, _SCALARS):
            return function(x, y)
        if _use_reflected(x, y):
            return NotImplemented
        return numpy_function(x, y)

    def reflected(x: Any, y: Any) -> Any:
        if isinstance(y, _SCALARS):
            return function(y, x)
        if _use_reflected(x, y):
            return NotImplemented
        return numpy_function(y, x)

    return forward, reflected


def _method(bound: Callable) -> Callable:
    def run(x: Any, y: Any) -> Any:
        return bound(x, y)

    return run


def _comparison(function: Any, numpy_function: Any) -> Callable:
    fast = function.on_arrays

    def compare(x: Any, y: Any) -> Any:
        if type(y) is type(x):
            return fast(x, y)
        if isinstance(y, launch.array_class) or isinstance(y, _SCALARS):
            return function(x, y)
        if _use_reflected(x, y):
            return NotImplemented
        if isinstance(y, np.ndarray) and y.ndim == 0:
            y = y.item()
        # No element of a device array equals None or an object that compares by identity.
        if numpy_function is np.equal and (y is None or type(y).__eq__ is object.__eq__):
            return _constant(x, False)
        if numpy_function is np.not_equal and (
            y is None or (type(y).__eq__ is object.__eq__ and type(y).__ne__ is object.__ne__)
        ):
            return _constant(x, True)
        return numpy_function(x, y)

    return compare


def _constant(x: Any, value: bool) -> Any:
    result = launch.empty(x.shape, np.dtype(bool))
    result.fill(value)
    return result


_COMPARISONS = frozenset(["greater", "greater_equal", "less", "less_equal", "equal", "not_equal"])


class ndarray:
    """An array in (simulated) device memory.

    Parameters
    ----------
    shape : tuple of int
        Lengths of the axes.
    dtype
        Type of the elements.
    memptr : cupy.cuda.MemoryPointer, optional
        Memory to use; by default it is allocated, its content undefined.
    strides : tuple of int, optional
        Bytes between elements along each axis.
    order : {'C', 'F'}
        Memory layout.
    """

    # A NumPy view ``_a`` of device memory, the ``_block`` it lies in, and the array it is a view of.
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
            block, offset = memptr.mem, memptr._offset
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

    dtype = property(lambda self: self._a.dtype, doc="Type of the elements.")
    size = property(lambda self: self._a.size, doc="Number of elements.")
    ndim = property(lambda self: self._a.ndim, doc="Number of axes.")
    nbytes = property(lambda self: self._a.nbytes, doc="Bytes of the elements.")
    itemsize = property(lambda self: self._a.itemsize, doc="Bytes of one element.")
    strides = property(lambda self: self._a.strides, doc="Bytes from one element to the next along each axis.")

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

    # Views and copies. A view touches no data, so it is made at once; a copy is queued.

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
        queue.count("memcpy PtoP", self.nbytes, self.nbytes, "d2d", reads=(source._a,), writes=(result._a,))
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
            launch.submit("cupy_fill", np.ndarray.fill, (self._a, host[()]), reads=(), writes=(self._a,))

    # From device to host: each of these waits for the device, and is counted as a transfer.

    def get(self, stream: Any = None, order: str = "C", out: np.ndarray | None = None, blocking: bool = True):
        """Copy the array to the host.

        Parameters
        ----------
        stream : cupy.cuda.Stream, optional
            The one that copies; by default the current one.
        order : {'C', 'F', 'A'}
            Layout of the result.
        out : numpy.ndarray, optional
            Where to copy to, of the same shape and dtype.
        blocking : bool
            Whether the host waits.  Here the copy is always done on return.

        Returns
        -------
        numpy.ndarray
        """
        if out is not None:
            self._check_out(out)
        else:
            order = normal_order(order, "CFA")
        if shapes.on:
            return unread.fetched(self, out)
        launch.download(self, stream, waits=blocking or out is None or not pinned.is_pinned(out), into=out)
        if out is None:
            return self._a.copy(order=order)
        np.copyto(out, self._a)
        return out

    def _check_out(self, out: Any) -> None:
        if not isinstance(out, np.ndarray):
            raise TypeError("Only numpy.ndarray can be obtained fromcupy.ndarray")  # CuPy's own missing space
        if self.dtype != out.dtype:
            raise TypeError(f"{out.dtype} array cannot be obtained from {self.dtype} array")
        if self.shape != out.shape:
            raise ValueError(f"Shape mismatch. Expected shape: {self.shape}, actual shape: {out.shape}")
        if not out.flags.forc:
            raise RuntimeError("`out` cannot be specified when copying to non-contiguous ndarray")

    def set(self, arr: np.ndarray, stream: Any = None) -> None:
        """Copy a host array of the same shape and dtype into this array.

        With a stream, pinned memory is read when the copy's turn comes: who writes into it before has lost what was there.
        """
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if self.dtype != arr.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if self.shape != arr.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        if not self._a.flags.forc:
            raise RuntimeError("Cannot set to non-contiguous array")
        launch.fill_from_host(self, arr, stream)

    def item(self) -> Any:
        """The only element, as a Python scalar."""
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self.get().item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python scalars."""
        return self.get().tolist()

    def tobytes(self, order: str = "C") -> bytes:
        """The elements as bytes."""
        return self.get().tobytes(order)

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the elements to a file."""
        self.get().tofile(fid, sep, format)

    def dump(self, file: Any) -> None:
        """Pickle the array into an open file."""
        pickle.dump(self, file, -1)

    def dumps(self) -> bytes:
        """Pickle the array."""
        return pickle.dumps(self, -1)

    def __array__(self, dtype: Any = None, copy: Any = None):
        raise TypeError(launch.IMPLICIT)

    def __reduce__(self):
        return array, (self.get(order="A"),)

    def __bool__(self) -> bool:
        if self.size == 0:
            warnings.warn(
                "The truth value of an empty array is ambiguous. Returning False, but in future this will result in "
                "an error. Use `array.size > 0` to check that an array is not empty.",
                DeprecationWarning,
                stacklevel=2,
            )
            return False
        if self.size == 1:
            return bool(self.get())
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")

    def __int__(self) -> int:
        return int(self.get())

    def __float__(self) -> float:
        return float(self.get())

    def __complex__(self) -> complex:
        return complex(self.get())

    def __buffer__(self, flags: int) -> memoryview:
        raise TypeError(
            "Accessing a CuPy ndarry on CPU is not allowed except when using system memory (on HMM or ATS enabled systems, "
            "need to set CUPY_ENABLE_UMP=1) or managed memory"
        )

    def __bytes__(self) -> bytes:
        return bytes(self.get())

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    def __format__(self, spec: str) -> str:
        return format(self.get(), spec)

    __hash__ = None  # as for NumPy's

    # Operators; `_fill` adds those that only differ in their function.

    def __neg__(self):
        return by_name["negative"](self)

    def __pos__(self):
        if self.dtype == bool:
            warnings.warn(
                "Applying '+' to a non-numerical array is ill-defined. Returning a copy, but in the future this will error.",
                DeprecationWarning,
                stacklevel=2,
            )
            return self.copy()
        return by_name["positive"](self)

    def __abs__(self):
        return by_name["absolute"](self)

    def __invert__(self):
        return by_name["invert"](self)

    def __pow__(self, other: Any, modulo: Any = None):
        # Common powers have kernels of their own (ndarray.__pow__ in CuPy 14.2).
        kind, x_kind = type(other), self._a.dtype.kind
        fast = None
        if kind is int and other == 2:
            fast, exact = _square, x_kind in "ifc"
        elif kind is float:
            fast, exact = _FLOAT_POWERS.get(other), x_kind in "fc"
        if fast is not None:
            return fast(self) if exact else fast(self, dtype=np.result_type(self.dtype, other))
        return _power(self, other)

    def __rpow__(self, other: Any, modulo: Any = None):
        return _rpower(self, other)

    def __divmod__(self, other: Any):
        return by_name["divmod"](self, other)

    def __rdivmod__(self, other: Any):
        return by_name["divmod"](other, self)

    def __matmul__(self, other: Any):
        if isinstance(other, launch.array_class):
            return matmul(self, other)
        return NotImplemented if _use_reflected(self, other) else np.matmul(self, other)

    def __rmatmul__(self, other: Any):
        return NotImplemented if _use_reflected(self, other) else np.matmul(other, self)

    def __imatmul__(self, other: Any):
        self[...] = self @ other
        return self

    def __len__(self) -> int:
        if not self._a.ndim:
            raise TypeError("len() of unsized object")
        return self._a.shape[0]

    def __iter__(self):
        if not self._a.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(self._a.shape[0]))

    def __getitem__(self, index: Any):
        items = index if type(index) is tuple else (index,)
        for item in items:
            if not isinstance(item, BASIC) or item is True or item is False:
                return advanced_get(self, items)
        return self._view(self._basic(items))

    def _basic(self, items: tuple) -> np.ndarray:
        # The trailing Ellipsis makes NumPy return a 0-d view and no scalar.
        every = items if any(i is Ellipsis for i in items) else (*items, Ellipsis)
        try:
            try:
                return self._a[every]
            except TypeError:
                return self._a[tuple(map(whole, every))]
        except IndexError:
            raise basic_error(self._a.shape, items) from None

    def __setitem__(self, index: Any, value: Any) -> None:
        items = index if type(index) is tuple else (index,)
        for item in items:
            if not isinstance(item, BASIC) or item is True or item is False:
                if is_field(self, items):
                    assign(fields(self, items[0]), value)
                    return
                scatter(self, index, value, "update")
                return
        assign(self._view(self._basic(items)), value)

    def __delitem__(self, index: Any) -> None:
        raise NotImplementedError(f"Subscript deletion not supported by {type(self).__name__}")

    # What computes: each is the function of the same name.

    sum, prod, mean, var, std = reduction.sum, reduction.prod, reduction.mean, reduction.var, reduction.std
    max, min, ptp, argmax, argmin = reduction.max, reduction.min, reduction.ptp, reduction.argmax, reduction.argmin
    all, any, cumsum, cumprod = reduction.all, reduction.any, reduction.cumsum, reduction.cumprod
    sort, argsort, searchsorted = sorting.sort, sorting.argsort, sorting.searchsorted
    partition, argpartition = sorting.partition, sorting.argpartition
    take, repeat, dot = indexing.take, shaping.repeat, products.dot

    def clip(self, min: Any = None, max: Any = None, out: Any = None):
        """Elements limited to an interval."""
        if min is None and max is None:
            if out is None:
                return self.copy()
            out[...] = self
            return out
        if min is None:
            return by_name["minimum"](self, max, out=out)
        if max is None:
            return by_name["maximum"](self, min, out=out)
        return clip(self, min, max, out=out)

    def round(self, decimals: int = 0, out: Any = None):
        """Elements rounded to some decimals."""
        if out is None:
            out = launch.empty(self.shape, np.dtype("e") if self.dtype == bool else self.dtype)
        check_output(out)
        return launch.submit_into("cupy_round", out, np.round, self, decimals)

    def conj(self):
        """Complex conjugate; a real array itself."""
        return by_name["conjugate"](self) if self.dtype.kind == "c" else self

    conjugate = conj

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None):
        """Sum along a diagonal."""
        return self.diagonal(offset, axis1, axis2).sum(-1, dtype, out)

    def nonzero(self):
        """Indices of the elements that are not zero; waits for the device."""
        if not self.ndim:
            raise ValueError(
                "Calling nonzero on 0d arrays is not allowed. Use cp.atleast_1d(scalar).nonzero() instead."
            )
        return launch.now("cupy_nonzero", np.nonzero, self)

    def compress(self, condition: Any, axis: int | None = None, out: Any = None):
        """Elements where a 1-d condition holds; waits for the device."""
        if np.ndim(condition) == 0 and not isinstance(condition, launch.array_class):
            raise ValueError("condition must be a 1-d array")

        condition = condition if isinstance(condition, launch.array_class) else array(condition, dtype=int)
        return self.take(condition.nonzero()[0], axis, out)

    def choose(self, choices: Any, out: Any = None, mode: str = "raise"):
        """Elements picked from several arrays."""

        choices = array(choices)
        made = launch.now("cupy_choose", np.choose, self, list(choices), mode=mode)
        if out is None:
            return made
        out[...] = made
        return out

    def put(self, indices: Any, values: Any, mode: str = "wrap") -> None:
        """Set elements at flat indices."""

        if mode not in ("raise", "wrap", "clip"):
            raise ValueError("clipmode not understood")
        indices, values = array(indices), array(values, dtype=self.dtype)
        if not values.size:
            return
        if mode == "raise":
            launch.queue.run()
            if ((indices._a < -self.size) | (indices._a >= self.size)).any():
                raise IndexError("invalid entry in indices array")
        launch.submit(
            f"cupy_put_{mode}",
            _put,
            (self._a, indices._a, values._a, mode),
            reads=(indices._a, values._a),
            writes=(self._a,),
            bytes_written=indices.size * self.itemsize,
        )

    # What NumPy asks: ``np.sin(x)`` is CuPy's ``sin``, and host arrays are refused.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        import cupy

        operands = inputs
        if "out" in kwargs:
            out = kwargs["out"]
            if len(out) != 1:
                raise ValueError("The 'out' parameter must have exactly one array value")
            operands += out
            kwargs["out"] = out[0]
        name = ufunc.__name__
        try:
            function = getattr(cupy, name, None)
            if function is None:
                from cupyx.scipy import special

                function = getattr(special, name)
            if method != "__call__":
                function = getattr(function, method)
        except AttributeError:
            return NotImplemented
        for x in operands:
            # Host arrays pass here and are refused by name where the function looks at its arguments.
            if not isinstance(x, (int, float, complex, np.generic, launch.array_class, np.ndarray)) and not (
                hasattr(x, "__cuda_array_interface__") or hasattr(x, "__cupy_get_ndarray__")
            ):
                return NotImplemented
        if name in _COMPARISONS:
            inputs = tuple(x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs)
        return function(*inputs, **kwargs)

    def __array_function__(self, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        import cupy

        try:
            module = functools.reduce(getattr, func.__module__.split(".")[1:], cupy)
            ours = getattr(module, func.__name__)
        except AttributeError:
            return NotImplemented
        if ours is func:
            if func is np.can_cast:
                return np.can_cast(*(a.dtype if isinstance(a, launch.array_class) else a for a in args), **kwargs)
            return NotImplemented
        if not all(issubclass(t, (launch.array_class, np.ndarray)) for t in types):
            return NotImplemented
        return ours(*args, **kwargs)

    def __class_getitem__(cls, item: tuple) -> GenericAlias:
        return GenericAlias(launch.array_class, item)

    def scatter_add(self, slices: Any, value: Any) -> None:
        """Add to elements at some indices (deprecated)."""
        _deprecated("scatter_add", "add")
        scatter(self, slices, value, "add")

    def scatter_max(self, slices: Any, value: Any) -> None:
        """Store maxima at some indices (deprecated)."""
        _deprecated("scatter_max", "maximum")
        scatter(self, slices, value, "max")

    def scatter_min(self, slices: Any, value: Any) -> None:
        """Store minima at some indices (deprecated)."""
        _deprecated("scatter_min", "minimum")
        scatter(self, slices, value, "min")


def _deprecated(method: str, ufunc: str) -> None:
    warnings.warn(
        f"`ndarray.{method}` is deprecated. Please use `cupy.{ufunc}.at` instead.", DeprecationWarning, stacklevel=3
    )


# Dask and others tell arrays by the module their class says it is in.
ndarray.__module__ = "cupy"


launch.array_class = ndarray


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


_square = by_name["square"]


_FLOAT_POWERS = {0.5: by_name["sqrt"], 2.0: _square, -1.0: by_name["reciprocal"]}


_power, _rpower = _binary(by_name["power"], np.power)


def _fill() -> None:
    for name, function in {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
        "mod": "remainder", "lshift": "left_shift", "rshift": "right_shift", "and": "bitwise_and", "or": "bitwise_or",
        "xor": "bitwise_xor", "pow": "power",
    }.items():  # fmt: skip
        ours = by_name[function]
        forward, reflected = _binary(ours, getattr(np, function))
        if name != "pow":
            setattr(ndarray, f"__{name}__", forward)
            setattr(ndarray, f"__r{name}__", reflected)
        setattr(ndarray, f"__i{name}__", _method(ours.in_place))
    for name, function in {
        "lt": "less", "le": "less_equal", "eq": "equal", "ne": "not_equal", "gt": "greater", "ge": "greater_equal",
    }.items():  # fmt: skip
        setattr(ndarray, f"__{name}__", _comparison(by_name[function], getattr(np, function)))


_fill()


def _put(a: np.ndarray, indices: np.ndarray, values: np.ndarray, mode: str) -> None:
    np.put(a, indices.astype(np.intp, copy=False), values, mode)
