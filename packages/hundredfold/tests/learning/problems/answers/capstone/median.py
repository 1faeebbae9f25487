"""``capstone.median``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.capstone.median import median

from ..edits import Wrong
from ..later import cuda, later


@later
def _insertion(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        k = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                value = x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
                place = k
                while place > 0 and near[place - 1] > value:
                    near[place] = near[place - 1]
                    place -= 1
                near[place] = value
                k += 1
        out[i, j] = near[4]


@later
def _by_counting(x, out):
    """The median is that one of the nine which at most four are less than, and at most four are more than."""
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if i >= x.shape[0] or j >= x.shape[1]:
        return
    near = cuda.local.array((3, 3), np.float32)
    for a in range(3):
        for b in range(3):
            near[a, b] = x[min(max(i + a - 1, 0), x.shape[0] - 1), min(max(j + b - 1, 0), x.shape[1] - 1)]
    for a in range(3):
        for b in range(3):
            less = more = 0
            for c in range(3):
                for d in range(3):
                    less += near[c, d] < near[a, b]
                    more += near[c, d] > near[a, b]
            if less <= 4 and more <= 4:
                found = near[a, b]
    out[i, j] = found


@later
def _unguarded_border(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[i + k // 3 - 1, j + k % 3 - 1]
        for a in range(5):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[4]


@later
def _wrapped(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[(i + k // 3 - 1 + n) % n, (j + k % 3 - 1 + m) % m]
        for a in range(5):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[4]


@later
def _zeros(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            r, c = i + k // 3 - 1, j + k % 3 - 1
            near[k] = x[r, c] if 0 <= r < n and 0 <= c < m else np.float32(0)
        for a in range(5):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[4]


@later
def _sorted_once(x, out):
    """One pass of neighbours: it puts the largest at the end, and no more."""
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
        for k in range(8):
            if near[k] > near[k + 1]:
                near[k], near[k + 1] = near[k + 1], near[k]
        out[i, j] = near[4]


@later
def _fifth(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
        for a in range(8):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[5]


@later
def _average(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = np.float32(0)
        for k in range(9):
            total += x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
        out[i, j] = total / np.float32(9)


@later
def _five(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(5, np.float32)
        near[0] = x[i, j]
        near[1] = x[max(i - 1, 0), j]
        near[2] = x[min(i + 1, n - 1), j]
        near[3] = x[i, max(j - 1, 0)]
        near[4] = x[i, min(j + 1, m - 1)]
        for a in range(3):
            for b in range(a + 1, 5):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[2]


@later
def _inner(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if 0 < i < n - 1 and 0 < j < m - 1:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[i + k // 3 - 1, j + k % 3 - 1]
        for a in range(5):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[4]


@later
def _into_itself(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
        for a in range(5):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        x[i, j] = near[4]
        out[i, j] = near[4]


@later
def _looks_again(x, out):
    """No array of its own: each pixel is looked at nine times."""
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        found = x[i, j]
        for k in range(9):
            value = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
            less, more = 0, 0
            for h in range(9):
                other = x[min(max(i + h // 3 - 1, 0), n - 1), min(max(j + h % 3 - 1, 0), m - 1)]
                less += other < value
                more += other > value
            if less <= 4 and more <= 4:
                found = value
        out[i, j] = found


@later
def _columns_along_y(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    for r in range(i, n, cuda.blockDim.x * cuda.gridDim.x):
        for c in range(j, m, cuda.blockDim.y * cuda.gridDim.y):
            near = cuda.local.array(9, np.float32)
            for k in range(9):
                near[k] = x[min(max(r + k // 3 - 1, 0), n - 1), min(max(c + k % 3 - 1, 0), m - 1)]
            for a in range(5):
                for b in range(a + 1, 9):
                    if near[b] < near[a]:
                        near[a], near[b] = near[b], near[a]
            out[r, c] = near[4]


@later
def _one_warp(x, out):
    n, m = x.shape
    if cuda.blockIdx.x == 0 and cuda.blockIdx.y == 0 and cuda.threadIdx.y == 0:
        near = cuda.local.array(9, np.float32)
        for i in range(n):
            for j in range(cuda.threadIdx.x, m, 32):
                for k in range(9):
                    near[k] = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
                for a in range(5):
                    for b in range(a + 1, 9):
                        if near[b] < near[a]:
                            near[a], near[b] = near[b], near[a]
                out[i, j] = near[4]


WRONG = {
    "unguarded-border": Wrong(_unguarded_border, "bounds"),
    "wrapped": Wrong(_wrapped, "wrapped"),
    "zeros": Wrong(_zeros, "border"),
    "sorted-once": Wrong(_sorted_once, "value"),
    "sixth": Wrong(_fifth, "shifted"),
    "mean": Wrong(_average, "averaged"),
    "five": Wrong(_five, "reach"),
    "inner": Wrong(_inner, "remainder"),
    "into-itself": Wrong(_into_itself, "race"),
    "looks-again": Wrong(_looks_again, "traffic"),
    "columns-along-y": Wrong(_columns_along_y, "coalescing"),
    "one warp": Wrong(_one_warp, "serial"),
    "host": Wrong(median, "callable"),
}
RIGHT = {"put in place": _insertion, "by counting": _by_counting}
