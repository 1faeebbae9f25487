"""``cupy.vectorize``: a Python function of numbers, element by element.

CuPy translates the function to CUDA.  Here it runs as it stands, on NumPy's scalars of the arguments' types.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.device.thread_warnings import ignored

from ._core import launch
from ._core.checks import broadcast

_RUNTIME = ignored(RuntimeWarning)


class vectorize:
    """A function of arrays from a function of numbers.

    Parameters
    ----------
    pyfunc : callable
        Takes numbers, gives a number or a tuple of numbers.
    otypes : optional
        Accepted, and refused when called, as by CuPy.
    doc : str, optional
        The docstring.
    cache : optional
        Ignored.
    """

    def __init__(
        self, pyfunc: Callable, otypes: Any = None, doc: Any = None, excluded: Any = None, cache: Any = False, signature: Any = None
    ):  # fmt: skip
        self.pyfunc = pyfunc
        self.__doc__ = doc or pyfunc.__doc__
        self.excluded, self.cache, self.signature = excluded, cache, signature
        self.otypes = None if otypes is None else "".join(np.dtype(t).char for t in otypes)
        if excluded is not None:
            raise NotImplementedError("cupy.vectorize does not support `excluded` option currently.")
        if signature is not None:
            raise NotImplementedError("cupy.vectorize does not support `signature` option currently.")

    def __call__(self, *args: Any) -> Any:
        """Apply the function; waits for the device."""
        if self.otypes is not None:
            raise NotImplementedError
        arrays = [a for a in args if isinstance(a, launch.array_class)]
        for a in args:
            if isinstance(a, np.ndarray):
                raise TypeError(f"Unsupported type {type(a)}")
        shape = broadcast(*(a._a for a in arrays))
        views = [a if isinstance(a, launch.array_class) else np.dtype(type(a)).type(a) for a in args]
        return launch.now("cupy_vectorize", _apply, _on_numbers(self.pyfunc), shape, *views)


def _apply(function: Callable, shape: tuple[int, ...], *args: Any) -> Any:
    flat = [np.broadcast_to(a, shape).ravel() if np.ndim(a) else a for a in args]
    size = int(np.prod(shape))
    with _RUNTIME:
        rows = [function(*(a[i] if np.ndim(a) else a for a in flat)) for i in range(max(size, 1))] if size else []
        sample = rows[0] if rows else function(*(np.dtype(a.dtype).type(1) for a in flat))
    several = isinstance(sample, tuple)
    columns = list(zip(*rows, strict=True)) if several and rows else [rows] * (len(sample) if several else 1)
    made = []
    for column, value in zip(columns, sample if several else (sample,), strict=True):
        kinds = {np.dtype(type(v)) if not hasattr(v, "dtype") else v.dtype for v in (column or (value,))}
        made.append(np.array(column, dtype=np.result_type(*kinds)).reshape(shape))
    return tuple(made) if several else made[0]


def _on_numbers(function: Callable) -> Callable:
    """The function with NumPy in the place of ``cupy``, whose functions are of numbers inside a kernel."""
    import cupy

    function = getattr(function, "pyfunc", function)
    if not isinstance(function, types.FunctionType):
        return function

    def swap(value: Any) -> Any:
        if value is cupy:
            return np
        if isinstance(value, cupy.ufunc):
            return getattr(np, value.name.removeprefix("cupy_"), value)
        return value

    names = set(function.__code__.co_names)
    scope = {name: swap(value) if name in names else value for name, value in function.__globals__.items()}
    cells = tuple(types.CellType(swap(cell.cell_contents)) for cell in function.__closure__ or ())
    made = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


made = {"vectorize": vectorize}
