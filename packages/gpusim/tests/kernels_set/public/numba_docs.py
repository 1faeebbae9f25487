"""The kernels of Numba's CUDA documentation."""

import math

import numpy as np
from numba.cuda.random import create_xoroshiro128p_states

from ..published import numba_docs as docs
from ..registry import Case, Source, along, line, register
from ..xoroshiro import uniforms


def source(name: str) -> Source:
    return Source("numba/numba", f"numba/cuda/tests/doc_examples/{name}.py", "0.64.0", "BSD-2-Clause")


NO_GRID = "runs its blocks one after another, so the grid cannot wait for itself"


register(
    "docs_vecadd",
    docs.vecadd,
    line(lambda rng, n: (*rng.normal(size=(2, n)), np.zeros(n))),
    lambda a, b, c: {2: a + b},
    source=source("test_vecadd"),
)


def _products(rng):
    for n, m, k in ((4, 4, 4), (5, 7, 23), (1, 1, 1), (33, 20, 16)):
        a, b = rng.integers(-9, 9, (n, k)).astype("f8"), rng.integers(-9, 9, (k, m)).astype("f8")
        yield Case(f"{n}x{k} {k}x{m}", (along(n, 16), along(m, 16)), (16, 16), (a, b, np.zeros((n, m))))


register(
    "docs_matmul",
    docs.matmul,
    _products,
    lambda a, b, c: {2: a @ b},
    source=source("test_matmul"),
)


def _tiled(rng):
    # As many blocks along x as there are tiles in the longest side: the example's own rule for oblong matrices.
    for case in _products(rng):
        a, b, c = case.args
        grid = (along(max(a.shape[1], b.shape[1]), 16), along(max(a.shape[0], b.shape[0]), 16))
        yield Case(case.label, grid, (16, 16), (a, b, c))


register(
    "docs_fast_matmul",
    docs.fast_matmul,
    _tiled,
    lambda a, b, c: {2: a @ b},
    source=source("test_matmul"),
)


def _sums(rng):
    for n in (1024, 256, 2):
        yield Case(f"n={n}", 1, n, (rng.integers(-99, 99, n),))


def _first_is_sum(data):
    total = data.sum()
    data[0] = total
    return {0: data}


register("docs_array_sum", docs.array_sum, _sums, _first_is_sum, source=source("test_reduction"))


def _clicks(rng):
    ids = np.repeat([1, 2, 3, 4], [6, 3, 10, 9])
    seconds = (
        "1 2 3 5000 5001 5002 1 2 3 1 2 5000 5001 10000 10001 10002 10003 15000 150001 "
        "1 5000 50001 15000 20000 25000 25001 25002 25003"
    )
    yield Case("the example", 1, 28, (ids, np.array(seconds.split(), "i8"), np.zeros(28)))
    ids = np.repeat(np.arange(9), 8)
    yield Case("nine users", 1, 72, (ids, np.sort(rng.integers(0, 20000, 72)), np.zeros(72)))


def _sessions(ids, seconds, results):
    # The last element never starts a session of its own here, as in the example, whose kernel could not bear it.
    timeout = 3600  # seconds; and the example's times are in nanoseconds: np.timedelta64(3600, "s") as int64 is 3600
    for i in range(1, ids.size):
        new = ids[i] != ids[i - 1] or seconds[i] - seconds[i - 1] > timeout
        results[i] = i if new else results[i - 1]
    return {2: results}


register(
    "docs_sessionize",
    docs.sessionize,
    _clicks,
    _sessions,
    launch=lambda cuda, case, arguments: docs.sessionize.forall(arguments[0].size)(*arguments),
    source=source("test_sessionize"),
    simulator=NO_GRID,
)


def _rods(rng):
    for n, steps in ((3, 2), (101, 7), (300, 4)):
        data = np.zeros(n)
        data[n // 2] = 10000
        yield Case(f"n={n}", along(n, 64), 64, (data, np.zeros(n), steps, 0.25))


def _heat(data, other, steps, k):
    for _ in range(steps):
        wide = np.pad(data, 1)
        data, other = data + k * (wide[:-2] - 2 * data + wide[2:]), data
    return {0: data, 1: other} if steps % 2 == 0 else {0: other, 1: data}


register(
    "docs_heat_equation",
    docs.solve_heat_equation,
    _rods,
    _heat,
    launch=lambda cuda, case, arguments: docs.solve_heat_equation.forall(arguments[0].size)(*arguments),
    source=source("test_laplace"),
    simulator=NO_GRID,
    rtol=1e-13,  # a fused multiply-add rounds once less
    atol=1e-12,
)


def _squares(rng):
    for n in (32, 128):
        yield Case(f"{n}x{n}", n // 32, 32, (np.zeros((n, n), "i4"),))


register(
    "docs_sequential_rows",
    docs.sequential_rows,
    _squares,
    lambda m: {0: np.tile(np.arange(len(m)), (len(m), 1)).T},
    source=source("test_cg"),
    simulator=NO_GRID,
)


def _integrals(rng):
    for n, low, high in ((1, 1, 2), (70, 2, 3)):
        yield Case(f"n={n}", 1, n, (np.zeros(n, "f4"), create_xoroshiro128p_states(n, seed=42), low, high))


def _samples(out, states, low, high):
    sample = uniforms(42, out.size, 1)[:, 0].astype("f4").astype("f8") * (high - low) + low
    return {0: 1.0 / sample}


def _without_states(position):
    return lambda values: [None if k == position else value for k, value in enumerate(values)]


register(
    "docs_montecarlo",
    docs.mc_integrator_kernel,
    _integrals,
    _samples,
    launch=lambda cuda, case, arguments: docs.mc_integrator_kernel.forall(case.block)(*arguments),
    canonical=_without_states(1),
    source=source("test_montecarlo"),
    simulator="computes with NumPy's scalars: float32 times a Python int stays float32",
)


def _boxes(rng):
    for shape, grid, block in (((7, 9, 5), (2, 1, 2), (2, 4, 2)), ((4, 3, 11), (1, 1, 1), (4, 4, 4))):
        threads = math.prod(grid) * math.prod(block)
        states = create_xoroshiro128p_states(threads, seed=1)
        yield Case(f"{shape}", grid, block, (np.zeros(shape, "f4"), states))


def _filled(arr, states):
    grid, block = {7: ((2, 1, 2), (2, 4, 2)), 4: ((1, 1, 1), (4, 4, 4))}[len(arr)]
    across = [g * b for g, b in zip(grid, block, strict=True)]
    draws = uniforms(1, math.prod(across), arr.size)
    taken = np.zeros(len(draws), int)
    for i, j, k in np.ndindex(arr.shape):
        thread = (i % across[2]) * across[1] * across[0] + (j % across[1]) * across[0] + k % across[0]
        arr[i, j, k] = draws[thread, taken[thread]]
        taken[thread] += 1
    return {0: arr}


register(
    "docs_random_3d",
    docs.random_3d,
    _boxes,
    _filled,
    canonical=_without_states(1),
    source=source("test_random"),
)


register(
    "docs_cpu_gpu_compat",
    docs.cpu_gpu_compat,
    line(lambda rng, n: (np.zeros(n), *rng.integers(0, 5000, (3, n)))),
    lambda res, x, y, z: {0: 4 * z * (2 * x - (4 * y) / 2 * math.pi)},
    source=source("test_cpu_gpu_compat"),
)


def _waves(rng):
    x = np.arange(10, dtype="f4") - 5
    yield Case("n=10", 1, 1, (np.zeros(10, "f4"), x))


# libm, in single precision
register(
    "docs_ufunc",
    docs.ufunc_call,
    _waves,
    lambda r, x: {0: np.sin(x.astype("f8"))},
    rtol=1e-6,
    atol=1e-7,
    same_bits=False,
    source=source("test_ufunc"),
)
