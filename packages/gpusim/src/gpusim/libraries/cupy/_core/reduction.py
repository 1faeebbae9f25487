"""Reductions and scans: what CuPy returns is known before any data is read, so all of them are queued."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import launch
from .checks import check_array, raise_if_invalid_cast


def normal_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes to reduce over, ascending."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(sorted(np.lib.array_utils.normalize_axis_tuple(axes, ndim)))


def reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """The shape that is left."""
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def reduce(
    name: str,
    function: Callable,
    a: Any,
    axis: Any,
    out: Any,
    keepdims: bool,
    result: np.dtype,
    compute: np.dtype | None = None,
    identity: bool = True,
    **kwargs: Any,
) -> Any:
    """Enqueue a reduction as one kernel.

    Parameters
    ----------
    name : str
        The kernel's name.
    function : callable
        Takes an array, ``axis``, ``out``, ``keepdims`` and, where ``compute`` is given, ``dtype``.
    result, compute : dtype
        Of the result, and of the accumulator where the function takes one.
    identity : bool
        Whether the reduction of no elements has a value.
    """
    if axis is None and out is None and not keepdims and result is compute and not kwargs and a.size:
        if isinstance(getattr(function, "__self__", None), np.ufunc):  # the path of most calls, written for speed
            target = launch.empty((), result)
            view = target._a
            launch.submit(
                name, function, (a._a, None, compute, view, False), (a._a,), (view,), a._a.nbytes, view.nbytes
            )
            return target
    if not isinstance(a, launch.array_class):
        raise TypeError(f"Unsupported type {type(a)}")
    if keepdims:
        from . import fusion

        fusion.refuse_keepdims(name)
    axes = normal_axes(axis, a._a.ndim)
    shape = reduced_shape(a._a.shape, axes, keepdims)
    if not identity and a.size == 0 and 0 not in shape:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    if out is None:
        target = launch.empty(shape, result)
    else:
        check_out(out, shape, result)
        target = out
    if compute is not None:
        kwargs["dtype"] = compute
    # axis=None lets NumPy take its quickest path over contiguous memory.
    kwargs["axis"] = None if len(axes) == a._a.ndim else axes
    if target.size:
        exact = target.dtype == (compute or result)
        if exact and compute is not None and isinstance(getattr(function, "__self__", None), np.ufunc):
            # NumPy's own reduction takes it all by position: no Python between the queue and it.
            arguments = (a._a, kwargs["axis"], compute, target._a, keepdims)
            launch.submit(name, function, arguments, (a._a,), (target._a,))
            return target
        arguments = (function, a._a, target._a, keepdims, exact, kwargs)
        launch.submit(name, _into, arguments, reads=(a._a,), writes=(target._a,))
    return target


def _into(function: Callable, a: np.ndarray, out: np.ndarray, keepdims: bool, exact: bool, kwargs: dict) -> None:
    if exact:
        function(a, out=out, keepdims=keepdims, **kwargs)
    else:
        result = function(a, keepdims=keepdims, **kwargs)
        np.copyto(out, result.real if out.dtype.kind == "f" else result, "unsafe")


def check_out(out: Any, shape: tuple[int, ...], dtype: np.dtype, casting: str = "unsafe") -> None:
    """Raise CuPy's errors for a given output that does not fit."""
    check_array(out, "out")
    if out.shape != shape:
        raise ValueError("Out shape is mismatched")
    raise_if_invalid_cast(dtype, out.dtype, casting)


def sum_dtype(dtype: np.dtype) -> np.dtype:
    """What sums and products of a type give: integers grow to 64 bits, floats stay."""
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def accumulator(dtype: np.dtype) -> np.dtype:
    """CuPy sums half precision in single."""
    return np.dtype(np.float32) if dtype.char == "e" else dtype


def cub(a: Any, axis: Any) -> bool:
    """Whether CuPy hands a reduction to CUB: contiguous memory, over all axes or the innermost ones."""
    axes = normal_axes(axis, a.ndim)
    if not a.size:
        return False
    n = len(axes)
    if a._a.flags.c_contiguous:
        return axes == tuple(range(a.ndim - n, a.ndim))
    return bool(a._a.flags.f_contiguous) and axes == tuple(range(n))


def _named(name: str, doc: str, run: Callable) -> Callable:
    run.__name__ = run.__qualname__ = name.removeprefix("cupy_")
    run.__doc__ = doc
    return run


def _add_or_multiply(name: str, ufunc: np.ufunc, doc: str) -> Callable:
    def run(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        result = sum_dtype(a.dtype) if dtype is None else np.dtype(dtype)
        kernel = name if dtype is None else name + "_with_dtype"
        return reduce(kernel, ufunc.reduce, a, axis, out, keepdims, result, accumulator(result))

    return _named(name, doc, run)


sum = _add_or_multiply("cupy_sum", np.add, "Sum of the elements.")
prod = _add_or_multiply("cupy_prod", np.multiply, "Product of the elements.")


def all(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Whether all elements are true, a 0-d or reduced bool array."""
    return reduce("cupy_all", np.logical_and.reduce, a, axis, out, keepdims, np.dtype(bool), np.dtype(bool))


def any(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Whether any element is true, a 0-d or reduced bool array."""
    return reduce("cupy_any", np.logical_or.reduce, a, axis, out, keepdims, np.dtype(bool), np.dtype(bool))


def _extremum(name: str, function: Callable, doc: str) -> Callable:
    def run(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return reduce(name, function, a, axis, out, keepdims, a.dtype, a.dtype, identity=False)

    return _named(name, doc, run)


max = _extremum("cupy_max", np.maximum.reduce, "Largest element.")
min = _extremum("cupy_min", np.minimum.reduce, "Smallest element.")


def _arg(name: str, function: Callable, doc: str) -> Callable:
    def run(a: Any, axis: Any = None, out: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        if isinstance(axis, (tuple, list)):
            raise TypeError(f"'{type(axis).__name__}' object cannot be interpreted as an integer")
        result = np.dtype(np.int64 if dtype is None else dtype)
        return reduce(name, _single_axis(function), a, axis, out, keepdims, result, identity=False)

    return _named(name, doc, run)


def _single_axis(function: Callable) -> Callable:
    def run(a: np.ndarray, axis: Any, keepdims: bool, out: np.ndarray | None = None) -> Any:
        axis = None if axis is None else axis[0]
        result = function(a, axis=axis, keepdims=keepdims)
        if out is None:
            return result
        out[...] = result
        return out

    return run


argmax = _arg("cupy_argmax", np.argmax, "Index of the largest element.")
argmin = _arg("cupy_argmin", np.argmin, "Index of the smallest element.")


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Arithmetic mean; integers are averaged in float64, halves in float32."""
    if dtype is None:
        result = np.dtype(np.float64) if a.dtype.kind in "biu" else a.dtype
    else:
        result = np.dtype(dtype)
    compute = np.dtype(np.float64) if result.kind in "biu" else accumulator(result)
    value = reduce("cupy_mean", np.mean, a, axis, out, keepdims, result, compute)
    if cub(a, axis):  # a sum, then a division in place
        launch.submit("cupy_true_divide", _nothing, (), reads=(value._a,), writes=(value._a,))
    return value


def _nothing(*_: Any) -> None:
    """A launch whose effect the one before had already."""


def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Variance in CuPy's two passes over the data: the mean, then the squared distances from it."""
    compute = np.dtype(dtype) if dtype is not None else np.dtype(np.float64 if a.dtype.kind in "biu" else a.dtype)
    result = _real(compute)
    axes = normal_axes(axis, a.ndim)
    shape = reduced_shape(a.shape, axes, True)
    between = math.prod(shape) * compute.itemsize  # the mean: memory that only CuPy takes
    launch.submit("cupy_mean", _nothing, (a._a, axes), reads=(a._a,), writes=(), bytes_written=between)
    return reduce("_var_core", np.var, a, axis, out, keepdims, result, accumulator(compute), ddof=ddof)


def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Standard deviation: the variance, and a square root of it."""
    from .ufuncs import by_name

    value = var(a, axis, dtype, None, ddof, keepdims)
    return by_name["sqrt"](value, out=out) if out is not None else by_name["sqrt"](value)


def _real(dtype: np.dtype) -> np.dtype:
    return np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype


def _scan(name: str, ufunc: np.ufunc, doc: str) -> Callable:
    def run(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if axis is None:
            a, axis = a.ravel(), 0
        axis = normal_axes(axis, a.ndim)[0]
        result = sum_dtype(a.dtype) if dtype is None else np.dtype(dtype)
        if out is None:
            out = launch.empty(a.shape, result)
        else:
            check_out(out, a.shape, result)
        if out.size:
            arguments = (ufunc.accumulate, a._a, out._a, axis, accumulator(result))
            launch.submit(name, _accumulate, arguments, reads=(a._a,), writes=(out._a,))
        return out

    return _named(name, doc, run)


def _accumulate(function: Callable, a: np.ndarray, out: np.ndarray, axis: int, dtype: np.dtype) -> None:
    if out.dtype == dtype:
        function(a, axis=axis, dtype=dtype, out=out)
    else:
        np.copyto(out, function(a, axis=axis, dtype=dtype), "unsafe")


cumsum = _scan("cupy_cumsum", np.add, "Running sum.")
cumprod = _scan("cupy_cumprod", np.multiply, "Running product.")


def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Largest minus smallest element."""
    from .ufuncs import by_name

    value = max(a, axis, out, keepdims)
    return by_name["subtract"](value, min(a, axis, None, keepdims), value)
