"""Products, covariances and correlations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from . import device
from .column import masked, nans_to_nulls
from .wrap import classes, frame_of, make_frame, series_of, unwrap


def _numbers(array: Any) -> np.ndarray:
    array = nans_to_nulls(array)
    if not hasattr(array, "_mask"):
        raise TypeError(f"cannot perform corr with types {array.dtype}")
    return np.where(array._mask, np.nan, array._data.astype("f8"))


def dot(self: Any, other: Any, reflect: bool = False) -> Any:
    """Product of a Series or DataFrame with a vector or a matrix."""
    import cupy

    if isinstance(other, (classes["Series"], classes["DataFrame"])) and not reflect:
        mine = self._p.index if self._p.ndim == 1 else self._p.columns
        if len(mine.union(other._p.index)) > len(mine) or len(mine) != len(other._p.index):
            raise ValueError("matrices are not aligned")
        right = other.reindex(index=mine) if self._p.ndim == 1 else other.reindex(mine)
        b = right.values
    else:
        b = other.values if hasattr(other, "_p") else device.as_cupy(unwrap(other))
    a = self.values
    result = cupy.dot(b, a) if reflect else cupy.dot(a, b)
    if result.ndim == 0:
        return result.item()
    host = masked(result.get()) if result.ndim == 1 else None
    if host is not None:
        index = (
            self._p.index
            if self._p.ndim == 2
            else (other._p.columns if isinstance(other, classes["DataFrame"]) else None)
        )
        return series_of(pd.Series(host, index=index if not reflect else None))
    columns = other._p.columns if isinstance(other, classes["DataFrame"]) else pd.RangeIndex(result.shape[1])
    matrix = result.get()
    return frame_of(make_frame({i: masked(matrix[:, i].copy()) for i in range(matrix.shape[1])},
                               self._p.index if not reflect else None, columns))  # fmt: skip


def correlation(self: Any, other: Any, method: str = "pearson", min_periods: Any = None) -> Any:
    """Correlation of two Series, over rows where neither is null."""
    if method not in {"pearson", "spearman"}:
        raise ValueError(f"Unknown method {method}")
    if min_periods is not None and min_periods > len(self):
        return np.float64("nan")
    a, b = _pair(self, other)
    if method == "spearman":
        a, b = pd.Series(a).rank().to_numpy(), pd.Series(b).rank().to_numpy()
    if len(a) < 2 or a.std() == 0 or b.std() == 0:
        return np.float64("nan")
    return np.float64(np.corrcoef(a, b)[0, 1])


def _pair(self: Any, other: Any) -> tuple[np.ndarray, np.ndarray]:
    left, right = self._p, other._p
    if self.empty or other.empty:
        return np.array([]), np.array([])
    if not left.index.equals(right.index):
        left, right = left.align(right, join="inner")
    a, b = _numbers(left.array), _numbers(right.array)
    kept = ~(np.isnan(a) | np.isnan(b))
    return a[kept], b[kept]


def covariance(self: Any, other: Any) -> Any:
    """Covariance of two Series, over rows where neither is null."""
    a, b = _pair(self, other)
    return np.float64(np.cov(a, b)[0, 1]) if len(a) > 1 else np.float64("nan")


def _matrix(self: Any, numeric_only: bool) -> pd.DataFrame:
    target = self.select_dtypes(include=["number", "bool"]) if numeric_only else self
    p = target._p
    return pd.DataFrame({i: _numbers(p.iloc[:, i].array) for i in range(p.shape[1])}).set_axis(p.columns, axis=1)


def _square(values: np.ndarray, columns: pd.Index) -> Any:
    return frame_of(make_frame({i: masked(values[:, i].copy()) for i in range(len(columns))}, columns, columns))


def _refuse_nulls(frame: Any, what: str) -> None:
    if frame._p.isna().any(axis=None):
        raise NotImplementedError(f"cupy-based {what} does not support nulls")


def frame_correlation(self: Any, method: str = "pearson", min_periods: Any = None, numeric_only: bool = False) -> Any:
    """Correlations of the columns, none of which may have a null or a NaN."""
    _refuse_nulls(self, "corr")
    if method not in ("pearson", "spearman"):
        raise ValueError("method must be either 'pearson', 'spearman'")
    if min_periods is not None:
        raise NotImplementedError("Unsupported argument 'min_periods'")
    host = _matrix(self, numeric_only)
    if method == "spearman":
        host = host.rank()
    with np.errstate(all="ignore"):
        values = (
            np.corrcoef(host.to_numpy().T)
            if host.shape[1] > 1
            else np.array([[1.0]])
            if host.shape[1]
            else np.zeros((0, 0))
        )
    return _square(np.atleast_2d(values), host.columns)


def frame_covariance(self: Any, min_periods: Any = None, ddof: int = 1, numeric_only: bool = False) -> Any:
    """Covariances of the columns, none of which may have a null or a NaN."""
    if min_periods is not None:
        raise NotImplementedError("min_periods is currently not supported.")
    _refuse_nulls(self, "cov")
    host = _matrix(self, numeric_only)
    with np.errstate(all="ignore"):
        values = np.cov(host.to_numpy().T, ddof=ddof)
    return _square(np.atleast_2d(values), host.columns)
