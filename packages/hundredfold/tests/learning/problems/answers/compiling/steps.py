"""``compiling.steps``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from ..edits import Wrong


@njit(parallel=True, fastmath=True)
def _threads(x):
    total = 0.0
    for i in prange(1, x.size):
        total += abs(x[i] - x[i - 1])
    return total / (x.size - 1) if x.size > 1 else 0.0


@njit(fastmath={"reassoc", "nsz"})
def _one_core(x):
    if x.size < 2:
        return 0.0
    total = 0.0
    for i in range(x.size - 1):
        total += abs(x[i + 1] - x[i])
    return total / (x.size - 1)


def _in_pieces(x):
    if x.size < 2:
        return 0.0
    total = 0.0
    for start in range(0, x.size - 1, 16_384):
        piece = x[start : start + 16_385]
        total += np.abs(piece[1:] - piece[:-1]).sum()
    return float(total / (x.size - 1))


def _starter(x):
    return float(np.abs(np.diff(x)).mean()) if x.size > 1 else 0.0


def _loop(x):
    total = 0.0
    for i in range(1, len(x)):
        total += abs(x[i] - x[i - 1])
    return float(total / (len(x) - 1)) if len(x) > 1 else 0.0


@njit
def _round_the_corner(x):
    total = 0.0
    for i in range(x.size):
        total += abs(x[i] - x[i - 1])
    return total / (x.size - 1) if x.size > 1 else 0.0


@njit
def _past_the_end(x):
    total = 0.0
    for i in range(x.size):
        total += abs(x[i + 1] - x[i])
    return total / (x.size - 1) if x.size > 1 else 0.0


@njit
def _signed(x):
    total = 0.0
    for i in range(1, x.size):
        total += x[i] - x[i - 1]
    return total / (x.size - 1) if x.size > 1 else 0.0


@njit
def _how_far(x):
    return abs(x[-1] - x[0]) / (x.size - 1) if x.size > 1 else 0.0


@njit
def _by_n(x):
    total = 0.0
    for i in range(1, x.size):
        total += abs(x[i] - x[i - 1])
    return total / x.size if x.size > 0 else 0.0


@njit
def _squares(x):
    total = 0.0
    for i in range(1, x.size):
        total += (x[i] - x[i - 1]) ** 2
    return (total / (x.size - 1)) ** 0.5 if x.size > 1 else 0.0


@njit(parallel=True)
def _shared(x):
    total = np.zeros(1)
    for i in prange(1, x.size):
        total[0] += abs(x[i] - x[i - 1])
    return total[0] / (x.size - 1) if x.size > 1 else 0.0


def _single(x):
    return float(_one_core(x.astype(np.float32)))


@njit(parallel=True)
def _an_array(x):
    return np.abs(x[1:] - x[:-1]).sum() / max(x.size - 1, 1) * np.ones(1)


@njit
def _missing_guard(x):
    total = 0.0
    for i in range(1, x.size):
        total += abs(x[i] - x[i - 1])
    return total / (x.size - 1)


WRONG = {
    "temporaries": Wrong(_starter, "temporaries"),
    "interpreted": Wrong(_loop, "interpreted"),
    "wrapped": Wrong(_round_the_corner, "wrapped"),
    "bounds": Wrong(_past_the_end, "bounds"),
    "sign": Wrong(_signed, "sign"),
    "sign-of-the-sum": Wrong(_how_far, "sign"),
    "divisor": Wrong(_by_n, "divisor"),
    "squared": Wrong(_squares, "squared"),
    "race": Wrong(_shared, "race"),
    "dtype": Wrong(_single, "dtype"),
    "type": Wrong(_an_array, "type"),
    "exception": Wrong(_missing_guard, "exception"),
}
RIGHT = {"threads": _threads, "one core, in any order": _one_core, "NumPy in pieces": _in_pieces}
