"""The proxies of DataFrame, Series and Index: what each attribute of pandas' class becomes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from . import conversion
from .fast_slow_proxy import (
    FunctionProxy,
    Proxy,
    ProxyMeta,
    Unusable,
    _fast_slow_function_call,
    as_proxy_object,
    call,
    final_types,
    has_function,
    observers,
    pandas_like,
    to_slow,
    wrap,
)

SPECIAL = (
    "abs add and contains divmod eq floordiv ge getitem gt invert le lt matmul mod mul ne neg or pos pow radd rand rdivmod "
    "rfloordiv rmatmul rmod rmul ror rpow rsub rtruediv rxor round sub truediv xor float int complex dataframe arrow_array "
    "arrow_c_stream arrow_c_array"
).split()
# What says where data is or how it looks: the host's answer, and the object stays where it is.
PEEKED = {"dtypes", "dtype", "columns", "empty", "ndim", "inferred_type", "nlevels", "names", "name"}
ACCESSORS = {"str": "StringMethods", "dt": "DatetimeProperties", "cat": "CategoricalAccessor"}
INDEXERS = {"loc": "_LocIndexer", "iloc": "_iLocIndexer", "at": "_AtIndexer", "iat": "_iAtIndexer"}
HOST_ONLY = {"plot", "hist", "boxplot", "style", "sparse", "array", "_mgr", "axes", "to_pickle", "to_clipboard", "info",
             "iterrows", "itertuples", "items", "tolist", "to_list", "to_dict", "to_string", "to_html", "to_markdown",
             "to_latex", "item", "keys", "memory_usage", "sample", "to_numpy", "values", "to_records", "to_xarray",
             "to_sql", "to_excel", "__dataframe__", "__arrow_array__", "__arrow_c_stream__", "__arrow_c_array__",
             "hash_pandas_object", "squeeze", "unique"}  # fmt: skip
# What pandas does in another way than cuDF, even in its compatible mode.
PANDAS_OWN = {"describe", "corr", "cov", "any", "all"}
WRITERS = {"to_csv", "to_json", "to_parquet", "to_orc", "to_feather", "to_hdf"}
# A caller's own function runs on the device only where cuDF compiles it.
COMPILED = {"apply"}


COMPARISONS = {"__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"}


def compare(obj: Any, name: str, args: tuple, kwargs: dict) -> Any:
    """Compare; with NaN, which is null in cuDF, nothing is less, more or the same in pandas."""
    import cudf

    result = getattr(obj, name)(*args, **kwargs)
    if isinstance(result, (cudf.Series, cudf.DataFrame)):
        result = result.fillna(name.strip("_") == "ne")
    return result


def invoke(obj: Any, name: str, args: tuple, kwargs: dict) -> Any:
    """Call a method."""
    result = getattr(obj, name)(*args, **kwargs)
    if name in COMPILED and hasattr(obj, "to_pandas") and hasattr(result, "name"):
        result.name = getattr(obj, "name", None)  # which cuDF's compiled functions lose
    return result


class Method:
    """A method of a proxy, bound to it."""

    def __init__(self, owner: Any, name: str) -> None:
        self._owner, self.__name__ = owner, name
        slow = getattr(getattr(type(owner), "_fsproxy_slow_type", None), name, None)
        self.__doc__ = getattr(slow, "__doc__", None)
        self.__self__ = owner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        owner, name = self._owner, self.__name__
        if name in WRITERS and isinstance(owner, Final):
            label, slow = f"{type(owner)._fsproxy_name}.{name}", owner._fsproxy_copy()
            return made(label, getattr(slow, name), args, kwargs, not owner._fsproxy_is_slow, accepts=None, always=True)
        if name in HOST_ONLY:
            # Pandas answers from a copy, and the object stays on the device.
            return call(
                f"{type(owner)._fsproxy_name}.{name}",
                invoke,
                (owner._fsproxy_copy(), name, args, kwargs),
                {},
                fast=False,
            )
        function = has_function((args, kwargs)) and not (name in COMPILED and isinstance(owner, Final))
        fast = not function and name not in PANDAS_OWN
        label = f"{type(owner)._fsproxy_name}.{name}"
        run = compare if f"__{name}__" in COMPARISONS else invoke
        result, went = _fast_slow_function_call(label, run, (owner, name, args, kwargs), {}, None, fast)
        if went and kwargs.get("inplace"):
            owner._fsproxy_settle()
        return result

    def __repr__(self) -> str:
        return f"<bound method {type(self._owner)._fsproxy_name}.{self.__name__}>"


class MethodSlot:
    """A method in a proxy's class."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is not None:
            return Method(instance, self.name)
        slow = getattr(owner._fsproxy_slow_type, self.name)
        fast = getattr(owner._fsproxy_fast_type, self.name, None) if owner._fsproxy_fast_type else None
        if getattr(slow, "__self__", None) is not None:  # a class method: it makes objects
            return Maker(f"{owner._fsproxy_name}.{self.name}", slow, fast)
        return FunctionProxy(f"{owner._fsproxy_name}.{self.name}", fast, slow)


class Part:
    """An accessor or indexer in a proxy's class; of the class itself, it is pandas' own."""

    def __init__(self, name: str, get: Callable) -> None:
        self.name, self.get = name, get

    def __get__(self, instance: Any, owner: Any) -> Any:
        return getattr(owner._fsproxy_slow_type, self.name) if instance is None else self.get(instance, self.name)

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(f"can't set attribute '{self.name}'")


class Maker(FunctionProxy):
    """A function that makes objects: pandas does, and what it made is moved to the device."""

    def __init__(self, name: str, slow: Any, fast: Any = None, accepts: Callable | None = None) -> None:
        super().__init__(name, fast, slow)
        self._accepts = accepts

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return made(self.__name__, self._fsproxy_slow, args, kwargs, self._fast is not None, self._accepts)


def made(
    name: str, function: Callable, args: tuple, kwargs: dict, known: bool, accepts: Any = None, always: bool = False
) -> Any:
    """Run a function of pandas and move its result to the device where cuDF takes the call and the result.

    With `always`, the call counts as one on the device whatever it returns.
    """
    import time

    from .module_accelerator import disable_module_accelerator

    started, went = time.perf_counter(), False
    for observer in observers:
        observer.began(name)
    try:
        with disable_module_accelerator():
            result = function(*to_slow(args), **to_slow(kwargs))
        went = known and always
        if known and isinstance(result, (pd.DataFrame, pd.Series, pd.Index)):
            try:
                if accepts is not None:
                    accepts(*args, **kwargs)
                result = conversion.to_fast(result)
                went = True
            except Exception:  # cuDF refuses: it stays on the host
                pass
        return wrap(result, (lambda: result, (), {}))
    finally:
        for observer in observers:
            observer.ended(name, went, time.perf_counter() - started)


class FinalMeta(ProxyMeta):
    """Making a proxy by calling its class."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        base = next(one for one in cls.__mro__ if "_fsproxy_slow_type" in one.__dict__)
        out = made(base._fsproxy_name, base._fsproxy_slow_type, args, kwargs, base._fsproxy_fast_type is not None)
        if base is cls or not isinstance(out, Final):
            return out
        own = object.__new__(cls)  # a subclass of the user's
        object.__setattr__(own, "_fsproxy_wrapped", out._fsproxy_wrapped)
        return own


class Final(Proxy, metaclass=FinalMeta):
    """A proxy of a DataFrame, Series or Index."""

    @classmethod
    def _fsproxy_wrap(cls, value: Any) -> Any:
        out = object.__new__(cls)
        object.__setattr__(out, "_fsproxy_wrapped", value)
        return out

    @property
    def _fsproxy_is_slow(self) -> bool:
        return isinstance(self._fsproxy_wrapped, (pd.DataFrame, pd.Series, pd.Index))

    @property
    def _fsproxy_fast(self) -> Any:
        if self._fsproxy_is_slow:
            object.__setattr__(self, "_fsproxy_wrapped", conversion.to_fast(self._fsproxy_wrapped))
        return self._fsproxy_wrapped

    @property
    def _fsproxy_slow(self) -> Any:
        if not self._fsproxy_is_slow:
            object.__setattr__(self, "_fsproxy_wrapped", conversion.to_slow(self._fsproxy_wrapped))
        return self._fsproxy_wrapped

    def _fsproxy_copy(self) -> Any:
        """Pandas' object, while the proxy stays where it is."""
        held = self._fsproxy_wrapped
        return held if self._fsproxy_is_slow else conversion.to_slow(held)

    def _fsproxy_peek(self) -> Any:
        """Pandas' object without its rows."""
        held = self._fsproxy_wrapped
        if self._fsproxy_is_slow:
            return held
        return conversion.to_slow(held[:0] if not hasattr(held, "head") else held.head(0))

    def _fsproxy_settle(self) -> None:
        """Give what was changed in place the dtypes it has in pandas."""
        if not self._fsproxy_is_slow:
            try:
                object.__setattr__(self, "_fsproxy_wrapped", pandas_like(self._fsproxy_wrapped))
            except Unusable:
                _ = self._fsproxy_slow

    def as_gpu_object(self) -> Any:
        """Return cuDF's object."""
        return conversion.to_fast(self._fsproxy_wrapped) if self._fsproxy_is_slow else self._fsproxy_wrapped

    def as_cpu_object(self) -> Any:
        """Return pandas' object."""
        return self._fsproxy_copy()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_fsproxy") or name.startswith("__"):
            raise AttributeError(name)
        if name.startswith("_"):
            return getattr(self._fsproxy_copy(), name)
        getattr(self._fsproxy_peek(), name)  # pandas' own words, if there is no such column
        return call(f"{type(self)._fsproxy_name}.__getattr__", getattr, (self, name), {})

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_fsproxy"):
            object.__setattr__(self, name, value)
            return
        label = f"{type(self)._fsproxy_name}.__setattr__"
        call(label, setattr, (self, name, value), {}, fast=name in ("columns", "index", "name", "names"))
        self._fsproxy_settle()

    def __setitem__(self, key: Any, value: Any) -> None:
        label = f"{type(self)._fsproxy_name}.__setitem__"
        call(label, invoke, (self, "__setitem__", (key, value), {}), {}, fast=not has_function(key))
        self._fsproxy_settle()

    def __delitem__(self, key: Any) -> None:
        call(f"{type(self)._fsproxy_name}.__delitem__", invoke, (self, "__delitem__", (key,), {}), {})

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._fsproxy_slow_type), *self._fsproxy_peek().__dir__()})

    def __len__(self) -> int:
        return len(self._fsproxy_wrapped)

    def __iter__(self) -> Any:
        if isinstance(self, final_types[pd.DataFrame]):
            return iter(self._fsproxy_peek())
        return iter(self._fsproxy_copy())

    def __bool__(self) -> bool:
        return bool(self._fsproxy_copy())

    def __repr__(self) -> str:
        return repr(self._fsproxy_copy())

    def __str__(self) -> str:
        return str(self._fsproxy_copy())

    def __format__(self, spec: str) -> str:
        return format(self._fsproxy_copy(), spec)

    def _repr_html_(self) -> Any:
        show = getattr(self._fsproxy_copy(), "_repr_html_", None)
        return None if show is None else show()

    __hash__ = None

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        return self._fsproxy_copy().__array__(*args, **kwargs)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        function = getattr(ufunc, method)
        return call(ufunc.__name__, function, inputs, kwargs, fast=method == "__call__" and "out" not in kwargs)

    def __copy__(self) -> Any:
        return self.copy(deep=False)

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy(deep=True)

    def __reduce__(self) -> Any:
        from .module_accelerator import disable_module_accelerator

        with disable_module_accelerator():
            return rebuild, (pickle.dumps(self._fsproxy_copy()),)

    def __setstate__(self, state: Any) -> None:
        # A pickle of pandas' own, read here: its class was looked up by name, and found to be the proxy's.
        slow = object.__new__(self._fsproxy_slow_type)
        slow.__setstate__(state)
        object.__setattr__(self, "_fsproxy_wrapped", slow)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """As pandas': the function gets the proxy."""
        if isinstance(func, tuple):
            func, target = func
            kwargs[target] = self
            return func(*args, **kwargs)
        return func(self, *args, **kwargs)


def rebuild(data: bytes) -> Any:
    """Return what was pickled: a proxy where there are any, else pandas' object."""
    from .module_accelerator import ModuleAccelerator, disable_module_accelerator

    with disable_module_accelerator():
        slow = pickle.loads(data)
    return as_proxy_object(slow) if ModuleAccelerator.instance is not None else slow


def _attribute(owner: str, name: str) -> property:
    def get(self: Any) -> Any:
        if name in PEEKED:
            return wrap(
                getattr(self._fsproxy_peek() if name != "empty" else self._fsproxy_copy(), name),
                (getattr, (self, name), {}),
            )
        if name == "values":
            return self._fsproxy_copy().values
        if name in HOST_ONLY:
            return getattr(self._fsproxy_copy(), name)
        return call(f"{owner}.{name}", getattr, (self, name), {})

    def put(self: Any, value: Any) -> None:
        Final.__setattr__(self, name, value)

    return property(get, put)


def _special(owner: str, name: str) -> Callable:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if name == "__getitem__" and len(args) == 1 and has_function(args[0]) and callable(args[0]):
            args = (args[0](self),)
        run = compare if name in COMPARISONS else invoke
        held = self if name not in HOST_ONLY else self._fsproxy_copy()
        return call(f"{owner}.{name}", run, (held, name, args, kwargs), {}, fast=name not in HOST_ONLY)

    method.__name__ = name
    return method


def make(name: str, slow: type, fast: type | None, bases: tuple = ()) -> type:
    """Make a proxy's class."""
    from .accessors import Accessor, Indexer

    members: dict[str, Any] = {
        "_fsproxy_name": name, "_fsproxy_slow_type": slow, "_fsproxy_fast_type": fast, "__doc__": slow.__doc__,
        "__module__": slow.__module__, "__qualname__": name,
    }  # fmt: skip
    for word in SPECIAL:
        if hasattr(slow, f"__{word}__"):
            members[f"__{word}__"] = _special(name, f"__{word}__")
    for attribute in dir(slow):
        if attribute.startswith("_") or attribute in ("pipe",):
            continue
        if attribute in ACCESSORS:
            members[attribute] = Part(attribute, lambda self, a: Accessor.of(self, a, ACCESSORS[a]))
        elif attribute in INDEXERS:
            members[attribute] = Part(attribute, lambda self, a: Indexer(self, a, INDEXERS[a]))
        elif isinstance(getattr(slow, attribute, None), property) or not callable(getattr(slow, attribute, None)):
            members[attribute] = _attribute(name, attribute)
        elif isinstance(getattr(slow, attribute), type):
            members[attribute] = _attribute(name, attribute)
        else:
            members[attribute] = MethodSlot(attribute)
    made_type = FinalMeta(name, (*bases, Final) if not bases else bases, members)
    final_types[slow] = made_type
    if fast is not None:
        final_types[fast] = made_type
    return made_type
