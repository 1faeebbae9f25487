"""Largest and smallest elements, which CuPy has for compressed formats alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arithmetic import _axis, _validate_axis
from ._base import issparse


class Extremes:
    """``max``, ``min``, ``argmax``, ``argmin``."""

    def _reduce(self, name: str, axis: Any, out: Any, **kwargs: Any) -> Any:
        if out is not None:
            raise ValueError("Sparse matrices do not support an 'out' parameter.")
        if self.ndim == 1:
            axis = _axis(axis, 1)
        _validate_axis(axis)
        self.sum_duplicates()
        if self.ndim == 2 and axis is None and 0 in self.shape:
            raise ValueError(
                "zero-size array to reduction operation"
                if name in ("max", "min")
                else "Can't apply the operation to an empty matrix."
            )
        if name.startswith("arg") and axis is None and self.nnz == 0:
            return 0

        def run(a: Any) -> Any:
            made = getattr(a, name)(axis=axis, **kwargs)
            return made if hasattr(made, "format") else np.asarray(made)

        made = self._compute(name, run)
        return made.tocoo() if issparse(made) else made

    def max(self, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """Largest element; along an axis a matrix of coordinates."""
        return self._reduce("max", axis, out, **({"explicit": True} if explicit else {}))

    def min(self, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """Smallest element; along an axis a matrix of coordinates."""
        return self._reduce("min", axis, out, **({"explicit": True} if explicit else {}))

    def argmax(self, axis: Any = None, out: Any = None) -> Any:
        """Where the largest element stands."""
        return self._reduce("argmax", axis, out)

    def argmin(self, axis: Any = None, out: Any = None) -> Any:
        """Where the smallest element stands."""
        return self._reduce("argmin", axis, out)
