"""``kernels.smooth``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from ..edits import Wrong
from ..later import cuda, later


@later
def _counted(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                total += x[k, h]
                count += 1
        out[i, j] = total // count


@later
def _by_names(x, out):
    column = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if row >= x.shape[0] or column >= x.shape[1]:
        return
    up, down = max(row - 1, 0), min(row + 1, x.shape[0] - 1)
    left, right = max(column - 1, 0), min(column + 1, x.shape[1] - 1)
    total = 0
    for k in range(up, down + 1):
        for h in range(left, right + 1):
            total += x[k, h]
    out[row, column] = total // ((down - up + 1) * (right - left + 1))


@later
def _unchecked(x, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[i + di, j + dj]
        out[i, j] = total // 9


@later
def _upper_only(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(i - 1, min(i + 2, n)):
            for h in range(j - 1, min(j + 2, m)):
                total += x[k, h]
                count += 1
        out[i, j] = total // count


@later
def _inner_only(x, out):
    j, i = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[i + di, j + dj]
        out[i, j] = total // 9


@later
def _by_nine(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                total += x[k, h]
        out[i, j] = total // 9


@later
def _rows_along_x(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                total += x[k, h]
                count += 1
        out[i, j] = total // count


@later
def _narrow(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total, count = np.int8(0), 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                total = np.int8(total + x[k, h])
                count += 1
        out[i, j] = total // count


@later
def _truncated(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                total += x[k, h]
                count += 1
        out[i, j] = int(total / count)


@later
def _in_place(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                total += x[k, h]
                count += 1
        x[i, j] = total // count
        out[i, j] = total // count


@later
def _sum_in_out(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        up, down, left, right = max(i - 1, 0), min(i + 2, n), max(j - 1, 0), min(j + 2, m)
        out[i, j] = 0
        for k in range(up, down):
            for h in range(left, right):
                out[i, j] += x[k, h] // ((down - up) * (right - left))


@later
def _ends_early(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(max(i - 1, 0), min(i + 1, n)):
            for h in range(max(j - 1, 0), min(j + 1, m)):
                total += x[k, h]
                count += 1
        out[i, j] = total // count


@later
def _reads_twice(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                total += x[k, h]
                count += 1
        out[i, j] = (total + x[i, j] - x[i, j]) // count


@later
def _clamped(x, out):
    """The lecture's."""
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
        out[i, j] = total // 9


WRONG = {
    "bounds": Wrong(_unchecked, "bounds"),
    "wrapped": Wrong(_upper_only, "wrapped"),
    "inner": Wrong(_inner_only, "remainder"),
    "by nine": Wrong(_by_nine, "border"),
    "clamped": Wrong(_clamped, "border"),
    "transposed": Wrong(_rows_along_x, "transposed"),
    "overflow": Wrong(_narrow, "overflow"),
    "rounding": Wrong(_truncated, "rounding"),
    "race": Wrong(_in_place, "race"),
    "parts": Wrong(_sum_in_out, "integer"),
    "ends early": Wrong(_ends_early, "value"),
    "traffic": Wrong(_reads_twice, "traffic"),
}
RIGHT = {"counted": _counted, "by names": _by_names}
