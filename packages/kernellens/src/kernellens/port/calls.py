"""One operation of the program: carried out by NumPy or pandas for its result, and on the simulated device for its account."""

from __future__ import annotations

import dis
import functools
import json
import threading
import time
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gpusim.device import memory, queue
from gpusim.importing.errors import NotSimulatedError

from . import attribution
from .operations import Line, account, measured

_state = threading.local()
_uploaded: dict[int, tuple[weakref.ref, Any]] = {}
_ENOUGH = 200
"""Single elements that a line reads or writes before the device is no longer asked how."""
_HELPERS = (np.random.Generator, np.random.RandomState, np.vectorize, np.poly1d)
TWINNED = (
    "GroupBy",
    "Rolling",
    "Expanding",
    "Window",
    "Resampler",
    "Indexer",
    "StringMethods",
    "Properties",
    "Accessor",
)

wrap: dict[str, Callable] = {}
"""How the program's arrays, frames and helpers are made; each entered by the module that has the class."""


class Unavailable(Exception):
    """The device has nothing to work on: an argument that only the host has."""


class Missing(Exception):
    """The library has no such name."""


class inside:
    """Operations in this block are part of another one."""

    def __enter__(self) -> None:
        _state.depth = getattr(_state, "depth", 0) + 1

    def __exit__(self, *exception: object) -> None:
        _state.depth -= 1


def where() -> attribution.Place | None:
    """The line to account for, or None where an operation is part of another."""
    return None if getattr(_state, "depth", 0) else attribution.place()


def call(what: str, host: Callable, device: Callable | None, args: tuple, kwargs: dict, owner: Any = None) -> Any:
    """Carry out one operation.

    Parameters
    ----------
    what : str
        As the program says it: ``"numpy.sort"``, ``"DataFrame.merge"``.
    host : callable
        NumPy's or pandas' own; its result is the program's.
    device : callable or None
        The same on the device; None for what is never done there.
    args, kwargs
        The program's arguments.
    owner : object, optional
        The twin that a method belongs to, as the first argument of both.
    """
    at = where()
    known: dict[int, Any] = {}
    if at is None:
        return host(*lower(args, known), **lower(kwargs, known))
    operands = (*((owner,) if owner is not None else ()), *args, *kwargs.values())
    line = account.line(at.where, at.source)
    if at.library:
        handed_over(at, line, operands)
        with inside():
            return host(*lower(args, known), **lower(kwargs, known))
    line.calls += 1
    made, stayed = None, True
    with inside():
        if device is not None and not account.refused(at.where, what):
            made, stayed = _on_device(what, device, args, kwargs, at, line)
        elif device is not None and account.refused(at.where, what):
            account.refuse(at.where, at.source, what, _kind_known(at.where, what), "", "", "")
            back(line, operands)
        line.flops += flops(what, operands)
        low, named = lower(args, known), lower(kwargs, known)
        began = time.perf_counter()
        try:
            result = host(*low, **named)
        except Exception:
            account.forget(at.where, what)
            raise
        finally:
            taken = time.perf_counter() - began
            line.seconds += taken
            line.host_seconds += taken if stayed else 0.0
        result = lift(result, made, what, known, line)
    _size(result)
    return result


def _kind_known(where: str, what: str) -> str:
    kinds = ("refused", "missing", "not simulated")
    return next(kind for kind in kinds if (where, what, kind) in account.refusals)


def _on_device(
    what: str, device: Callable, args: tuple, kwargs: dict, at: attribution.Place, line: Line
) -> tuple[Any, bool]:
    """The device's result, and whether the work stays on the host."""
    frames = library(what) == "cuDF"
    try:
        with measured(line):
            made = device(*raise_(args, frames), **raise_(kwargs, frames))
        account.peak = max(account.peak, memory.in_use())
        return made, False
    except Unavailable:
        return None, True
    except Missing as error:
        account.refuse(at.where, at.source, what, "missing", library(what), str(error), instead(what))
    except NotSimulatedError as error:
        account.refuse(at.where, at.source, what, "not simulated", library(what), str(error), "")
    except MemoryError as error:
        account.refuse(at.where, at.source, what, "memory", "the device", str(error), MEMORY)
    except Exception as error:
        said = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        account.refuse(at.where, at.source, what, "refused", library(what), said, instead(what))
    back(line, (*args, *kwargs.values()))
    return None, True


def back(line: Line, values: Any) -> None:
    """Account for arrays that have to come back to the host, because the host does the work."""
    for value in _flat(values):
        copy = getattr(value, "_device", None)
        if copy is not None:
            line.d2h += _nbytes(value)
            line.d2h_count += 1


def read(value: Any, nbytes: int | None = None) -> None:
    """Account for the program reading an array on the host: printing it, making a list of it."""
    at = where()
    if at is None or getattr(value, "_device", None) is None:
        return
    line = account.line(at.where, at.source)
    if at.library:
        handed_over(at, line, (value,))
        return
    line.d2h += _nbytes(value) if nbytes is None else nbytes
    line.d2h_count += 1


def handed_over(at: attribution.Place, line: Line, values: Any) -> None:
    """Account for arrays that another library reads on the host."""
    if not any(getattr(value, "_device", None) is not None for value in _flat(values)):
        return
    if (at.where, at.library, "handed over") not in account.refusals:
        back(line, values)
    account.refuse(
        *(at.where, at.source, at.library, "handed over", "CuPy and cuDF"),
        f"{at.library} works on the host: a device array is not converted in silence.",
        handed(at.library),
    )


def many(at: attribution.Place, what: str) -> bool:
    """Whether a line has read or written so many single elements that the next ones are only counted."""
    key = (at.where, what)
    _elements[key] = _elements.get(key, 0) + 1
    return _elements[key] > _ENOUGH


_elements: dict[tuple, int] = {}


def device_of(value: Any) -> Any:
    """An array's or frame's copy on the device, made now if there is none (the transfer is counted)."""
    copy = value._device
    if copy is None:
        copy = _upload(value)
        value.__dict__["_device"] = copy
    return copy


def _upload(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        import cupy

        if value.dtype.kind not in "biufcV":
            raise TypeError(f"Unsupported dtype {value.dtype}")
        return cupy.asarray(np.ndarray.view(value, np.ndarray))
    import cudf

    return cudf.from_pandas(plain_frame(value))


def raise_(value: Any, frames: bool) -> Any:
    """Arguments as the device takes them; cuDF (`frames`) takes text and times from the host, CuPy only numbers."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind(raise_(item, frames) for item in value)
    if kind is dict:
        return {key: raise_(item, frames) for key, item in value.items()}
    if hasattr(value, "__next__") or (hasattr(value, "read") and not isinstance(value, type)):
        raise Unavailable  # what is read once is read by the program
    if frames and isinstance(value, np.ndarray) and value.dtype.kind not in "biufc":
        return np.ndarray.view(value, np.ndarray)
    if hasattr(kind, "_is_ported"):
        return device_of(value)
    if isinstance(value, np.ndarray) and value.ndim:
        known = _uploaded.get(id(value))
        if known is None or known[0]() is not value:
            known = _uploaded[id(value)] = (weakref.ref(value), _upload(value))
        return known[1]
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return _upload(value)
    if kind.__name__ == "Twin":
        twin: Any = value
        if twin._twin_device is None:
            raise Unavailable
        return twin._twin_device
    if callable(value) and not isinstance(value, type):
        ours: Any = value
        if hasattr(ours, "_ported_host"):
            return ours._ported_host
        check_function(value)
    return value


def lower(value: Any, known: dict[int, Any]) -> Any:
    """Arguments as NumPy and pandas take them; `known` remembers which array each one was."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind(lower(item, known) for item in value) if value else value
    if kind is dict:
        return {key: lower(item, known) for key, item in value.items()}
    if isinstance(value, np.ndarray) and hasattr(kind, "_is_ported"):
        base = np.ndarray.view(value, np.ndarray)
        known[id(base)] = value
        return base
    if kind.__name__ == "Twin":
        twin: Any = value
        return twin._twin_host
    return getattr(value, "_ported_host", value) if callable(value) else value


def lift(result: Any, made: Any, what: str, known: dict[int, Any], line: Line) -> Any:
    """The result as the program gets it, with the device's beside it."""
    if id(result) in known:
        return known[id(result)]
    if isinstance(result, np.ndarray):
        if result.dtype.kind not in "biufc":
            made = None
        elif made is not None and (not hasattr(made, "_a") or made.shape != result.shape or ".random" in what):
            made = _again(result)
        lifted = wrap["array"](result, made)
        account.watch(lifted, line.where)
        return lifted
    if isinstance(result, np.generic):
        if made is not None:  # a device array of no dimensions, which the program reads
            line.d2h += result.nbytes
            line.d2h_count += 1
        return result
    if isinstance(result, (pd.DataFrame, pd.Series)):
        if made is not None and not hasattr(made, "to_pandas"):
            made = None
        lifted = wrap["frame"](result, made)
        account.watch(lifted, line.where)
        return lifted
    if isinstance(result, (tuple, list)) and type(result) in (tuple, list):
        parts = made if isinstance(made, (tuple, list)) and len(made) == len(result) else [None] * len(result)
        return type(result)(lift(r, m, what, known, line) for r, m in zip(result, parts, strict=True))
    if isinstance(result, _HELPERS) or _helper(result):
        return wrap["helper"](result, made, what)
    return result


def _helper(value: Any) -> bool:
    kind = type(value)
    return kind.__module__.startswith("pandas.") and any(word in kind.__name__ for word in TWINNED)


def _again(host: np.ndarray) -> Any:
    """A device copy of what NumPy made, where the device's own differs; not counted, it is no transfer of the program's."""
    import cupy

    with queue.suspended_account():
        return cupy.asarray(np.ascontiguousarray(host))


def _flat(values: Any) -> list:
    found = []
    for value in values:
        if isinstance(value, (list, tuple)) and len(value) < 1000:
            found += _flat(value)
        else:
            found.append(value)
    return found


def _nbytes(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    with inside():
        used = value.memory_usage(deep=False)
        return int(used.sum() if hasattr(used, "sum") else used)


def _size(result: Any) -> None:
    if isinstance(result, np.ndarray):
        account.largest = max(account.largest, result.size)
    elif isinstance(result, (pd.DataFrame, pd.Series)):
        account.largest = max(account.largest, len(result))


# What to write instead, and what is known of single functions.

MEMORY = "Work on a part at a time, or in float32; keep fewer temporaries alive (out=, in-place operators, del)."
_SIDE_EFFECTS = {"STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "YIELD_VALUE"}
_TELLTALE = {"print", "open", "input", "append", "extend", "write", "add", "update", "pop", "random", "time"}


class SideEffects(TypeError):
    """A function that cannot be run a second time to see what a GPU would say."""


def library(what: str) -> str:
    """Whose rule it is."""
    if what.startswith(("numpy", "array", "ndarray", "scipy")):
        return "CuPy"
    return "cuDF"


@functools.cache
def _table() -> dict:
    return json.loads(Path(__file__).with_name("advice.json").read_text(encoding="utf-8"))


def instead(what: str) -> str:
    """What to write instead of something that is refused."""
    table = _table()
    for key in (what, what.rpartition(".")[2], what.partition(".")[0]):
        if key in table["instead"]:
            return table["instead"][key]
    return table["otherwise"][library(what)]


def handed(name: str) -> str:
    """What to write where an array is handed to another library."""
    table = _table()
    return table["handed"].get(name, table["handed"]["*"])


def plain_frame(value: Any) -> Any:
    """A frame or series as pandas' own class, which cuDF takes."""
    return pd.DataFrame(value) if isinstance(value, pd.DataFrame) else pd.Series(value)


def check_function(function: Any) -> None:
    """Refuse to run a function of the program's twice if that would show.

    Raises
    ------
    SideEffects
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return
    done = {instruction.opname for instruction in dis.get_instructions(code)}
    if done & _SIDE_EFFECTS or set(code.co_names) & _TELLTALE:
        raise SideEffects(
            f"{function.__name__} does more than return a value: cuDF compiles such functions for the GPU, and "
            "refuses what is no arithmetic"
        )


def flops(what: str, operands: tuple) -> float:
    """Floating-point operations of matrix products and factorisations; 0 for all else, which memory bounds."""
    name = what.rpartition(".")[2]
    arrays = [value for value in operands if isinstance(value, np.ndarray) and value.ndim >= 1]
    if name in ("matmul", "dot", "inner") and len(arrays) >= 2:
        a, b = arrays[:2]
        return 2.0 * a.size * (b.shape[-1] if b.ndim > 1 else 1)
    if "linalg" not in what or not arrays or arrays[0].ndim != 2:
        return 0.0
    m, n = sorted(arrays[0].shape, reverse=True)
    return {
        "solve": 2 / 3 * n**3,
        "inv": 2.0 * n**3,
        "det": 2 / 3 * n**3,
        "cholesky": n**3 / 3,
        "qr": 2.0 * m * n**2 - 2 / 3 * n**3,
        "svd": 4.0 * m * n**2 + 8.0 * n**3,
        "eigh": 9.0 * n**3,
        "eigvalsh": 4 / 3 * n**3,
        "lstsq": 4.0 * m * n**2 + 8.0 * n**3,
        "pinv": 4.0 * m * n**2 + 8.0 * n**3,
    }.get(name, 0.0)
