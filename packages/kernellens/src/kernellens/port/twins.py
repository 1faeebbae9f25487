"""Helper objects that live on both sides: groups, windows, indexers, accessors, random generators."""

from __future__ import annotations

from typing import Any

from . import calls
from .arrays import find


class Twin:
    """An object of NumPy's or pandas' and the one of CuPy's or cuDF's that does the same."""

    def __init__(self, host: Any, device: Any, what: str):
        self.__dict__.update(_twin_host=host, _twin_device=device, _twin_what=what)

    def __getattr__(self, name: str) -> Any:
        host = getattr(self._twin_host, name)
        if name.startswith("__"):
            return host
        what = f"{self._twin_what}.{name}"
        if callable(host) and not hasattr(host, "agg"):
            return Method(self, host, name, what)
        return calls.call(
            what, lambda *_: getattr(self._twin_host, name), lambda *_: find(self._device(), name), (), {}
        )

    def __getitem__(self, key: Any) -> Any:
        return self._both("[…]", lambda o, *r: o[r[0]], key)

    def __setitem__(self, key: Any, value: Any) -> None:
        def put(o: Any, k: Any, v: Any) -> None:
            o[k] = v

        self._both("[…] = …", put, key, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Method(self, self._twin_host, "__call__", self._twin_what)(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self._twin_host)

    def __len__(self) -> int:
        return len(self._twin_host)

    def __repr__(self) -> str:
        return repr(self._twin_host)

    def _device(self) -> Any:
        if self._twin_device is None:
            raise calls.Unavailable
        return self._twin_device

    def _both(self, name: str, function: Any, *args: Any) -> Any:
        return calls.call(
            *(self._twin_what + name, lambda *a: function(self._twin_host, *a)),
            *(lambda *a: function(self._device(), *a), args, {}),
        )


class Method:
    """A method of a twin, bound."""

    def __init__(self, twin: Twin, host: Any, name: str, what: str):
        self._twin, self._ported_host, self._name, self._what = twin, host, name, what

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        def on_device(*a: Any, **k: Any) -> Any:
            device = self._twin._device()
            return (device if self._name == "__call__" else find(device, self._name))(*a, **k)

        return calls.call(self._what, self._ported_host, on_device, args, kwargs)


calls.wrap["helper"] = Twin
