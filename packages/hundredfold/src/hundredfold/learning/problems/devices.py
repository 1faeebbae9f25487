"""The problems' own view of the device: CuPy fetched only when it is needed, arrays to it and from it.

Everything here is the same on a GPU and in simulation; only `simulated` tells them apart, and asks the CuPy in use,
since that is what the learner's code ran on.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from .verdict import NotJudged


class LazyModule:
    """A module that is imported when something of it is first used: problem modules must import without CuPy."""

    def __init__(self, name: str):
        self._name = name

    def __reduce__(self) -> tuple:
        return LazyModule, (self._name,)

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


cp = LazyModule("cupy")


def need_cupy() -> Any:
    """CuPy, real or simulated; where there is none, `NotJudged` says which line brings it."""
    try:
        return importlib.import_module("cupy")
    except ImportError:
        raise NotJudged(
            "there is no CuPy here yet: run the first cell, `%load_ext hundredfold`, then this one."
        ) from None


def simulated() -> bool:
    """True if the CuPy in use is the simulated one."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and str(getattr(cupy, "__version__", "")).endswith("+gpusim")


def is_device(value: Any) -> bool:
    """True for a device array."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(value, cupy.ndarray)


def to_device(value: Any) -> Any:
    """A host array as a device array in the same layout; anything else as it is."""
    return cp.asarray(value) if isinstance(value, np.ndarray) else value


def to_host(value: Any) -> Any:
    """A device array as a host array; anything else as it is."""
    return value.get() if is_device(value) else value


def synchronize() -> None:
    """Wait until the device has done all that was queued, if there is a device in use at all."""
    if "cupy" in sys.modules:
        cp.cuda.Device().synchronize()


@contextlib.contextmanager
def pooled() -> Iterator[Any]:
    """CuPy's own memory pool, used for whatever this thread allocates in the block: it can say what is held.

    Who imports cuML lets CuPy allocate through RMM from then on, and the pool knows nothing of it.
    """
    pool = cp.get_default_memory_pool()
    with cp.cuda.using_allocator(pool.malloc):
        yield pool
