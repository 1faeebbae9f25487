"""The modules that the program imports as `numpy`, `pandas` and `scipy`: theirs, with each call made on the device too."""

from __future__ import annotations

import builtins
import importlib
import os
import sys
import types
from importlib.machinery import SourceFileLoader
from typing import Any

import numpy as np
import pandas as pd

from . import attribution, calls, frames, twins  # noqa: F401 - twins and arrays enter their classes
from .arrays import find
from .operations import account

_HOST_ONLY = set(
    """set_printoptions get_printoptions printoptions seterr geterr errstate show_config test info finfo iinfo dtype
    result_type promote_types can_cast min_scalar_type isscalar iterable issubdtype ndim shape size typename lookfor
    set_option get_option reset_option option_context describe_option array2string array_repr array_str format_float_positional
    format_float_scientific broadcast_shapes get_array_module mintypecode save savez savez_compressed savetxt ExcelWriter
    isna isnull notna notnull Timestamp Timedelta Interval Period NaT NA""".split()
)
_PLAIN_MODULES = {
    "numpy.testing",
    "numpy.typing",
    "numpy.ma",
    "numpy.ctypeslib",
    "pandas.api",
    "pandas.testing",
    "pandas.io",
    "scipy.constants",
    "scipy.io",
    "scipy.sparse",
}
_TWINS = {"numpy": "cupy", "pandas": "cudf", "scipy": "cupyx.scipy"}
_SAVERS = {"save", "savez", "savez_compressed", "savetxt"}
_CALLED = {"RandomState", "vectorize", "nditer", "ndenumerate", "poly1d", "matrix", "broadcast"}
"""Classes that are called like functions, and hardly ever asked for by isinstance."""
_FACES: dict[str, Face] = {}


class Face(types.ModuleType):
    """A module as the program sees it."""

    def __init__(self, host: Any, name: str):
        super().__init__(name, host.__doc__)
        self.__dict__.update(_host=host, __file__=getattr(host, "__file__", None), __path__=[])

    def __getattr__(self, name: str) -> Any:
        host = getattr(self._host, name)
        made = _face_of(self, host, name)
        if name not in ("__all__",):
            self.__dict__[name] = made
        return made

    def __dir__(self) -> list[str]:
        return dir(self._host)


class Function:
    """A function of NumPy's or pandas', carried out on both sides."""

    def __init__(self, host: Any, module: str, name: str):
        self._ported_host, self._module, self.__name__ = host, module, name
        self.__doc__, self.__module__, self.__qualname__ = host.__doc__, module, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return calls.call(f"{self._module}.{self.__name__}", self._ported_host, self._device, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ported_host, name)

    def _device(self, *args: Any, **kwargs: Any) -> Any:
        root, _, rest = self._module.partition(".")
        module = importlib.import_module(_TWINS[root])
        for part in filter(None, rest.split(".")):
            module = _inside(module, part)
        return find(module, self.__name__)(*args, **kwargs)


def _inside(module: Any, name: str) -> Any:
    """A module of a device library, imported if it is not there by itself."""
    try:
        return importlib.import_module(f"{module.__name__}.{name}")
    except ModuleNotFoundError:
        return find(module, name)


class Saver(Function):
    """A function that writes to a file: it is done once, from the host's arrays."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            if hasattr(type(value), "_is_ported"):
                calls.read(value)
        return calls.call(f"{self._module}.{self.__name__}", self._ported_host, None, args, kwargs)


def _plain(name: str) -> bool:
    """Whether a module is left as it is."""
    return name in _PLAIN_MODULES or name.startswith("scipy.sparse.")


def face(name: str) -> Face:
    """`numpy`, `pandas` or a module under them as the program sees it."""
    if name not in _FACES:
        _FACES[name] = Face(importlib.import_module(name), name)
    return _FACES[name]


def _face_of(parent: Face, host: Any, name: str) -> Any:
    where = parent.__name__
    if host is pd.DataFrame:
        return frames.DataFrame
    if host is pd.Series:
        return frames.Series
    if isinstance(host, types.ModuleType):
        full = f"{where}.{name}"
        ours = host.__name__ == full and not _plain(full)
        return face(full) if ours else host
    if name in _SAVERS:
        return Saver(host, where, name)
    if where.startswith("scipy") and not hasattr(host, "__name__"):
        return host  # a distribution, which is called like a function
    if isinstance(host, (type, np.ufunc)) or not callable(host) or name in _HOST_ONLY or name.startswith("_"):
        if name in _CALLED:
            return Function(host, where, name)
        return host
    return Function(host, where, name)


def _import(name: str, namespace: Any = None, local: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    """``__import__`` for the program's own files."""
    root = name.partition(".")[0]
    if level == 0:
        account.imported(root)
    if level == 0 and root in _TWINS and not (fromlist and _plain(name)):
        real(name, namespace, local, fromlist, 0)
        return face(name) if fromlist else face(root)
    return real(name, namespace, local, fromlist, level)


real = builtins.__import__
names = types.ModuleType("builtins", builtins.__doc__)
names.__dict__.update(vars(builtins))
names.__dict__["__import__"] = _import
"""The builtins of the program's files; all others keep Python's."""


class _Loader(SourceFileLoader):
    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__["__builtins__"] = names
        super().exec_module(module)


class _Finder:
    """Loads the modules that lie beside the program as parts of it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        from importlib.machinery import PathFinder

        found = PathFinder.find_spec(name, path, target)
        if (
            found is None
            or not found.origin
            or not found.origin.endswith(".py")
            or not attribution.is_theirs(found.origin)
        ):
            return None
        found.loader = _Loader(found.name, found.origin)
        return found


def install(folder: str, script: str) -> None:
    """From here on, the program's files under `folder` import our modules."""
    attribution.folder, attribution.script = os.path.realpath(folder), script
    sys.meta_path.insert(0, _Finder())
