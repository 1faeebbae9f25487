"""What NumPy asks of a device array: ``np.sin(x)`` is CuPy's ``sin``, and host arrays are refused."""

from __future__ import annotations

import functools
from types import GenericAlias
from typing import Any

import numpy as np

from . import launch

_COMPARISONS = frozenset(["greater", "greater_equal", "less", "less_equal", "equal", "not_equal"])


class Protocols:
    """``__array_ufunc__`` and ``__array_function__``."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        import cupy

        operands = inputs
        if "out" in kwargs:
            out = kwargs["out"]
            if len(out) != 1:
                raise ValueError("The 'out' parameter must have exactly one array value")
            operands += out
            kwargs["out"] = out[0]
        name = ufunc.__name__
        try:
            function = getattr(cupy, name, None)
            if function is None:
                from cupyx.scipy import special

                function = getattr(special, name)
            if method != "__call__":
                function = getattr(function, method)
        except AttributeError:
            return NotImplemented
        for x in operands:
            # Host arrays pass here and are refused by name where the function looks at its arguments.
            if not isinstance(x, (int, float, complex, np.generic, launch.array_class, np.ndarray)) and not (
                hasattr(x, "__cuda_array_interface__") or hasattr(x, "__cupy_get_ndarray__")
            ):
                return NotImplemented
        if name in _COMPARISONS:
            inputs = tuple(x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs)
        return function(*inputs, **kwargs)

    def __array_function__(self, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        import cupy

        try:
            module = functools.reduce(getattr, func.__module__.split(".")[1:], cupy)
            ours = getattr(module, func.__name__)
        except AttributeError:
            return NotImplemented
        if ours is func:
            if func is np.can_cast:
                return np.can_cast(*(a.dtype if isinstance(a, launch.array_class) else a for a in args), **kwargs)
            return NotImplemented
        if not all(issubclass(t, (launch.array_class, np.ndarray)) for t in types):
            return NotImplemented
        return ours(*args, **kwargs)

    def __class_getitem__(cls, item: tuple) -> GenericAlias:
        return GenericAlias(launch.array_class, item)
