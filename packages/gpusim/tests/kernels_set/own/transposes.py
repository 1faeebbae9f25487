"""Matrix transposes: naive, through shared memory, padded against bank conflicts, several rows a thread, with unsigned indices, in place."""

import numpy as np
from numba import cuda, float32, float64, uint32

from ..registry import Case, along, register

TILE = 32
ROWS = 8
PADDED = (TILE, TILE + 1)


def _matrices(block, tile=None, dtype="f4"):
    def cases(rng):
        for n, m in ((1, 1), (32, 32), (33, 70), (5, 129)):
            x = rng.integers(-999, 999, (n, m)).astype(dtype)
            grid = (along(m, tile or block[0]), along(n, tile or block[1]))
            yield Case(f"{n}x{m}", grid, block, (x, np.zeros((m, n), dtype)))

    return cases


def _transposed(x, out):
    return {1: x.T}


@cuda.jit
def transpose_naive(x, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[j, i] = x[i, j]


register("transpose_naive", transpose_naive, _matrices((16, 8)), _transposed)


@cuda.jit
def transpose_shared(x, out):
    tile = cuda.shared.array((16, 16), float64)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    bx = cuda.blockIdx.x * 16
    by = cuda.blockIdx.y * 16
    if by + ty < x.shape[0] and bx + tx < x.shape[1]:
        tile[ty, tx] = x[by + ty, bx + tx]
    cuda.syncthreads()
    if bx + ty < x.shape[1] and by + tx < x.shape[0]:
        out[bx + ty, by + tx] = tile[tx, ty]


register("transpose_shared", transpose_shared, _matrices((16, 16), dtype="f8"), _transposed)


@cuda.jit
def transpose_padded(x, out):
    tile = cuda.shared.array(PADDED, float32)
    column = cuda.blockIdx.x * TILE + cuda.threadIdx.x
    row = cuda.blockIdx.y * TILE + cuda.threadIdx.y
    for k in range(0, TILE, ROWS):
        if row + k < x.shape[0] and column < x.shape[1]:
            tile[cuda.threadIdx.y + k, cuda.threadIdx.x] = x[row + k, column]
    cuda.syncthreads()
    column = cuda.blockIdx.y * TILE + cuda.threadIdx.x
    row = cuda.blockIdx.x * TILE + cuda.threadIdx.y
    for k in range(0, TILE, ROWS):
        if row + k < out.shape[0] and column < out.shape[1]:
            out[row + k, column] = tile[cuda.threadIdx.x, cuda.threadIdx.y + k]


register("transpose_padded", transpose_padded, _matrices((TILE, ROWS), TILE), _transposed)


@cuda.jit
def transpose_unsigned(x, out):
    tile = cuda.shared.array(PADDED, float32)
    tx, ty = uint32(cuda.threadIdx.x), uint32(cuda.threadIdx.y)
    left, top = uint32(cuda.blockIdx.x * TILE), uint32(cuda.blockIdx.y * TILE)
    rows, columns = uint32(x.shape[0]), uint32(x.shape[1])
    for k in range(0, TILE, ROWS):
        i, j = uint32(top + ty + uint32(k)), uint32(left + tx)
        if i < rows and j < columns:
            tile[uint32(ty + uint32(k)), tx] = x[i, j]
    cuda.syncthreads()
    for k in range(0, TILE, ROWS):
        i, j = uint32(left + ty + uint32(k)), uint32(top + tx)
        if i < columns and j < rows:
            out[i, j] = tile[tx, uint32(ty + uint32(k))]


register("transpose_unsigned", transpose_unsigned, _matrices((TILE, ROWS), TILE), _transposed)


@cuda.jit
def transpose_in_place(x):
    i, j = cuda.grid(2)
    if i < j and j < x.shape[1]:
        x[i, j], x[j, i] = x[j, i], x[i, j]


def _squares(rng):
    for n in (1, 7, 40):
        yield Case(f"{n}x{n}", (along(n, 8), along(n, 8)), (8, 8), (rng.integers(0, 99, (n, n)),))


register("transpose_in_place", transpose_in_place, _squares, lambda x: {0: x.T})


@cuda.jit
def rotate_axes(x, out):
    k, j, i = cuda.grid(3)
    if i < x.shape[0] and j < x.shape[1] and k < x.shape[2]:
        out[k, i, j] = x[i, j, k]


def _volumes(rng):
    for shape in ((1, 1, 1), (3, 10, 17), (9, 4, 6)):
        n, m, k = shape
        x = rng.normal(size=shape).astype("f4")
        yield Case(
            "x".join(map(str, shape)),
            (along(k, 8), along(m, 4), along(n, 2)),
            (8, 4, 2),
            (x, np.zeros((k, n, m), "f4")),
        )


register("rotate_axes", rotate_axes, _volumes, lambda x, out: {1: x.transpose(2, 0, 1)})
