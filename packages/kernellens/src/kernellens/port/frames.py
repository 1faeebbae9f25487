"""pandas' frames and series that have a copy on the simulated device."""

from __future__ import annotations

from typing import Any

import pandas as pd

from . import calls
from .arrays import find

_OPERATORS = """add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow and rand or ror xor rxor eq ne
lt le gt ge neg invert abs iadd isub imul itruediv getitem setitem delitem matmul""".split()
_PLAIN = {
    "pipe",
    "keys",
    "items",
    "iteritems",
    "info",
    "xs",
    "equals",
    "set_flags",
    "rename_axis",
    "plot",
    "hist",
    "boxplot",
}
_HELPERS = ("loc", "iloc", "at", "iat", "str", "dt", "cat")
_VALUES = ("values", "T")


class _Meta(type):
    """`isinstance(x, pd.DataFrame)` holds for all of pandas' own, and `pd.DataFrame(…)` makes the program's."""

    _host: type

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls._host)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, cls._host)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        make = super().__call__
        if calls.where() is None:
            return make(*args, **kwargs)

        def device(*a: Any, **k: Any) -> Any:
            import cudf

            return find(cudf, cls.__name__)(*a, **k)

        return calls.call(f"pandas.{cls.__name__}", make, device, args, kwargs)


class DataFrame(pd.DataFrame, metaclass=_Meta):
    """A frame of the program's.  What it holds is pandas'; `_device` is its copy on the device, or None."""

    _is_ported, _device, _host = True, None, pd.DataFrame

    @property
    def _constructor(self) -> Any:
        return DataFrame

    @property
    def _constructor_sliced(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride] - as pandas documents it
        return Series

    def __reduce__(self) -> Any:
        return pd.DataFrame(self).__reduce__()


class Series(pd.Series, metaclass=_Meta):
    """A series of the program's.  What it holds is pandas'; `_device` is its copy on the device, or None."""

    _is_ported, _device, _host = True, None, pd.Series

    @property
    def _constructor(self) -> Any:
        return Series

    @property
    def _constructor_expanddim(self) -> Any:
        return DataFrame

    def __reduce__(self) -> Any:
        return pd.Series(self).__reduce__()


def _method(parent: type, name: str) -> Any:
    host = getattr(parent, name)
    what = f"{parent.__name__}.{name}" if not name.startswith("__") else f"{parent.__name__} {_sign(name)}"

    def device(frame: Any, *args: Any, **kwargs: Any) -> Any:
        return find(frame, name)(*args, **kwargs)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return calls.call(what, host, device, (self, *args), kwargs)

    method.__name__, method.__doc__ = name, host.__doc__
    return method


def _writer(parent: type, name: str) -> Any:
    host = getattr(parent, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        calls.read(self)
        return calls.call(f"{parent.__name__}.{name}", host, None, (self, *args), kwargs)

    method.__name__, method.__doc__ = name, host.__doc__
    return method


def _property(parent: type, name: str) -> Any:
    inherited = getattr(parent, name)
    fetch = (
        inherited.__get__
        if hasattr(inherited, "__get__") and not isinstance(inherited, type)
        else lambda self, _: getattr(pd_view(self), name)
    )

    def get(self: Any) -> Any:
        if calls.where() is None:
            return fetch(self, type(self))
        return calls.call(
            f"{parent.__name__}.{name}", lambda s: fetch(s, type(s)), lambda s: find(s, name), (self,), {}
        )

    return property(get)


def pd_view(value: Any) -> Any:
    """The same data as pandas' own class."""
    return pd.DataFrame(value) if isinstance(value, pd.DataFrame) else pd.Series(value)


def _sign(name: str) -> str:
    signs = {"__getitem__": "[…]", "__setitem__": "[…] = …", "__delitem__": "del […]"}
    return signs.get(name, name.strip("_"))


def _reads(parent: type, name: str) -> Any:
    host = getattr(parent, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        calls.read(self)
        with calls.inside():
            return host(self, *args, **kwargs)

    method.__name__ = name
    return method


def _equip(cls: type, parent: type) -> None:
    for name in dir(parent):
        if name.startswith("_") or name in _PLAIN or name in vars(cls):
            continue
        found = getattr(parent, name)
        if name in _HELPERS or name in _VALUES:
            setattr(cls, name, _property(parent, name))
        elif isinstance(found, type) or not callable(found) or isinstance(parent.__dict__.get(name), classmethod):
            continue
        elif name.startswith("to_") and name not in ("to_numpy", "to_frame", "to_timestamp", "to_period"):
            setattr(cls, name, _writer(parent, name))
        else:
            setattr(cls, name, _method(parent, name))
    for name in _OPERATORS:
        if hasattr(parent, f"__{name}__"):
            setattr(cls, f"__{name}__", _method(parent, f"__{name}__"))
    for name in ("__repr__", "__str__", "_repr_html_", "__array__", "__float__", "__int__"):
        if hasattr(parent, name):
            setattr(cls, name, _reads(parent, name))


def _iterate(self: Any) -> Any:
    at = calls.where()
    if at is not None and not at.library:
        said = "TypeError: Series object is not iterable."
        instead = "Work on the whole column, or loop over `.to_arrow().to_pylist()`: that copies it to the host once."
        calls.account.refuse(at.where, at.source, "Series.__iter__", "refused", "cuDF", said, instead)
    calls.read(self)
    return iter(pd_view(self))


_equip(DataFrame, pd.DataFrame)
_equip(Series, pd.Series)
Series.__iter__ = _iterate


def wrap(host: Any, device: Any) -> Any:
    """The program's frame or series for one of pandas'."""
    kind: type = DataFrame if isinstance(host, pd.DataFrame) else Series
    if type(host) is kind:
        if device is not None or "_device" not in host.__dict__:
            host.__dict__["_device"] = device
        return host
    if type(host) not in (pd.DataFrame, pd.Series):
        return host
    with calls.inside():
        made: Any = type.__call__(kind, host, copy=False)
    made.__dict__["_device"] = device
    return made


DataFrame.__module__ = Series.__module__ = "pandas"
calls.wrap["frame"] = wrap
