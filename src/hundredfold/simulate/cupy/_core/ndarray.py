"""``cupy.ndarray``."""

from __future__ import annotations

import warnings
from typing import Any

from . import launch
from .base import Base
from .host import Host
from .indexing import Indexing, scatter
from .methods import Methods
from .operators import Operators
from .protocols import Protocols
from .views import Views


class ndarray(Views, Host, Operators, Indexing, Methods, Protocols, Base):
    """An array in (simulated) device memory.

    Parameters
    ----------
    shape : tuple of int
        Lengths of the axes.
    dtype
        Type of the elements.
    memptr : cupy.cuda.MemoryPointer, optional
        Memory to use; by default it is allocated, its content undefined.
    strides : tuple of int, optional
        Bytes between elements along each axis.
    order : {'C', 'F'}
        Memory layout.
    """

    __slots__ = ()

    def scatter_add(self, slices: Any, value: Any) -> None:
        """Add to elements at some indices (deprecated)."""
        _deprecated("scatter_add", "add")
        scatter(self, slices, value, "add")

    def scatter_max(self, slices: Any, value: Any) -> None:
        """Store maxima at some indices (deprecated)."""
        _deprecated("scatter_max", "maximum")
        scatter(self, slices, value, "max")

    def scatter_min(self, slices: Any, value: Any) -> None:
        """Store minima at some indices (deprecated)."""
        _deprecated("scatter_min", "minimum")
        scatter(self, slices, value, "min")


def _deprecated(method: str, ufunc: str) -> None:
    warnings.warn(
        f"`ndarray.{method}` is deprecated. Please use `cupy.{ufunc}.at` instead.", DeprecationWarning, stacklevel=3
    )


# Dask and others tell arrays by the module their class says it is in.
ndarray.__module__ = "cupy"
launch.array_class = ndarray
