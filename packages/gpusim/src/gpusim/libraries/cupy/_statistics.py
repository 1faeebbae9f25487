"""Order statistics, NaN-aware reductions, histograms, correlation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.device.thread_warnings import ignored

from ._core import launch
from ._core.adapt import running, table
from ._core.convert import asarray
from ._core.placeholders import fusible
from ._core.reduction import accumulator, normal_axes, reduce, reduced_shape, sum_dtype
from ._core.ufuncs import by_name

ndarray = launch.array_class
_RUNTIME = ignored(RuntimeWarning)


def _keep_out(function: Callable, **fixed: Any) -> Callable:
    """NumPy's function as :func:`reduce` calls it, for functions whose own ``out`` is slow or picky."""

    def run(a: np.ndarray, axis: Any, keepdims: bool, out: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
        if dtype is not None:
            kwargs["dtype"] = dtype
        result = function(a, axis=axis, keepdims=keepdims, **fixed, **kwargs)
        if out is None:
            return result
        np.copyto(out, result, "unsafe")
        return out

    return run


def _nan_sum(name: str) -> Callable:
    function = getattr(np, name)

    def call(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        result = sum_dtype(a.dtype) if dtype is None else np.dtype(dtype)
        return reduce(f"cupy_{name}", _keep_out(function), a, axis, out, keepdims, result, accumulator(result))

    call.__name__ = name
    return call


def _nan_extremum(name: str) -> Callable:
    function = getattr(np, name)

    def call(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        made = reduce(f"cupy_{name}", _quiet(function), a, axis, out, keepdims, a.dtype, identity=False)
        if by_name["isnan"](made).any():  # CuPy waits for the device here, to warn
            warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=2)
        return made

    call.__name__ = name
    return call


def _quiet(function: Callable) -> Callable:
    """Without NumPy's warnings about slices of nothing but NaN: CuPy has none."""
    inner = _keep_out(function)

    def run(*args: Any, **kwargs: Any) -> Any:
        with _RUNTIME:
            return inner(*args, **kwargs)

    return run


def _float(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.float64) if dtype.kind in "biu" else dtype


def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Mean of what is not NaN."""
    result = _float(a.dtype) if dtype is None else np.dtype(dtype)
    return reduce("cupy_nanmean", _quiet(np.nanmean), a, axis, out, keepdims, result, accumulator(result))


def nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Variance of what is not NaN; CuPy counts, sums and sums squares in three passes."""
    result = _float(a.dtype) if dtype is None else np.dtype(dtype)
    real = np.dtype(result.char.lower()) if result.kind == "c" else result
    shape = reduced_shape(a.shape, normal_axes(axis, a.ndim), True)
    small = int(np.prod(shape)) * 8
    launch.queue.count("_count_non_nan", a.nbytes, small, reads=(a._a,), writes=())
    launch.queue.count("cupy_nansum", a.nbytes, small, reads=(a._a,), writes=())
    return reduce("_nanvar_core", _quiet(np.nanvar), a, axis, out, keepdims, real, accumulator(result), ddof=ddof)


def nanstd(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Standard deviation of what is not NaN."""

    value = nanvar(a, axis, dtype, None, ddof, keepdims)
    return by_name["sqrt"](value) if out is None else by_name["sqrt"](value, out=out)


def _order_statistic(name: str, function: Callable) -> Callable:
    def call(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
        result = _float(a.dtype)
        return reduce(f"cupy_{name}", _quiet(function), a, axis, out, keepdims, result)

    call.__name__ = name
    return call


# Methods that give one of the elements, in its type.
_PICKING = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")


_NOT_YET = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
    "median_unbiased", "normal_unbiased",
)  # fmt: skip


def _quantile(name: str) -> Callable:
    function = getattr(np, name)

    def call(
        a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
        keepdims: bool = False, *, interpolation: Any = None,
    ) -> Any:  # fmt: skip
        a = a if isinstance(a, ndarray) else asarray(a)
        method = interpolation or method
        if method in _NOT_YET:
            raise ValueError(f"'{method}' method is not yet supported. Please use any other method.")
        if method not in ("linear", "lower", "higher", "midpoint", "nearest"):
            raise ValueError(
                f"Unexpected method specified.\nActual: '{method}' not in ('linear', 'lower', 'higher', 'midpoint', 'nearest')"
            )
        if np.ndim(q) > 1 and not isinstance(q, ndarray) or (isinstance(q, ndarray) and q.ndim > 1):
            raise ValueError("Expected q to be 1-D, or a scalar.")
        top = 100 if name == "percentile" else 1
        if not isinstance(q, ndarray) and not all(0 <= v <= top for v in np.ravel(q)):
            raise ValueError("Percentiles must be in the range [0, 100]" if top == 100
                             else "Quantiles must be in the range [0, 1]")  # fmt: skip
        shape = q.shape if isinstance(q, ndarray) else np.shape(q)
        shape = shape + reduced_shape(a.shape, normal_axes(axis, a.ndim), keepdims)
        # A Python float is weak; a list of them is an array of float64, and single precision does not stay.
        weak = 0.5 if isinstance(q, (int, float)) else np.result_type(q.dtype if hasattr(q, "dtype") else float, 0.5)
        if method in _PICKING:
            kind = a.dtype
        else:  # small integers and single-precision quantiles stay in single precision
            kind = np.result_type(a.dtype, weak) if isinstance(q, ndarray) else np.result_type(_float(a.dtype), weak)
        target = launch.empty(shape, kind) if out is None else out
        axis = tuple(axis) if isinstance(axis, list) else axis
        launch.submit_into(
            f"cupy_{name}", target, _in_type(function, target.dtype), a, q, axis, method=method, keepdims=keepdims
        )
        if overwrite_input and isinstance(axis, (int, np.integer)) and a.size:  # CuPy sorts its input then
            launch.submit("cupy_sort", np.ndarray.sort, (a._a, axis), reads=(a._a,), writes=(a._a,))
        return target

    call.__name__ = name
    return call


def _in_type(function: Callable, dtype: np.dtype) -> Callable:
    def run(a: np.ndarray, *args: Any, **kwargs: Any) -> Any:
        return function(a.astype(dtype, copy=False), *args, **kwargs)

    return run


def count_nonzero(a: Any, axis: Any = None) -> Any:
    """Number of elements that are not zero, a 0-d or reduced int64 array."""
    return reduce("cupy_count_nonzero", _keep_out(np.count_nonzero), a, axis, None, False, np.dtype(np.int64))


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """Weighted mean."""
    if weights is None and not returned:
        return a.mean(axis, keepdims=keepdims)
    if isinstance(weights, np.ndarray):
        weights = asarray(weights)
    return launch.now("cupy_average", np.average, a, axis, weights, returned, keepdims=keepdims)


def bincount(x: Any, weights: Any = None, minlength: int | None = None) -> Any:
    """How often each small integer occurs; waits for the device."""
    if x.ndim > 1:
        raise ValueError("object too deep for desired array")
    if x.ndim < 1:
        raise ValueError("object of too small depth for desired array")
    if x.dtype.kind == "f":
        raise TypeError("x must be int array")
    if x.size and (x < 0).any():
        raise ValueError("The first argument of bincount must be non-negative")
    return launch.now("cupy_bincount", np.bincount, x, weights, minlength or 0)


made = {name: fusible(_nan_sum(name), reduces=True) for name in ("nansum", "nanprod")}
made |= {name: _nan_extremum(name) for name in ("nanmax", "nanmin")}
made |= {"median": _order_statistic("median", np.median), "nanmedian": _order_statistic("nanmedian", np.nanmedian)}
made |= {name: _quantile(name) for name in ("percentile", "quantile")}
made |= {f.__name__: f for f in (nanmean, nanvar, nanstd, count_nonzero, average, bincount)}
made |= table(np, "nanargmax nanargmin nancumsum nancumprod corrcoef cov", running)


def histogram(x: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None) -> tuple:
    """Numbers of elements between edges; waits for the device."""
    if x.dtype.kind == "c":
        raise NotImplementedError("complex number is not supported")
    if not isinstance(x, ndarray):
        raise ValueError("x must be a cupy.ndarray")
    if isinstance(bins, str):
        raise NotImplementedError("only integer and array bins are implemented")
    return launch.now("cupy_histogram", np.histogram, x, _edges(bins), range, density, weights)


def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> tuple:
    """Numbers of points between edges of two axes; waits for the device."""
    bins = [_edges(b) for b in bins] if isinstance(bins, (list, tuple)) else _edges(bins)
    return launch.now("cupy_histogram2d", np.histogram2d, x, y, bins, range, density, weights)


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> tuple:
    """Numbers of points between edges of all axes; waits for the device."""
    if isinstance(bins, (list, tuple)):
        for b in bins:
            if np.ndim(b) and not isinstance(b, ndarray):
                raise ValueError("array-like bins not supported")
        bins = list(bins)
    elif np.ndim(bins):
        raise ValueError("array-like bins not supported")
    return launch.now("cupy_histogramdd", np.histogramdd, sample, bins, range, density, weights)


def _edges(bins: Any) -> Any:
    return asarray(bins) if np.ndim(bins) == 1 and not isinstance(bins, ndarray) else bins


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """The interval between edges in which each element lies."""
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if bins.ndim else "object of too small depth for desired array"
        )
    return launch.now("cupy_digitize", np.digitize, x, bins, right)


made |= {f.__name__: f for f in (histogram, histogram2d, histogramdd, digitize)}
