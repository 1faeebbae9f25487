"""Python's statements and expressions, each lane its own way through them, against the same code in plain Python."""

import cmath
import enum
import math
from collections import namedtuple

import numpy as np
import pytest

from .conftest import cuda, launch

N = 3000


def same(kernel, *outputs, inputs=(), n=N):
    """Run a kernel, and its own Python code for every thread; compare what both wrote."""
    got = [o.copy() for o in outputs]
    launch(kernel, -(-n // 96), 96, *got, *inputs)
    expected = [o.copy() for o in outputs]
    grid = cuda.grid
    for i in range(n):
        cuda.grid = lambda ndim, i=i: i
        kernel(*expected, *inputs)
    cuda.grid = grid
    for e, g in zip(expected, got, strict=True):
        np.testing.assert_array_equal(g, e)


def test_if_elif_else():
    def kernel(out):
        i = cuda.grid(1)
        if i < len(out):
            if i % 3 == 0:
                out[i] = 1
            elif i % 5 == 0:
                out[i] = i * 2
            else:
                if i > 100:
                    out[i] = -i
                else:
                    out[i] = i + out[i - 1] * 0

    same(kernel, np.zeros(N))


def test_while_with_break_continue_and_else():
    def kernel(out, found):
        i = cuda.grid(1)
        if i >= out.size:
            return
        n, steps = i + 1, 0
        while n != 1:
            steps += 1
            if steps > 60:
                found[i] = -1
                break
            if n % 2:
                n = 3 * n + 1
                continue
            n //= 2
        else:
            found[i] = 1
        out[i] = steps

    same(kernel, np.zeros(N, "i8"), np.zeros(N, "i1"))


def test_for_loops_of_all_kinds():
    def kernel(out):
        i = cuda.grid(1)
        if i >= out.shape[0]:
            return
        total = 0
        for k in range(i % 7):
            total += k
        for k in range(i % 11, -3, -2):
            total = total * 3 + k
        for k in range(i % 4, 20, 1 + i % 3):
            if k == 13:
                continue
            if total > 10_000:
                break
            total += k * k
        else:
            total += 1
        for a in (3, 1, 4):
            total += a * i
        for at, a in enumerate((7, 8, 9)):
            total += at * a
        for a, b in zip((1, 2), (5, 6)):  # noqa: B905 - a kernel has no strict
            total -= a * b
        for j in range(3):
            for k in range(j):
                total += j * k
        out[i] = total + k

    same(kernel, np.zeros(N, "i8"))


def test_a_step_that_differs_between_lanes_may_go_either_way():
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            step = i % 7 - 3
            if step == 0:
                step = 1
            for k in range(0, 10 * step, step):
                out[i] += k

    same(kernel, np.zeros(N, "i8"))


def test_returns_from_the_middle_of_loops():
    def kernel(out):
        i = cuda.grid(1)
        if i >= out.size:
            return
        for a in range(2, 100):
            for b in range(a):
                if a * b > i:
                    out[i] = a * 1000 + b
                    return
        out[i] = -1

    same(kernel, np.zeros(N, "i8"))


def test_short_circuits_keep_lanes_from_reading_outside():
    def kernel(out, a):
        i = cuda.grid(1)
        n = a.size
        if i < n:
            left = i > 0 and a[i - 1] < a[i]
            right = i == n - 1 or a[i + 1] < a[i]
            out[i] = left and right
            if not (i > 0 and a[i - 1] > 0 and (i < 5 or a[i - 5] > 0)):
                out[i] += 2

    rng = np.random.default_rng(0)
    same(kernel, np.zeros(N, "i8"), inputs=(rng.normal(size=N),))


def test_and_and_or_give_values():
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = (i % 3 and 7) + (i % 4 or 20)

    same(kernel, np.zeros(N, "i8"))


def test_ternaries_and_chained_comparisons():
    def kernel(out, a):
        i = cuda.grid(1)
        if i < a.size:
            x = a[i - 1] if i else 100.0
            out[i] = (1 if -0.5 < a[i] <= 0.5 else 2 if a[i] > x else 3) + (10 if 0 < i < 9 != i else 20)

    same(kernel, np.zeros(N), inputs=(np.random.default_rng(1).normal(size=N),))


def test_variables_take_one_type_where_ways_meet():
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            x = 0
            y = x // 2  # x is an integer here
            for _ in range(i % 5):
                x += 0.5
            out[i] = x + y

    same(kernel, np.zeros(N))


def test_each_assignment_has_a_type_of_its_own():
    def kernel(whole, half):
        i = cuda.grid(1)
        if i < whole.size:
            x = i
            whole[i] = x << 1
            x = x / 2
            half[i] = x

    same(kernel, np.zeros(N, "i8"), np.zeros(N))


def helper(x, limit=10, scale=2):
    """A device function with early returns in a loop."""
    for k in range(x):
        if k * k > limit:
            return k * scale
        if x % 7 == 3:
            return -1
    return x


device = cuda.device(helper)


def test_device_functions():
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = helper(i) + helper(i // 2, 50) * helper(x=3, scale=i) + (helper(i, limit=3) if i % 2 else 0)

    got, expected = np.zeros(N, "i8"), np.zeros(N, "i8")
    scope = kernel.__globals__
    plain, scope["helper"] = scope["helper"], device
    try:
        launch(kernel, -(-N // 64), 64, got)
    finally:
        scope["helper"] = plain
    for i in range(N):
        expected[i] = helper(i) + helper(i // 2, 50) * helper(x=3, scale=i) + (helper(i, limit=3) if i % 2 else 0)
    np.testing.assert_array_equal(got, expected)


Point = namedtuple("Point", "x y")


def test_tuples_and_named_tuples():
    def kernel(out, pair, point):
        i = cuda.grid(1)
        if i < out.size:
            a, (b, c) = i, (i + 1, pair[1])
            a, b = b, a
            p = Point(a, point.y)
            q = (p.x, b) + (c,)
            out[i] = q[0] * 100 + q[-1] + p.y + len(q) + pair[i % 2] + max(q[0], q[1], 3) + (1, 2, 3)[1:][0]

    same(kernel, np.zeros(N), inputs=((3, 4), Point(1.5, 2.5)))


def test_math_and_conversions():
    def kernel(out, whole, x):
        i = cuda.grid(1)
        if i < out.size:
            v = x[i]
            out[i] = math.floor(v) + math.ceil(v) + math.trunc(v) + int(v) + round(v) + abs(v) + divmod(v, 3.0)[0]
            whole[i] = int(v * 10) // 3 + int(v * 10) % 7 + round(v, 1) * 10 + math.copysign(2, v) + min(i, 5)

    same(kernel, np.zeros(N), np.zeros(N), inputs=(np.random.default_rng(2).normal(size=N) * 9,))


def test_functions_that_numpy_has_not():
    def kernel(out, x):
        i = cuda.grid(1)
        if i < x.size:
            mantissa, exponent = math.frexp(x[i])
            part, whole = math.modf(x[i])
            out[i] = math.erf(x[i]) + math.gamma(x[i]) + math.lgamma(x[i]) + mantissa + exponent + part + whole
            out[i] += math.ldexp(mantissa, exponent) + math.hypot(3.0, x[i]) + math.atan2(x[i], 2.0)

    x = np.random.default_rng(3).uniform(0.1, 5, 500)
    got = np.zeros(500)
    launch(kernel, 4, 128, got, x)
    expected = [
        math.erf(v) + math.gamma(v) + math.lgamma(v) + sum(math.frexp(v)) + sum(math.modf(v)) + v + math.hypot(3, v)
        + math.atan2(v, 2)
        for v in x.tolist()
    ]  # fmt: skip
    np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_complex_numbers():
    def kernel(out, z):
        i = cuda.grid(1)
        if i < z.size:
            w = z[i] * complex(1, -2) + z[i].conjugate() / (2 + 1j)
            out[i] = w.real + w.imag * 2 + abs(z[i])

    z = np.random.default_rng(4).integers(-9, 9, (2, 400)) @ np.diag(np.ones(400))
    z = z[0] + 1j * z[1]
    got = np.zeros(400)
    launch(kernel, 4, 100, got, z)
    w = z * (1 - 2j) + z.conj() / (2 + 1j)
    np.testing.assert_allclose(got, w.real + 2 * w.imag + abs(z), rtol=1e-13)


def test_float32_stays_single_operation_by_operation():
    def kernel(out, x):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = (x[i] + np.float32(0.1)) * x[i] - x[i] ** 3 / np.float32(3)

    x = np.random.default_rng(5).normal(size=1000).astype("f4")
    got = np.zeros(1000)  # float64, so that a wider intermediate would show
    launch(kernel, 8, 128, got, x)
    one, three = np.float32(0.1), np.float32(3)
    np.testing.assert_array_equal(got, ((x + one) * x - x * (x * x) / three).astype("f8"))


def test_specialises_on_none():
    def kernel(out, bias):
        i = cuda.grid(1)
        if i < out.size:
            if bias is None:
                out[i] = i
            else:
                out[i] = i + bias[i]

    same(kernel, np.zeros(N), inputs=(None,))
    same(kernel, np.zeros(N), inputs=(np.ones(N),))


@pytest.mark.parametrize("block", [1, 7, 32, 250, 1024])
@pytest.mark.parametrize("grid", [1, 3])
def test_indices_in_three_dimensions(grid, block):
    def kernel(out):
        x, y, z = cuda.grid(3)
        t, b = cuda.threadIdx, cuda.blockIdx
        nx, ny, nz = cuda.gridsize(3)
        out[x, y, z] = (
            (t.x + 10 * b.x) * 1_000_000 + t.y * 1000 + b.z + cuda.blockDim.x * cuda.gridDim.y + nx + cuda.laneid
        ) + (nx == cuda.blockDim.x * cuda.gridDim.x and ny > y and nz > z)

    shape = (block if block < 1024 else 64, 16 if block == 1024 else 1, 1)
    out = np.zeros((grid * shape[0], 2 * shape[1], 3), "i8")
    launch(kernel, (grid, 2, 3), shape, out)
    x, y, z = np.ogrid[: out.shape[0], : out.shape[1], : out.shape[2]]
    tx, ty = x % shape[0], y % shape[1]
    expected = (tx + 10 * (x // shape[0])) * 1_000_000 + ty * 1000 + z + shape[0] * 2 + out.shape[0] + 1
    np.testing.assert_array_equal(out, expected + (tx + ty * shape[0]) % 32)


def test_functions_of_complex_numbers():
    def kernel(z, out, size, angle):
        i = cuda.grid(1)
        if i < z.size:
            out[i, 0] = cmath.exp(z[i]) + cmath.sqrt(z[i]) * cmath.log(z[i])
            out[i, 1] = cmath.sinh(z[i]) + cmath.cosh(z[i]) + cmath.tanh(z[i]) + cmath.log10(z[i]) + z[i] ** 2
            size[i], angle[i] = cmath.polar(z[i])
            out[i, 2] = cmath.rect(size[i], cmath.phase(z[i])) + cmath.log(z[i], 2)

    z = np.random.default_rng(6).normal(size=(200, 2)) @ [1, 1j]
    out, size, angle = np.zeros((200, 3), "c16"), np.zeros(200), np.zeros(200)
    launch(kernel, 4, 64, z, out, size, angle)
    expected = [
        np.exp(z) + np.sqrt(z) * np.log(z),
        np.sinh(z) + np.cosh(z) + np.tanh(z) + np.log10(z) + z**2,
        z + np.log(z) / np.log(2),
    ]
    np.testing.assert_allclose(out, np.stack(expected, 1), rtol=1e-12)
    np.testing.assert_allclose(size * np.exp(1j * angle), z, rtol=1e-12)


def test_remainder_rounds_to_the_nearest():
    def kernel(x, y, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = math.remainder(x[i], y[i])

    rng = np.random.default_rng(7)
    x, y, out = rng.integers(-40, 40, 500) / 4, rng.choice([-2.5, -1.0, 0.5, 1.0, 3.0, np.inf], 500), np.zeros(500)
    launch(kernel, 4, 128, x, y, out)
    np.testing.assert_array_equal(out, [math.remainder(a, b) for a, b in zip(x, y, strict=True)])


class Colour(enum.Enum):
    RED = 3
    BLUE = 4


def test_enumerations():
    def kernel(out, colour):
        out[0] = colour == Colour.BLUE
        out[1] = Colour["RED"] + Colour.BLUE

    out = np.zeros(2, "i8")
    launch(kernel, 1, 1, out, Colour.BLUE)
    assert out.tolist() == [1, 7]


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_a_number_of_an_array_s_own_type(dtype):
    """`x.dtype.type(…)` is Numba's `NumberClass` of that type."""

    def kernel(out, x):
        i = cuda.grid(1)
        if i < len(x):
            out[i] = x[i] * x.dtype.type(3)

    same(kernel, np.zeros(100, dtype), inputs=(np.arange(100).astype(dtype),), n=100)
