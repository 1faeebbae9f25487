"""Broadcasting by hand, with grid-stride loops in one, two and three dimensions."""

import numpy as np
from numba import cuda

from ..registry import Case, along, register


@cuda.jit
def add_row(matrix, row, out):
    y, x = cuda.grid(2)
    dy, dx = cuda.gridsize(2)
    for i in range(y, matrix.shape[0], dy):
        for j in range(x, matrix.shape[1], dx):
            out[i, j] = matrix[i, j] + row[j]


def _matrices(rng):
    for n, m, grid, block in (
        (1, 1, (1, 1), (1, 1)),
        (37, 53, (2, 3), (8, 4)),
        (64, 5, (1, 1), (16, 16)),
        (0, 4, 1, 8),
    ):
        grid, block = (grid, block) if isinstance(grid, tuple) else ((grid, grid), (block, block))
        yield Case(f"{n}x{m}", grid, block, (rng.normal(size=(n, m)), rng.normal(size=m), np.zeros((n, m))))


register("add_row_grid_stride", add_row, _matrices, lambda matrix, row, out: {2: matrix + row})


@cuda.jit
def outer(x, y, out):
    i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < x.size and j < y.size:
        out[i, j] = x[i] * y[j]


def _vectors(rng):
    for n, m in ((1, 1), (5, 300), (129, 31)):
        x, y = rng.integers(-99, 99, n), rng.integers(-99, 99, m)
        yield Case(f"{n}x{m}", (along(m, 32), along(n, 4)), (32, 4), (x, y, np.zeros((n, m), "i8")))


register("outer_product", outer, _vectors, lambda x, y, out: {2: np.outer(x, y)})


@cuda.jit
def combine(a, b, c, out):
    sx, sy, sz = cuda.grid(3)
    dx, dy, dz = cuda.gridsize(3)
    for i in range(sz, out.shape[0], dz):
        for j in range(sy, out.shape[1], dy):
            for k in range(sx, out.shape[2], dx):
                out[i, j, k] = a[i] * b[j, k] + c[i, j]


def _volumes(rng):
    for shape, grid, block in (
        ((1, 1, 1), (1, 1, 1), (1, 1, 1)),
        ((5, 7, 11), (1, 2, 2), (4, 2, 3)),
        ((13, 9, 40), (3, 2, 1), (8, 8, 2)),
    ):
        n, m, k = shape
        a, b, c = (rng.integers(-9, 9, s).astype("f4") for s in (n, (m, k), (n, m)))
        yield Case(f"{n}x{m}x{k}", grid, block, (a, b, c, np.zeros(shape, "f4")))


register("broadcast_3d", combine, _volumes, lambda a, b, c, out: {3: a[:, None, None] * b + c[:, :, None]})


@cuda.jit
def normalise_rows(x, out):
    row = cuda.grid(1)
    if row < x.shape[0]:
        total = 0.0
        for j in range(x.shape[1]):
            total += x[row, j]
        mean = total / x.shape[1]
        for j in range(x.shape[1]):
            out[row, j] = x[row, j] - mean


def _rows(rng):
    for n, m in ((1, 1), (33, 4), (100, 8)):
        yield Case(f"{n}x{m}", along(n, 32), 32, (rng.integers(-64, 64, (n, m)).astype("f8"), np.zeros((n, m))))


register("normalise_rows", normalise_rows, _rows, lambda x, out: {1: x - x.mean(1, keepdims=True)})


@cuda.jit
def add_fortran(a, b, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j] - b[i, j]


def _orders(rng):
    for n, m in ((3, 5), (20, 33)):
        a, b = rng.integers(0, 99, (2, n, m))
        out = np.zeros((n, m), "i8", order="F")
        yield Case(f"{n}x{m}", (along(n, 8), along(m, 8)), (8, 8), (np.asfortranarray(a), b, out))


register("column_major_arguments", add_fortran, _orders, lambda a, b, out: {2: a - b})


@cuda.jit
def gather_rows(table, index, out):
    i, j = cuda.grid(2)
    if i < index.size and j < table.shape[1]:
        out[i, j] = table[index[i], j]


def _tables(rng):
    for n, m, k in ((1, 1, 1), (40, 7, 100)):
        table, index = rng.normal(size=(n, m)), rng.integers(-n, n, k, dtype="i4")
        yield Case(f"{k} of {n}x{m}", (along(k, 16), along(m, 4)), (16, 4), (table, index, np.zeros((k, m))))


register(
    "gather_negative_indices",
    gather_rows,
    _tables,
    lambda table, index, out: {2: table[index]},
)
