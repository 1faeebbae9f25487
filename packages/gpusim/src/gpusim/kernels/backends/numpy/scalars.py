"""Arithmetic on values, one per lane or one for all, with the results of Numba's code for a CPU bit for bit.

Operands are NumPy arrays or scalars that already have the type that the operation is carried out in (`promotion`).
"""

from __future__ import annotations

import math

import numpy as np

LIMIT = 0x10000  # above this exponent Numba falls back on libm's pow


def floordiv_int(a, b):
    """NumPy's, too, has x // 0 be 0; but the least integer by -1 is 0 in Numba."""
    quotient = np.floor_divide(a, b)
    if a.dtype.kind == "u" or (type(b) is not np.ndarray and b != -1):
        return quotient
    over = (b == -1) & (a == np.iinfo(a.dtype).min)
    return np.where(over, a.dtype.type(0), quotient)[()] if over.any() else quotient


def mod_int(a, b):
    return np.remainder(a, b)


def floordiv_float(a, b):
    """Numba's, after CPython's: (a - mod) / b rounded to the nearest integer, nan or inf at b = 0."""
    mod = np.fmod(a, b)
    div = (a - mod) / b
    differs = (mod != 0) & ((b < 0) != (mod < 0))
    div = np.where(differs, div - div.dtype.type(1), div)
    floor = np.floor(div)
    floor = np.where(div - floor > 0.5, floor + floor.dtype.type(1), floor)
    result = np.where(div != 0, floor, np.copysign(np.zeros_like(div), a / b))
    return np.where(b == 0, a / b, result)[()]


def mod_float(a, b):
    mod = np.fmod(a, b)
    wrong = (mod != 0) & ((b < 0) != (mod < 0))
    mod = np.where(mod != 0, np.where(wrong, mod + b, mod), np.copysign(np.zeros_like(mod), b))
    return np.where(b == 0, np.full_like(mod, np.nan), mod)[()]


def shift_left(a, b):
    bits = a.dtype.itemsize * 8
    return np.left_shift(a, (b & (bits - 1)).astype(a.dtype))


def shift_right(a, b):
    bits = a.dtype.itemsize * 8
    return np.right_shift(a, (b & (bits - 1)).astype(a.dtype))


def truncated(x, dtype):
    """A float as a short or an unsigned integer, outside of its range as compiled code on a CPU has it."""
    if dtype.itemsize < 4:
        return x.astype(np.int32).astype(dtype)
    if dtype.itemsize == 4:
        return x.astype(np.int64).astype(dtype)
    half = x.dtype.type(2**63)
    large = x >= half
    low = np.where(large, x - half, x).astype(np.int64).view(np.uint64)
    return np.where(large, low ^ np.uint64(2**63), low)[()]


def pow_static(a, exponent: int):
    """``a ** 3`` with the exponent written in the source: multiplications only, so float32 stays float32."""
    one = a.dtype.type(1)
    result, power, left = None, a, abs(exponent)
    while left:
        if left & 1:
            result = power if result is None else result * power
        left >>= 1
        if left:
            power = power * power
    if result is None:
        result = np.ones_like(a)[()]
    if exponent < 0:
        if a.dtype.kind in "iu":
            return _int_reciprocal(a, exponent)
        return one / result
    return result


def _int_reciprocal(a, exponent):
    """An integer to a negative power: 0 but for 1 and -1; for 0 what Numba returns in place of an infinity."""
    odd = np.asarray(exponent) & 1
    minus = a == -1 if a.dtype.kind == "i" else False
    lowest = np.array(1, a.dtype) << np.array(a.dtype.itemsize * 8 - 1, a.dtype)
    inverse = np.where(a == 1, 1, np.where(minus, np.where(odd, -1, 1), 0)).astype(a.dtype)
    return np.where(a == 0, lowest, inverse)[()]


def pow_by_integer(a, b):
    """``a ** b`` of a float or an integer to an integer power known only at run time."""
    integral = a.dtype.kind in "iu"
    a, b = np.broadcast_arrays(a, b)
    negative = b < 0
    left = np.where(negative, -b, b) if b.dtype.kind == "i" else b.copy()
    large = left > LIMIT
    left = np.where(large, 0, left)
    result, power = np.ones_like(a), a.copy()
    while left.any():
        result = np.where(left & 1, result * power, result).astype(a.dtype)
        power = power * power
        left = left >> 1
    if negative.any():
        inverse = _int_reciprocal(a, b) if integral else 1 / result
        result = np.where(negative, inverse, result)
    if large.any():
        result = np.where(large, np.power(a.astype("f8"), b.astype("f8")).astype(a.dtype), result)
    return result.astype(a.dtype)[()]


def pow_float(a, b):
    return np.power(a, b)


def complex_div(a, b):
    """CPython's algorithm, which Numba has too; NumPy's multiplies by a reciprocal instead, and rounds otherwise."""
    ar, ai, br, bi = a.real, a.imag, b.real, b.imag
    wide = np.abs(br) >= np.abs(bi)
    ratio = np.where(wide, bi / br, br / bi)
    denominator = np.where(wide, br + bi * ratio, br * ratio + bi)
    real = np.where(wide, ar + ai * ratio, ar * ratio + ai) / denominator
    imag = np.where(wide, ai - ar * ratio, ai * ratio - ar) / denominator
    return make_complex(real, imag, a.dtype)


def make_complex(real, imag, dtype):
    result = np.empty(np.broadcast(real, imag).shape, dtype)
    result.real, result.imag = real, imag
    return result[()]


def complex_pow(a, b):
    result = np.power(a, b)
    return np.where(b == 2, a * a, result)[()]


def minimum(a, b):
    """``min(a, b)``: a where it is smaller, and b where either is NaN, as Numba on a CPU."""
    return np.where(b < a, b, a)[()]


def maximum(a, b):
    return np.where(b > a, b, a)[()]


def _of_two(ordered):
    """``min`` or ``max`` of two numbers as on a GPU: of a NaN and a number, the number."""

    def extreme(a, b):
        if np.result_type(a, b).kind != "f":
            return ordered(a, b)
        return np.where(np.isnan(a), b, np.where(np.isnan(b), a, ordered(a, b)))[()]

    return extreme


minimum_of_two = _of_two(minimum)
maximum_of_two = _of_two(maximum)


def absolute(a):
    return np.abs(a)


def rounded(x, digits=None):
    """``round(x)``, half to even, or ``round(x, digits)``."""
    return np.rint(x) if digits is None else round_digits(x, digits)


def pow_modulo(a, b, m):
    """``pow(a, b, m)`` of integers."""
    a, b, m = np.broadcast_arrays(a, b, m)
    triples = zip(a.ravel().tolist(), b.ravel().tolist(), m.ravel().tolist(), strict=True)
    values = [pow(x, y, z) if z and y >= 0 else 0 for x, y, z in triples]
    return np.array(values, np.int64).reshape(a.shape)[()]


def round_digits(x, digits):
    """``round(x, n)`` with Numba's own formula."""
    result = np.empty(np.broadcast(x, digits).shape, x.dtype)
    flat = np.broadcast_arrays(x, digits)
    for at, (value, n) in enumerate(zip(flat[0].ravel(), flat[1].ravel(), strict=True)):
        result.flat[at] = _round_one(float(value), int(n))
    return result[()]


def _round_one(x: float, n: int) -> float:
    if math.isinf(x) or math.isnan(x):
        return x
    if n >= 0:
        if n > 22:
            power1, power2 = 10.0 ** (n - 22), 1e22
        else:
            power1, power2 = 10.0**n, 1.0
        y = (x * power1) * power2
        if math.isinf(y):
            return x
        return (float(np.rint(y)) / power2) / power1
    power1 = 10.0**-n
    return float(np.rint(x / power1)) * power1


def select(condition, a, b):
    """One of two values of one type, lane by lane; decided at once where the condition is one for all."""
    if type(condition) is not np.ndarray:
        return a if condition else b
    return np.where(condition, a, b)
