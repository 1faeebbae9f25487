"""CuPyX as a backend of SciPy's: ``scipy.fft.set_backend(cupyx.scipy.fft)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
from cupy._core import launch


def backend(domain: str, scipy: Any, made: dict[str, Callable]) -> dict[str, Any]:
    """What a module needs to be a backend: its names for ``__ua_domain__``, conversion and dispatch."""
    implemented = {getattr(scipy, name): function for name, function in made.items() if hasattr(scipy, name)}

    def convert(dispatchables: Any, coerce: bool) -> Any:
        try:
            there = [
                cupy.asarray(d.value) if coerce and d.coercible and d.type is np.ndarray else d.value
                for d in dispatchables
            ]
        except TypeError:
            return NotImplemented
        for d, value in zip(dispatchables, there, strict=True):
            if d.type is np.ndarray and not isinstance(value, launch.array_class):
                return NotImplemented
        return there

    def call(method: Callable, args: tuple, kwargs: dict) -> Any:
        function = implemented.get(method)
        return NotImplemented if function is None else function(*args, **kwargs)

    return {"__ua_domain__": domain, "__ua_convert__": convert, "__ua_function__": call}
