"""NaN and null are two things in cuDF; pandas tells them apart only behind an option, set while a method of ours runs."""

from __future__ import annotations

import functools
import importlib
import threading
import types
from typing import Any

from pandas._config.config import _global_config

from gpusim.device import queue
from gpusim.device.thread_warnings import ignored

_OPTION = "distinguish_nan_and_na"
exposed = False  # a column's memory was handed to CuPy or to a kernel: queued work may write to it

# What pandas wants to say about its own future is not cuDF's to say.
_future, _deprecated = ignored(FutureWarning), ignored(DeprecationWarning)


class _Here(threading.local):
    """What a thread has in place of pandas' option; None outside of our methods."""

    apart: bool | None = None


class _Future(dict):
    """pandas' options named ``future``, of which one is a thread's own while a method of ours runs in it.

    Set for the process, it would change pandas in the other threads, and be reset under those of cuDF's that run on.
    """

    here = _Here()

    def __getitem__(self, name: str) -> Any:
        if name == _OPTION and (own := self.here.apart) is not None:
            return own
        return dict.__getitem__(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        if name == _OPTION and self.here.apart is not None:
            self.here.apart = value
        else:
            dict.__setitem__(self, name, value)


if not hasattr(_global_config["future"], "here"):  # cuDF may be imported anew
    _global_config["future"] = _Future(_global_config["future"])
_here = _global_config["future"].here


def kept(function: Any) -> Any:
    """A function in whose thread pandas treats NaN as a value and ``<NA>`` alone as missing, until it returns."""

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if _here.apart is not None:
            return function(*args, **kwargs)
        if exposed:
            queue.run()
        with _future, _deprecated:
            _here.apart = True
            try:
                return function(*args, **kwargs)
            finally:
                _here.apart = None

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


class Later:
    """A method that is a function of another module, imported when the method is first asked for.

    Parameters
    ----------
    module : str
    name : str, optional
        The function's name there; the method's own if it has the same.
    """

    def __init__(self, module: str, name: str = "") -> None:
        self.module, self.name = module, name

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.method = owner, name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        function = getattr(importlib.import_module(self.module), self.name or self.method)
        function = function if hasattr(function, "_guarded") else kept(function)
        setattr(self.owner, self.method, function)
        return function.__get__(instance, owner)
