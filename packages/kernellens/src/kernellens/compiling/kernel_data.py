"""A kernel with all that it refers to as plain data, for a process that has the real ``numba.cuda``.

Functions go as their bytecode, as Numba reads it, so the source need not be readable.  What a name of the simulated library means is
found by identity, and is the real thing's there.
"""

from __future__ import annotations

import enum
import functools
import marshal
import pickle
import sys
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from gpusim.kernels.frontend.intrinsics import Intrinsic

from .argument_types import _of_type

OPTIONS = (
    *(
        "debug",
        "opt",
        "lineinfo",
        "fastmath",
        "max_registers",
        "launch_bounds",
        "inline",
        "forceinline",
        "lto",
        "device",
    ),
)
"""What ``cuda.jit`` was told that changes the code."""

_KNOWN = frozenset((*sys.stdlib_module_names, "numpy", "numba", "llvmlite", "scipy")) - {"__main__"}
"""Packages that the helper process can import itself."""


def options_of(kernel: Any) -> dict[str, Any]:
    """What a decorated function's ``cuda.jit`` was told, without what stands for the default."""
    told = getattr(kernel, "targetoptions", None) or {}
    kept = {name: told[name] for name in OPTIONS if told.get(name) not in (None, (), [])}
    if kept.get("lto") is not False:
        kept.pop("lto", None)  # the default depends on what is installed there
    if kept.get("debug"):
        kept.setdefault("opt", False)
    return kept


class Carried:
    """The functions that a kernel needs.

    Attributes
    ----------
    functions : list of dict
        As the helper process takes them.
    places : list of tuple
        ``(name, filename, first line, last line)`` of each, to find the line that an error is about.
    imported : dict of str to str
        Names that stand for something of ``numba.cuda``, and for what: ``{"atomic": "atomic", "add": "atomic.add"}``.
    """

    def __init__(self, kernel: FunctionType) -> None:
        self.functions: list[dict] = []
        self.places: list[tuple[str, str, int, int]] = []
        self.imported: dict[str, str] = {}
        self._index: dict[int, int] = {}
        self._alive: list[Any] = []
        self.function(kernel)

    def function(self, function: FunctionType) -> int:
        """Add a function and what it refers to; returns its number."""
        known = self._index.get(id(function))
        if known is not None:
            return known
        index = self._index[id(function)] = len(self.functions)
        self._alive.append(function)
        code = function.__code__
        entry: dict[str, Any] = {}
        self.functions.append(entry)
        last = max(line for _, _, line in code.co_lines() if line is not None)
        self.places.append((function.__name__, code.co_filename, code.co_firstlineno, last))
        names = _names(code)
        entry |= {
            "code": marshal.dumps(code),
            "name": function.__name__,
            "qualname": function.__qualname__,
            "module": function.__module__ or "",
            "defaults": [self.value(value) for value in function.__defaults__ or ()],
            "closure": [self._cell(cell, names) for cell in function.__closure__ or ()],
            "globals": {
                name: self.value(function.__globals__[name], names)
                for name in sorted(names)
                if name in function.__globals__
            },
        }
        named = {**entry["globals"], **dict(zip(code.co_freevars, entry["closure"], strict=True))}
        self.imported |= {name: sent[2] for name, sent in named.items() if sent[:2] == ("attribute", "numba.cuda")}
        return index

    def value(self, value: Any, names: frozenset[str] = frozenset()) -> tuple:
        """A value that a kernel refers to; of a module of the user's own, only what is called one of `names`."""
        if isinstance(value, ModuleType):
            return self._module(value, names)
        known = _public_names().get(id(value))
        if known is not None:
            return ("attribute", *known)
        if isinstance(value, Intrinsic):
            return ("attribute", "numba.cuda", value.name)
        if isinstance(getattr(value, "py_func", None), FunctionType):
            return self._dispatcher(value)
        if isinstance(value, FunctionType) and not _importable(value):
            return ("function", self.function(value))
        if isinstance(value, type) and issubclass(value, enum.Enum):
            return _enum(value, None)
        if isinstance(value, enum.Enum):
            return _enum(type(value), value.name)
        fields = getattr(value, "_fields", None)  # a namedtuple's
        if isinstance(value, type) and issubclass(value, tuple) and fields is not None:
            return ("namedtuple_class", value.__name__, tuple(fields))
        if isinstance(value, tuple):
            items = [self.value(item, names) for item in value]
            return ("tuple", items) if fields is None else ("namedtuple", type(value).__name__, fields, items)
        interface = None if isinstance(value, (type, np.ndarray)) else getattr(value, "__cuda_array_interface__", None)
        if isinstance(interface, dict):
            return ("device", interface["typestr"], tuple(interface["shape"]), interface.get("strides"))
        if _sendable(value):
            try:
                return ("plain", pickle.dumps(value))
            except Exception:  # whatever it is, the compiler is told of its type
                pass
        kind = type(value)
        return ("opaque", kind.__module__, kind.__qualname__)

    def _cell(self, cell: Any, names: frozenset[str]) -> tuple:
        try:
            return self.value(cell.cell_contents, names)
        except ValueError:  # not assigned yet
            return ("empty",)

    def _module(self, module: ModuleType, names: frozenset[str]) -> tuple:
        name = module.__name__
        if name.split(".")[0] in _KNOWN:
            return ("module", name)
        members = {each: self.value(getattr(module, each), names) for each in sorted(names) if each in vars(module)}
        return ("namespace", name, members)

    def _dispatcher(self, value: Any) -> tuple:
        index = self.function(value.py_func)
        if not _is_cuda(value):
            told = getattr(value, "targetoptions", {})
            return ("njit", index, {name: told[name] for name in ("fastmath", "inline") if told.get(name)})
        declared = getattr(value, "_device_signatures", None)
        if declared is None:  # the real dispatcher
            declared = [] if getattr(value, "_can_compile", True) else [(kinds, None) for kinds in value.overloads]
        signatures = [
            (tuple(map(_of_type, kinds)), None if str(result) == "none" or result is None else _of_type(result))
            for kinds, result in declared
        ]
        return ("dispatcher", index, {"device": True} | options_of(value), signatures)


def _names(code: CodeType) -> frozenset[str]:
    """All names that a function's code uses, of functions within it too."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names(constant)
    return frozenset(found)


def _is_cuda(value: Any) -> bool:
    return "cuda" in type(value).__module__.lower() or hasattr(value, "__gpusim_device__")


def _importable(value: FunctionType) -> bool:
    """Whether the helper process gets this function by importing it."""
    module = sys.modules.get(value.__module__ or "")
    if module is None or (value.__module__ or "").split(".")[0] not in _KNOWN:
        return False
    return getattr(module, value.__qualname__, None) is value


def _sendable(value: Any) -> bool:
    """Whether a value is made of nothing but what the helper process can import."""
    if isinstance(value, (FunctionType, BuiltinFunctionType, type)):
        return (getattr(value, "__module__", None) or "builtins").split(".")[0] in _KNOWN
    return type(value).__module__.split(".")[0] in _KNOWN


def _enum(kind: type[enum.Enum], member: str | None) -> tuple:
    return ("enum", kind.__name__, {each.name: each.value for each in kind}, issubclass(kind, enum.IntEnum), member)


@functools.cache
def _tables() -> dict[tuple[int, int], dict[int, tuple[str, str]]]:
    return {}


def _public_names() -> dict[int, tuple[str, str]]:
    """Where the names of ``numba.cuda`` are found that are no intrinsics: ``libdevice.sinf``, ``cg.this_grid``, types."""
    module = sys.modules.get("numba.cuda")
    if module is None:
        return {}
    loaded = [name for name in sys.modules if name.startswith("numba.cuda.") and name.count(".") == 2]
    table = _tables().get((id(module), len(loaded)))
    if table is None:
        table = {}
        for name in ("numba.cuda", *sorted(loaded)):
            for attribute, value in list(vars(sys.modules[name]).items()) if sys.modules[name] else ():
                public = not attribute.startswith("_") and not isinstance(value, (ModuleType, int, float, str, tuple))
                if public and value is not None and type(value) is not object and _of_numba_cuda(value):
                    table.setdefault(id(value), (name, attribute))
        _tables()[id(module), len(loaded)] = table
    return table


def _of_numba_cuda(value: Any) -> bool:
    """Whether a thing is ``numba.cuda``'s own, rather than something of Python's or NumPy's that it imports."""
    module = getattr(value, "__module__", None) or type(value).__module__
    return str(module).startswith(("numba.cuda", "numba_cuda", "gpusim.device", "gpusim.importing"))
