"""Power series by their coefficients, the lowest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import launch
from .._core.convert import array, asarray
from .polyutils import _as_int, as_series


def polyvander(x: Any, deg: int) -> Any:
    """Powers of points from 0 to a degree, along a new last axis."""
    deg = _as_int(deg, "deg")
    if deg < 0:
        raise ValueError("degree must be non-negative")
    x = x.reshape(1) if x.ndim == 0 else x
    dtype = np.dtype(np.float64) if x.dtype.kind in "biu" else x.dtype
    out = launch.empty((deg + 1, *x.shape), dtype)
    out = out._view(np.moveaxis(out._a, 0, -1))  # laid out as CuPy's, one power after the other
    return launch.submit_into("cupy_power", out, _powers, x, deg, dtype)


def _powers(x: np.ndarray, deg: int, dtype: np.dtype) -> np.ndarray:
    return x.astype(dtype)[..., None] ** np.arange(deg + 1, dtype=dtype)


def polycompanion(c: Any) -> Any:
    """The companion matrix."""
    (c,) = as_series([c])
    degree = c.size - 1
    if degree == 0:
        raise ValueError("Series must have maximum degree of at least 1.")
    return launch.submit_into("cupy_companion", launch.empty((degree, degree), c.dtype), _companion, c)


def _companion(c: np.ndarray) -> np.ndarray:
    matrix = np.eye(c.size - 1, k=-1, dtype=c.dtype)
    matrix[:, -1] -= c[:-1] / c[-1]
    return matrix


def polyval(x: Any, c: Any, tensor: bool = True) -> Any:
    """The series at some points."""
    c = array(c, ndmin=1, copy=None)
    if c.dtype.kind in "biu":
        c = c + 0.0
    x = asarray(x) if isinstance(x, (list, tuple)) else x
    if isinstance(x, launch.array_class) and tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    value = c[-1] + x * 0
    for i in range(2, len(c) + 1):
        value = c[-i] + value * x
    return value


def polyvalfromroots(x: Any, r: Any, tensor: bool = True) -> Any:
    """The polynomial of some roots at some points."""
    r = array(r, ndmin=1, copy=None)
    if r.dtype.kind in "biu":
        r = r.astype(np.float64)
    x = asarray(x) if isinstance(x, (list, tuple)) else x
    if isinstance(x, launch.array_class):
        if tensor:
            r = r.reshape(r.shape + (1,) * x.ndim)
        elif x.ndim >= r.ndim:
            raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return (x - r).prod(axis=0)
