"""A simulated CuPyX, CuPy's extensions."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

from cupy import linalg as _linalg
from cupy._core.indexing import scatter as _scatter
from cupy._core.ufuncs import by_name as _ufuncs

from gpusim.importing.names import refuser

from . import profiler, scipy
from ._gufunc import GeneralizedUFunc
from ._pinned import empty_like_pinned, empty_pinned, zeros_like_pinned, zeros_pinned
from ._runtime import get_runtime_info
from ._sync import DeviceSynchronized, allow_synchronize


def rsqrt(x: Any, out: Any = None) -> Any:
    """One over the square root."""
    return _ufuncs["reciprocal"](_ufuncs["sqrt"](x), out=out)


def scatter_add(a: Any, slices: Any, value: Any) -> None:
    """Add to elements at some indices, each as often as it occurs."""
    _scatter(a, slices, value, "add")


def scatter_max(a: Any, slices: Any, value: Any) -> None:
    """Store maxima at some indices."""
    _scatter(a, slices, value, "max")


def scatter_min(a: Any, slices: Any, value: Any) -> None:
    """Store minima at some indices."""
    _scatter(a, slices, value, "min")


def geterr() -> dict[str, Any]:
    """What happens on errors: only ``linalg`` can be set."""
    return {"divide": None, "over": None, "under": None, "invalid": None, "linalg": _linalg.config.errors}


def seterr(*, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None, linalg: Any = None):
    """Set what happens on errors; returns what was set before."""
    for value in (divide, over, under, invalid):
        if value is not None:
            raise NotImplementedError()
    before = geterr()
    if linalg is not None:
        if linalg not in ("ignore", "raise"):
            raise NotImplementedError()
        _linalg.config.errors = linalg
    return before


@contextlib.contextmanager
def errstate(
    *, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None, linalg: Any = None
) -> Iterator[None]:
    """Set what happens on errors inside a ``with``."""
    before = seterr(divide=divide, over=over, under=under, invalid=invalid, linalg=linalg)
    try:
        yield
    finally:
        seterr(linalg=before["linalg"])


__all__ = [
    "DeviceSynchronized", "GeneralizedUFunc", "allow_synchronize", "empty_like_pinned", "empty_pinned", "errstate",
    "get_runtime_info", "geterr", "profiler", "rsqrt", "scatter_add", "scatter_max", "scatter_min", "scipy", "seterr",
    "zeros_like_pinned", "zeros_pinned",
]  # fmt: skip
_refuse = refuser("cupyx")


def __getattr__(name: str) -> Any:
    # CuPy imports these with the package; here they wait until they are asked for.
    if name in ("cusolver", "cusparse", "lapack", "linalg", "optimizing", "time"):
        return importlib.import_module(f"cupyx.{name}")
    return _refuse(name)
