"""Measurements of labelled regions: CuPy's types and checks, which are its own."""

from __future__ import annotations

import warnings
from typing import Any

import cupy
import numpy as np
import scipy.ndimage as _scipy
from cupy._core import launch
from cupy._util import PerformanceWarning
from cupyx._bridge import takes
from cupyx._bridge.convert import AsIs, call

from gpusim.device.thread_warnings import ignored

_MODULE = "cupyx.scipy.ndimage"
_ALL = ignored()
_QUICK = "iIefdlLqQ".replace("l", "").replace("q", "")  # what CuPy has a quick kernel for


def _region(name: str, x: Any, labels: Any, index: Any) -> None:
    if not isinstance(x, launch.array_class):
        raise TypeError("input must be cupy.ndarray")
    if x.dtype.kind == "c":
        if name == "variance":
            raise TypeError(f"cupyx.scipy.ndimage.variance doesn't support %{x.dtype.type}")
        raise TypeError(f"cupyx.scipy.ndimage.{name} does not support %{x.dtype.type}")
    if x.dtype.char not in _QUICK:
        warnings.warn(f"Using the slower implementation of cupyx.scipy.ndimage.{name} for {x.dtype}",
                      PerformanceWarning, stacklevel=4)  # fmt: skip
    if labels is None:
        return
    if not isinstance(labels, launch.array_class):
        raise TypeError("label must be cupy.ndarray")
    if index is not None and not isinstance(index, launch.array_class):
        if not isinstance(index, int) and (name == "sum" or not np.isscalar(index)):
            raise TypeError("index must be cupy.ndarray or a scalar int")


def _by_label(one: Any, zero_counts: bool = False) -> Any:
    """A function of image, labels and index that applies one of values to those of each label."""
    return lambda x, labels, index: _apply(x, labels, index, one, zero_counts)


def _apply(x: np.ndarray, labels: Any, index: Any, one: Any, zero_counts: bool) -> Any:
    if labels is None:
        return one(x)
    x, labels = np.broadcast_arrays(x, labels)
    if index is None:
        return one(x[labels != 0 if zero_counts else labels > 0])
    if np.ndim(index) == 0 and not isinstance(index, np.ndarray):
        return one(x[labels == index])
    with _ALL:
        values = [one(x[labels == i].astype(np.float64)) for i in index.ravel()]
    return np.array(values, np.float64).reshape(index.shape)


def _mean(values: np.ndarray) -> Any:
    return np.float64(values.sum()) / values.size if values.size else np.float64(np.nan)


def _variance(values: np.ndarray) -> Any:
    if not values.size:
        return np.float64(np.nan)
    return np.float64(np.square(values - values.mean()).sum()) / values.size


@takes(_MODULE)
def sum_labels(input: Any, labels: Any, index: Any) -> Any:
    """Sums of the values of labels; of an array of labels in double precision."""
    _region("sum", input, labels, index)
    if labels is not None and isinstance(index, launch.array_class) and index.size == 0:
        return cupy.array([], np.int64)
    return call("cupyx_ndimage_sum", _by_label(np.sum, True), (input, labels, index), {})


@takes(_MODULE)
def mean(input: Any, labels: Any, index: Any) -> Any:
    """Means of the values of labels, in double precision."""
    _region("mean", input, labels, index)
    return call("cupyx_ndimage_mean", _by_label(_mean), (input, labels, index), {})


@takes(_MODULE)
def variance(input: Any, labels: Any, index: Any) -> Any:
    """Variances of the values of labels, in double precision."""
    _region("variance", input, labels, index)
    return call("cupyx_ndimage_variance", _by_label(_variance), (input, labels, index), {})


@takes(_MODULE)
def standard_deviation(input: Any, labels: Any, index: Any) -> Any:
    """Standard deviations of the values of labels, in double precision."""
    return cupy.sqrt(variance(input, labels, index))


@takes(_MODULE)
def center_of_mass(input: Any, labels: Any, index: Any) -> Any:
    """Centres of mass of labels: a tuple of arrays without axes, or a list of arrays."""
    norm = sum_labels(input, labels, index)
    places = np.ogrid[tuple(slice(0, n) for n in input.shape)]
    sums = [sum_labels(input * cupy.asarray(p.astype(float)), labels, index) / norm for p in places]
    if sums[0].ndim == 0:
        return tuple(sums)
    return list(cupy.stack(sums, axis=-1))


def _positions(name: str, wrapped: tuple = ()) -> Any:
    function = getattr(_scipy, name)
    function = getattr(function, "__wrapped__", function)

    def run(input: Any, labels: Any, index: Any) -> Any:
        def host(*args: Any) -> Any:
            result = function(*args)
            if name == "extrema":  # the values are device arrays, the positions are not
                return (*result[:2], AsIs(result[2]), AsIs(result[3]))
            return AsIs(result)

        return call(f"cupyx_ndimage_{name}", host, (input, labels, index), {})

    run.__name__ = name
    return takes(_MODULE, name)(run)


@takes(_MODULE)
def label(input: Any, structure: Any, output: Any) -> Any:
    """Number the connected regions; ``(labels, count)``, or the count alone where ``output`` is an array."""
    if not isinstance(input, launch.array_class):
        raise TypeError("input must be cupy.ndarray")
    if input.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    if structure is None:
        host = _scipy.generate_binary_structure(input.ndim, 1)
    else:
        host = np.array(structure.get() if isinstance(structure, launch.array_class) else structure, bool)
    if host.ndim != input.ndim:
        raise RuntimeError("structure and input must have equal rank")
    if any(n != 3 for n in host.shape):
        raise ValueError("structure dimensions must be equal to 3")
    if isinstance(output, launch.array_class) and output.shape != input.shape:
        raise ValueError("output shape not correct")
    host = host | np.flip(host)  # CuPy connects both ways whatever the structure says
    given = output if isinstance(output, launch.array_class) else None

    def run(x: np.ndarray, out: Any) -> Any:
        if x.ndim == 0:
            numbers, count = np.array(int(x != 0), np.int32), int(x != 0)
        else:
            numbers, count = _scipy.label(x != 0, host)
        wanted = out.dtype if out is not None else np.dtype(np.int32 if output is None else output)
        if wanted.kind in "iu" and count > np.iinfo(wanted).max:
            raise ValueError("insufficient bit-depth in output type")
        if out is not None:
            out[...] = numbers
            return count
        return numbers.astype(wanted, copy=False), count

    return call("cupyx_ndimage_label", run, (input, given), {})


@takes(_MODULE)
def value_indices(arr: Any, *, ignore_value: Any, adaptive_index_dtype: bool) -> dict:
    """Where each value stands: a dictionary from values to tuples of index arrays."""
    if arr.dtype.kind not in "iu":
        raise ValueError("Parameter 'arr' must be an integer array")
    dtype = np.min_scalar_type(-(max(arr.shape) + 1)) if adaptive_index_dtype else np.dtype(np.int64)

    def run(x: np.ndarray) -> dict:
        x = x.astype(f"{x.dtype.kind}{x.itemsize}")  # SciPy finds nothing in arrays of long long
        found = _scipy.value_indices(x, ignore_value=ignore_value)
        return {int(v): tuple(i.astype(dtype) for i in places) for v, places in sorted(found.items())}

    return call("cupyx_ndimage_value_indices", run, (arr,), {})


rules: dict[str, dict] = {}
made = {f.__name__: f for f in (sum_labels, mean, variance, standard_deviation, center_of_mass, label, value_indices)}
made |= {name: _positions(name) for name in "minimum_position maximum_position extrema".split()}
