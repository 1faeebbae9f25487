"""One thread for one element, over types and expressions: arithmetic as Numba does it, not as Python does."""

import math

import numpy as np
from numba import cuda, float32

from ..registry import Case, along, line, register


@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


def _saxpy(rng, n):
    x, y = rng.normal(size=(2, n)).astype("f4")
    return np.float32(2.5), x, y, np.zeros(n, "f4")


# One rounding less where a GPU or a compiler contracts to a fused multiply-add.
register(
    "saxpy",
    saxpy,
    line(_saxpy),
    lambda a, x, y, out: {3: a * x + y},
    rtol=1e-6,
    atol=1e-6,
)


@cuda.jit
def axpy_grid_stride(a, x, y):
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, x.shape[0], stride):
        y[i] += a * x[i]


def _axpy_cases(rng):
    for n, grid, block in ((0, 1, 32), (1, 3, 7), (1000, 2, 96), (4099, 5, 128)):
        x, y = rng.integers(-99, 99, (2, n)).astype("f8")
        yield Case(f"n={n} {grid}x{block}", grid, block, (3.0, x, y))


register("axpy_grid_stride", axpy_grid_stride, _axpy_cases, lambda a, x, y: {2: a * x + y})


@cuda.jit
def increment(x):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if i < len(x):
        x[i] += 1


register(
    "increment",
    increment,
    line(lambda rng, n: (rng.integers(-(2**31), 2**31 - 1, n, dtype="i4"),)),
    lambda x: {0: x + np.int32(1)},
)


@cuda.jit
def uint8_arithmetic(x, y, added, product, difference, shifted, negated):
    i = cuda.grid(1)
    if i < x.size:
        added[i] = x[i] + y[i]
        product[i] = x[i] * y[i]
        difference[i] = x[i] - y[i]
        shifted[i] = (x[i] << 4) >> 2
        negated[i] = -x[i]


def _uint8(rng, n):
    x, y = rng.integers(0, 256, (2, n), dtype="u1")
    return x, y, np.zeros(n, "u1"), np.zeros(n, "i4"), np.zeros(n, "i8"), np.zeros(n, "u2"), np.zeros(n, "i2")


def _uint8_expected(x, y, *_):
    # Numba: uint8 - uint8 is uint64, which wraps below zero; stored as int64 it is the negative number again. But -uint8
    # wraps at 8 bits before it is widened.
    a, b = x.astype("i8"), y.astype("i8")
    return {2: (a + b) % 256, 3: a * b, 4: a - b, 5: (a << 4) >> 2, 6: -a % 256}


register(
    "uint8_arithmetic",
    uint8_arithmetic,
    line(_uint8),
    _uint8_expected,
    simulator="computes with NumPy's scalars: 200 + 100 overflows in uint8 before it is stored",
)


@cuda.jit
def brighten(image, gain, bias, out):
    i = cuda.grid(1)
    if i < image.size:
        value = int(image[i] * gain + bias)
        out[i] = min(max(value, 0), 255)


register(
    "brighten",
    brighten,
    line(lambda rng, n: (rng.integers(0, 256, n, dtype="u1"), 1.5, -40.25, np.zeros(n, "u1"))),
    lambda image, gain, bias, out: {3: np.clip(np.trunc(image * gain + bias), 0, 255)},
)


@cuda.jit
def integer_division(a, b, quotient, remainder):
    i = cuda.grid(1)
    if i < a.size:
        quotient[i] = a[i] // b[i]
        remainder[i] = a[i] % b[i]


def _signed(rng, n, dtype="i4"):
    a = rng.integers(-1000, 1000, n).astype(dtype)
    b = rng.integers(1, 12, n).astype(dtype) * rng.choice([-1, 1], n).astype(dtype)
    return a, b, np.zeros(n, dtype), np.zeros(n, dtype)


register("integer_division_int32", integer_division, line(_signed), lambda a, b, q, r: {2: a // b, 3: a % b})
register(
    "integer_division_int8",
    integer_division,
    line(lambda rng, n: tuple(v.astype("i1") for v in _signed(rng, n))),
    lambda a, b, q, r: {2: a.astype("i8") // b, 3: a.astype("i8") % b},
)
register(
    "float_division",
    integer_division,
    line(lambda rng, n: tuple(v / 4 if k < 2 else v for k, v in enumerate(_signed(rng, n, "f8")))),
    lambda a, b, q, r: {2: np.floor_divide(a, b), 3: np.mod(a, b)},
)


@cuda.jit
def true_division(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i] / b[i]


def _zeros_among(rng, n):
    return rng.integers(-5, 6, n, dtype="i4"), rng.integers(-2, 3, n, dtype="i4"), np.zeros(n)


register(
    "true_division_by_zero",
    true_division,
    line(_zeros_among),
    lambda a, b, out: {2: a / b},
)


@cuda.jit
def bit_mixing(x, out):
    i = cuda.grid(1)
    if i < x.size:
        h = x[i]
        h ^= h >> np.uint32(16)
        h *= np.uint32(0x85EBCA6B)
        h &= np.uint32(0xFFFFFFFF)
        h ^= h >> np.uint32(13)
        out[i] = ~h & np.uint32(0x7FFFFFFF)


def _mixed(x, out):
    h = x.astype("u8")
    h ^= h >> np.uint64(16)
    h = (h * np.uint64(0x85EBCA6B)) & np.uint64(0xFFFFFFFF)
    h ^= h >> np.uint64(13)
    return {1: ~h & np.uint64(0x7FFFFFFF)}


register(
    "bit_mixing",
    bit_mixing,
    line(lambda rng, n: (rng.integers(0, 2**32, n, dtype="u4"), np.zeros(n, "u4"))),
    _mixed,
)


@cuda.jit
def soft_threshold(x, limit, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] - limit if x[i] > limit else (x[i] + limit if x[i] < -limit else 0.0)


register(
    "soft_threshold",
    soft_threshold,
    line(lambda rng, n: (rng.normal(size=n), 0.5, np.full(n, np.nan))),
    lambda x, limit, out: {2: np.where(x > limit, x - limit, np.where(x < -limit, x + limit, 0))},
)


@cuda.jit
def cartesian(radius, angle, x, y):
    i = cuda.grid(1)
    if i < radius.size:
        x[i] = radius[i] * math.cos(angle[i])
        y[i] = radius[i] * math.sin(angle[i])


# libm
register(
    "polar_to_cartesian",
    cartesian,
    line(lambda rng, n: (*rng.uniform(-9, 9, (2, n)), np.zeros(n), np.zeros(n))),
    lambda radius, angle, x, y: {2: radius * np.cos(angle), 3: radius * np.sin(angle)},
    rtol=1e-13,
    atol=1e-14,
    same_bits=False,
)


@cuda.jit
def sigmoid(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = float32(1) / (float32(1) + math.exp(-x[i]))


# libm, in single precision
register(
    "sigmoid_float32",
    sigmoid,
    line(lambda rng, n: (rng.normal(0, 4, n).astype("f4"), np.zeros(n, "f4"))),
    lambda x, out: {1: 1 / (1 + np.exp(-x.astype("f8")))},
    rtol=1e-6,
    same_bits=False,
)


@cuda.jit
def many_functions(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        out[i, 0] = math.sqrt(v)
        out[i, 1] = math.log(v) + math.log10(v) + math.log2(v) + math.log1p(v)
        out[i, 2] = math.exp(-v) + math.expm1(v)
        out[i, 3] = math.tan(v) + math.atan(v) + math.atan2(v, 2.0)
        out[i, 4] = math.sinh(v) + math.cosh(v) + math.tanh(v)
        out[i, 5] = math.floor(v) + math.ceil(-v) + math.trunc(v * 10)
        out[i, 6] = math.erf(v) + math.erfc(v) + math.gamma(v)
        out[i, 7] = math.hypot(v, 3.0) + math.pow(v, 1.5) + v**3 + abs(-v)
        out[i, 8] = math.fmod(v * 7, 1.25) + math.copysign(v, -1.0)


def _many(x, out):
    erf = np.array([math.erf(v) + math.erfc(v) + math.gamma(v) for v in x])
    columns = [
        np.sqrt(x),
        np.log(x) + np.log10(x) + np.log2(x) + np.log1p(x),
        np.exp(-x) + np.expm1(x),
        np.tan(x) + np.arctan(x) + np.arctan2(x, 2),
        np.sinh(x) + np.cosh(x) + np.tanh(x),
        np.floor(x) + np.ceil(-x) + np.trunc(x * 10),
        erf,
        np.hypot(x, 3) + np.power(x, 1.5) + x**3 + x,
        np.fmod(x * 7, 1.25) - x,
    ]
    return {1: np.stack(columns, 1)}


# libm
register(
    "math_functions",
    many_functions,
    line(lambda rng, n: (rng.uniform(0.1, 3, n), np.zeros((n, 9))), sizes=(1, 31, 257)),
    _many,
    rtol=1e-11,
    atol=1e-12,
    same_bits=False,
)


@cuda.jit
def complex_multiply_add(a, b, c, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * b[i] + c * a[i].conjugate()


def _complex(rng, n, dtype="c16"):
    a, b = (rng.integers(-9, 9, (2, n)) + 1j * rng.integers(-9, 9, (2, n))).astype(dtype)
    return a, b, 2 - 1j, np.zeros(n, dtype)


register(
    "complex_multiply_add",
    complex_multiply_add,
    line(_complex),
    lambda a, b, c, out: {3: a * b + c * a.conj()},
)
register(
    "complex64_multiply_add",
    complex_multiply_add,
    line(lambda rng, n: _complex(rng, n, "c8")),
    lambda a, b, c, out: {3: a * b + np.complex64(c) * a.conj()},
)


@cuda.jit
def complex_parts(z, magnitude, real, imaginary):
    i = cuda.grid(1)
    if i < z.size:
        magnitude[i] = abs(z[i])
        real[i] = z[i].real
        imaginary[i] = z[i].imag


# hypot
register(
    "complex_parts",
    complex_parts,
    line(lambda rng, n: (rng.normal(size=n) + 1j * rng.normal(size=n), *np.zeros((3, n)))),
    lambda z, *_: {1: np.abs(z), 2: z.real, 3: z.imag},
    rtol=1e-15,
    same_bits=False,
)


@cuda.jit
def mixed_types(small, wide, single, unsigned, out):
    i = cuda.grid(1)
    if i < small.size:
        out[i, 0] = small[i] * single[i]  # int8 * float32: float32 on paper, float64 in Numba
        out[i, 1] = wide[i] + single[i]
        out[i, 2] = unsigned[i] - wide[i]  # uint32 - int32: int64
        out[i, 3] = small[i] // 3 + unsigned[i] % 7


def _mixed_types(rng, n):
    return (
        rng.integers(-128, 128, n, dtype="i1"),
        rng.integers(-(2**20), 2**20, n, dtype="i4"),
        rng.integers(-99, 99, n).astype("f4") / 8,
        rng.integers(0, 2**32, n, dtype="u4"),
        np.zeros((n, 4)),
    )


def _mixed_expected(small, wide, single, unsigned, out):
    s, w, u = small.astype("i8"), wide.astype("i8"), unsigned.astype("i8")
    f = single.astype("f8")
    return {4: np.stack([s * f, w + f, u - w, s // 3 + u % 7], 1)}


register(
    "mixed_types",
    mixed_types,
    line(_mixed_types),
    _mixed_expected,
)


@cuda.jit
def logic(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        inside = -1.0 < x[i] < 1.0 and not y[i]
        outside = x[i] <= -2.0 or x[i] >= 2.0
        out[i] = inside or (outside and y[i])


def _logic_expected(x, y, out):
    return {2: ((-1 < x) & (x < 1) & ~y) | (((x <= -2) | (x >= 2)) & y)}


register(
    "chained_logic",
    logic,
    line(lambda rng, n: (rng.normal(0, 2, n), rng.random(n) < 0.5, np.zeros(n, "?"))),
    _logic_expected,
)


@cuda.jit
def nan_aware_maximum(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        if math.isnan(x[i]):
            out[i] = y[i]
        elif math.isinf(y[i]):
            out[i] = x[i]
        else:
            out[i] = max(x[i], y[i])


def _with_specials(rng, n):
    x, y = rng.normal(size=(2, n))
    x[rng.random(n) < 0.2] = np.nan
    y[rng.random(n) < 0.2] = np.inf
    return x, y, np.zeros(n)


register(
    "nan_and_infinity",
    nan_aware_maximum,
    line(_with_specials),
    lambda x, y, out: {2: np.where(np.isnan(x), y, np.where(np.isinf(y), x, np.fmax(x, y)))},
)


@cuda.jit
def days_between(start, end, days, later):
    i = cuda.grid(1)
    if i < start.size:
        days[i] = end[i] - start[i]
        later[i] = end[i] > start[i]


def _dates(rng, n):
    start, end = rng.integers(0, 20000, (2, n)).astype("M8[D]")
    return start, end, np.zeros(n, "m8[D]"), np.zeros(n, "?")


register(
    "datetime64",
    days_between,
    line(_dates),
    lambda start, end, days, later: {2: end - start, 3: end > start},
)


@cuda.jit
def strided(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] * 2


def _strided_launch(cuda, case, arguments):
    x, y = arguments
    strided[case.grid, case.block](x[::2], y[1::3])


def _strided_expected(x, y):
    y[1::3] = x[::2] * 2
    return {1: y}


register(
    "strided_views",
    strided,
    line(lambda rng, n: (rng.integers(0, 99, 2 * n), rng.integers(0, 99, 3 * n)), sizes=(1, 31, 257)),
    _strided_expected,
    launch=_strided_launch,
)


@cuda.jit
def scalar_array(total, x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= total[()]


register(
    "zero_dimensional_argument",
    scalar_array,
    line(lambda rng, n: (np.array(3.5), rng.normal(size=n))),
    lambda total, x: {1: x * total},
)


@cuda.jit
def half_scale(x, factor, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * factor


register(
    "float16_to_float32",
    half_scale,
    line(lambda rng, n: (rng.integers(-64, 64, n).astype("f2") / 8, np.float32(0.5), np.zeros(n, "f4"))),
    lambda x, factor, out: {2: x.astype("f4") * factor},
)


@cuda.jit
def black_scholes_call(price, strike, years, rate, volatility, call, put):
    i = cuda.grid(1)
    if i >= price.size:
        return
    root = math.sqrt(years[i])
    d1 = (math.log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root)
    d2 = d1 - volatility * root
    n1 = 0.5 * math.erfc(-d1 / math.sqrt(2.0))
    n2 = 0.5 * math.erfc(-d2 / math.sqrt(2.0))
    discount = math.exp(-rate * years[i])
    call[i] = price[i] * n1 - strike[i] * discount * n2
    put[i] = strike[i] * discount * (1.0 - n2) - price[i] * (1.0 - n1)


def _options(rng, n):
    return (
        rng.uniform(5, 30, n),
        rng.uniform(1, 100, n),
        rng.uniform(0.25, 10, n),
        0.02,
        0.3,
        np.zeros(n),
        np.zeros(n),
    )


def _black_scholes(price, strike, years, rate, volatility, *_):
    normal = np.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)), otypes=[float])
    root = np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + volatility**2 / 2) * years) / (volatility * root)
    d2 = d1 - volatility * root
    discount = np.exp(-rate * years)
    call = price * normal(d1) - strike * discount * normal(d2)
    return {5: call, 6: call - price + strike * discount}


# libm, and cancellation in the put-call parity that the specification uses
register(
    "black_scholes",
    black_scholes_call,
    line(_options, sizes=(1, 31, 1009)),
    _black_scholes,
    rtol=1e-9,
    atol=1e-9,
    same_bits=False,
)


@cuda.jit
def blend_images(a, b, alpha, out):
    row, column, channel = cuda.grid(3)
    if row < out.shape[0] and column < out.shape[1] and channel < out.shape[2]:
        out[row, column, channel] = (a[row, column, channel] * alpha + b[row, column, channel] * (256 - alpha)) >> 8


def _images(rng):
    for height, width in ((1, 1), (17, 9), (32, 32)):
        a, b = rng.integers(0, 256, (2, height, width, 3), dtype="u1")
        grid = (along(height, 8), along(width, 8), 1)
        yield Case(f"{height}x{width}", grid, (8, 8, 4), (a, b, 77, np.zeros((height, width, 3), "u1")))


def _blended(a, b, alpha, out):
    return {3: (a.astype("i8") * alpha + b.astype("i8") * (256 - alpha)) >> 8}


register(
    "blend_images",
    blend_images,
    _images,
    _blended,
    simulator="computes with NumPy's scalars: uint8 * a Python int overflows",
)
