"""Products of matrices and vectors: naive, tiled, by a warp a row, batched, complex, integer, sparse."""

import numpy as np
from numba import complex64, cuda, float32, float64, int32

from ..registry import Case, along, register

TPB = 16


def _products(dtype, block=(TPB, TPB), shapes=((1, 1, 1), (16, 16, 16), (33, 17, 50), (5, 70, 20))):
    """(rows, columns, inner) with small whole numbers: every order of summation is exact."""

    def cases(rng):
        for n, m, k in shapes:
            a, b = rng.integers(-9, 10, (n, k)), rng.integers(-9, 10, (k, m))
            if np.dtype(dtype).kind == "c":
                a, b = a + 1j * rng.integers(-9, 10, (n, k)), b - 1j * rng.integers(-9, 10, (k, m))
            grid = (along(m, block[0]), along(n, block[1]))
            yield Case(f"{n}x{k} {k}x{m}", grid, block, (a.astype(dtype), b.astype(dtype), np.zeros((n, m), dtype)))

    return cases


def _product(a, b, c):
    return {2: a @ b}


@cuda.jit
def matmul_naive(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


register("matmul_naive", matmul_naive, _products("f8", (8, 4)), _product)


@cuda.jit
def matmul_tiled(a, b, c):
    left = cuda.shared.array((TPB, TPB), float32)
    right = cuda.shared.array((TPB, TPB), float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    total = float32(0.0)
    for tile in range((a.shape[1] + TPB - 1) // TPB):
        left[ty, tx] = 0
        right[ty, tx] = 0
        if y < a.shape[0] and tx + tile * TPB < a.shape[1]:
            left[ty, tx] = a[y, tx + tile * TPB]
        if x < b.shape[1] and ty + tile * TPB < b.shape[0]:
            right[ty, tx] = b[ty + tile * TPB, x]
        cuda.syncthreads()
        for k in range(TPB):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


register("matmul_tiled", matmul_tiled, _products("f4"), _product)


@cuda.jit
def matmul_complex(a, b, c):
    left = cuda.shared.array((8, 8), complex64)
    right = cuda.shared.array((8, 8), complex64)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    total = complex64(0)
    for start in range(0, a.shape[1], 8):
        left[ty, tx] = a[y, start + tx] if y < a.shape[0] and start + tx < a.shape[1] else complex64(0)
        right[ty, tx] = b[start + ty, x] if x < b.shape[1] and start + ty < b.shape[0] else complex64(0)
        cuda.syncthreads()
        for k in range(8):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


register("matmul_complex64", matmul_complex, _products("c8", (8, 8)), _product)


@cuda.jit
def matmul_int8(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = int32(0)
        for k in range(a.shape[1]):
            total += int32(a[i, k]) * int32(b[k, j])
        c[i, j] = total


def _bytes(rng):
    for n, m, k in ((1, 1, 1), (20, 33, 64)):
        a, b = rng.integers(-128, 128, (n, k), dtype="i1"), rng.integers(-128, 128, (k, m), dtype="i1")
        yield Case(f"{n}x{k} {k}x{m}", (along(m, 8), along(n, 8)), (8, 8), (a, b, np.zeros((n, m), "i4")))


register("matmul_int8", matmul_int8, _bytes, lambda a, b, c: {2: a.astype("i4") @ b.astype("i4")})


@cuda.jit
def matmul_blocked(a, b, c):
    """Each thread computes a 2 x 2 patch in registers (a local array)."""
    patch = cuda.local.array((2, 2), float64)
    column, row = cuda.grid(2)
    row *= 2
    column *= 2
    for u in range(2):
        for v in range(2):
            patch[u, v] = 0.0
    for k in range(a.shape[1]):
        for u in range(2):
            for v in range(2):
                if row + u < a.shape[0] and column + v < b.shape[1]:
                    patch[u, v] += a[row + u, k] * b[k, column + v]
    for u in range(2):
        for v in range(2):
            if row + u < c.shape[0] and column + v < c.shape[1]:
                c[row + u, column + v] = patch[u, v]


register("matmul_register_blocked", matmul_blocked, _products("f8", (8, 8)), _product)


@cuda.jit
def matvec_warp(a, x, y):
    row = cuda.grid(1) // 32
    lane = cuda.threadIdx.x % 32
    if row >= a.shape[0]:
        return
    total = 0.0
    for j in range(lane, a.shape[1], 32):
        total += a[row, j] * x[j]
    offset = 16
    while offset > 0:
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, offset)
        offset >>= 1
    if lane == 0:
        y[row] = total


def _systems(rng):
    for n, m in ((1, 1), (5, 31), (37, 100)):
        a, x = rng.integers(-9, 9, (n, m)).astype("f8"), rng.integers(-9, 9, m).astype("f8")
        yield Case(f"{n}x{m}", along(32 * n, 128), 128, (a, x, np.zeros(n)))


register(
    "matvec_warp_per_row",
    matvec_warp,
    _systems,
    lambda a, x, y: {2: a @ x},
    simulator="has no shuffles",
)


@cuda.jit
def matvec_shared(a, x, y):
    part = cuda.shared.array(64, float64)
    row = cuda.grid(1)
    total = 0.0
    for start in range(0, a.shape[1], 64):
        j = start + cuda.threadIdx.x
        part[cuda.threadIdx.x] = x[j] if j < x.size else 0.0
        cuda.syncthreads()
        if row < a.shape[0]:
            for k in range(min(64, a.shape[1] - start)):
                total += a[row, start + k] * part[k]
        cuda.syncthreads()
    if row < a.shape[0]:
        y[row] = total


def _tall(rng):
    for n, m in ((1, 1), (100, 65), (63, 200)):
        a, x = rng.integers(-9, 9, (n, m)).astype("f8"), rng.integers(-9, 9, m).astype("f8")
        yield Case(f"{n}x{m}", along(n, 64), 64, (a, x, np.zeros(n)))


register("matvec_shared", matvec_shared, _tall, lambda a, x, y: {2: a @ x})


@cuda.jit
def batched_matmul(a, b, c):
    i, j, batch = cuda.grid(3)
    if batch < c.shape[0] and i < c.shape[1] and j < c.shape[2]:
        left = a[batch]
        right = b[batch]
        total = 0.0
        for k in range(left.shape[1]):
            total += left[i, k] * right[k, j]
        c[batch, i, j] = total


def _batches(rng):
    for s, n, m, k in ((1, 1, 1, 1), (7, 3, 5, 4), (3, 17, 9, 6)):
        a, b = rng.integers(-9, 9, (s, n, k)).astype("f8"), rng.integers(-9, 9, (s, k, m)).astype("f8")
        grid = (along(n, 4), along(m, 4), along(s, 4))
        yield Case(f"{s}: {n}x{k} {k}x{m}", grid, (4, 4, 4), (a, b, np.zeros((s, n, m))))


register("batched_matmul", batched_matmul, _batches, _product)


@cuda.jit
def csr_matvec(data, indices, indptr, x, y):
    row = cuda.grid(1)
    if row < indptr.size - 1:
        total = 0.0
        for k in range(indptr[row], indptr[row + 1]):
            total += data[k] * x[indices[k]]
        y[row] = total


def _sparse(rng):
    for n, m in ((1, 1), (60, 41), (200, 200)):
        dense = rng.integers(-9, 9, (n, m)) * (rng.random((n, m)) < 0.1)
        rows, columns = np.nonzero(dense)
        indptr = np.zeros(n + 1, "i4")
        indptr[1:] = np.cumsum(np.bincount(rows, minlength=n))
        x = rng.integers(-9, 9, m).astype("f8")
        data = dense[rows, columns].astype("f8")
        yield Case(f"{n}x{m}", along(n, 64), 64, (data, columns.astype("i4"), indptr, x, np.zeros(n)))


def _csr(data, indices, indptr, x, y):
    rows = np.repeat(np.arange(y.size), np.diff(indptr))
    return {4: np.bincount(rows, data * x[indices], y.size)}


register("csr_matvec", csr_matvec, _sparse, _csr)


@cuda.jit
def coo_matvec(rows, columns, data, x, y):
    k = cuda.grid(1)
    if k < data.size:
        cuda.atomic.add(y, rows[k], data[k] * x[columns[k]])


def _coordinates(rng):
    for n, count in ((1, 1), (30, 200), (500, 1009)):
        rows, columns = rng.integers(0, n, (2, count))
        x = rng.integers(-9, 9, n).astype("f4")
        data = rng.integers(-9, 9, count).astype("f4")
        yield Case(f"{count} in {n}", along(count, 128), 128, (rows, columns, data, x, np.zeros(n, "f4")))


def _coo(rows, columns, data, x, y):
    return {4: np.bincount(rows, data * x[columns], y.size)}


register("coo_matvec_atomics", coo_matvec, _coordinates, _coo)


@cuda.jit
def gauss_step(a, b, pivot):
    """One column of Gaussian elimination without pivoting: a thread a row below the pivot."""
    row = cuda.grid(1) + pivot + 1
    if row < a.shape[0]:
        factor = a[row, pivot] / a[pivot, pivot]
        for j in range(pivot, a.shape[1]):
            a[row, j] -= factor * a[pivot, j]
        b[row] -= factor * b[pivot]


def _gauss_launch(cuda, case, arguments):
    a, b = arguments
    for pivot in range(a.shape[0] - 1):
        gauss_step[case.grid, case.block](a, b, pivot)


def _eliminated(a, b):
    for p in range(len(a) - 1):
        factor = a[p + 1 :, p] / a[p, p]
        a[p + 1 :, p:] -= factor[:, None] * a[p, p:]
        b[p + 1 :] -= factor * b[p]
    return {0: a, 1: b}


def _dominant(rng):
    for n in (1, 6, 20):
        yield Case(f"{n}x{n}", 1, 32, (rng.normal(size=(n, n)) + 9 * np.eye(n), rng.normal(size=n)))


# a fused multiply-add rounds once less
register("gaussian_elimination", gauss_step, _dominant, _eliminated, launch=_gauss_launch, rtol=1e-10, atol=1e-12)
