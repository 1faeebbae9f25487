"""Bit counting, fused multiply-add and half precision, for arrays of lanes."""

from __future__ import annotations

import numpy as np

_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def _bits(x):
    return np.asarray(x).astype(_UNSIGNED[x.dtype.itemsize])


def popc(x):
    """Number of bits that are set."""
    return np.bitwise_count(_bits(x))[()]


def _spread(u):
    """All bits below the highest one set, too."""
    shift = 1
    while shift < u.dtype.itemsize * 8:
        u = u | (u >> u.dtype.type(shift))
        shift *= 2
    return u


def clz(x):
    """Number of zeros before the highest bit that is set."""
    u = _bits(x)
    return (u.dtype.itemsize * 8 - np.bitwise_count(_spread(u)).astype(np.int64))[()]


def ffs(x):
    """Position of the lowest bit that is set, from 1; 0 if none is."""
    u = _bits(x)
    lowest = u & (~u + u.dtype.type(1))
    return np.where(u == 0, 0, np.bitwise_count(_spread(lowest)))[()]


def brev(x):
    """The bits in the opposite order."""
    u, n = np.asarray(x), x.dtype.itemsize * 8
    mask = u.dtype.type(~u.dtype.type(0))
    shift = n
    while shift > 1:
        shift //= 2
        mask = mask ^ (mask << u.dtype.type(shift))
        u = ((u >> u.dtype.type(shift)) & mask) | ((u << u.dtype.type(shift)) & ~mask)
    return u[()]


def fma(a, b, c):
    """a * b + c with one rounding: exact products and sums by Dekker and Knuth, where float64 is not wide enough already."""
    if a.dtype == np.float32:
        return _fma32(a.astype("f8"), b.astype("f8"), c.astype("f8"))
    from fractions import Fraction

    shape = np.broadcast(a, b, c).shape
    a, b, c = (v.ravel() for v in np.broadcast_arrays(a, b, c))
    plain = a * b + c
    for k in np.flatnonzero(np.isfinite(a) & np.isfinite(b) & np.isfinite(c)):
        exact = Fraction(float(a[k])) * Fraction(float(b[k])) + Fraction(float(c[k]))
        try:
            plain[k] = float(exact) if exact else plain[k]
        except OverflowError:
            plain[k] = np.inf if exact > 0 else -np.inf
    return plain.reshape(shape)[()]


def _fma32(a, b, c):
    product = a * b  # exact: 24 + 24 bits
    total = product + c
    back = total - product
    error = (product - (total - back)) + (c - back)
    # Round to odd, so that the second rounding, to float32, sees what the first one lost.
    bits = np.asarray(total).view(np.int64)
    inexact = (error != 0) & np.isfinite(total) & ((bits & 1) == 0)
    toward = np.where(error > 0, np.inf, -np.inf)
    odd = np.where(inexact, np.nextafter(total, toward), total)
    return odd.astype(np.float32)[()]


def _in_single(function):
    return lambda x: function(x.astype(np.float32)).astype(np.float16)


def _hfma(a, b, c):
    a, b, c = (v.astype(np.float64) for v in (a, b, c))
    return (a * b + c).astype(np.float16)


HALF_COMPARISONS = ("heq", "hne", "hge", "hgt", "hle", "hlt")
HALF = {
    **{"hadd": (np.add, 2), "hsub": (np.subtract, 2), "hmul": (np.multiply, 2), "hdiv": (np.true_divide, 2)},
    **{"hmax": (np.fmax, 2), "hmin": (np.fmin, 2), "hneg": (np.negative, 1), "habs": (np.absolute, 1)},
    **{"heq": (np.equal, 2), "hne": (np.not_equal, 2), "hge": (np.greater_equal, 2), "hgt": (np.greater, 2)},
    **{"hle": (np.less_equal, 2), "hlt": (np.less, 2), "hfma": (_hfma, 3)},
    **{
        f"h{name}": (_in_single(getattr(np, name)), 1) for name in ("sin", "cos", "log", "log10", "log2", "exp", "exp2")
    },
    **{f"h{name}": (_in_single(getattr(np, name)), 1) for name in ("sqrt", "ceil", "floor", "trunc", "rint")},
    "hexp10": (_in_single(lambda x: np.float32(10) ** x), 1),
    "hrsqrt": (_in_single(lambda x: 1 / np.sqrt(x)), 1),
    "hrcp": (_in_single(lambda x: 1 / x), 1),
}
"""By name: the function and how many operands it takes."""
