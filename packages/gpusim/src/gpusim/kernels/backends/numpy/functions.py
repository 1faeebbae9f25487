"""What functions of numbers compute, in NumPy; :mod:`..ir.promotion` says for which types."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from . import scalars


def _each(function, failed: Any = math.nan):
    """A function of Python's math, for arrays: one call for each lane, where NumPy has no such function."""

    def one(x):
        try:
            return function(float(x))
        except (ValueError, OverflowError):
            return failed(float(x)) if callable(failed) else failed

    def all_lanes(x):
        if type(x) is not np.ndarray:
            return x.dtype.type(one(x))
        return np.fromiter(map(one, x.tolist()), x.dtype, len(x))

    return all_lanes


def _gamma_pole(x: float) -> float:
    return math.inf if x > 0 else math.copysign(math.inf, x) if x == 0 else math.nan


def _modf(x):
    fraction, whole = np.modf(x)
    return fraction, whole


def _frexp(x):
    mantissa, exponent = np.frexp(x)
    return mantissa, exponent.astype(np.int32)


def _ldexp(x, n):
    return np.ldexp(x, np.asarray(n).astype(np.int32)[()])


def _math_pow(x, y):
    return np.power(x, y.astype(x.dtype))


def _remainder(x, y):
    """IEEE 754's: x - n y with n the nearest integer, the even one of two."""
    x, y = (v if v.dtype.kind == "f" else v.astype(np.float64) for v in (x, y))
    size = np.abs(y)
    rest = np.fmod(np.abs(x), size)
    other = size - rest
    odd = np.fmod(np.abs(x) - rest, 2 * size) != 0
    rest = np.where((rest < other) | ((rest == other) & ~odd), rest, -other)
    rest = np.where(np.isinf(y) & np.isfinite(x), np.abs(x), rest)
    return np.where(np.signbit(x), -rest, rest).astype(x.dtype)[()]


def _phase(z):
    return np.arctan2(z.imag, z.real)


def _rect(r, phi):
    nothing = (r == 0) & ~np.isfinite(phi)
    real, imag = np.where(nothing, 0, r * np.cos(phi)), np.where(nothing, 0, r * np.sin(phi))
    return scalars.make_complex(real, imag, np.result_type(r.dtype, np.complex64))


def _divmod(a, b):
    if a.dtype.kind in "iu":
        return scalars.floordiv_int(a, b), scalars.mod_int(a, b)
    return scalars.floordiv_float(a, b), scalars.mod_float(a, b)


def _float(function):
    """Functions that Numba calls with a float64 made of an integer."""

    def all_lanes(x):
        return function(x if x.dtype.kind in "fc" else x.astype(np.float64))

    return all_lanes


def _float2(function):
    def all_lanes(x, y):
        x, y = (v if v.dtype.kind in "fc" else v.astype(np.float64) for v in (x, y))
        return function(x, y)

    return all_lanes


def _degrees(x):
    return x * x.dtype.type(180 / math.pi)


def _radians(x):
    return x * x.dtype.type(math.pi / 180)


_SAME = "cosh exp expm1 log log10 log1p log2 sin cos sinh sqrt tan tanh fabs".split()
_INVERSE = "acos acosh asin asinh atan atanh".split()

MATH = {
    **{f"math.{name}": _float(getattr(np, name)) for name in _SAME},
    **{f"math.{name}": _float(getattr(np, "arc" + name[1:])) for name in _INVERSE},
    **{f"math.{name}": _float(getattr(np, name)) for name in ("isfinite", "isinf", "isnan")},
    **{f"math.{name}": _float(getattr(np, name)) for name in ("floor", "ceil", "trunc")},  # floats, as on a GPU
    "math.degrees": _float(_degrees),
    "math.radians": _float(_radians),
    "math.erf": _float(_each(math.erf)),
    "math.erfc": _float(_each(math.erfc)),
    "math.gamma": _float(_each(math.gamma, _gamma_pole)),
    "math.lgamma": _float(_each(math.lgamma, math.inf)),
    "math.frexp": _frexp,
    "math.modf": _modf,
    "math.atan2": _float2(np.arctan2),
    "math.hypot": _float2(np.hypot),
    "math.copysign": np.copysign,
    "math.fmod": np.fmod,
    "math.gcd": np.gcd,
    "math.ldexp": _ldexp,
    "math.nextafter": np.nextafter,
    "math.pow": _math_pow,
    "math.remainder": _remainder,
    **{
        f"cmath.{name}": getattr(np, name)
        for name in ("cos", "cosh", "exp", "log", "log10", "sin", "sinh", "sqrt", "tan", "tanh")
    },
    **{f"cmath.{name}": getattr(np, "arc" + name[1:]) for name in _INVERSE},
    **{f"cmath.{name}": getattr(np, name) for name in ("isfinite", "isinf", "isnan")},
    "cmath.phase": _phase,
    "builtins.abs": scalars.absolute,
    "builtins.round": scalars.rounded,
    "builtins.divmod": _divmod,
}
"""By the names of the tables: a function of operands that are converted already."""

POLAR = {
    cmath.phase: _phase,
    cmath.polar: lambda z: (np.abs(z), _phase(z)),
    cmath.rect: _rect,
    cmath.log: lambda z, base: scalars.complex_div(np.log(z), np.log(base)),
}
UFUNCS = {
    "angle": _phase,
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "degrees": np.degrees,
}
