"""Device functions that round to a given side: `way` is -1 for down, 1 for up and 0 for towards zero.

Each computes the nearest number, then the sign of what that leaves out, which is exact, and takes one step where it has to.
float32 is computed in float64, as a number and what is left of it.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float32, float64, int32

from ._device_names import top
from .decorators import jit

_fma = top["fma"]


@jit(device=True)
def step64(nearest, left, way):
    """The nearest number, or the next one: `left` has the sign of what the nearest is too small by."""
    if left < 0.0 and (way < 0 or (way == 0 and nearest > 0.0)):
        return np.nextafter(nearest, -math.inf)
    if left > 0.0 and (way > 0 or (way == 0 and nearest < 0.0)):
        return np.nextafter(nearest, math.inf)
    return nearest


@jit(device=True)
def step32(number, left, way):
    """A float64 and what is left of it, as float32."""
    nearest = float32(number)
    error = number - float64(nearest)
    if error == 0.0:
        error = left
    if error < 0.0 and (way < 0 or (way == 0 and nearest > float32(0))):
        return float32(np.nextafter(nearest, float32(-math.inf)))
    if error > 0.0 and (way > 0 or (way == 0 and nearest < float32(0))):
        return float32(np.nextafter(nearest, float32(math.inf)))
    return nearest


@jit(device=True)
def two(x, y):
    """A sum, and its error (Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


@jit(device=True)
def whole32(high, low, way):
    """``high * 2**32 + low`` as float32."""
    total, error = two(float64(high) * 4294967296.0, float64(low))
    return step32(total, error, way)


@jit(device=True)
def whole64(high, low, way):
    """``high * 2**32 + low`` as float64."""
    total, error = two(float64(high) * 4294967296.0, float64(low))
    return step64(total, error, way)


@jit(device=True)
def zero(x, y, way):
    """A sum that is exactly 0: rounded down it is -0, but for zeros of one sign."""
    if way >= 0 or (x == 0.0 and y == 0.0 and math.copysign(1.0, x) == math.copysign(1.0, y)):
        return x + y
    return -0.0


@jit(device=True)
def sum64(x, y, way):
    total, error = two(x, y)
    if total == 0.0:
        return zero(x, y, way)
    if math.isinf(total) and math.isfinite(x) and math.isfinite(y):
        return step64(total, -total, way)
    return step64(total, error, way)


@jit(device=True)
def product64(x, y, way):
    nearest = x * y
    if nearest - nearest != 0.0:  # infinite or NaN
        return step64(nearest, -nearest, way) if math.isfinite(x) and math.isfinite(y) else nearest
    if x == 0.0 or y == 0.0:
        return nearest
    a, k = math.frexp(x)
    b, j = math.frexp(y)
    return step64(nearest, _fma(a, b, -math.ldexp(nearest, int32(-(k + j)))), way)


@jit(device=True)
def quotient64(x, y, way):
    nearest = x / y
    if x == 0.0 or y == 0.0 or not math.isfinite(x) or not math.isfinite(y):
        return nearest
    if math.isinf(nearest):
        return step64(nearest, -nearest, way)
    a, k = math.frexp(x)
    b, j = math.frexp(y)
    left = _fma(-math.ldexp(nearest, int32(j - k)), b, a)
    return step64(nearest, left if b > 0.0 else -left, way)


@jit(device=True)
def root64(x, way):
    nearest = math.sqrt(x)
    if not x > 0.0 or math.isinf(x):
        return nearest
    scale = 2.0**300 if x < 1e-150 else 1.0
    scaled = nearest * scale
    return step64(nearest, _fma(-scaled, scaled, x * scale * scale), way)


@jit(device=True)
def fused64(x, y, z, way):
    """``x * y + z``.  Scaled, so that nothing of it is lost, then added up exactly (Shewchuk, 1997)."""
    nearest = _fma(x, y, z)
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        return nearest
    if math.isinf(nearest):
        return step64(nearest, -nearest, way)
    if x == 0.0 or y == 0.0:
        return sum64(x * y, z, way)
    if z == 0.0:
        return product64(x, y, way)
    a, k = math.frexp(x)
    b, j = math.frexp(y)
    c, m = math.frexp(z)
    e = k + j
    p = a * b
    low = _fma(a, b, -p)
    if m > e + 200:
        return step64(nearest, p, way)
    scaled = math.ldexp(nearest, int32(-e))
    if m < e - 200:
        left = (p - scaled) + low
        return step64(nearest, left if left != 0.0 else c, way)
    q, h1 = two(math.ldexp(c, int32(m - e)), low)
    q2, h2 = two(q, p)
    q3, g1 = two(-scaled, h1)
    q4, g2 = two(q3, h2)
    q5, g3 = two(q4, q2)
    left = q5 if q5 != 0.0 else (g3 if g3 != 0.0 else (g2 if g2 != 0.0 else g1))
    if nearest == 0.0 and left == 0.0:
        return -0.0 if way < 0 else 0.0
    return step64(nearest, left, way)


@jit(device=True)
def sum32(x, y, way):
    total, error = two(float64(x), float64(y))
    if total == 0.0:
        return float32(zero(float64(x), float64(y), way))
    return step32(total, error, way)


@jit(device=True)
def product32(x, y, way):
    return step32(float64(x) * float64(y), 0.0, way)


@jit(device=True)
def quotient32(x, y, way):
    above, below = float64(x), float64(y)
    nearest = above / below
    left = _fma(-nearest, below, above)
    return step32(nearest, left if below > 0.0 else -left, way)


@jit(device=True)
def root32(x, way):
    number = float64(x)
    nearest = math.sqrt(number)
    return step32(nearest, _fma(-nearest, nearest, number), way)


@jit(device=True)
def fused32(x, y, z, way):
    product = float64(x) * float64(y)
    total, error = two(product, float64(z))
    if total == 0.0:
        return float32(zero(product, float64(z), way))
    return step32(total, error, way)
