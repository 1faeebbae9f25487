"""CUDA's inverse error functions and the normal distribution: device functions, by Halley's method on `erf` and `erfc`."""

from __future__ import annotations

import math

from .support import Device


def central(x):
    """The number whose `erf` is x, for x of at most 0.5."""
    r = 0.886226925452758 * x
    for _ in range(4):
        error = math.erf(r) - x
        r -= error / (1.1283791670955126 * math.exp(-r * r) + r * error)
    return r


_central = Device(central)


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


_erfcinv = Device(erfcinv)


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
    """The share of the normal distribution below x."""
    return 0.5 * math.erfc(-0.7071067811865476 * x)


def normcdfinv(x):
    """The number below which a share x of the normal distribution lies."""
    return -1.4142135623730951 * _erfcinv(2.0 * x)


INVERSE = {f"_c_{function.__name__}": Device(function) for function in (erfcinv, erfinv, normcdf, normcdfinv)}
