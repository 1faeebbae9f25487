"""All that decides about a kernel's machine code, as one key for the compilation cache.

What cannot be described completely has no key, and is not kept: that costs a compilation, never a wrong answer.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import enum
import hashlib
import itertools
import os
import re
import secrets
import struct
import sys
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import bytecode, config, entrypoints, imputils, types
from numba.core.registry import cpu_target
from numba.core.typing import templates

from gpusim.device.fingerprint import fingerprint


class NoKey(Exception):
    """Says what it is that the key cannot describe."""


def key(parts: list[tuple[Any, ast.FunctionDef, Any]], settings: tuple, kinds: tuple[types.Type, ...]) -> str:
    """The key of a kernel.

    Parameters
    ----------
    parts : list of (Function, rewritten definition, dispatcher)
        Each function after those it calls, the kernel last.
    settings : tuple
        What it is compiled with: plain values.
    kinds : tuple of numba types
        Of its arguments.

    Raises
    ------
    NoKey
    """
    numbers = {id(function): number for number, (function, _, _) in enumerate(parts)}
    functions = tuple(_function(function, node, numbers) for function, node, _ in parts)
    return digest(settings, tuple(map(kind, kinds)), functions)


def digest(*said: tuple) -> str:
    """A hash of what was said of something to compile, and of the environment; raises :class:`NoKey`."""
    return hashlib.sha256(repr((environment(), said)).encode()).hexdigest()


def environment() -> tuple:
    """What is the same for every kernel of this process, but changes from one version or machine to the next.

    Raises
    ------
    NoKey
    """
    engine = fingerprint()
    if engine is None:
        raise NoKey("the engine's files changed while it ran")
    entrypoints.init_all()  # packages that extend Numba by being installed
    if outsiders := _outsiders():
        raise NoKey(f"{outsiders} extended Numba")
    if config.DEBUGINFO_DEFAULT:
        raise NoKey("the code names its file")
    switches = tuple(
        (name, repr(value))
        for name, value in sorted(vars(config).items())
        if name.isupper() and name not in _IRRELEVANT and isinstance(value, str | int | float | tuple | None)
    )
    versions = (sys.version, sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, np.__version__)
    return engine, versions, cpu_target.target_context.codegen().magic_tuple(), switches


_IRRELEVANT = {"CACHE_DIR", "CACHE_LOCATOR_CLASSES", "NUMBA_NUM_THREADS", "NUMBA_DEFAULT_NUM_THREADS"}


def _function(function, node: ast.FunctionDef, numbers: dict[int, int]) -> tuple:
    if any(isinstance(inner, ast.Raise | ast.Assert) for inner in ast.walk(node)):
        raise NoKey("an exception names the file and line that it is raised in")
    called = tuple((name, numbers[id(callee)]) for name, callee in sorted(function.functions.items()))
    return ast.dump(node), value(function.defaults), called, tuple(_free(node, function.env))


def _free(node: ast.FunctionDef, env: dict[str, Any]) -> Iterable[tuple]:
    """What each name means that a function does not define itself; of modules, the attributes that it uses."""
    modules = {name for name, held in env.items() if isinstance(held, ModuleType)}
    reached: dict[str, Any] = {}
    for name in sorted(env.keys() - modules):
        yield name, value(env[name])
    stack: list[ast.AST] = [node]
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.Attribute):
            chain, root = [inner.attr], inner.value
            while isinstance(root, ast.Attribute):
                chain.insert(0, root.attr)
                root = root.value
            if isinstance(root, ast.Name) and root.id in modules:
                held, path = env[root.id], root.id
                for attribute in chain:
                    if not isinstance(held, ModuleType):
                        break
                    held, path = getattr(held, attribute, None), f"{path}.{attribute}"
                reached[path] = held
                continue
        elif isinstance(inner, ast.Name):
            if inner.id in modules:
                reached[inner.id] = env[inner.id]
            elif inner.id not in env and hasattr(builtins, inner.id):
                reached[f"builtins.{inner.id}"] = getattr(builtins, inner.id)
        stack.extend(ast.iter_child_nodes(inner))
    for path, held in sorted(reached.items()):
        yield path, value(held)


def value(held: Any) -> tuple:
    """A constant, described so that two that differ in anything are described differently.

    Raises
    ------
    NoKey
        For what may change, or does not say what it is.
    """
    what = type(held)
    if held is None or what in (bool, int, str, bytes):
        return what.__name__, held
    if what is float:
        return "float", struct.pack("<d", held)
    if what is complex:
        return "complex", struct.pack("<dd", held.real, held.imag)
    if what is tuple:
        return "tuple", *map(value, held)
    if isinstance(held, np.dtype):
        return "dtype", _dtype(held)
    if isinstance(held, np.generic) and what.__module__ == "numpy":
        return "scalar", _dtype(held.dtype), held.tobytes()
    if what is np.ndarray:
        flags = held.flags
        order = (flags.c_contiguous, flags.f_contiguous, flags.aligned, flags.writeable)
        return "array", _dtype(held.dtype), held.shape, held.strides, order, hashlib.sha256(held.tobytes()).hexdigest()
    if isinstance(held, enum.Enum):
        return "member", value(what), held.name
    if isinstance(held, enum.EnumType):
        members: Any = held
        return "enum", held.__module__, held.__qualname__, tuple((m.name, value(m.value)) for m in members)
    if isinstance(held, types.Type):
        return "type", kind(held)
    return "named", _named(held)


def _dtype(dtype: np.dtype) -> tuple:
    if dtype.hasobject:
        raise NoKey("Python objects")
    if dtype.subdtype is not None:
        return _dtype(dtype.subdtype[0]), dtype.subdtype[1]
    if dtype.fields is None:
        return (dtype.str,)
    fields = tuple((name, _dtype(inner), *rest) for name, (inner, *rest) in dtype.fields.items())
    return fields, dtype.itemsize, dtype.isalignedstruct


def _named(held: Any) -> tuple:
    """A function, class or module that the versions in the key vouch for, by the name that it is reached under."""
    if isinstance(held, ModuleType):
        if sys.modules.get(held.__name__) is held and _ours(held.__name__):
            return "module", held.__name__
    elif isinstance(held, type | FunctionType | BuiltinFunctionType | np.ufunc) or _ours(type(held).__module__):
        module = "numpy" if isinstance(held, np.ufunc) else getattr(held, "__module__", None)
        name = getattr(held, "__qualname__", None) or getattr(held, "__name__", None)
        found: Any = sys.modules.get(module or "")
        for part in (name or "").split("."):
            found = getattr(found, part, None)
        if found is held and _ours(module or ""):
            return module, name
    raise NoKey(f"{type(held).__name__} {getattr(held, '__name__', '')}")


def _ours(module: str) -> bool:
    root = module.split(".")[0]
    return root in ("builtins", "math", "cmath", "operator", "_operator", "numpy", "numba") or module.startswith(
        _ENGINE
    )


_ENGINE = __name__.partition(".kernels.")[0] + "."


def kind(of: types.Type) -> tuple:
    """A Numba type, described with all that it is made of.

    Raises
    ------
    NoKey
    """
    what = type(of)
    if what in _PLAIN:
        return what.__name__, str(of)
    if what is types.Array:
        return "Array", kind(of.dtype), of.ndim, of.layout, of.mutable, of.aligned
    if what is types.NestedArray:
        return "NestedArray", kind(of.dtype), of.shape
    if what is types.Record:
        fields = tuple((name, kind(of.typeof(name)), of.offset(name)) for name in of.fields)
        return "Record", fields, of.size, of.aligned, str(of)
    if what in (types.UniTuple, types.Tuple):
        return what.__name__, *map(kind, of.types)
    raise NoKey(f"a {what.__name__}")


_PLAIN = {type(kind) for kind in (types.int64, types.float64, types.complex128, types.boolean, types.none)} | {
    *(types.NPDatetime, types.NPTimedelta, types.CharSeq, types.UnicodeCharSeq, types.NumberClass),
}


# Names in machine code

# Numba numbers what it compiles from one on, in every process: machine code of another process would bring symbols along
# that mean something else here, and the first one of a name wins.  Numbers from a place of each process's own cannot meet.
_LOWEST = 1 << 60


def _number_anew() -> None:
    bytecode.FunctionIdentity._unique_ids = itertools.count(_LOWEST | secrets.randbits(60))


_number_anew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_number_anew)
_NUMBERED = re.compile(r"B\d+v(\d+)(?!\d)")
_LIBRARY = re.compile(r"(_ZN08NumbaEnv|_ZN)(5numba|6gpusim)")


def unmistakable(symbols: Iterable[str], own: str) -> bool:
    """Whether no other process can have another meaning for a symbol that a kernel's machine code exports.

    Parameters
    ----------
    own : str
        The mark in the names of the kernel's own functions.
    """
    return all(own in symbol or _unmistakable(symbol) for symbol in symbols)


def _unmistakable(symbol: str) -> bool:
    if not symbol.startswith("_Z"):  # Numba's runtime in C, and what the engine's source alone decides
        return True
    # Not by this process alone: Numba keeps some of the engine's functions on disk, and their numbers come along.
    if any(int(number) >= _LOWEST for number in _NUMBERED.findall(symbol)):
        return True
    # A function of a library's module, not one of several that another function made: there is one of that name.
    return bool(_LIBRARY.match(symbol)) and "_3clocals_3e" not in symbol and "_20at_200x" not in symbol


# Who else told Numba what something means

_looked_at: dict[tuple, int] = {}
_templates: set[type] = set()
_outside: set[str] = set()
_REGISTRIES = (
    *((templates.builtin_registry, name) for name in ("functions", "attributes", "globals")),
    *((imputils.builtin_registry, name) for name in ("functions", "getattrs", "setattrs", "casts", "constants")),
)


def _outsiders() -> str:
    """The modules, other than Numba's and the engine's own, that told Numba how to compile something."""
    for registry, name in _REGISTRIES:
        entries, place = getattr(registry, name), (id(registry), name)
        for entry in entries[_looked_at.get(place, 0) :]:
            _outside.update(module for module in _told_by(entry) if not _vouched(module))
        _looked_at[place] = len(entries)
    return ", ".join(sorted(_outside))


def _told_by(entry: Any) -> Iterable[str]:
    """The modules of the code in an entry of one of Numba's registries."""
    if isinstance(entry, type):
        for template in set(entry.__mro__) - _templates - {object}:
            _templates.add(template)
            if template.__module__ != "abc":  # made by a call of Numba's
                yield template.__module__
            for name, held in vars(template).items():
                if name != "key":  # what is compiled, not how
                    yield from _modules(getattr(held, "__func__", held))
    elif isinstance(entry[-1], types.Function):  # a global name, and what it is for Numba
        for template in entry[-1].templates:
            yield from _told_by(template)
    else:
        yield from _modules(entry[0])


def _modules(function: Any) -> Iterable[str]:
    """Where a function was written, and the functions that it was made from."""
    found: list[Any] = [function]
    for held in found:
        if isinstance(held, FunctionType):
            yield held.__globals__.get("__name__") or "?"
            for cell in held.__closure__ or ():
                with contextlib.suppress(ValueError):  # not set yet
                    if not any(cell.cell_contents is other for other in found):
                        found.append(cell.cell_contents)


def _vouched(module: str) -> bool:
    return module.split(".")[0] == "numba" or module.startswith(_ENGINE)
