"""Proxies of pandas objects: each holds either cuDF's object (fast) or pandas' (slow), and tries the fast way first."""

from __future__ import annotations

import functools
import os
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from cudf import options

# What runs now: (name of the call, whether it went fast, seconds) is told to each observer; see profiler.py.
observers: list[Any] = []
final_types: dict[type, type] = {}  # pandas' or cuDF's type → the proxy's
chain_types: dict[type, type] = {}  # the same for objects that are remembered by how they were made (groups, windows)
real_functions: dict[Any, Any] = {}  # a function of pandas → the proxy's


class Unusable(Exception):
    """There is no fast way."""


class FallbackError(Exception):
    """With CUDF_PANDAS_FAIL_ON_FALLBACK set: what would have run on the CPU."""


class OOMFallbackError(FallbackError):
    """For want of device memory."""


class NotImplementedFallbackError(FallbackError):
    """For something that cuDF has not."""


class AttributeFallbackError(FallbackError):
    """For a name that cuDF has not."""


class TypeFallbackError(FallbackError):
    """For a type that cuDF refuses."""


def _flag(name: str) -> bool:
    return os.environ.get(name, "").lower() in ("1", "true", "yes", "on")


class Proxy:
    """What all proxies are."""

    _fsproxy_name = "object"

    @property
    def _fsproxy_fast(self) -> Any:
        """The object of cuDF; from here on the proxy holds it."""
        raise Unusable

    @property
    def _fsproxy_slow(self) -> Any:
        """The object of pandas; from here on the proxy holds it."""
        raise Unusable


def to_fast(value: Any) -> Any:
    """Return a value with all proxies in it as cuDF's objects.

    Raises
    ------
    Unusable
        If something in it has no fast form.
    """
    return _changed(value, "_fsproxy_fast")


def to_slow(value: Any) -> Any:
    """Return a value with all proxies in it as pandas' objects."""
    return _changed(value, "_fsproxy_slow")


def _changed(value: Any, which: str) -> Any:
    if isinstance(value, (Proxy, FunctionProxy)):
        return getattr(value, which)
    if isinstance(value, ProxyMeta):
        if which == "_fsproxy_slow":
            return value._fsproxy_slow_type
        if value._fsproxy_fast_type is None:
            raise Unusable
        return value._fsproxy_fast_type
    if isinstance(value, types.ModuleType) and which in value.__dict__:
        return value.__dict__[which]
    if type(value) in (list, tuple, set):
        changed = [_changed(one, which) for one in value]
        return value if all(a is b for a, b in zip(changed, value, strict=True)) else type(value)(changed)
    if isinstance(value, dict):
        changed = {_changed(key, which): _changed(one, which) for key, one in value.items()}
        if all(a is b for a, b in zip(changed.values(), value.values(), strict=True)):
            return value
        return changed if type(value) is dict else type(value)(changed)
    if (
        type(value) is types.FunctionType
        and which == "_fsproxy_slow"
        and (value.__module__ or "").partition(".")[0] not in ("pandas", "numpy")
    ):
        return _unproxied(value)
    if isinstance(value, slice):
        return slice(*(_changed(one, which) for one in (value.start, value.stop, value.step)))
    if isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 1:
        if any(isinstance(one, Proxy) for one in value):
            return np.array([_changed(one, which) for one in value], dtype=object)
    if isinstance(value, Iterator) and which == "_fsproxy_fast":
        raise Unusable  # it can be run through once only
    return value


def _unproxied(function: Callable) -> Callable:
    """Return a caller's function as pandas may call it: what it returns is no proxy."""

    @functools.wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        return to_slow(function(*args, **kwargs))

    return plain


def has_function(value: Any) -> bool:
    """Whether a caller's own Python function is among the arguments."""
    if isinstance(value, (list, tuple)):
        return any(map(has_function, value))
    if isinstance(value, dict):
        return any(map(has_function, value.values()))
    return isinstance(value, (types.FunctionType, types.LambdaType, types.MethodType))


def call(name: str, function: Callable, args: tuple, kwargs: dict, remake: Any = None, fast: bool = True) -> Any:
    """Run a function on fast objects, or failing that on slow ones, and wrap its result.

    Parameters
    ----------
    name : str
        What the profiler calls it.
    function : callable
        Run as ``function(*args, **kwargs)``.
    remake : tuple, optional
        (function, args, kwargs) that make the result again, for objects that are remembered so.
    fast : bool
        Whether the fast way is tried at all.
    """
    return _fast_slow_function_call(name, function, args, kwargs, remake, fast)[0]


def _fast_slow_function_call(
    name: str, function: Callable, args: tuple, kwargs: dict, remake: Any, fast: bool
) -> tuple[Any, bool]:
    started = time.perf_counter()
    for observer in observers:
        observer.began(name)
    went = False
    try:
        try:
            if not fast:
                raise Unusable("pandas does this")
            fast_args, fast_kwargs = to_fast(args), to_fast(kwargs)
            with options.compatible():
                result = pandas_like(function(*fast_args, **fast_kwargs))
            if result is NotImplemented:
                raise Unusable("NotImplemented")
            went = True
        except Exception as error:  # anything at all: pandas decides what is an error
            from .module_accelerator import disable_module_accelerator

            slow_args, slow_kwargs = to_slow(args), to_slow(kwargs)
            _told(name, error, slow_args, slow_kwargs)
            with disable_module_accelerator():
                result = function(*slow_args, **slow_kwargs)
        if went and _flag("CUDF_PANDAS_DEBUGGING"):
            _compare(function, args, kwargs, result)
        return wrap(result, remake or (function, args, kwargs)), went
    finally:
        seconds = time.perf_counter() - started
        for observer in observers:
            observer.ended(name, went, seconds)


def _told(name: str, error: Exception, args: tuple, kwargs: dict) -> None:
    if _flag("CUDF_PANDAS_FAIL_ON_FALLBACK"):
        words = f"Falling back to the slow path. The exception was {error}. The function called was {name}."
        kinds = {
            MemoryError: OOMFallbackError, NotImplementedError: NotImplementedFallbackError,
            AttributeError: AttributeFallbackError, TypeError: TypeFallbackError,
        }  # fmt: skip
        raise next((made for kind, made in kinds.items() if isinstance(error, kind)), FallbackError)(words) from error
    if _flag("LOG_FAST_FALLBACK"):
        from ._logger import log_fallback

        log_fallback(name, args, kwargs, error)


def _compare(function: Callable, args: tuple, kwargs: dict, result: Any) -> None:
    import warnings

    from .module_accelerator import disable_module_accelerator

    try:
        with disable_module_accelerator():
            expected = function(*to_slow(args), **to_slow(kwargs))
    except Exception as error:
        warnings.warn(f"The result from pandas could not be computed. The exception was {error}.", stacklevel=4)
        return
    try:
        from cudf.testing import assert_eq

        assert_eq(result, expected)
    except AssertionError as error:
        warnings.warn(f"The results from cudf and pandas were different. The exception was {error}.", stacklevel=4)
    except Exception as error:
        warnings.warn(f"Pandas debugging mode failed. The exception was {error}.", stacklevel=4)


def pandas_like(result: Any) -> Any:
    """Return a result of cuDF with the dtypes it has in pandas: an integer with nulls is a float there.

    Raises
    ------
    Unusable
        For bools with nulls, which pandas keeps as objects.
    """
    import cudf

    if isinstance(result, (cudf.Series, cudf.DataFrame)):
        from .conversion import without_nulls

        return without_nulls(result)
    if isinstance(result, (tuple, list)) and type(result) in (tuple, list):
        return type(result)(map(pandas_like, result))
    if result is cudf.NA:
        raise Unusable("a null scalar")
    return result


def wrap(result: Any, remake: tuple) -> Any:
    """Return a result with pandas' and cuDF's objects in it as proxies."""
    kind = type(result)
    if kind in final_types:
        return final_types[kind]._fsproxy_wrap(result)
    if kind in chain_types:
        return chain_types[kind]._fsproxy_chain(result, *remake)
    for known, made in final_types.items():
        if issubclass(kind, known):
            return made._fsproxy_wrap(result)
    if kind in (list, tuple) and len(result) < 10_000:
        return kind(wrap(one, (lambda got, at=at: got[at], (LazyCall(*remake),), {})) for at, one in enumerate(result))
    if kind is dict:
        return {key: wrap(one, remake) for key, one in result.items()}
    if kind.__module__.partition(".")[0] == "cupy" and hasattr(result, "get"):
        return result.get()
    if isinstance(result, types.GeneratorType):
        return (wrap(one, remake) for one in result)
    if hasattr(result, "to_pandas") and kind.__module__.startswith("cudf"):
        return result.to_pandas()  # a dtype
    return result


class LazyCall(Proxy):
    """A value inside a result, made again when the other form of it is asked for."""

    def __init__(self, function: Callable, args: tuple, kwargs: dict) -> None:
        self._made = function, args, kwargs

    @property
    def _fsproxy_fast(self) -> Any:
        function, args, kwargs = self._made
        return function(*to_fast(args), **to_fast(kwargs))

    @property
    def _fsproxy_slow(self) -> Any:
        function, args, kwargs = self._made
        return function(*to_slow(args), **to_slow(kwargs))


class FunctionProxy:
    """A function of pandas."""

    def __init__(self, name: str, fast: Any, slow: Any) -> None:
        self._fast, self._fsproxy_slow = fast, slow
        self.__name__ = name
        self.__doc__ = getattr(slow, "__doc__", None)
        self.__module__ = getattr(slow, "__module__", None)
        self.__qualname__ = getattr(slow, "__qualname__", name)
        self.__wrapped__ = slow

    @property
    def _fsproxy_fast(self) -> Any:
        if self._fast is None:
            raise Unusable
        return self._fast

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return call(self.__name__, _apply, (self, args, kwargs), {})

    def __reduce__(self) -> Any:
        return _function, (self.__module__, self.__qualname__)

    def __repr__(self) -> str:
        return repr(self._fsproxy_slow)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_fsproxy_slow"), name)


def _apply(function: Callable, args: tuple, kwargs: dict) -> Any:
    return function(*args, **kwargs)


def _function(module: str, name: str) -> Any:
    import importlib
    import operator

    return operator.attrgetter(name)(importlib.import_module(module))


class ProxyMeta(type):
    """The type of proxies' types: pandas' own objects are instances of them too."""

    _fsproxy_slow_type: Any = None
    _fsproxy_fast_type: Any = None

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        slow = cls.__dict__.get("_fsproxy_slow_type")
        return slow is not None and isinstance(instance, slow)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if type.__subclasscheck__(cls, subclass):
            return True
        slow = cls.__dict__.get("_fsproxy_slow_type")
        return slow is not None and issubclass(subclass, slow)

    def __getattr__(cls, name: str) -> Any:
        slow = cls.__dict__.get("_fsproxy_slow_type")
        if slow is None or name.startswith("_fsproxy"):
            raise AttributeError(name)
        return getattr(slow, name)


def is_proxy_object(obj: Any) -> bool:
    """Whether an object is a proxy."""
    return isinstance(type(obj), ProxyMeta)


def is_proxy_instance(obj: Any, type: type) -> bool:
    """Whether an object is a proxy of a type."""
    return is_proxy_object(obj) and obj.__class__.__name__ == type.__name__


def as_proxy_object(obj: Any) -> Any:
    """Return an object of pandas or cuDF as a proxy, anything else as it is."""
    if type(obj) in final_types:
        return final_types[type(obj)]._fsproxy_wrap(obj)
    return obj
