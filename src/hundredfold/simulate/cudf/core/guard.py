"""NaN and null are two things in cuDF; pandas tells them apart only behind an option, set while a method of ours runs."""

from __future__ import annotations

import functools
import threading
import types
import warnings
from typing import Any

from pandas._config.config import _global_config

from hundredfold.engine import queue

_lock = threading.Lock()
_depth = 0
_before = False
exposed = False  # a column's memory was handed to CuPy or to a kernel: queued work may write to it


class nulls_apart:
    """Inside the block pandas treats NaN as a value and ``<NA>`` alone as missing."""

    def __enter__(self) -> None:
        global _depth, _before
        with _lock:
            if _depth == 0:
                future = _global_config["future"]
                _before = future["distinguish_nan_and_na"]
                future["distinguish_nan_and_na"] = True
            _depth += 1

    def __exit__(self, *exception: object) -> None:
        global _depth
        with _lock:
            _depth -= 1
            if _depth == 0:
                _global_config["future"]["distinguish_nan_and_na"] = _before


_block = nulls_apart()


def kept(function: Any) -> Any:
    """A function that runs inside :class:`nulls_apart`."""

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if _depth:
            return function(*args, **kwargs)
        if exposed:
            queue.run()
        with _block, warnings.catch_warnings():
            # What pandas wants to say about its own future is not cuDF's to say.
            warnings.simplefilter("ignore", FutureWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            return function(*args, **kwargs)

    guarded._guarded = True
    return guarded


def guarded_class(cls: type) -> type:
    """Guard every method, property and class method that a class defines itself."""
    for name, value in list(vars(cls).items()):
        if name in ("__class__", "__dict__", "__weakref__", "__getattr__", "__init_subclass__", "__reduce__"):
            continue
        if isinstance(value, types.FunctionType) and not getattr(value, "_guarded", False):
            setattr(cls, name, kept(value))
        elif isinstance(value, property):
            setattr(cls, name, property(*(f and kept(f) for f in (value.fget, value.fset, value.fdel)), value.__doc__))
        elif isinstance(value, (classmethod, staticmethod)):
            setattr(cls, name, type(value)(kept(value.__func__)))
    return cls
