"""``kernels.fastest``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from ..edits import Wrong
from ..later import cuda, later
from .smooth import _clamped as clamped


def _wide(rows, columns):
    return (max(-(-columns // 128), 1), max(-(-rows // 2), 1)), (128, 2)


def _usual(rows, columns):
    return (max(-(-columns // 32), 1), max(-(-rows // 8), 1)), (32, 8)


def _tall(rows, columns):
    return (max(-(-columns // 1), 1), max(-(-rows // 256), 1)), (1, 256)


def _too_many(rows, columns):
    return (max(-(-columns // 64), 1), max(-(-rows // 32), 1)), (64, 32)


def _a_row_each(rows, columns):
    return (-(-columns // 32), rows), (32, 1)


def _up_to_1024(rows, columns):
    return (-(-min(columns, 1024) // 32), -(-rows // 8)), (32, 8)


def _rounded_down(rows, columns):
    return (max(columns // 32, 1), max(rows // 8, 1)), (32, 8)


def _only_threads(rows, columns):
    return (32, 8)


def _no_return(rows, columns):
    blocks, threads = (-(-columns // 32), -(-rows // 8)), (32, 8)  # noqa: F841, RUF059


def _for_rows_along_x(rows, columns):
    return (max(-(-rows // 32), 1), max(-(-columns // 8), 1)), (32, 8)


@later
def _down_a_column(x, out):
    """A thread slides down 16 rows and keeps the sums of three pixels of the last two rows."""
    j, i = cuda.grid(2)
    n, m = x.shape
    if j < m and i * 16 < n:
        left, right = max(j - 1, 0), min(j + 1, m - 1)
        row = i * 16
        above = max(row - 1, 0)
        first = x[above, left] + x[above, j] + x[above, right]
        second = x[row, left] + x[row, j] + x[row, right]
        for k in range(row, min(row + 16, n)):
            below = min(k + 1, n - 1)
            third = x[below, left] + x[below, j] + x[below, right]
            out[k, j] = (first + second + third) // 9
            first, second = second, third


def _sixteenth(rows, columns):
    return (max(-(-columns // 64), 1), max(-(-rows // 64), 1)), (64, 4)


@later
def _transposed_threads(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
        out[i, j] = total // 9


def _one(rows, columns):
    return (1, 1), (32, 8)


@later
def _one_block(x, out):
    n, m = x.shape
    for i in range(cuda.threadIdx.y, n, cuda.blockDim.y):
        for j in range(cuda.threadIdx.x, m, cuda.blockDim.x):
            total = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
            out[i, j] = total // 9


@later
def _overlapping_strips(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if j < m and i * 16 < n:
        for k in range(i * 16, min(i * 16 + 17, n)):
            total = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    total += x[min(max(k + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
            out[k, j] = total // 9


@later
def _no_last_row(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if j < m and i * 16 < n:
        left, right = max(j - 1, 0), min(j + 1, m - 1)
        for k in range(i * 16, i * 16 + 16):
            total = 0
            for di in range(-1, 2):
                row = min(max(k + di, 0), n - 1)
                total += x[row, left] + x[row, j] + x[row, right]
            out[k, j] = total // 9


WRONG = {
    "coalescing": Wrong((_transposed_threads, _for_rows_along_x), "coalescing"),
    "tall blocks": Wrong((clamped, _tall), "coalescing"),
    "too many": Wrong((clamped, _too_many), "launch-limit"),
    "65 536 blocks along y": Wrong((clamped, _a_row_each), "launch-limit"),
    "1024 columns": Wrong((clamped, _up_to_1024), "value"),
    "rounded down": Wrong((clamped, _rounded_down), "remainder"),
    "race": Wrong((_overlapping_strips, _sixteenth), "race"),
    "bounds": Wrong((_no_last_row, _sixteenth), "bounds"),
    "only threads": Wrong((clamped, _only_threads), "remainder"),
    "type": Wrong((clamped, _no_return), "type"),
    "one block": Wrong((_one_block, _one), "serial"),
    "callable": Wrong((clamped, ((32, 32), (32, 8))), "callable"),
}
RIGHT = {
    "one pixel a thread": (clamped, _usual),
    "wide blocks": (clamped, _wide),
    "down a column": (_down_a_column, _sixteenth),
}
