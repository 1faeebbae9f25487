"""Warnings and small helpers that other libraries take from here."""

from __future__ import annotations

import functools
import os
from typing import Any

ENABLE_SLICE_COPY = bool(int(os.environ.get("CUPY_EXPERIMENTAL_SLICE_COPY", 0)))
CUDA_ARRAY_INTERFACE_SYNC = bool(int(os.environ.get("CUPY_CUDA_ARRAY_INTERFACE_SYNC", 1)))
CUDA_ARRAY_INTERFACE_EXPORT_VERSION = int(os.environ.get("CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION", 3))
DLPACK_EXPORT_VERSION = tuple(int(x) for x in os.environ.get("CUPY_DLPACK_EXPORT_VERSION", "0.6").split("."))


class PerformanceWarning(RuntimeWarning):
    """Something works but slowly."""


def memoize(for_each_device: bool = False) -> Any:
    """Decorator that caches a function's results by its arguments."""
    return functools.cache


def clear_memo() -> None:
    """Clear what :func:`memoize` keeps; there is nothing to compile here, so nothing to clear."""
