"""Which loop of a ufunc CuPy takes for given argument types.

CuPy 14 promotes by NEP 50 on its own table of loops: it takes the first loop to which all arguments can be cast
safely, where Python scalars are weak.  The tables are CuPy's, read from the real library (``ufuncs.json``), and the
rules are those of ``_Ops.guess_routine`` in ``cupy/_core/_kernel.pyx``.
"""

from __future__ import annotations

import numpy as np

_WEAK_DTYPES = {int: np.dtype(np.int64), float: np.dtype(np.float64), complex: np.dtype(np.complex128)}
BIG = "an int from 2**63"  # stands for Python ints that only uint64 holds


def kind_of_scalar(value: object) -> object:
    """The key under which a scalar argument is promoted: a Python type (weak), or a dtype (strong).

    Raises
    ------
    TypeError
        For what is no scalar, worded as CuPy does: ``Unsupported type <class 'numpy.ndarray'>``.
    """
    kind = kind_if_scalar(value)
    if kind is None:
        raise TypeError(f"Unsupported type {type(value)}")
    return kind


def kind_if_scalar(value: object) -> object:
    """As :func:`kind_of_scalar`, and None for what is no scalar."""
    kind = type(value)
    if kind is int:
        return int if value < 0x8000000000000000 else BIG
    if kind is float or kind is complex:
        return kind
    if kind is bool:
        return np.dtype(bool)
    if isinstance(value, np.generic):
        return value.dtype
    return None


class Loop:
    """One loop of a ufunc: the dtypes it takes and gives."""

    __slots__ = ("ins", "outs", "signature")

    def __init__(self, text: str):
        ins, _, outs = text.partition("->")
        self.ins = tuple(np.dtype(c) for c in ins)
        self.outs = tuple(np.dtype(c) for c in outs)
        self.signature = text


def choose(loops: tuple[Loop, ...], kinds: tuple) -> Loop | None:
    """The loop for arguments of some kinds (dtypes, or as :func:`kind_of_scalar` gives), None if there is none."""
    dtypes = tuple(np.dtype(np.uint64) if k is BIG else _WEAK_DTYPES.get(k, k) for k in kinds)
    weak = tuple(int if k is BIG else (k if k in _WEAK_DTYPES else None) for k in kinds)
    if not _scalars_are_weak(dtypes, weak):
        weak = (None,) * len(kinds)
    for loop in loops:
        if all(map(_fits, dtypes, weak, loop.ins)):
            return loop
    return None


def _scalars_are_weak(dtypes: tuple, weak: tuple) -> bool:
    # Only where no scalar is of a higher kind than every array: uint8 + 0.0 must not stay an integer loop.
    scalars = [_score(w) for w in weak if w is not None]
    arrays = [_score(d.type) for d, w in zip(dtypes, weak, strict=True) if w is None]
    return bool(scalars and arrays) and max(arrays) >= max(scalars)


def _score(kind: type) -> int:
    if issubclass(kind, np.bool_):
        return 0
    if issubclass(kind, (np.integer, int)):
        return 1
    return 2 if issubclass(kind, (np.inexact, float, complex)) else 3


def _fits(given: np.dtype, weak: type | None, wanted: np.dtype) -> bool:
    if np.can_cast(given, wanted):
        return True
    if weak is None:
        return False
    try:
        return np.result_type(weak(0), wanted) == wanted
    except TypeError:
        return False
