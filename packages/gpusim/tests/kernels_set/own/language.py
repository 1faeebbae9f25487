"""The Python that kernels are written in: loops and their else, tuples, device functions, closures, casts, slices, enums."""

import enum
import math

import numpy as np
from numba import cuda, float32, float64, int8, int32, int64, njit, uint8, uint32

from ..registry import Case, along, line, register


@cuda.jit
def loops(x, out):
    i = cuda.grid(1)
    if i >= x.shape[0]:
        return
    row = x[i]
    a = 0
    for place, value in enumerate(row):
        a += place * value
    b = 0
    for one, other in zip(row, x[x.shape[0] - 1 - i]):  # noqa: B905 (a kernel's zip takes no keywords)
        b += one * other
    c = 0
    for k in range(row.size - 1, -1, -2):
        c = c * 3 + row[k]
    d = 0
    for place, value in enumerate(row, 5):
        if value < 0:
            continue
        d += place
    out[i, 0] = a
    out[i, 1] = b
    out[i, 2] = c
    out[i, 3] = d


def _looped(x, out):
    place = np.arange(x.shape[1])
    c = np.zeros(len(x), "i8")
    for k in place[::-1][::2]:
        c = c * 3 + x[:, k]
    columns = [x @ place, (x * x[::-1]).sum(1), c, ((x >= 0) * (place + 5)).sum(1)]
    return {1: np.stack(columns, 1)}


register(
    "enumerate_zip_range",
    loops,
    line(lambda rng, n: (rng.integers(-9, 9, (n, 7)), np.zeros((n, 4), "i8"))),
    _looped,
)


@cuda.jit
def loop_else(x, out):
    i = cuda.grid(1)
    if i < x.size:
        n = x[i]
        k = 2
        while k * k <= n:
            if n % k == 0:
                out[i] = k
                break
            k += 1
        else:
            out[i] = -1
        for k in range(2, 5):
            if n % k == 0:
                break
        else:
            out[i] -= 100


def _least_divisor(n):
    divisor = next((k for k in range(2, math.isqrt(n) + 1) if n % k == 0), -1)
    return divisor if any(n % k == 0 for k in (2, 3, 4)) else divisor - 100


register(
    "while_else_for_else",
    loop_else,
    line(lambda rng, n: (rng.integers(2, 500, n), np.zeros(n, "i8"))),
    lambda x, out: {1: np.array([_least_divisor(int(n)) for n in x], "i8")},
)


@cuda.jit
def collatz(x, steps):
    i = cuda.grid(1)
    if i < x.size:
        n = x[i]
        count = 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            count += 1
        steps[i] = count


def _collatz(x, steps):
    for i, n in enumerate(int(v) for v in x):
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps[i] += 1
    return {1: steps}


register("collatz", collatz, line(lambda rng, n: (rng.integers(1, 2000, n), np.zeros(n, "i4"))), _collatz)


@cuda.jit(device=True)
def first_above(row, limit):
    for k in range(row.size):
        if row[k] > limit:
            return k
    return -1


@cuda.jit(device=True, inline=True)
def clamp(value, low, high):
    if value < low:
        return low
    if value > high:
        return high
    return value


@cuda.jit(device=True)
def both(row, limit):
    """Calls another, and returns a tuple."""
    return first_above(row, limit), clamp(row[0], -limit, limit)


@njit
def cubed(x):
    return x**3


@cuda.jit
def nested_functions(x, limit, first, clamped):
    i = cuda.grid(1)
    if i < x.shape[0]:
        place, value = both(x[i], limit)
        first[i] = place
        clamped[i] = cubed(value)


def _nested(x, limit, first, clamped):
    above = x > limit
    place = np.where(above.any(1), above.argmax(1), -1)
    return {2: place, 3: np.clip(x[:, 0], -limit, limit) ** 3}


register(
    "device_functions",
    nested_functions,
    line(lambda rng, n: (rng.integers(-9, 10, (n, 6)).astype("f8"), 6.0, np.zeros(n, "i4"), np.zeros(n))),
    _nested,
)


def make_kernel(power, table):
    @cuda.jit
    def closed_over(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i] ** power + table[i % 3]

    return closed_over


squares = make_kernel(2, (10, 20, 30))

register(
    "closure",
    squares,
    line(lambda rng, n: (rng.integers(-99, 99, n), np.zeros(n, "i8"))),
    lambda x, out: {1: x**2 + np.array([10, 20, 30])[np.arange(x.size) % 3]},
)

COEFFICIENTS = np.array([1.0, -2.0, 0.5, 3.0])
OFFSETS = ((0, 1), (1, 0), (0, -1), (-1, 0))
SCALE = 4


@cuda.jit
def polynomial(x, out):
    coefficients = cuda.const.array_like(COEFFICIENTS)
    i = cuda.grid(1)
    if i < x.size:
        value = 0.0
        for c in coefficients:
            value = value * x[i] + c
        out[i] = value / SCALE


register(
    "constant_array",
    polynomial,
    line(lambda rng, n: (rng.integers(-9, 9, n).astype("f8"), np.zeros(n))),
    lambda x, out: {1: np.polyval(COEFFICIENTS, x) / SCALE},
)


@cuda.jit
def walk_offsets(grid, out):
    i, j = cuda.grid(2)
    if 0 < i < grid.shape[0] - 1 and 0 < j < grid.shape[1] - 1:
        total = 0
        for di, dj in OFFSETS:
            total += grid[i + di, j + dj]
        out[i, j] = total


def _around(grid, out):
    out[1:-1, 1:-1] = grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
    return {1: out}


def _grids(rng):
    for n, m in ((1, 1), (9, 20)):
        yield Case(f"{n}x{m}", (along(n, 4), along(m, 8)), (4, 8), (rng.integers(0, 9, (n, m)), np.zeros((n, m), "i8")))


register("global_tuple_of_tuples", walk_offsets, _grids, _around)


@cuda.jit
def casts(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        out[i, 0] = int8(v)
        out[i, 1] = uint8(v)
        out[i, 2] = int32(v) + int64(1)
        out[i, 3] = uint32(v)
        out[i, 4] = np.int16(v)
        out[i, 5] = bool(v)
        out[i, 6] = float32(v) == v
        out[i, 7] = int(float(v) / 2)


def _cast(x, out):
    columns = [
        x.astype("i1"),
        x.astype("u1"),
        x.astype("i4").astype("i8") + 1,
        x.astype("u4"),
        x.astype("i2"),
        x != 0,
        x.astype("f4").astype("f8") == x.astype("f8"),
        np.trunc(x / 2),
    ]
    return {1: np.stack([c.astype("i8") for c in columns], 1)}


register(
    "casts",
    casts,
    line(lambda rng, n: (rng.integers(-(2**40), 2**40, n), np.zeros((n, 8), "i8"))),
    _cast,
)


@cuda.jit
def rounding(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i, 0] = round(x[i])
        out[i, 1] = round(x[i], 2) * 100
        out[i, 2] = abs(x[i])
        out[i, 3] = math.floor(x[i]) + math.ceil(x[i]) + int(x[i])
        out[i, 4] = x[i] // 0.5
        out[i, 5] = x[i] % 0.75


def _rounded(x, out):
    columns = [np.rint(x), np.round(x, 2) * 100, abs(x), np.floor(x) + np.ceil(x) + np.trunc(x), x // 0.5, x % 0.75]
    return {1: np.stack(columns, 1)}


# round(x, 2) scales and divides: the last digit is open
register(
    "rounding",
    rounding,
    line(lambda rng, n: (np.append(rng.integers(-40, 40, n) / 8, [0.5, 1.5, -2.5])[:n], np.zeros((n, 6)))),
    _rounded,
    rtol=1e-14,
)


@cuda.jit
def slices(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        row = x[i, 1:-1]
        tail = row[::2]
        total = row[-1]
        for k in range(len(tail)):
            total += tail[k]
        out[i, :2] = total
        part = out[i, 2:]
        part[0] = row.size
        part[1] = x.ndim * 100 + x.shape[1]
        part[-1] = x.size


def _sliced(x, out):
    row = x[:, 1:-1]
    out[:, :2] = (row[:, -1] + row[:, ::2].sum(1))[:, None]
    out[:, 2], out[:, 3], out[:, 4] = row.shape[1], 200 + x.shape[1], x.size
    return {1: out}


register(
    "array_slices",
    slices,
    line(lambda rng, n: (rng.integers(-9, 9, (n, 8)), np.zeros((n, 5), "i8"))),
    _sliced,
)


class Mode(enum.IntEnum):
    ADD = 0
    MULTIPLY = 1
    POWER = 2


@cuda.jit
def by_mode(x, y, mode, out):
    i = cuda.grid(1)
    if i < x.size:
        if mode == Mode.ADD:
            out[i] = x[i] + y[i]
        elif mode == Mode.MULTIPLY:
            out[i] = x[i] * y[i]
        else:
            out[i] = x[i] ** 2 - Mode.POWER


def _modes(rng):
    for mode in (0, 1, 2):
        x, y = rng.integers(-9, 9, (2, 70))
        yield Case(f"mode {mode}", 3, 32, (x, y, mode, np.zeros(70, "i8")))


register("enum", by_mode, _modes, lambda x, y, mode, out: {3: (x + y, x * y, x**2 - 2)[mode]})


@cuda.jit
def many_variables(x, out):
    i = cuda.grid(1)
    if i < x.size:
        a = b = x[i]
        a, b = b + 1, a - 1
        a, (b, c) = c_of(a), (a, b)
        value = 1
        if a > 0:
            value = 2.5  # int and float: one variable, float64
        a += value
        _ = a
        out[i] = a * 100 + b * 10 + c


@cuda.jit(device=True)
def c_of(a):
    return -a


def _shuffled(x, out):
    a, b = x + 1, x - 1
    a, b, c = -a, a, b
    value = np.where(a > 0, 2.5, 1)
    return {1: (a + value) * 100 + b * 10 + c}


register(
    "unified_types_and_swaps",
    many_variables,
    line(lambda rng, n: (rng.integers(-9, 9, n), np.zeros(n))),
    _shuffled,
)


@cuda.jit
def wrapping(x, out):
    i = cuda.grid(1)
    if i < x.size:
        h = np.uint64(14695981039346656037)
        for k in range(4):
            h = (h ^ ((x[i] >> np.uint64(8 * k)) & np.uint64(0xFF))) * np.uint64(1099511628211)
        out[i] = h


def _fnv(x, out):
    for i, value in enumerate(int(v) for v in x):
        h = 14695981039346656037
        for k in range(4):
            h = (h ^ (value >> (8 * k) & 0xFF)) * 1099511628211 % 2**64
        out[i] = h
    return {1: out}


register(
    "hash_wraps_at_64_bits",
    wrapping,
    line(lambda rng, n: (rng.integers(0, 2**32, n, dtype="u8"), np.zeros(n, "u8"))),
    _fnv,
)


@cuda.jit
def local_matrices(x, out):
    i = cuda.grid(1)
    m = cuda.local.array((2, 2), float64)
    p = cuda.local.array((2, 2), float64)
    if i < x.size:
        m[0, 0] = x[i]
        m[0, 1] = m[1, 0] = 1.0
        m[1, 1] = 0.0
        for r in range(2):
            for c in range(2):
                p[r, c] = 1.0 if r == c else 0.0
        for _ in range(5):
            a = p[0, 0] * m[0, 0] + p[0, 1] * m[1, 0]
            b = p[0, 0] * m[0, 1] + p[0, 1] * m[1, 1]
            c = p[1, 0] * m[0, 0] + p[1, 1] * m[1, 0]
            d = p[1, 0] * m[0, 1] + p[1, 1] * m[1, 1]
            p[0, 0], p[0, 1], p[1, 0], p[1, 1] = a, b, c, d
        out[i] = p[0, 0] + p[1, 1]


def _powers(x, out):
    m = np.stack([np.stack([x, np.ones_like(x)], 1), np.stack([np.ones_like(x), 0 * x], 1)], 1)
    return {1: np.trace(np.linalg.matrix_power(m, 5), axis1=1, axis2=2)}


register(
    "local_matrices",
    local_matrices,
    line(lambda rng, n: (rng.integers(-5, 5, n).astype("f8"), np.zeros(n))),
    _powers,
)


@cuda.jit("void(float32[:], float32[:])")
def eager_string(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] + 1


register(
    "eager_signature_string",
    eager_string,
    line(lambda rng, n: (rng.integers(0, 99, n).astype("f4"), np.zeros(n, "f4"))),
    lambda x, out: {1: x + 1},
)


@cuda.jit([(int32[:], int32[:]), (float64[:], float64[:])], fastmath=False)
def eager_list(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * 2


register(
    "eager_signature_list",
    eager_list,
    line(lambda rng, n: (rng.integers(0, 99, n).astype("i4"), np.zeros(n, "i4"))),
    lambda x, out: {1: x * 2},
)


@cuda.jit
def three_dimensional_places(out):
    x, y, z = cuda.grid(3)
    if z < out.shape[0] and y < out.shape[1] and x < out.shape[2]:
        out[z, y, x, 0] = cuda.threadIdx.x + 10 * cuda.threadIdx.y + 100 * cuda.threadIdx.z
        out[z, y, x, 1] = cuda.blockIdx.x + 10 * cuda.blockIdx.y + 100 * cuda.blockIdx.z
        out[z, y, x, 2] = cuda.blockDim.x + 10 * cuda.blockDim.y + 100 * cuda.blockDim.z
        out[z, y, x, 3] = cuda.gridDim.x + 10 * cuda.gridDim.y + 100 * cuda.gridDim.z
        out[z, y, x, 4] = cuda.gridsize(1)


def _places(out):
    z, y, x = np.indices(out.shape[:3])
    columns = [
        x % 4 + 10 * (y % 3) + 100 * (z % 2),
        x // 4 + 10 * (y // 3) + 100 * (z // 2),
        np.full(x.shape, 234),
        np.full(x.shape, 5 + 20 + 300),
        np.full(x.shape, 20),
    ]
    return {0: np.stack(columns, 3)}


register(
    "places_of_threads",
    three_dimensional_places,
    lambda rng: [Case("20x6x6", (5, 2, 3), (4, 3, 2), (np.zeros((6, 6, 19, 5), "i8"),))],
    _places,
)


@cuda.jit
def scatter_any_order(index, x, out):
    i = cuda.grid(1)
    if i < index.size:
        out[index[i]] = x[i]


register(
    "scatter_permutation",
    scatter_any_order,
    line(lambda rng, n: (rng.permutation(n), rng.normal(size=n), np.zeros(n))),
    lambda index, x, out: {2: x[np.argsort(index)]},
)
