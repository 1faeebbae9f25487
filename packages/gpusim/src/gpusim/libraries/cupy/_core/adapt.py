"""Making CuPy functions of NumPy's and SciPy's, from tables of names.

Three kinds: functions that only look at memory differently (:func:`viewing`), functions that run at once because
their result's shape depends on data or because they have no queued form yet (:func:`running`), and functions of
host numbers whose result is sent to the device (:func:`sending`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import launch


def _like(function: Callable, made: Callable, name: str | None = None) -> Callable:
    made.__name__ = made.__qualname__ = name or function.__name__
    made.__doc__ = f"As ``{getattr(function, '__module__', 'numpy')}.{function.__name__}``, on device arrays."
    made.__module__ = "cupy"
    return made


def viewing(function: Callable) -> Callable:
    """A function whose results are views of its first argument."""

    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(a, launch.array_class):
            raise TypeError(f"Unsupported type {type(a)}")
        result = function(a._a, *args, **kwargs)
        if isinstance(result, (list, tuple)):
            return type(result)(a._view(r) for r in result)
        if not isinstance(result, np.ndarray):  # NumPy read the only element, which may not be there yet
            return a._view(a._a)
        return a._view(result) if result.flags.writeable else writable_view(a, result)

    return _like(function, call)


def writable_view(a: Any, view: np.ndarray) -> Any:
    """A device array of a view that NumPy made read-only because elements share memory; CuPy lets one write to it."""
    raw = a._block.raw
    if not view.size:
        return a._view(view)
    return a._view(np.ndarray(view.shape, view.dtype, raw, view.ctypes.data - raw.ctypes.data, view.strides))


def running(function: Callable, kernel: str | None = None) -> Callable:
    """A function that waits for the device and runs at once on host views of device arrays."""
    name = kernel or f"cupy_{function.__name__}"

    def call(*args: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        result = launch.now(name, function, *args, **kwargs)
        if out is None:
            return result
        launch.copy_into(out._a, result._a)
        return out

    return _like(function, call)


def sending(function: Callable) -> Callable:
    """A function of host numbers; CuPy computes it in a kernel that reads nothing."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return launch.now(f"cupy_{function.__name__}", function, *args, **kwargs)

    return _like(function, call)


def hosting(function: Callable) -> Callable:
    """A function that formats or saves: it takes device arrays to the host."""

    def fetch(value: Any) -> Any:
        return value.get() if isinstance(value, launch.array_class) else value

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*map(fetch, args), **{key: fetch(value) for key, value in kwargs.items()})

    return _like(function, call)


def table(module: Any, names: str, kind: Callable) -> dict[str, Callable]:
    """Adapt all functions of a table that this version of the module has."""
    return {name: kind(getattr(module, name)) for name in names.split() if hasattr(module, name)}


@functools.cache
def dtype_of(function: Callable, *dtypes: np.dtype) -> np.dtype:
    """The dtype a NumPy function gives for arrays of some dtypes, found by calling it on two ones."""
    return np.asarray(function(*(np.ones(2, d) for d in dtypes))).dtype
