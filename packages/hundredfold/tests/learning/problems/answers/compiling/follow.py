"""``compiling.follow``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numba
import numpy as np
from numba import njit, prange

from ..edits import Wrong


@njit
def _carried(x, a):
    y = np.empty(x.size)
    if x.size > 0:
        level = float(x[0])
        for i in range(x.size):
            level += a * (x[i] - level)
            y[i] = level
    return y


@njit
def _indexed(x, a):
    y = np.zeros(len(x), dtype=np.float64)
    for i in range(len(x)):
        if i == 0:
            y[i] = x[i]
        else:
            y[i] = a * x[i] + (1 - a) * y[i - 1]
    return y


@numba.jit
def _into(x, a, y):
    for i in range(1, x.size):
        y[i] = y[i - 1] + a * (x[i] - y[i - 1])


def _wrapped(x, a):
    y = np.array(x, dtype=np.float64)
    _into(y.copy(), a, y)
    return y


def _plain(x, a):
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = x[i] if i == 0 else y[i - 1] + a * (x[i] - y[i - 1])
    return y


@njit
def _like(x, a):
    y = np.empty_like(x)
    for i in range(x.size):
        y[i] = x[i] if i == 0 else y[i - 1] + a * (x[i] - y[i - 1])
    return y


@njit
def _in_place(x, a):
    for i in range(1, x.size):
        x[i] = x[i - 1] + a * (x[i] - x[i - 1])
    return x


@njit
def _from_zero(x, a):
    y = np.empty(x.size)
    level = 0.0
    for i in range(x.size):
        level += a * (x[i] - level)
        y[i] = level
    return y


@njit
def _swapped(x, a):
    y = np.empty(x.size)
    for i in range(x.size):
        y[i] = x[i] if i == 0 else (1 - a) * x[i] + a * y[i - 1]
    return y


@njit
def _two_points(x, a):
    y = np.empty(x.size)
    for i in range(x.size):
        y[i] = x[i] if i == 0 else a * x[i] + (1 - a) * x[i - 1]
    return y


@njit
def _unguarded(x, a):
    y = np.empty(x.size)
    y[0] = x[0]
    for i in range(1, x.size):
        y[i] = y[i - 1] + a * (x[i] - y[i - 1])
    return y


@njit("float64[::1](float64[::1], float64)")
def _one_signature(x, a):
    y = np.empty(x.size)
    for i in range(x.size):
        y[i] = x[i] if i == 0 else y[i - 1] + a * (x[i] - y[i - 1])
    return y


@njit
def _zero_for_none(x, a):
    if x.size == 0:
        return 0.0
    return _carried(x, a)


@njit
def _list(x, a):
    y = [float(v) for v in x]
    for i in range(1, len(y)):
        y[i] = y[i - 1] + a * (x[i] - y[i - 1])
    return y


@njit(parallel=True)
def _threads(x, a):
    y = x.astype(np.float64)
    for i in prange(1, x.size):
        y[i] = y[i - 1] + a * (x[i] - y[i - 1])
    return y


WRONG = {
    "interpreted": Wrong(_plain, "interpreted"),
    "dtype": Wrong(_like, "dtype"),
    "aliasing": Wrong(_in_place, "aliasing"),
    "start": Wrong(_from_zero, "value"),
    "weights": Wrong(_swapped, "value"),
    "recurrence": Wrong(_two_points, "recurrence"),
    "bounds": Wrong(_unguarded, "bounds"),
    "typing": Wrong(_zero_for_none, "typing"),
    "a signature": Wrong(_one_signature, "typing"),
    "list": Wrong(_list, "type"),
    "race": Wrong(_threads, "race"),
}
RIGHT = {"carried": _carried, "indexed": _indexed, "a compiled helper": _wrapped}
