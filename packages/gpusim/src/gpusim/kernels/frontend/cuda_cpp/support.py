"""What C's operations do where Python's differ: device functions, called from translated kernels."""

from __future__ import annotations

import math

import numpy as np


class Device:
    """A Python function that kernels may call."""

    def __init__(self, function: object):
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


FUNCTIONS = {
    f"_c_{function.__name__}": Device(function)
    for function in (
        quotient,
        remainder,
        clip_i4,
        clip_u4,
        clip_i8,
        clip_u8,
        rounded,
        sign_bit,
        floor_quotient,
        floor_remainder,
        whole_power,
    )
}
