"""Elementwise and reduction kernels that nothing can go wrong in run unchecked, and give the bits of those that are checked."""

import numpy as np
import pytest

from gpusim.kernels.backends.numba import workers

N = 20_001


@pytest.fixture
def launches(monkeypatch):
    """Of each launch that runs compiled and untraced, whether it is unchecked."""
    seen = []
    run = workers.run
    monkeypatch.setattr(workers, "run", lambda c, *args, **more: [seen.append(c.within), run(c, *args, **more)][1])
    return seen


def both(monkeypatch, call):
    """What a call gives unchecked, and checked with each access logged."""
    found = []
    for way in ("first", "all"):
        monkeypatch.setenv("GPUSIM_TRACE", way)
        found.append([a.get() for a in call()])
    for quick, checked in zip(*found, strict=True):
        assert quick.dtype == checked.dtype and quick.tobytes() == checked.tobytes()


OPERATIONS = [
    "z = x * x + y",
    "z = x / y - (T)1",
    "T d = x - y; z = d > 0 ? d * d : sqrt((double)-d)",
    "if (x > y) z = x; else z = y + i",
    "if (i % 3 == 0) { z = 1; continue; } z = 2",
    "z = 0; for (int k = 0; k < 5; ++k) { if (k > x * 4) continue; z += k * y; }",
    "z = (long long)x & 3 && y > 1",
    "z = min(x, y) + floor((double)x * 10)",
    "z = i",
]


@pytest.mark.large(smoke=2)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "i8"])
def test_an_operation_on_each_element(cp, monkeypatch, launches, operation, dtype):
    rng = np.random.default_rng(1)
    x, y = (cp.asarray((rng.random(N) * 50 + 1).astype(dtype)) for _ in range(2))
    kernel = cp.ElementwiseKernel("T x, T y", "T z", operation, "quick")
    both(monkeypatch, lambda: [kernel(x, y), kernel(x, 3), kernel(x[::-1][:10_000], y[: 2 * 10_000 : 2])])
    assert launches and all(launches)


def test_in_place_over_rows_and_with_two_results(cp, monkeypatch):
    kernel = cp.ElementwiseKernel("T x, T y", "T s, T d", "T t = x; s = t + y; d = t - y", "two")
    x, y = cp.arange(20_000.0).reshape(100, 200), cp.arange(200.0)

    def call():
        a = x.copy()
        return [*kernel(x, y), *kernel(a, y, a, cp.empty_like(a)), *kernel(x.T, 2)]

    both(monkeypatch, call)


@pytest.mark.parametrize(
    ("params", "operation", "more"),
    [
        ("raw T x, T y", "z = x[i] + y", {}),
        ("T x, T y", "if (i < 3) return; z = x", {}),
        ("T x, T y", "z = threadIdx.x", {}),
        ("T x, T y", "T a[2] = {x, y}; z = a[0]", {}),
        ("T x, T y", "z = k * x", {"loop_prep": "int k = 3"}),
        ("T x, T y", "if (x > 2) break; z = x", {}),
        ("T x, T y", "z = 0; for (int k = 0; k < 5; ++k) { if (k > x * 4) break; z += k * y; }", {}),
        ("T x, T y", "z = *(&x + 0)", {}),
        ("T x, T y", "z = *(_raw_x + i)", {}),
        ("T x, T y", "z = me()", {"preamble": "__device__ int me() { return threadIdx.x; }"}),
        ("T x, T y", "z = ME", {"preamble": "#define ME threadIdx.x\n"}),
        ("T x, T y", "z = at(x)", {"preamble": "__device__ double at(const double& a) { return *(&a); }"}),
    ],
)
def test_what_has_to_be_checked_is(cp, monkeypatch, launches, params, operation, more):
    monkeypatch.setenv("GPUSIM_TRACE", "first")
    x = cp.arange(20_000.0)
    z = cp.ElementwiseKernel(params, "T z", operation, "checked", **more)(x, x)
    assert float(z.sum()) >= 0 and not any(launches)


def test_an_operation_that_leaves_its_loop_leaves_out_its_own_element(cp, monkeypatch):
    monkeypatch.setenv("GPUSIM_TRACE", "first")
    x, z = cp.arange(20_000.0), cp.full(20_000, -1.0)
    cp.ElementwiseKernel("T x", "T z", "if (x > 2 && x < 6) break; z = x", "left")(x, z)
    assert cp.flatnonzero(z == -1).get().tolist() == [3, 4, 5]


def test_a_function_of_the_preamble_that_asks_for_its_thread(cp, monkeypatch):
    monkeypatch.setenv("GPUSIM_TRACE", "first")
    me = "__device__ long long me() { return blockIdx.x * (long long)blockDim.x + threadIdx.x; }"
    x = cp.arange(20_000)
    assert (cp.ElementwiseKernel("int64 x", "int64 z", "z = me()", "mine", preamble=me)(x) == x).all()
    assert int(cp.ReductionKernel("int64 x", "int64 z", "me()", "max(a, b)", "z = a", "0", "last", preamble=me)(x)) > 0


REDUCTIONS = [
    ("x", "a + b", "z = a", "0"),
    ("x * x", "a + b", "z = sqrt((double)a)", "0"),
    ("x", "a > b ? a : b", "z = a", "-1000"),
    ("x * (T)0.3", "a * (T)0.7 + b", "z = a", "1"),
]


@pytest.mark.large(smoke=1)
@pytest.mark.parametrize("expressions", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_a_reduction(cp, monkeypatch, launches, expressions, dtype):
    x = cp.asarray((np.random.default_rng(1).random((30, 700)) * 50).astype(dtype))
    kernel = cp.ReductionKernel("T x", "T z", *expressions, "reduced")

    def call():
        return [
            kernel(x),
            kernel(x, axis=0),
            kernel(x, axis=1),
            kernel(x[:, :3], axis=1),
            kernel(x[:1, :1]),
            kernel(x[::2].T),
        ]

    both(monkeypatch, call)
    assert launches and all(launches)


def test_a_reduction_with_an_array_of_its_own_is_checked(cp, monkeypatch, launches):
    monkeypatch.setenv("GPUSIM_TRACE", "first")
    x = cp.arange(20_000.0)
    assert (
        float(cp.ReductionKernel("T x, raw T y", "T z", "x * y[0]", "a + b", "z = a", "0", "raws")(x, x + 1))
        == 199_990_000
    )
    assert not any(launches)


def test_somebody_who_watches_sees_the_launch(cp, monkeypatch):
    from gpusim.kernels import reported

    monkeypatch.setenv("GPUSIM_TRACE", "first")
    seen = []
    monkeypatch.setattr(reported, "watchers", [lambda run, log, found: seen.append(run.kernel.name)])
    cp.ElementwiseKernel("T x", "T z", "z = 2 * x", "watched")(cp.arange(20_000.0))
    cp.ReductionKernel("T x", "T z", "x", "a + b", "z = a", "0", "watched_sum")(cp.arange(20_000.0))
    assert {"watched", "watched_sum"} <= set(seen)


def test_without_a_compiler_each_element_has_its_thread(cp, monkeypatch):
    monkeypatch.setenv("GPUSIM_KERNELS", "interpreted")
    x = cp.arange(20_000.0)
    assert (cp.ElementwiseKernel("T x", "T z", "z = 2 * x + 1", "interpreted")(x) == 2 * x + 1).all()
