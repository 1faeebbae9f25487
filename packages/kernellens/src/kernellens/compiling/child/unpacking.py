"""From what the parent sends to real Python functions, ``numba.cuda`` dispatchers and Numba types."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# It runs in an environment of its own, where numba-cuda is: what pyright finds here is Numba's older numba.cuda.

from __future__ import annotations

import collections
import enum
import functools
import importlib
import marshal
import pickle
import types as pytypes
from typing import Any

import numpy as np
from numba import cuda
from numba.cuda import types
from numba.cuda.np import numpy_support


class Captured:
    """A device array that a kernel takes from its surroundings; only its type and layout are read here."""

    def __init__(self, typestr: str, shape: tuple, strides: tuple | None) -> None:
        self.__cuda_array_interface__ = {
            **{"typestr": typestr, "shape": shape, "strides": strides},
            **{"data": (1 << 30, False), "version": 3},
        }


class Functions:
    """The functions of one request, made when they are first asked for: they may call each other."""

    def __init__(self, sent: list[dict]) -> None:
        self.sent = sent
        self.made: dict[int, pytypes.FunctionType] = {}
        self.dispatchers: dict[int, Any] = {}

    def function(self, index: int) -> pytypes.FunctionType:
        if index in self.made:
            return self.made[index]
        each = self.sent[index]
        code = marshal.loads(each["code"])
        scope = {"__name__": each["module"], "__builtins__": __builtins__}
        cells = tuple(pytypes.CellType() for _ in each["closure"])
        made = pytypes.FunctionType(code, scope, each["name"], None, cells)
        made.__qualname__, made.__module__ = each["qualname"], each["module"]
        self.made[index] = made  # before its globals: one of them may be this function
        for name, value in each["globals"].items():
            scope[name] = self.value(value)
        for cell, value in zip(cells, each["closure"], strict=True):
            if value[0] != "empty":
                cell.cell_contents = self.value(value)
        made.__defaults__ = tuple(map(self.value, each["defaults"])) or None
        return made

    def value(self, sent: tuple) -> Any:
        return getattr(self, f"_{sent[0]}")(*sent[1:])

    def _plain(self, data: bytes) -> Any:
        return pickle.loads(data)

    def _module(self, name: str) -> Any:
        return importlib.import_module(name)

    def _namespace(self, name: str, members: dict) -> Any:
        made = pytypes.ModuleType(name)
        for member, value in members.items():
            setattr(made, member, self.value(value))
        return made

    def _attribute(self, module: str, path: str) -> Any:
        return functools.reduce(getattr, path.split("."), importlib.import_module(module))

    def _function(self, index: int) -> Any:
        return self.function(index)

    def _dispatcher(self, index: int, options: dict, signatures: list) -> Any:
        function = self.function(index)  # which makes this dispatcher, if it calls itself
        if index not in self.dispatchers:
            self.dispatchers[index] = made = cuda.jit(**options)(function)
            for arguments, result in signatures:
                made.compile_device(tuple(map(kind, arguments)), None if result is None else kind(result))
            if signatures:
                made.disable_compile()
        return self.dispatchers[index]

    def _njit(self, index: int, options: dict) -> Any:
        import numba

        return numba.njit(**options)(self.function(index))

    def _tuple(self, items: list) -> tuple:
        return tuple(map(self.value, items))

    def _namedtuple(self, name: str, fields: tuple, items: list) -> Any:
        return named(name, fields)(*map(self.value, items))

    def _namedtuple_class(self, name: str, fields: tuple) -> Any:
        return named(name, fields)

    def _enum(self, name: str, members: dict, whole: bool, member: str | None) -> Any:
        made = enumeration(name, tuple(members.items()), whole)
        return made if member is None else made[member]

    def _device(self, typestr: str, shape: tuple, strides: tuple | None) -> Captured:
        return Captured(typestr, shape, strides)

    def _opaque(self, module: str, name: str) -> Any:
        # Numba refuses it by its type's name, as it would the real one.
        return type(name, (), {"__module__": module})()


@functools.cache
def named(name: str, fields: tuple) -> type:
    """A namedtuple's class: the same one each time, for Numba goes by identity."""
    return collections.namedtuple(name, fields)


@functools.cache
def enumeration(name: str, members: tuple, whole: bool) -> type[enum.Enum]:
    make: Any = enum.IntEnum if whole else enum.Enum
    return make(name, list(members))


def kind(described: tuple) -> Any:
    """The Numba type of an argument as the parent described it."""
    return _KINDS[described[0]](*described[1:])


def _array(dtype: np.dtype, ndim: int, layout: str, readonly: bool) -> Any:
    return types.Array(numpy_support.from_dtype(dtype), ndim, layout, readonly=readonly)


def _scalar(dtype: np.dtype) -> Any:
    return numpy_support.from_dtype(dtype)


def _tuple(items: tuple) -> Any:
    return types.BaseTuple.from_types([kind(item) for item in items], tuple)


def _named(name: str, fields: tuple, items: tuple) -> Any:
    return types.BaseTuple.from_types([kind(item) for item in items], named(name, fields))


def _enum(name: str, members: tuple, whole: bool) -> Any:
    from numba.cuda.typing.typeof import typeof

    return typeof(next(iter(enumeration(name, members, whole))))


_KINDS = {"array": _array, "scalar": _scalar, "tuple": _tuple, "named": _named, "enum": _enum}
