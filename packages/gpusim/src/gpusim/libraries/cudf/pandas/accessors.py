"""Parts of proxies: ``.str``, ``.dt``, ``.cat``, ``.loc`` and its like, and groups and windows, which remember their making."""

from __future__ import annotations

from typing import Any

import numpy as np

from .fast_slow_proxy import Proxy, ProxyMeta, Unusable, call, chain_types, has_function, to_fast, to_slow


def _part(parent: Any, accessor: str, name: str) -> Any:
    return getattr(getattr(parent, accessor), name)


def _part_call(parent: Any, accessor: str, name: str, args: tuple, kwargs: dict) -> Any:
    return getattr(getattr(parent, accessor), name)(*args, **kwargs)


def _get(parent: Any, indexer: str, key: Any) -> Any:
    result = getattr(parent, indexer)[key]
    if hasattr(parent, "to_pandas") and getattr(parent, "ndim", 1) == 2 and indexer in ("loc", "iloc"):
        # cuDF gives a row of several dtypes as a frame; pandas gives a Series.
        parts = key if isinstance(key, tuple) and not _several_levels(parent) else (key,)
        wanted = 2 - sum(1 for part in parts if np.isscalar(part) or isinstance(part, np.generic))
        if getattr(result, "ndim", 0) != wanted and (indexer == "iloc" or parent.index.is_unique):
            raise Unusable("a row of several dtypes")
    return result


def _several_levels(parent: Any) -> bool:
    return getattr(parent.index, "nlevels", 1) > 1 or getattr(parent.columns, "nlevels", 1) > 1


def _set(parent: Any, indexer: str, key: Any, value: Any) -> None:
    getattr(parent, indexer)[key] = value


class Accessor:
    """``.str``, ``.dt`` or ``.cat`` of a proxy."""

    def __init__(self, parent: Any, name: str, label: str, slow: Any) -> None:
        self._parent, self._name, self._label, self._slow = parent, name, label, slow

    @classmethod
    def of(cls, parent: Any, name: str, label: str) -> Accessor:
        """Return an accessor; what cannot have it says so in pandas' words."""
        return cls(parent, name, label, getattr(parent._fsproxy_peek(), name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(type(self._slow), name, None)
        if found is None:
            found = getattr(self._slow, name)
        parent, accessor, label = self._parent, self._name, f"{self._label}.{name}"
        if callable(found) and not isinstance(found, property):

            def method(*args: Any, **kwargs: Any) -> Any:
                return call(
                    label, _part_call, (parent, accessor, name, args, kwargs), {}, fast=not has_function((args, kwargs))
                )

            method.__name__ = name
            method.__doc__ = getattr(found, "__doc__", None)
            return method
        return call(label, _part, (parent, accessor, name), {})

    def __getitem__(self, key: Any) -> Any:
        return call(f"{self._label}.__getitem__", _get, (self._parent, self._name, key), {})

    def __dir__(self) -> list[str]:
        return dir(self._slow)


class Indexer:
    """``.loc``, ``.iloc``, ``.at`` or ``.iat`` of a proxy."""

    def __init__(self, parent: Any, name: str, label: str) -> None:
        self._parent, self._name, self._label = parent, name, label

    def _key(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return tuple(self._key(one) for one in key)
        return key(self._parent) if has_function(key) and callable(key) else key

    def __getitem__(self, key: Any) -> Any:
        return call(f"{self._label}.__getitem__", _get, (self._parent, self._name, self._key(key)), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        call(f"{self._label}.__setitem__", _set, (self._parent, self._name, self._key(key), value), {})
        self._parent._fsproxy_settle()

    def __call__(self, axis: Any = None) -> Any:
        return getattr(self._parent._fsproxy_slow, self._name)(axis=axis)


class Chain(Proxy, metaclass=ProxyMeta):
    """Groups or windows: either cuDF's or pandas', made again from their parent when the other is wanted."""

    @classmethod
    def _fsproxy_chain(cls, result: Any, function: Any, args: tuple, kwargs: dict) -> Any:
        out = object.__new__(cls)
        slow = type(result).__module__.partition(".")[0] == "pandas"
        values = {
            "_made": (function, args, kwargs),
            "_slow": result if slow else None,
            "_fast": None if slow else result,
        }
        for name, value in values.items():
            object.__setattr__(out, f"_fsproxy{name}_held", value)
        return out

    @property
    def _fsproxy_fast(self) -> Any:
        if self._fsproxy_fast_held is None:
            function, args, kwargs = self._fsproxy_made_held
            object.__setattr__(self, "_fsproxy_fast_held", function(*to_fast(args), **to_fast(kwargs)))
        return self._fsproxy_fast_held

    @property
    def _fsproxy_slow(self) -> Any:
        if self._fsproxy_slow_held is None:
            from .module_accelerator import disable_module_accelerator

            function, args, kwargs = self._fsproxy_made_held
            with disable_module_accelerator():
                object.__setattr__(self, "_fsproxy_slow_held", function(*to_slow(args), **to_slow(kwargs)))
        return self._fsproxy_slow_held

    def _fsproxy_settle(self) -> None:
        """Nothing of its own changes."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return call(f"{type(self)._fsproxy_name}.__getattr__", getattr, (self, name), {})

    def __getitem__(self, key: Any) -> Any:
        from ._final import invoke

        return call(f"{type(self)._fsproxy_name}.__getitem__", invoke, (self, "__getitem__", (key,), {}), {})

    def __iter__(self) -> Any:
        return iter(call(f"{type(self)._fsproxy_name}.__iter__", list, (self,), {}, fast=False))

    def __len__(self) -> int:
        return len(self._fsproxy_slow)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """As pandas'."""
        return func(self, *args, **kwargs)

    def __dir__(self) -> list[str]:
        return dir(self._fsproxy_slow_type)


def make_chain(name: str, slow: type, fast: tuple[type, ...]) -> type:
    """Make the class of groups or windows."""
    from ._final import MethodSlot, _attribute

    members: dict[str, Any] = {
        "_fsproxy_name": name, "_fsproxy_slow_type": slow, "_fsproxy_fast_type": fast[0] if fast else None,
        "__module__": slow.__module__, "__doc__": slow.__doc__,
    }  # fmt: skip
    for attribute in dir(slow):
        if attribute.startswith("_") or attribute == "pipe":
            continue
        found = getattr(slow, attribute, None)
        members[attribute] = MethodSlot(attribute) if callable(found) else _chained(name, attribute)
    _ = _attribute
    made = ProxyMeta(name, (Chain,), members)
    chain_types[slow] = made
    for one in fast:
        chain_types.setdefault(one, made)
    return made


def _chained(owner: str, name: str) -> property:
    return property(lambda self: call(f"{owner}.{name}", getattr, (self, name), {}))
