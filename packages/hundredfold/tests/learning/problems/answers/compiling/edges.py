"""``compiling.edges``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..edits import Wrong


@njit
def _guarded(x):
    out = np.empty_like(x)
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            total, count = 0, 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if 0 <= i + di < n and 0 <= j + dj < m:
                        total += x[i + di, j + dj]
                        count += 1
            out[i, j] = total // count
    return out


@njit
def _clipped(x):
    out = np.empty(x.shape, np.int8)
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            total, count = 0, 0
            for k in range(max(i - 1, 0), min(i + 2, n)):
                for h in range(max(j - 1, 0), min(j + 2, m)):
                    total += x[k, h]
                    count += 1
            out[i, j] = total // count
    return out


@njit
def _starter(x):
    out = np.empty_like(x)
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            total = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    total += x[i + di, j + dj]
            out[i, j] = total // 9
    return out


@njit
def _upper_guard(x):
    out = np.empty_like(x)
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            total, count = 0, 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if i + di < n and j + dj < m:
                        total += x[i + di, j + dj]
                        count += 1
            out[i, j] = total // count
    return out


@njit
def _zero_border(x):
    out = np.zeros_like(x)
    n, m = x.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            total = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    total += x[i + di, j + dj]
            out[i, j] = total // 9
    return out


@njit
def _always_nine(x):
    out = np.empty_like(x)
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            total = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if 0 <= i + di < n and 0 <= j + dj < m:
                        total += x[i + di, j + dj]
            out[i, j] = total // 9
    return out


@njit
def _truncated(x):
    out = np.empty_like(x)
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            total, count = 0, 0
            for k in range(max(i - 1, 0), min(i + 2, n)):
                for h in range(max(j - 1, 0), min(j + 2, m)):
                    total += x[k, h]
                    count += 1
            out[i, j] = int(total / count)
    return out


@njit
def _narrow_sum(x):
    out = np.empty_like(x)
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            total, count = np.int8(0), 0
            for k in range(max(i - 1, 0), min(i + 2, n)):
                for h in range(max(j - 1, 0), min(j + 2, m)):
                    total = np.int8(total + x[k, h])
                    count += 1
            out[i, j] = total // count
    return out


@njit
def _in_place(x):
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            total, count = 0, 0
            for k in range(max(i - 1, 0), min(i + 2, n)):
                for h in range(max(j - 1, 0), min(j + 2, m)):
                    total += x[k, h]
                    count += 1
            x[i, j] = total // count
    return x


@njit
def _wide_result(x):
    out = np.zeros(x.shape, np.int64)
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            part = x[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2]
            out[i, j] = part.sum() // part.size
    return out


@njit
def _rows_for_columns(x):
    out = np.empty_like(x)
    m, n = x.shape
    for i in range(n):
        for j in range(m):
            total, count = 0, 0
            for k in range(max(i - 1, 0), min(i + 2, n)):
                for h in range(max(j - 1, 0), min(j + 2, m)):
                    total += x[k, h]
                    count += 1
            out[i, j] = total // count
    return out


def _uncompiled(x):
    return _guarded.py_func(x.astype(np.int64)).astype(np.int8)


WRONG = {
    "bounds": Wrong(_starter, "bounds"),
    "wrapped": Wrong(_upper_guard, "wrapped"),
    "border": Wrong(_zero_border, "border"),
    "divisor": Wrong(_always_nine, "divisor"),
    "rounding": Wrong(_truncated, "rounding"),
    "overflow": Wrong(_narrow_sum, "overflow"),
    "aliasing": Wrong(_in_place, "aliasing"),
    "dtype": Wrong(_wide_result, "dtype"),
    "axes": Wrong(_rows_for_columns, "bounds"),
    "interpreted": Wrong(_uncompiled, "interpreted"),
}
RIGHT = {"asked": _guarded, "clipped": _clipped}
