"""Carrying arguments to the host side of the simulated device and results back.

A host view of device memory is no transfer: SciPy computes what a kernel would.  All that waits runs first.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from cupy._core import launch
from cupy._core.probing import probed

from gpusim.device import queue, shapes

_to_host: dict[type, Callable] = {}  # cupyx type → function of (object, visit) that gives SciPy's object
_to_device: dict[type, Callable] = {}  # SciPy type → function of (object, visit) that gives cupyx's


def register(cupyx_type: type | None, to_host: Callable, scipy_type: type | None, to_device: Callable) -> None:
    """Teach the crossing a pair of types.

    Parameters
    ----------
    cupyx_type, scipy_type : type or None
        The pair; subclasses go with them.
    to_host, to_device : callable
        Functions of the object and of the function that crosses what is inside it.
    """
    if cupyx_type is not None:
        _to_host[cupyx_type] = to_host
    if scipy_type is not None:
        _to_device[scipy_type] = to_device


class AsIs:
    """A result that stays on the host."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Crossing:
    """One call's crossing: what was read and written, and which host view is which device array."""

    def __init__(self, host_allowed: bool, copy: bool = False) -> None:
        self.host_allowed = host_allowed
        self.copy = copy  # where a view could outlive its device array, whose memory would then be another's
        self.views: dict[int, Any] = {}
        self.filled: dict[int, Any] = {}  # arguments that the function gives back
        self.read = self.written = 0

    def down(self, value: Any) -> Any:
        if isinstance(value, launch.array_class):
            if self.copy:
                return value._a.copy(order="K")
            if id(value._a) not in self.views:
                self.views[id(value._a)] = value
                self.read += value._a.nbytes
            return value._a
        if value is None or isinstance(value, (bool, int, float, complex, str, np.generic, type, np.dtype)):
            return value
        if isinstance(value, np.ndarray):
            if self.host_allowed:
                return value
            raise TypeError(f"Unsupported type {np.ndarray}")
        if isinstance(value, (list, tuple)):
            items = [self.down(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, dict):
            return {key: self.down(item) for key, item in value.items()}
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)):
            return calling_back(value)
        for kind in type(value).__mro__:
            if kind in _to_host:
                return _to_host[kind](value, self.down)
        return value

    def up(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            known = self.views.get(id(value))
            if known is not None:
                self.filled[id(known)] = known
                return known
            if value.dtype.kind == "O":
                return [self.up(item) for item in value]
            if value.dtype.kind in "US":
                return value
        if isinstance(value, (np.ndarray, np.generic)):
            return self._fresh(np.asarray(value))
        if isinstance(value, (list, tuple)):
            items = [self.up(item) for item in value]
            if not isinstance(value, tuple) or type(value) is tuple:
                return type(value)(items)
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if isinstance(value, dict):
            return {key: self.up(item) for key, item in value.items()}
        if isinstance(value, AsIs):
            return value.value
        for kind in type(value).__mro__:
            if kind in _to_device:
                return _to_device[kind](value, self.up)
        return value

    def _fresh(self, value: np.ndarray) -> Any:
        result = launch.empty_keeping(value, value.dtype)
        if result._block.in_flight():  # another thread's operations, submitted since
            queue.run()
        np.copyto(result._a, value)
        self.written += value.nbytes
        return result


def calling_back(function: Callable) -> Callable:
    """A function of device arrays as SciPy can call it; host arrays that it fills are filled."""

    def call_back(*args: Any, **kwargs: Any) -> Any:
        crossing = _Crossing(host_allowed=True)
        given = [(a, crossing.up(a)) for a in args]
        named = {key: (a, crossing.up(a)) for key, a in kwargs.items()}
        result = function(*(d for _, d in given), **{key: d for key, (_, d) in named.items()})
        queue.run()
        for host, there in [*given, *named.values()]:
            if isinstance(host, np.ndarray) and there is not host and host.flags.writeable:
                np.copyto(host, there._a)
        crossing.copy = True
        return crossing.down(result)

    return call_back


def down(value: Any) -> Any:
    """SciPy's form of a value, on copies; everything that waits has run."""
    queue.run()
    return _Crossing(host_allowed=True, copy=True).down(value)


def up(value: Any) -> Any:
    """The device form of a value of SciPy's; copies."""
    return _Crossing(host_allowed=True).up(value)


def call(
    name: str, function: Callable, args: tuple, kwargs: dict, host: bool = False, finish: Any = None, owner: Any = None
) -> Any:  # fmt: skip
    """Run a function of SciPy's on device arrays, counted as one kernel.

    Parameters
    ----------
    name : str
        What the kernel is called in the account.
    function : callable
        Works on host arrays.
    args, kwargs
        Its arguments, device arrays among them.
    host : bool
        Whether NumPy arrays may be among the arguments; else they raise TypeError, as CuPy does.
    finish : callable, optional
        A function of the host result and the host arguments, applied before the result goes to the device.
    owner : optional
        Whose method is called; what it holds must live as long as an object that the method gives.
    """
    if shapes.on and owner is None:
        return _of_shapes(name, function, args, kwargs, finish)
    crossing = _Crossing(host)
    given = (args, kwargs, owner)
    args = tuple(crossing.down(a) for a in args)
    kwargs = {key: crossing.down(a) for key, a in kwargs.items()}
    queue.run()
    with np.errstate(all="ignore"):
        result = function(*args, **kwargs)
        if finish is not None:
            result = finish(result, (*args, *kwargs.values()))
    result = crossing.up(result)
    filled = [view for array in crossing.filled.values() for view in launch.views(array)]
    _count(name, crossing.read, crossing.written, given[0], given[1], result, filled)
    if hasattr(result, "_host"):
        result._kept = given  # SciPy's object may hold views of their memory
    return result


def _count(
    name: str, read: int, written: int, args: tuple, kwargs: dict, result: Any, filled: list[np.ndarray]
) -> None:
    """Enter a launch that has given back, filled, some of its arguments; it reads them too, unless they are for its output."""
    outputs = list(launch.views([kwargs.get("output"), kwargs.get("out")]))
    reads = [view for view in launch.views((*args, *kwargs.values())) if not any(view is out for out in outputs)]
    read -= queue.nbytes(outputs)
    written += queue.nbytes(filled)
    queue.count(name, read, written, by=launch.now, reads=reads, writes=tuple(launch.views(result)))


def _of_shapes(name: str, function: Callable, args: tuple, kwargs: dict, finish: Any) -> Any:
    """The call where arrays have only shapes: small ones in their places tell the result's."""

    def run(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return result if finish is None else finish(result, (*args, *kwargs.values()))

    for kind in ("output", "out"):
        given = kwargs.get(kind)
        if isinstance(given, launch.array_class):
            views = {id(view): view for view in launch.views((*args, *kwargs.values()))}
            _count(name, sum(view.nbytes for view in views.values()), 0, args, kwargs, given, [given._a])
            return given
    return probed(name, run, args, kwargs, once=True)
