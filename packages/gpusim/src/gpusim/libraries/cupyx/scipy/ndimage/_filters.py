"""What CuPy checks before it filters, and half precision, which SciPy's filters lack."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
import scipy.ndimage as _scipy
from cupy._core import launch

_MODES = {"reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-wrap", "grid-reflect"}


class _Halves:
    """SciPy's functions, with a detour over single precision for halves."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(_scipy, name)
        # Under SCIPY_ARRAY_API a wrapper around it looks for an array library to pass the call to.
        return _over_single(getattr(function, "__wrapped__", function))


halves = _Halves()


def _over_single(function: Callable) -> Callable:
    signature = inspect.signature(function)
    first = next(iter(signature.parameters), None)
    if first not in ("input", "image") or "output" not in signature.parameters:
        return function

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        given = bound.arguments
        x, out = given[first], given.get("output")
        half_in = getattr(x, "dtype", None) == np.float16
        wanted = out.dtype if isinstance(out, np.ndarray) else np.dtype(out) if out is not None else x.dtype
        if not half_in and wanted != np.float16:
            return function(*bound.args, **bound.kwargs)
        if half_in:
            given[first] = x.astype(np.float32)
        if wanted != np.float16:
            return function(*bound.args, **bound.kwargs)
        given["output"] = np.float32
        result = function(*bound.args, **bound.kwargs)
        if isinstance(out, np.ndarray):
            out[...] = result
            return out
        return result.astype(np.float16)

    return run


def image(given: dict, name: str = "input") -> Any:
    """The image among the arguments; it must be a device array."""
    x = given[name]
    if not isinstance(x, launch.array_class):
        raise TypeError(f"Unsupported type {type(x)}")
    return x


def _sequence(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def integer_output(given: dict) -> bool:
    """Whether the result is of an integer type."""
    out = given.get("output")
    if out is None:
        return given["input"].dtype.kind in "iu"
    dtype = out.dtype if isinstance(out, launch.array_class) else np.dtype(out)
    return dtype.kind in "iu"


def check_cval(given: dict) -> None:
    """Refuse a value beyond the border that is not finite where the result is an integer."""
    if "constant" in _sequence(given["mode"]) and integer_output(given) and not np.isfinite(given["cval"]):
        raise NotImplementedError("Non-finite cval is not supported for outputs with integer dtype.")


def _modes(given: dict) -> None:
    image(given)
    for mode in _sequence(given["mode"]):
        if mode not in _MODES:
            raise RuntimeError(f"boundary mode not supported (actual: {mode})")


def linear(given: dict) -> None:
    """For filters with weights."""
    _modes(given)
    weights = given.get("weights")
    if weights is not None and not isinstance(weights, launch.array_class):
        raise AttributeError(f"{type(weights).__name__!r} object has no attribute 'ndim'")
    check_cval(given)
    out = given.get("output")
    is_complex = given["input"].dtype.kind == "c" or getattr(getattr(weights, "dtype", None), "kind", "") == "c"
    if is_complex and isinstance(out, type) and np.dtype(out).kind != "c":
        warnings.warn("promoting specified output dtype to complex", stacklevel=4)
        given["output"] = np.promote_types(out, np.complex64)


def order(given: dict) -> None:
    """For minima, maxima and ranks."""
    _modes(given)
    if given["cval"] is np.nan:
        raise NotImplementedError("NaN cval is unsupported")
    footprint = given.get("footprint")
    if isinstance(footprint, tuple) and given.get("size") is None:
        given["size"], given["footprint"] = footprint, None
    elif footprint is not None and not isinstance(footprint, launch.array_class):
        given["footprint"] = cupy.asarray(footprint, bool)
    if given.get("footprint") is not None and not given["footprint"].any():
        raise ValueError("all-zero footprint is not supported")


def rank(given: dict) -> None:
    """For rank and percentile filters."""
    order(given)
    if "percentile" in given:
        percentile = float(given["percentile"])
        percentile += 100.0 if percentile < 0 else 0
        if not 0 <= percentile <= 100:
            raise RuntimeError("invalid percentile")


def _structure(given: dict, key: str = "structure") -> Any:
    value = given.get(key)
    axes = given.get("axes")
    ndim = given["input"].ndim if axes is None else len(_sequence(axes))
    if isinstance(value, int):
        value = (value,) * ndim
    if isinstance(value, (tuple, list)):
        value = given[key] = cupy.ones(tuple(value), bool)
    return value


def binary(given: dict) -> None:
    """For binary erosion and what is made of it."""
    image(given)
    structure = _structure(given)
    if given["input"].dtype.kind == "c":
        raise TypeError("Complex type not supported")
    given["output"] = given["output"] if isinstance(given["output"], launch.array_class) else None
    iterations = given.get("iterations", 1)
    if given.get("brute_force", True) or iterations == 1:
        return
    centre = True
    if structure is not None and structure.size:
        origin = given["origin"]
        shifts = [origin] * structure.ndim if isinstance(origin, int) else origin
        centre = bool(structure[tuple(n // 2 + o for n, o in zip(structure.shape, shifts, strict=True))])
    if centre and hasattr(iterations, "__index__"):
        raise NotImplementedError("only brute_force iteration has been implemented")


def distance(given: dict) -> None:
    """For the distance transform."""
    if image(given, "image").ndim not in (2, 3):
        raise NotImplementedError("Only 2D and 3D distance transforms are supported.")


def _grey(given: dict) -> None:
    _modes(given)
    if given["size"] is None and given["footprint"] is None and given["structure"] is None:
        raise ValueError("size, footprint or structure must be specified")


rules: dict[str, dict] = {name: {"before": linear} for name in (
    "convolve convolve1d correlate correlate1d uniform_filter uniform_filter1d gaussian_filter gaussian_filter1d prewitt "
    "sobel laplace gaussian_laplace gaussian_gradient_magnitude"
).split()}  # fmt: skip
rules |= {name: {"before": order} for name in "minimum_filter maximum_filter median_filter".split()}
rules |= {name: {"before": rank} for name in "rank_filter percentile_filter".split()}
rules |= {name: {"before": binary} for name in "binary_erosion binary_dilation binary_opening binary_closing".split()}
rules |= {name: {"before": _grey} for name in (
    "grey_erosion grey_dilation grey_opening grey_closing morphological_gradient morphological_laplace white_tophat "
    "black_tophat"
).split()}  # fmt: skip
