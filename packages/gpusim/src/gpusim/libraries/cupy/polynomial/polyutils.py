"""Preparing series of coefficients, the lowest power first."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._core import launch
from .._misc import common_type


def _as_int(x: Any, desc: str) -> int:
    try:
        return operator.index(x)
    except TypeError:
        raise TypeError(f"{desc} must be an integer, received {x}") from None


def trimseq(seq: Any) -> Any:
    """Coefficients without the zeros at the end; of nothing but zeros the first.  Waits for the device."""
    if seq.ndim == 0:
        raise TypeError("Input must be 1-d array")
    if seq.ndim > 1:
        raise ValueError("Input must be 1-d array")
    if not seq.size:
        return seq
    kept = int(launch.now("cupy_trim_zeros", _trimmed, seq).size)
    return seq if kept == seq.size else seq[:kept]


def _trimmed(seq: np.ndarray) -> np.ndarray:
    return np.trim_zeros(seq, "b") if seq.any() else seq[:1]


def as_series(alist: Any, trim: bool = True) -> list:
    """Series of one floating type, by default without zeros at the end."""

    series = []
    for a in alist:
        if a.size == 0:
            raise ValueError("Coefficient array is empty")
        if a.ndim > 1:
            raise ValueError("Coefficient array is not 1-d")
        if a.dtype.kind == "b":
            raise ValueError("Coefficient arrays have no common type")
        a = a.ravel()
        series.append(trimseq(a) if trim else a)
    dtype = common_type(*series)
    return [a.astype(dtype, copy=False) for a in series]


def trimcoef(c: Any, tol: float = 0) -> Any:
    """Coefficients without those at the end that are not above a tolerance.  Waits for the device."""
    if tol < 0:
        raise ValueError("tol must be non-negative")
    if c.size == 0:
        raise ValueError("Coefficient array is empty")
    if c.ndim > 1:
        raise ValueError("Coefficient array is not 1-d")
    if c.dtype.kind == "b":
        raise ValueError("bool inputs are not allowed")
    (c,) = as_series([c], trim=False)
    return launch.now("cupy_trimcoef", _above, c, tol)


def _above(c: np.ndarray, tol: float) -> np.ndarray:
    (kept,) = np.nonzero(np.abs(c) > tol)
    return c[: kept[-1] + 1] if kept.size else c[:1] * 0
