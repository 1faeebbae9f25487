"""Running one of CuPy's loops with NumPy's: the conversions it takes, and what has no loop of the same types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .casting import convert
from .promote import BIG, Loop

_CANONICAL = {c: np.dtype(c).str for c in "?bhilqBHILQefdFD"}
_native: dict[np.ufunc, frozenset] = {}


def native_loops(function: np.ufunc) -> frozenset:
    """The loops NumPy has, spelled without regard to which of two same C types it names."""
    found = _native.get(function)
    if found is None:
        found = _native[function] = frozenset(
            _spell(t) for t in function.types if set(t) <= _CANONICAL.keys() | {"-", ">"}
        )
    return found


def _spell(types: str) -> tuple:
    ins, _, outs = types.partition("->")
    return tuple(_CANONICAL[c] for c in ins), tuple(_CANONICAL[c] for c in outs)


def _named_out(function: np.ufunc) -> Callable:
    def run(x: Any, y: Any, out: np.ndarray) -> None:
        function(x, y, out=out)

    return run


# NumPy deprecates a third positional argument of these two.
_OUT_BY_NAME = {f: _named_out(f) for f in (np.maximum, np.minimum)}


def _as_it_is(value: int) -> int:
    return value


def _for_bools(value: int) -> int:
    # NumPy compares bools with int64 only; no bool tells numbers beyond -1 and 2 apart.
    return max(-1, min(value, 2))


_COMPARISONS = frozenset([np.less, np.less_equal, np.equal, np.not_equal, np.greater, np.greater_equal])


def runner(name: str, function: Callable, loop: Loop, given: tuple[np.dtype | None, ...]) -> Callable:
    """A function of inputs and outputs that computes in the loop's types."""
    # A scalar is converted to the loop's type before the call; an array may still need it.
    as_given = all(g is None or g == wanted for g, wanted in zip(given, loop.ins, strict=True))
    if not isinstance(function, np.ufunc):
        return _converting(function, loop, as_given)
    if "V" in loop.signature:
        return _structured(function, given)
    spelled = _spell(loop.signature)
    if function in _COMPARISONS:  # NumPy compares any two types exactly, Python ints of any size included
        return function
    if spelled in native_loops(function):
        if as_given:
            return _OUT_BY_NAME.get(function, function)
        return _with_signature(function, loop)
    if all(o.kind == "b" for o in loop.outs):  # of mixed integers
        return function
    same_out = [t for t in native_loops(function) if t[1] == spelled[1] and len(t[0]) == len(spelled[0])]
    if same_out:  # true_divide of integers is NumPy's loop for doubles
        return _with_signature(function, loop, tuple(np.dtype(s) for s in (*same_out[-1][0], *same_out[-1][1])))
    from gpusim.importing.errors import NotSimulatedError

    raise NotSimulatedError(f"{name} on {loop.signature}")


def _structured(function: np.ufunc, given: tuple[np.dtype | None, ...]) -> Callable:
    """Comparing structures: NumPy's operators do, its ufuncs do not."""
    if any(d is None or d.kind != "V" for d in given):
        raise TypeError("Cannot compare structured or void to non-void arrays.")
    if any(d.names and any(f[0].subdtype is not None for f in d.fields.values()) for d in given):
        raise ValueError("comparing structures with subarray dtypes is not supported")
    if any(d.names for d in given):
        if any(d.names != given[0].names for d in given):
            raise TypeError(
                "Cannot compare structured arrays unless they have a common dtype.  I.e. `np.result_type(arr1, arr2)` "
                "must be defined."
            )
        np.result_type(*given)  # raises a TypeError if there is no common type

    def run(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
        np.copyto(out, x == y if function is np.equal else x != y)

    return run


def _with_signature(function: np.ufunc, loop: Loop, types: tuple | None = None) -> Callable:
    types = types or (*loop.ins, *loop.outs)

    nin = len(loop.ins)

    def run(*operands: Any) -> None:
        function(*operands[:nin], out=operands[nin:], signature=types, casting="unsafe")

    return run


def _converting(function: Callable, loop: Loop, as_given: bool) -> Callable:
    if as_given:
        return function

    def run(*operands: Any) -> None:
        function(*(x.astype(t) for x, t in zip(operands, loop.ins, strict=False)), *operands[len(loop.ins) :])

    return run


def cast_and_mask(plan: Plan, views: list, outs: list[np.ndarray], where: Any) -> None:
    results = [np.empty(o.shape, t) for o, t in zip(outs, plan.outs, strict=True)]
    plan.call(*views, *results)
    for o, result in zip(outs, results, strict=True):
        if result.dtype.kind == "f" and o.dtype.kind in "iu" and result.size:
            fitting = np.empty(o.shape, o.dtype)
            convert(fitting, result)
            result = fitting
        if result.dtype.kind == "c" and o.dtype.kind not in "cb":
            result = result.real  # of which the call has warned
        np.copyto(o, result, "unsafe", where=where)


class Plan:
    """How one combination of argument types runs."""

    __slots__ = ("call", "ins", "out", "outs", "scalars")

    def __init__(self, name: str, function: Callable, loop: Loop, kinds: tuple):
        self.ins, self.outs, self.out = loop.ins, loop.outs, loop.outs[0]
        # Makes a NumPy scalar of the loop's type of a Python one.  A comparison takes Python ints of any size as they are.
        compares = function in _COMPARISONS
        bools = any(isinstance(k, np.dtype) and k.kind == "b" for k in kinds)
        self.scalars = tuple(
            (_for_bools if bools else _as_it_is) if compares and (k is int or k is BIG) else d.type
            for d, k in zip(loop.ins, kinds, strict=True)
        )
        given = tuple(k if isinstance(k, np.dtype) else None for k in kinds)
        self.call = runner(name, function, loop, given)
