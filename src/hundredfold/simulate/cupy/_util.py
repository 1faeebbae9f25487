"""Warnings and small helpers that other libraries take from here."""

from __future__ import annotations

import functools
from typing import Any


class PerformanceWarning(RuntimeWarning):
    """Something works but slowly."""


def memoize(for_each_device: bool = False) -> Any:
    """Decorator that caches a function's results by its arguments."""
    return functools.cache


def clear_memo() -> None:
    """Clear what :func:`memoize` keeps; there is nothing to compile here, so nothing to clear."""
