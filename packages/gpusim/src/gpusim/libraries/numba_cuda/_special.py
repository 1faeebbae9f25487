"""Device functions for `erfcx`, the Bessel functions and the remainders: what Python's `math` does not have.

Bessel functions are added up as power series with 106 bits up to 25, and by Hankel's expansion from there.
"""

from __future__ import annotations

import math

import numpy as np
from numba import int32, uint64

from ._device_names import top
from ._rounding import two
from .decorators import jit

_fma = top["fma"]


@jit(device=True)
def _asymptotic(t):
    """``1 - t + 3 t**2 - 15 t**3 + …``"""
    total, k = 1.0, 15.0
    while k > 0.0:
        total = 1.0 - k * t * total
        k -= 2.0
    return total


@jit(device=True)
def erfcx(x):
    """``exp(x * x) * erfc(x)``: the error of the square counts, so it is made good."""
    if x > 25.0:
        t = 0.5 / (x * x)
        return 0.5641895835477563 / x * _asymptotic(t)
    if x < -27.0:
        return math.inf
    square = x * x
    grown = math.exp(square)
    return math.inf if grown > 1e308 else grown * math.erfc(x) * (1.0 + _fma(x, x, -square))


@jit(device=True)
def _times(high, low, x, y):
    """A number of 106 bits times another."""
    p = high * x
    return two(p, _fma(high, x, -p) + (high * y + low * x))


@jit(device=True)
def _over(high, low, d):
    """A number of 106 bits over a whole number."""
    q = high / d
    return two(q, (_fma(-q, d, high) + low) / d)


@jit(device=True)
def _plus(high, low, x, y):
    total, error = two(high, x)
    return two(total, error + (low + y))


@jit(device=True)
def _series(n, half):
    """Of the power series of J_n and Y_n at ``2 * half``: the sums of ``t`` and of ``t * (H_k + H_(k + n))``, without ``half ** n / n!``."""
    square = half * half
    high, low = -square, -_fma(half, half, -square)
    t, u = 1.0, 0.0
    total, rest = 1.0, 0.0
    h, i = 0.0, 0.0  # H_k + H_(k + n); for n of 0 and 1, which alone have a use for it
    if n == 1:
        h = 1.0
    weighted, more = h, 0.0
    k = 0.0
    while k < 8.0 or (k < 200.0 and abs(t) > 1e-33 * abs(total)):
        k += 1.0
        t, u = _times(t, u, high, low)
        t, u = _over(t, u, k * (k + n))
        total, rest = _plus(total, rest, t, u)
        a, b = _over(1.0, 0.0, k)
        h, i = _plus(h, i, a, b)
        a, b = _over(1.0, 0.0, k + n)
        h, i = _plus(h, i, a, b)
        a, b = _times(t, u, h, i)
        weighted, more = _plus(weighted, more, a, b)
    return total + rest, weighted + more


@jit(device=True)
def _hankel(n, x, second):
    """J_n, or Y_n where `second`, of large x, for n of 0 and 1 (Abramowitz and Stegun, 9.2.5)."""
    p, q, a, k = 1.0, 0.0, 1.0, 1.0
    while k < 40.0 and abs(a) > 1e-18:
        a *= (4.0 * n * n - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
        turn = int32(k) % 4
        if turn == 1:
            q += a
        elif turn == 2:
            p -= a
        elif turn == 3:
            q -= a
        else:
            p += a
        k += 1.0
    plus, minus = math.cos(x) + math.sin(x), math.sin(x) - math.cos(x)
    cosine, sine = plus, minus
    if n == 1:
        cosine, sine = minus, -plus
    return (p * sine + q * cosine if second else p * cosine - q * sine) / math.sqrt(math.pi * x)


@jit(device=True)
def _first(n, x):
    """J_0 or J_1."""
    away = abs(x)
    if math.isinf(x):
        return 0.0
    value = _hankel(n, away, False) if away > 25.0 else _series(n, 0.5 * away)[0]
    if n == 1:
        if away <= 25.0:
            value *= 0.5 * away
        return -value if x < 0.0 else value
    return value


@jit(device=True)
def _second(n, x):
    """Y_0 or Y_1."""
    if x != x or x < 0.0:
        return math.nan
    if x == 0.0:
        return -math.inf
    if math.isinf(x):
        return 0.0
    if x > 25.0:
        return _hankel(n, x, True)
    half = 0.5 * x
    total, weighted = _series(n, half)
    value = (2.0 * (math.log(half) + 0.5772156649015329) * total - weighted) / math.pi
    return value if n == 0 else value * half - 2.0 / math.pi / x


@jit(device=True)
def j0(x):
    return _first(0, x)


@jit(device=True)
def j1(x):
    return _first(1, x)


@jit(device=True)
def y0(x):
    return _second(0, x)


@jit(device=True)
def y1(x):
    return _second(1, x)


@jit(device=True)
def jn(n, x):
    """J_n; NaN for a negative n.  Upwards where that is stable, else downwards from where it is 0 (Miller)."""
    if n < 0 or x != x:
        return math.nan
    if n < 2:
        return _first(n, x)
    away = abs(x)
    value = 0.0
    if x == 0.0:
        return math.nan  # as NVIDIA's code gives it; mathematically it is 0
    if math.isinf(x):
        value = 0.0
    elif away <= 25.0:
        factor, k = 1.0, 1
        while k <= n and factor != 0.0:
            factor *= 0.5 * away / k
            k += 1
        value = factor * _series(n, 0.5 * away)[0]
    elif n < away:
        before, value, k = _first(0, away), _first(1, away), 1
        while k < n:
            before, value = value, 2.0 * k / away * value - before
            k += 1
    else:
        after, here, total = 0.0, 1e-300, 0.0
        k = 2 * ((n + int(math.sqrt(160.0 * n))) // 2)
        while k > 0:
            after, here = here, 2.0 * k / away * here - after
            k -= 1
            if abs(here) > 1e200:
                after, here, total, value = after * 1e-200, here * 1e-200, total * 1e-200, value * 1e-200
            if k == n:
                value = here
            if k % 2 == 0:
                total += here if k == 0 else 2.0 * here
        value /= total
    return -value if x < 0.0 and n % 2 == 1 else value


@jit(device=True)
def yn(n, x):
    """Y_n; NaN for a negative n."""
    if n < 0:
        return math.nan
    if n < 2:
        return _second(n, x)
    before, value, k = _second(0, x), _second(1, x), 1
    while k < n and math.isfinite(value):
        before, value = value, 2.0 * k / x * value - before
        k += 1
    return value


@jit(device=True)
def half_to_float(bits):
    """The 16 bits of a float16 as a number."""
    sign = -1.0 if bits & 0x8000 else 1.0
    exponent, part = (bits >> 10) & 31, bits & 1023
    if exponent == 31:
        return math.nan if part else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(float(part), int32(-24))
    return sign * math.ldexp(float(part + 1024), int32(exponent - 25))


@jit(device=True)
def float_to_half(x):
    """The bits of the nearest float16."""
    away = abs(x)
    if x != x:
        return 0x7FFF
    bits = 0x7C00
    if away < 65520.0:
        exponent = math.frexp(away)[1] - 1 if away > 2.0**-14 else -14
        bits = ((exponent + 14) << 10) + int(np.rint(math.ldexp(away, int32(10 - exponent))))
    return bits | 0x8000 if math.copysign(1.0, x) < 0.0 else bits


@jit(device=True)
def remquo(x, y):
    """The IEEE remainder, and the last bits of the quotient with its sign."""
    left = math.remainder(x, y)
    if not math.isfinite(x) or not math.isfinite(y) or y == 0.0:
        return left, int32(0)
    part = math.fmod(abs(x), 8.0 * abs(y)) if abs(y) < 2.0e307 else abs(x)
    count = int(np.rint((part - math.copysign(left, 1.0 if (x < 0.0) == (left < 0.0) else -1.0)) / abs(y)))
    bits = count & 7
    return left, int32(-bits if (x < 0.0) != (y < 0.0) else bits)


@jit(device=True)
def high(x, y):
    """The high word of a product of two uint64."""
    low = uint64(0xFFFFFFFF)
    half = uint64(32)
    a, b, c, d = x >> half, x & low, y >> half, y & low
    middle = (b * d >> half) + (a * d & low) + (b * c & low)
    return a * c + (a * d >> half) + (b * c >> half) + (middle >> half)


@jit(device=True)
def byte(x, y, which):
    """One of the eight bytes of two int32."""
    which = which & 7
    return (x >> 8 * which if which < 4 else y >> 8 * (which - 4)) & 255
