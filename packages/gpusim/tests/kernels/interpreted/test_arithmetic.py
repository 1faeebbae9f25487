"""The same expressions by Numba on the CPU and by the interpreted backend: equal to the last bit, whatever the types.

Each pair of types is a compilation of Numba's. Each type is asked on the left of one of every kind, and with itself.
"""

import numpy as np
import pytest
from numba import njit

from gpusim.kernels.backends import numpy as interpreted
from gpusim.kernels.faults import UncompilableError
from gpusim.kernels.frontend.intrinsics import find
from gpusim.kernels.frontend.python import resolve
from gpusim.kernels.ir import promotion
from gpusim.kernels.ir.types import DTYPES, SCALARS

grid = find("grid")
EXACT = njit(error_model="numpy")
NUMBERS = "?bhilBHILfdFD"
WHOLE = NUMBERS[:9]
SOME = "?biLfd"  # of every kind one
REAL = NUMBERS[:11]
ORDER = "add sub mul truediv floordiv mod eq ne lt le gt ge".split()
BITS = "and_ or_ xor lshift rshift".split()


def pairs(types):
    """Each of the types with those of SOME and complex128 that are among them, and with itself."""
    return [(a, b) for a in types for b in types if b in SOME + "D" or b == a]


@EXACT
def fields(i, a, b, add, sub, mul, truediv, eq, ne):
    x, y = a[i], b[i]
    add[i] = x + y
    sub[i] = x - y
    mul[i] = x * y
    truediv[i] = x / y
    eq[i] = x == y
    ne[i] = x != y


@EXACT
def ordered(i, a, b, add, sub, mul, truediv, floordiv, mod, eq, ne, lt, le, gt, ge):
    x, y = a[i], b[i]
    add[i] = x + y
    sub[i] = x - y
    mul[i] = x * y
    truediv[i] = x / y
    floordiv[i] = x // y
    mod[i] = x % y
    eq[i] = x == y
    ne[i] = x != y
    lt[i] = x < y
    le[i] = x <= y
    gt[i] = x > y
    ge[i] = x >= y


@EXACT
def bitwise(i, a, b, and_, or_, xor, lshift, rshift):
    x, y = a[i], b[i]
    and_[i] = x & y
    or_[i] = x | y
    xor[i] = x ^ y
    lshift[i] = x << (y & 31)
    rshift[i] = x >> (y & 7)


@EXACT
def extremes(i, a, b, least, most, chosen):
    x, y = a[i], b[i]
    least[i] = min(x, y)
    most[i] = max(x, y)
    z = x
    if i % 2:
        z = y
    chosen[i] = z


@EXACT
def unary(i, a, negative, positive, absolute, square, cube, inverse, truth, none):
    x = a[i]
    negative[i] = -x
    positive[i] = +x
    absolute[i] = abs(x)
    square[i] = x**2
    cube[i] = x**3
    inverse[i] = x**-2
    truth[i] = bool(x)
    none[i] = not x


@EXACT
def inplace(i, a, b, out):
    out[i] += a[i]
    out[i] *= b[i]
    out[i] -= a[i] + b[i]


@EXACT
def whole_power(i, a, b, out):
    out[i] = a[i] ** (b[i] % 7)


@EXACT
def conversions(i, a, i1, i2, i4, i8, u1, u2, u4, u8, f4, f8, b1):
    x = a[i]
    i1[i] = np.int8(x)
    i2[i] = np.int16(x)
    i4[i] = np.int32(x)
    i8[i] = int(x)
    u1[i] = np.uint8(x)
    u2[i] = np.uint16(x)
    u4[i] = np.uint32(x)
    u8[i] = np.uint64(x)
    f4[i] = np.float32(x)
    f8[i] = np.float64(x)
    b1[i] = bool(x)


def values(letter, other=False):
    """Edge cases and some in between, in an order in which pairs of edge cases meet."""
    dtype, rng = DTYPES[letter], np.random.default_rng(ord(letter) + 7 * other)
    if letter == "?":
        found = np.array([0, 1], "?")
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        edges = [info.min, info.max, 0, 1, 2, 3, info.max - 1, info.min + 1]
        found = np.array(edges + [-1, -2, -7] * (info.min < 0), dtype)
    elif dtype.kind == "f":
        edges = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 1e-30, 1e30, np.inf, -np.inf, np.nan, 7.0, -7.0, 0.1]
        found = np.array(edges, dtype)
    else:
        found = np.array([0, 1, 1j, -1 - 1j, 2.5 - 0.5j, 1e5 + 1e-3j, 3 + 4j], dtype)
    noise = (rng.normal(size=40) * 50).astype("i8").astype(dtype) + dtype.type(0)
    if dtype.kind in "fc":
        noise = (rng.normal(size=40) * 50).astype(dtype)
    n = len(found)
    pairs = np.tile(found, n) if other else np.repeat(found, n)
    return np.concatenate([pairs, noise])


def bits(array):
    array = np.ascontiguousarray(array)
    if array.dtype.kind in "fc":
        part = array.view(f"f{array.dtype.itemsize // (2 if array.dtype.kind == 'c' else 1)}")
        array = np.where(np.isnan(part), part.dtype.type(np.nan), part)  # one NaN is as good as another
    return array.view("u1")


def both(function, arguments, outputs):
    """Run a function for every element by Numba and by the interpreted backend; return both results."""
    n = len(arguments[0])
    expected = [o.copy() for o in outputs]
    for i in range(n):
        function(i, *arguments, *expected)
    got = [o.copy() for o in outputs]
    kernel = resolve.function(calling(function, len(arguments) + len(outputs)))
    interpreted.run(kernel, (1, 1, 1), (max(n, 1), 1, 1), (*arguments, *got))
    return expected, got


def calling(function, count):
    """A kernel that calls a function with the thread's number and all its arguments."""
    if count == 3:
        return lambda a, b, c: function(grid(1), a, b, c)
    if count == 5:
        return lambda a, b, c, d, e: function(grid(1), a, b, c, d, e)
    if count == 7:
        return lambda a, b, c, d, e, f, g: function(grid(1), a, b, c, d, e, f, g)
    if count == 8:
        return lambda a, b, c, d, e, f, g, h: function(grid(1), a, b, c, d, e, f, g, h)
    if count == 9:
        return lambda a, b, c, d, e, f, g, h, i: function(grid(1), a, b, c, d, e, f, g, h, i)
    if count == 12:
        return lambda a, b, c, d, e, f, g, h, i, j, k, m: function(grid(1), a, b, c, d, e, f, g, h, i, j, k, m)
    assert count == 14
    return lambda a, b, c, d, e, f, g, h, i, j, k, m, n, o: function(grid(1), a, b, c, d, e, f, g, h, i, j, k, m, n, o)


def check(names, expected, got, *arguments):
    for name, e, g in zip(names, expected, got, strict=True):
        same = (bits(e) == bits(g)).reshape(len(e), -1).all(axis=1)
        at = np.flatnonzero(~same)
        assert not len(at), f"{name}({', '.join(repr(a[at[0]]) for a in arguments)}): {e[at[0]]!r}, not {g[at[0]]!r}"


def outputs(names, a, b, n):
    made = []
    for name in names:
        operands, result = promotion.signature(f"operator.{name}", a, b)
        made.append(np.zeros(n, DTYPES[result]))
    return made


@pytest.mark.large("a")
@pytest.mark.parametrize(("a", "b"), pairs(NUMBERS))
def test_operators(a, b):
    x, y = values(a), values(b, other=True)
    n = min(len(x), len(y))
    if len(x) != len(y):  # every edge case of one with every edge case of the other
        x, y = np.resize(x, len(x) * len(y) // np.gcd(len(x), len(y)))[:400], np.resize(y, 10**6)[:400]
        n = min(len(x), len(y))
    x, y = x[:n], y[:n]
    real = a in REAL and b in REAL
    if not real:
        keep = y != 0  # CPU Numba raises for a complex number by zero
        x, y, n = x[keep], y[keep], int(keep.sum())
    names = ORDER if real else "add sub mul truediv eq ne".split()
    function = ordered if real else fields
    expected, got = both(function, (x, y), outputs(names, a, b, n))
    check(names, expected, got, x, y)


@pytest.mark.large("a")
@pytest.mark.parametrize(("a", "b"), pairs(WHOLE))
def test_bits(a, b):
    x, y = (np.resize(v, 300) for v in (values(a), values(b, other=True)))
    expected, got = both(bitwise, (x, y), outputs(BITS, a, b, 300))
    check(BITS, expected, got, x, y)


@pytest.mark.large("a")
@pytest.mark.parametrize("a", SOME)
@pytest.mark.parametrize("b", SOME)
def test_extremes_and_unified_variables(a, b):
    x, y = (np.resize(v, 300) for v in (values(a), values(b, other=True)))
    if (a == "?") != (b == "?"):
        with pytest.raises(UncompilableError, match="m.. does not take"):  # as Numba
            both(extremes, (x[:0], y[:0]), [x[:0]] * 3)
        return
    letter = promotion.unify(SCALARS[a], SCALARS[b]).letter
    expected, got = both(extremes, (x, y), [np.zeros(300, DTYPES[letter]) for _ in range(3)])
    # With a NaN a GPU gives the number (fmin, fmax), where Numba on a CPU compares.
    one_nan = np.isnan(x.astype(float)) ^ np.isnan(y.astype(float))
    for result, pick in zip(expected, (np.fmin, np.fmax), strict=False):
        result[one_nan] = pick(x, y)[one_nan]
    check(["min", "max", "either"], expected, got, x, y)


@pytest.mark.large
@pytest.mark.parametrize("a", REAL)
def test_unary(a):
    x = values(a)
    x = x[~(np.abs(x) < 1e-9)] if a in "fd" else x  # 0.0 ** -2 raises on a CPU
    result = np.zeros(len(x), DTYPES[promotion.signature("operator.neg", a)[1]])
    power = np.zeros(len(x), DTYPES[promotion.signature("operator.pow", a, "l")[1]])
    kept = np.zeros(len(x), DTYPES[promotion.signature("builtins.abs", a)[1]])
    truth = np.zeros(len(x), "?")
    names = "negative positive absolute square cube inverse truth none".split()
    expected, got = both(unary, (x,), [result, result, kept, power, power, power, truth, truth])
    check(names, expected, got, x)


@pytest.mark.large("a")
@pytest.mark.parametrize("a", SOME)
@pytest.mark.parametrize("b", SOME)
def test_inplace(a, b):
    x, y = (np.resize(v, 300) for v in (values(a), values(b, other=True)))
    keep = np.isfinite(x) & np.isfinite(y) & (np.abs(x.astype("f8")) < 2**31) & (np.abs(y.astype("f8")) < 2**31)
    if a in "BHIL" and b in "fd":  # what C leaves undefined: below zero
        keep &= (y >= 1) & (x.astype("f8") * y < 2**31)
    x, y = x[keep], y[keep]
    expected, got = both(inplace, (x, y), [np.ones(len(x), DTYPES[a])])
    check(["inplace"], expected, got, x, y)


@pytest.mark.large("a")
@pytest.mark.parametrize("a", SOME)
@pytest.mark.parametrize("b", "biL")
def test_power_to_a_whole_number(a, b):
    x, y = (np.resize(v, 300) for v in (values(a), values(b, other=True)))
    keep = ~((x == 0) & (y % 7 < 0))  # CPU Numba raises
    x, y = x[keep], y[keep]
    result = DTYPES[promotion.signature("operator.pow", a, promotion.signature("operator.mod", b, "l")[1])[1]]
    expected, got = both(whole_power, (x, y), [np.zeros(len(x), result)])
    check(["power"], expected, got, x, y)


@pytest.mark.large
@pytest.mark.parametrize("a", REAL)
def test_conversions(a):
    x = values(a)
    if a in "fd":  # what C leaves undefined is left out
        x = x[np.isfinite(x) & (np.abs(x) < 100) & (x >= 0)]
    names = "i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 ?".split()
    expected, got = both(conversions, (x,), [np.zeros(len(x), name) for name in names])
    check(names, expected, got, x)
