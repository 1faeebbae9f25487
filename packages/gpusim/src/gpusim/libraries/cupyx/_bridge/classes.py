"""Classes of SciPy's as classes of ``cupyx``: an object of SciPy's lives on views of device memory."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.device import queue

from . import convert
from .functions import Plan, bind, names, parameters, send, taking_host


class Proxy:
    """Base of the classes made by :func:`proxies`; holds SciPy's object in ``_host``."""

    _scipy: type
    _module = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        bound = bind(self._signature, type(self).__name__, args, kwargs)
        send(bound.arguments, taking_host(self._module, f"{self._public}.__init__"))
        args, kwargs = self._plan.arrange(bound)
        made = []
        keep = lambda *a, **k: made.append(self._scipy(*a, **k))  # noqa: E731  (the object itself must not cross)
        convert.call(f"cupyx_{type(self).__name__}", keep, args, kwargs)
        self._host = made[0]
        self._kept = (args, kwargs)  # SciPy's object may hold views of their memory

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_host":
            raise AttributeError(name)
        queue.run()
        try:
            value = getattr(self._host, name)
        except AttributeError:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None
        if isinstance(value, np.ndarray):
            return self._resident(name, value)
        if inspect.ismethod(value):
            return _method(self, name)
        return convert.up(value)

    def _resident(self, name: str, value: np.ndarray) -> Any:
        """The device array of an attribute, the same each time; SciPy's object then lives on its memory."""
        there = self.__dict__.setdefault("_arrays", {}).get(name)
        if there is not None and there._a is value:
            return there
        there = convert.up(value)
        try:
            setattr(self._host, name, there._a)
        except AttributeError:
            return there
        self._arrays[name] = there
        return there

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or "_host" not in self.__dict__:
            object.__setattr__(self, name, value)
        else:
            setattr(self._host, name, convert.down(value))


def _method(self: Proxy, name: str) -> Callable:
    host = getattr(self._host, name)
    signature = parameters(self._module, type(self)._public, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        if signature is not None:
            bound = bind(signature, name, (self, *args), kwargs)
            bound.arguments.pop(next(iter(signature.parameters)))
            send(bound.arguments, taking_host(self._module, f"{type(self)._public}.{name}"))
            args, kwargs = Plan(_without_self(signature), host).arrange(bound)
        return convert.call(f"cupyx_{type(self).__name__}_{name}", host, args, kwargs, owner=self)

    method.__name__ = name
    return method


def _without_self(signature: inspect.Signature) -> inspect.Signature:
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _wrapper(cls: type) -> Callable:
    def to_device(value: Any, visit: Callable) -> Any:
        there = object.__new__(cls)
        object.__setattr__(there, "_host", value)
        return there

    return to_device


def _class_method(name: str, scipy: type) -> Any:
    def method(cls: type, *args: Any, **kwargs: Any) -> Any:
        signature = parameters(cls._module, cls._public, name)
        if signature is not None:
            bind(signature, name, args, kwargs)
        return convert.call(f"cupyx_{cls.__name__}_{name}", getattr(scipy, name), args, kwargs)

    method.__name__ = name
    return classmethod(method)


def proxies(module: str, scipy: Any, wanted: str = "") -> dict[str, type]:
    """Make the classes of a module that SciPy has under the same name (or those wanted).

    Operators, calls and iteration go to SciPy's object; attributes that are arrays are device arrays.
    """
    made: dict[str, type] = {}
    by_scipy: dict[type, type] = {}
    entries = [
        (there, name, entry)
        for name, entry in names(module).items()
        if isinstance(entry, dict) and (there := getattr(scipy, name, None)) and (not wanted or name in wanted.split())
    ]
    for there, name, entry in sorted(entries, key=lambda e: len(e[0].__mro__)):  # a base before what derives from it
        if there in by_scipy:
            made[name] = by_scipy[there]
            continue
        base = next((by_scipy[b] for b in there.__mro__[1:] if b in by_scipy), Proxy)
        signature = parameters(module, name)
        space = {
            "__doc__": f"As ``{there.__module__}.{name}``, on device arrays.",
            "__module__": module,
            "_scipy": there,
            "_module": module,
            "_public": name,
            "_signature": signature,
            "_plan": Plan(signature, there),
        }
        for member, kind in entry["class"].items():
            if kind.startswith(("classmethod", "static")) and hasattr(there, member):
                space[member] = _class_method(member, there)
        if "__call__" in dir(there):
            space["__call__"] = lambda self, *a, **k: _method(self, "__call__")(*a, **k)
        cls = type(name, (base,), space)
        convert.register(cls, lambda value, visit: value._host, there, _wrapper(cls))
        made[name] = by_scipy[there] = cls
    return made
