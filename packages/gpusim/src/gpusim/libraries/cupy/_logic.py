"""Comparisons and tests of whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import launch
from ._core.adapt import running, table
from ._core.checks import broadcast
from ._core.convert import array, asarray, device_array
from ._core.ufuncs import by_name

ndarray = launch.array_class


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Where two arrays are equal within a tolerance; of the few functions that take host arrays too, and send them."""
    a, b = asarray(a), asarray(b)
    out = launch.empty(broadcast(a._a, b._a), np.dtype(bool))
    return launch.submit_into("cupy_is_close", out, np.isclose, a, b, rtol, atol, equal_nan)


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Whether two arrays are equal within a tolerance, a 0-d bool array."""
    return isclose(a, b, rtol, atol, equal_nan).all()


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Whether two arrays have the same shape and elements, a 0-d bool array."""
    if isinstance(a1, np.ndarray) and isinstance(a2, np.ndarray) and a1.shape == a2.shape:
        return np.bool_(np.array_equal(a1, a2, equal_nan))  # compared where they are
    a1, a2 = asarray(a1), asarray(a2)
    if a1.shape != a2.shape:
        return array(False)
    if equal_nan and a1.dtype.kind in "fc" and a2.dtype.kind in "fc":
        return ((a1 == a2) | (by_name["isnan"](a1) & by_name["isnan"](a2))).all()
    return (a1 == a2).all()


def array_equiv(a1: Any, a2: Any) -> Any:
    """Whether two arrays can be broadcast together and are equal, a 0-d bool array."""
    try:
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return array(False)
    return (a1 == a2).all()


def iscomplex(x: Any) -> Any:
    """Where the imaginary part is not zero."""
    if np.isscalar(x):
        return np.iscomplex(x)
    x = asarray(x)
    return x.imag != 0 if x.dtype.kind == "c" else _all_of(x, False)


def isreal(x: Any) -> Any:
    """Where the imaginary part is zero."""
    if np.isscalar(x):
        return np.isreal(x)
    x = asarray(x)
    return x.imag == 0 if x.dtype.kind == "c" else _all_of(x, True)


def _all_of(x: Any, value: bool) -> Any:
    out = launch.empty(x.shape, np.dtype(bool))
    out.fill(value)
    return out


def iscomplexobj(x: Any) -> bool:
    """Whether an array's or number's type is complex."""
    return x.dtype.kind == "c" if isinstance(x, ndarray) else np.iscomplexobj(x)


def isrealobj(x: Any) -> bool:
    """Whether an array's or number's type is real."""
    return not iscomplexobj(x)


def isneginf(x: Any, out: Any = None) -> Any:
    """Where elements are negative infinity."""
    return by_name["logical_and"](by_name["isinf"](x), by_name["signbit"](x), out=out)


def isposinf(x: Any, out: Any = None) -> Any:
    """Where elements are positive infinity."""
    return by_name["logical_and"](by_name["isinf"](x), by_name["logical_not"](by_name["signbit"](x)), out=out)


def isfortran(a: Any) -> bool:
    """Whether an array is in column-major order only."""
    return a.flags.fnc


def may_share_memory(a: Any, b: Any, max_work: Any = None) -> bool:
    """Whether two device arrays may overlap in memory."""
    if not (isinstance(a, ndarray) and isinstance(b, ndarray)):
        return False
    return bool(a.size and b.size) and np.may_share_memory(a._a, b._a)


def shares_memory(a: Any, b: Any, max_work: Any = None) -> bool:
    """Whether two device arrays overlap in memory."""
    if not (isinstance(a, ndarray) and isinstance(b, ndarray)):
        return False
    return np.shares_memory(device_array(a)._a, b._a)


made = {
    f.__name__: f
    for f in (
        isclose, allclose, array_equal, array_equiv, iscomplex, isreal, iscomplexobj, isrealobj, isneginf, isposinf,
        isfortran, may_share_memory, shares_memory,
    )
}  # fmt: skip


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Where the elements of a flattened array are among those of another."""
    return made["isin"](asarray(ar1).ravel(), asarray(ar2).ravel(), assume_unique, invert)


made |= table(np, "isin intersect1d setdiff1d setxor1d union1d", running)

made["in1d"] = in1d
