"""Methods of the device array that compute: each is the function of the same name."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import launch, products, reduction, sorting
from .ufuncs import by_name, clip


class Methods:
    """Computing methods of the device array."""

    __slots__ = ()

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False):
        """Sum of the elements."""
        return reduction.sum(self, axis, dtype, out, keepdims)

    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False):
        """Product of the elements."""
        return reduction.prod(self, axis, dtype, out, keepdims)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False):
        """Arithmetic mean."""
        return reduction.mean(self, axis, dtype, out, keepdims)

    def var(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False):
        """Variance."""
        return reduction.var(self, axis, dtype, out, ddof, keepdims)

    def std(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False):
        """Standard deviation."""
        return reduction.std(self, axis, dtype, out, ddof, keepdims)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False):
        """Largest element."""
        return reduction.max(self, axis, out, keepdims)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False):
        """Smallest element."""
        return reduction.min(self, axis, out, keepdims)

    def ptp(self, axis: Any = None, out: Any = None, keepdims: bool = False):
        """Largest minus smallest element."""
        return reduction.ptp(self, axis, out, keepdims)

    def argmax(self, axis: Any = None, out: Any = None, dtype: Any = None, keepdims: bool = False):
        """Index of the largest element."""
        return reduction.argmax(self, axis, out, dtype, keepdims)

    def argmin(self, axis: Any = None, out: Any = None, dtype: Any = None, keepdims: bool = False):
        """Index of the smallest element."""
        return reduction.argmin(self, axis, out, dtype, keepdims)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False):
        """Whether all elements are true."""
        return reduction.all(self, axis, out, keepdims)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False):
        """Whether any element is true."""
        return reduction.any(self, axis, out, keepdims)

    def cumsum(self, axis: Any = None, dtype: Any = None, out: Any = None):
        """Running sum."""
        return reduction.cumsum(self, axis, dtype, out)

    def cumprod(self, axis: Any = None, dtype: Any = None, out: Any = None):
        """Running product."""
        return reduction.cumprod(self, axis, dtype, out)

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
        return launch.submit_into("cupy_round", out, np.round, self, decimals)

    def dot(self, b: Any, out: Any = None):
        """Dot product."""
        return products.dot(self, b, out)

    def conj(self):
        """Complex conjugate; a real array itself."""
        return by_name["conjugate"](self) if self.dtype.kind == "c" else self

    conjugate = conj

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None):
        """Sum along a diagonal."""
        return self.diagonal(offset, axis1, axis2).sum(-1, dtype, out)

    def repeat(self, repeats: Any, axis: int | None = None):
        """Elements repeated."""
        from .shaping import repeat

        return repeat(self, repeats, axis)

    def sort(self, axis: int = -1, *, kind: Any = None) -> None:
        """Sort in place."""
        sorting.sort_in_place(self, axis, kind)

    def argsort(self, axis: int | None = -1, *, kind: Any = None):
        """Indices that sort."""
        return sorting.argsort(self, axis, kind)

    def partition(self, kth: Any, axis: int = -1) -> None:
        """Partly sort in place (CuPy sorts fully)."""
        sorting.check_kth(self, kth, axis)
        sorting.sort_in_place(self, axis)

    def argpartition(self, kth: Any, axis: int | None = -1):
        """Indices that partly sort (CuPy's sort fully)."""
        sorting.check_kth(self, kth, axis)
        return sorting.argsort(self, axis)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None):
        """Where to insert elements to keep the order."""
        return sorting.searchsorted(self, v, side, sorter)

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
        from .convert import array

        condition = condition if isinstance(condition, launch.array_class) else array(condition, dtype=int)
        return self.take(condition.nonzero()[0], axis, out)

    def choose(self, choices: Any, out: Any = None, mode: str = "raise"):
        """Elements picked from several arrays."""
        from .convert import array

        choices = array(choices)
        made = launch.now("cupy_choose", np.choose, self, list(choices), mode=mode)
        if out is None:
            return made
        out[...] = made
        return out

    def put(self, indices: Any, values: Any, mode: str = "wrap") -> None:
        """Set elements at flat indices."""
        from .convert import array

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
            None,
            indices.nbytes + values.nbytes,
            indices.size * self.itemsize,
        )


def _put(a: np.ndarray, indices: np.ndarray, values: np.ndarray, mode: str) -> None:
    np.put(a, indices.astype(np.intp, copy=False), values, mode)
