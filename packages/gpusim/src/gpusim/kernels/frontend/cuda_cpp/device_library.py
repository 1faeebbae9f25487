"""What translated kernels call: C's operations where Python's differ, and CUDA's functions that Python does not have.

`ENVIRONMENT` has all names that a translated kernel uses: these functions, NumPy's types, the intrinsics.
"""

from __future__ import annotations

import builtins
import keyword
import math
from typing import Any

import numpy as np

from .. import intrinsics


class Device:
    """A Python function that kernels may call."""

    def __init__(self, function: Any):
        self.__gpusim_device__ = function


def quotient(a, b):
    """Whole numbers divided as C does it: towards zero.  By zero it gives all bits set, as NVIDIA's GPUs do."""
    if b == 0:
        return a - a - 1
    q = a // b
    if (a < 0) != (b < 0) and q * b != a:
        q += 1
    return q


def remainder(a, b):
    """What is left of a division towards zero: it has the first number's sign."""
    if b == 0:
        return a
    r = a % b
    if r != 0 and (r < 0) != (a < 0):
        r -= b
    return r


def clip_i4(x):
    """A float as int32: towards zero, at most and at least what fits, NaN as 0 (PTX's cvt.rzi.s32)."""
    if x != x:
        return np.int32(0)
    if x >= 2147483647.0:
        return np.int32(2147483647)
    if x <= -2147483648.0:
        return np.int32(-2147483648)
    return np.int32(x)


def clip_u4(x):
    """A float as uint32."""
    if x != x or x <= 0.0:
        return np.uint32(0)
    if x >= 4294967295.0:
        return np.uint32(4294967295)
    return np.uint32(np.int64(x))


def clip_i8(x):
    """A float as int64; NaN as the lowest."""
    if x != x or x <= -9223372036854775808.0:
        return np.int64(-9223372036854775808)
    if x >= 9223372036854775808.0:
        return np.int64(9223372036854775807)
    return np.int64(x)


def clip_u8(x):
    """A float as uint64; NaN as 2**63."""
    if x != x:
        return np.uint64(9223372036854775808)
    if x <= 0.0:
        return np.uint64(0)
    if x >= 18446744073709551616.0:
        return np.uint64(18446744073709551615)
    if x >= 9223372036854775808.0:
        return np.uint64(np.int64(x - 9223372036854775808.0)) + np.uint64(9223372036854775808)
    return np.uint64(np.int64(x))


def rounded(x):
    """To the nearest whole number, halves away from zero."""
    whole = math.trunc(x)
    if abs(x - whole) >= 0.5:
        whole += math.copysign(1.0, x)
    return whole


def sign_bit(x):
    """Whether a float's sign is set."""
    return math.copysign(1.0, x) < 0.0


def floor_quotient(a, b):
    """Whole numbers divided as Python does it; by zero it gives 0."""
    return a // b if b != 0 else a - a


def floor_remainder(a, b):
    """What is left of a floor division; 0 for a division by zero."""
    return a % b if b != 0 else a - a


def whole_power(a, b):
    """A whole number's power; to a negative power 0, but for 1 and -1 (as CuPy's ``integral_power``)."""
    if b < 0:
        if a == 1:
            return a
        if a == -1:
            return a if b % 2 != 0 else -a
        return a - a
    result, base, left = a - a + 1, a, b
    while left > 0:
        if left % 2 != 0:
            result *= base
        base *= base
        left //= 2
    return result


# The inverse error functions and the normal distribution, by Halley's method on `erf` and `erfc`.


def central(x):
    """The number whose `erf` is x, for x of at most 0.5."""
    r = 0.886226925452758 * x
    for _ in range(4):
        error = math.erf(r) - x
        r -= error / (1.1283791670955126 * math.exp(-r * r) + r * error)
    return r


_central: Any = Device(central)


def erfcinv(x):
    """The number whose `erfc` is x: steps from Hastings' approximation reach double precision."""
    if not 0.0 <= x <= 2.0:
        return math.nan
    if x == 0.0:
        return math.inf
    if x == 2.0:
        return -math.inf
    if 0.5 <= x <= 1.5:
        return _central(1.0 - x)  # a difference without error
    part = x if x < 1.0 else 2.0 - x
    t = math.sqrt(-2.0 * math.log(part / 2.0))
    r = -0.70711 * ((2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t)
    for _ in range(3):
        error = math.erfc(r) - part
        r += error / (1.1283791670955126 * math.exp(-r * r) - r * error)
    return r if x < 1.0 else -r


_erfcinv: Any = Device(erfcinv)


def erfinv(x):
    """The number whose `erf` is x."""
    if not -1.0 <= x <= 1.0:
        return math.nan
    if x == 1.0 or x == -1.0:
        return math.copysign(math.inf, x)
    if abs(x) > 0.5:
        return math.copysign(_erfcinv(1.0 - abs(x)), x)
    return _central(x)


def normcdf(x):
    """The share of the normal distribution below x.

    Far out a last bit of ``x / sqrt(2)`` counts a hundredfold, so its error is computed by Dekker's product, and made good.
    """
    half = 0.7071067811865476  # 1 / sqrt(2), which is 4.8e-17 less than this
    t = -x * half
    if not abs(x) < 40.0:
        return 0.5 * math.erfc(t)
    c = 134217729.0 * x
    high = c - (c - x)
    low = x - high
    above, below = 0.7071067839860916, -2.7995440410322203e-09  # the two parts of half
    error = -(((high * above + t) + high * below + low * above) + low * below) + x * 4.833646656726457e-17
    return 0.5 * (math.erfc(t) - 1.1283791670955126 * math.exp(-t * t) * error)


def sinpi(x):
    """The sine of a multiple of pi: what lies beyond a half is taken off first, without error."""
    if not math.isfinite(x):
        return math.nan
    r = math.fmod(x, 2.0)
    if abs(r) > 0.5:
        r = math.copysign(1.0, r) - r if abs(r) <= 1.5 else r - math.copysign(2.0, r)
    return math.sin(math.pi * r) if r != 0.0 else math.copysign(0.0, x)


def cospi(x):
    """The cosine of a multiple of pi."""
    if not math.isfinite(x):
        return math.nan
    r = abs(math.fmod(x, 2.0))
    r = 2.0 - r if r > 1.0 else r
    if r <= 0.25:
        return math.cos(math.pi * r)
    return math.sin(math.pi * (0.5 - r)) if r < 0.75 else -math.cos(math.pi * (1.0 - r))


def fdim(x, y):
    """The positive difference; NaN stays NaN."""
    return 0.0 if x <= y else x - y


_cbrt: Any = intrinsics.TOP["cbrt"]


def rcbrt(x):
    """One by the cube root."""
    return 1.0 / _cbrt(x)


def normcdfinv(x):
    """The number below which a share x of the normal distribution lies."""
    return 0.0 - 1.4142135623730951 * _erfcinv(2.0 * x)


def f2(x):
    """A float32 rounded to a half, to the nearest even."""
    x = np.float32(x)
    if not abs(x) < np.float32(65520.0):
        return x * np.float32(math.inf)  # NaN stays NaN
    if abs(x) < np.float32(6.103515625e-05):
        return np.float32(np.rint(x * np.float32(16777216.0))) / np.float32(16777216.0)
    bits = np.float32(x).view(np.int32)
    bits = np.int32(bits + 4095 + ((bits >> 13) & 1)) & np.int32(-8192)
    return np.int32(bits).view(np.float32)


def f2_of_double(x):
    """A float64 rounded to a half, to the nearest even: through a float32 it would be rounded twice."""
    x = np.float64(x)
    if not abs(x) < 65520.0:
        return np.float32(x * math.inf)  # NaN stays NaN
    if abs(x) < 6.103515625e-05:
        return np.float32(np.rint(x * 16777216.0) / 16777216.0)
    bits = np.float64(x).view(np.int64)
    bits = np.int64(bits + 2199023255551 + ((bits >> 42) & 1)) & np.int64(-4398046511104)
    return np.float32(np.int64(bits).view(np.float64))


def half_of_bits(bits):
    """The number that a half's bits mean, as a float32."""
    exponent, rest = (np.int32(bits) >> 10) & 31, np.int32(bits) & 1023
    if exponent == 31:
        made = np.float32(math.nan) if rest else np.float32(math.inf)
    elif exponent == 0:
        made = np.float32(rest) / np.float32(16777216.0)
    else:
        made = np.int32(((exponent + 112) << 23) | (rest << 13)).view(np.float32)
    return -made if bits & 32768 else made


def bits_of_half(x):
    """The bits of a half that is in a float32."""
    x = np.float32(x)
    bits = np.float32(x).view(np.int32)
    sign = (bits >> 16) & 32768
    if x != x:
        return np.uint16(32767)
    if abs(x) == np.float32(math.inf):
        return np.uint16(sign | 31744)
    if abs(x) < np.float32(6.103515625e-05):
        return np.uint16(sign | np.int32(abs(x) * np.float32(16777216.0)))
    return np.uint16(sign | (((bits & 2147483647) >> 13) - (112 << 10)))


ENVIRONMENT: dict[str, Any] = {
    **{f"_c_{np.dtype(t).kind}{np.dtype(t).itemsize}": t for t in (
        np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64,
        np.complex64, np.complex128,
    )},
    "_c_b1": np.bool_,
    **{f"_c_{name}": value for name, value in intrinsics.TOP.items()},
    "_c_math": math,
    "_c_np": np,
    **{f"_c_{function.__name__}": Device(function) for function in (
        quotient, remainder, clip_i4, clip_u4, clip_i8, clip_u8,
        rounded, sign_bit, floor_quotient, floor_remainder, whole_power, erfcinv, erfinv, normcdf, normcdfinv,
        sinpi, cospi, rcbrt, fdim, f2, f2_of_double, half_of_bits, bits_of_half,
    )},
}  # fmt: skip


def python_name(name: str) -> str:
    """A C variable's name, where Python can have it; else with an underscore."""
    taken = keyword.iskeyword(name) or hasattr(builtins, name) or name.startswith(("_c_", "_hf_"))
    return f"{name}_" if taken else name
