"""CUDA's library of device functions, for kernels: the mathematical ones, the conversions and the bits.

Each is a device function in Python, computed with the CPU's mathematical library: right to about as many digits as a GPU's,
and the ``fast_`` ones to more.
"""

from __future__ import annotations

import inspect
import math

import numpy as np
from numba import float32, float64, int32, int64, uint32, uint64

from gpusim.kernels.frontend.cuda_cpp import device_library

from . import _generated
from ._device_names import top as _top
from .decorators import jit

_NAMES = {
    "math": math, "np": np, "float32": float32, "float64": float64, "int32": int32, "int64": int64, "uint32": uint32,
    "uint64": uint64, "_popc": _top["popc"], "_clz": _top["clz"], "_ffs": _top["ffs"], "_brev": _top["brev"],
    "_fma": _top["fma"], "_cbrt": _top["cbrt"],
}  # fmt: skip

# Name → expression in x, y and z, computed in float64; with an f behind the name, in float32.
_REAL = {
    **{f: f"math.{f}(x)" for f in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "erfc", "exp",
                                   "expm1", "lgamma", "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan",
                                   "tanh", "fabs")},
    **{f: f"np.{f}(x)" for f in ("ceil", "floor", "rint", "trunc")},
    **{f: f"math.{f}(x, y)" for f in ("atan2", "copysign", "fmod", "hypot", "pow")},
    "tgamma": "math.gamma(x)", "exp2": "T(2) ** x", "exp10": "T(10) ** x", "cbrt": "_cbrt(x)", "rcbrt": "T(1) / _cbrt(x)",
    "rsqrt": "T(1) / math.sqrt(x)", "sinpi": "_sinpi(float64(x))", "cospi": "_cospi(float64(x))",
    "fma": "_fma(x, y, z)", "fmax": "x if x >= y or y != y else y", "fmin": "x if x <= y or y != y else y",
    "fdim": "T(0) if x <= y else x - y", "nearbyint": "np.rint(x)",
    "round": "np.trunc(x) + (T(0) if abs(x - np.trunc(x)) < T(0.5) else math.copysign(T(1), x))",
    "sincos": "(math.sin(x), math.cos(x))", "sincospi": "(T(_sinpi(float64(x))), T(_cospi(float64(x))))",
}  # fmt: skip

# Name → (argument types, expression).
_f, _d, _i, _l, _u, _w = "float32", "float64", "int32", "int64", "uint32", "uint64"
_OTHERS = {
    **{f"fast_{f}f": ((_f,), f"math.{f}(x)") for f in ("cos", "exp", "log", "log10", "log2", "sin", "tan")},
    "fast_exp10f": ((_f,), "float32(10) ** x"), "fast_powf": ((_f, _f), "math.pow(x, y)"),
    "fast_fdividef": ((_f, _f), "x / y"), "fast_sincosf": ((_f,), "(math.sin(x), math.cos(x))"),
    "saturatef": ((_f,), "min(max(x, float32(0)), float32(1)) if x == x else float32(0)"),
    **{f"{p}{op}_rn": ((t, t), f"x {sign} y") for p, t in (("f", _f), ("d", _d))
       for op, sign in (("add", "+"), ("mul", "*"), ("div", "/"))},
    "fsub_rn": ((_f, _f), "x - y"),
    **{f"{p}sqrt_rn": ((t,), "math.sqrt(x)") for p, t in (("f", _f), ("d", _d))},
    **{f"{p}rcp_rn": ((t,), f"{t}(1) / x") for p, t in (("f", _f), ("d", _d))},
    "fmaf_rn": ((_f, _f, _f), "_fma(x, y, z)"), "fma_rn": ((_d, _d, _d), "_fma(x, y, z)"),
    "frsqrt_rn": ((_f,), "float32(1.0 / math.sqrt(float64(x)))"),
    **{f"is{what}{p}": ((t,), f"int32(math.is{what}(x))") for what in ("nan", "inf") for p, t in (("f", _f), ("d", _d))},
    "finitef": ((_f,), "int32(math.isfinite(x))"), "isfinited": ((_d,), "int32(math.isfinite(x))"),
    "signbitf": ((_f,), "int32(math.copysign(x * 0 + 1 if x != x else 1, x) < 0)"),
    "signbitd": ((_d,), "int32(math.copysign(x * 0 + 1 if x != x else 1, x) < 0)"),
    "ldexp": ((_d, _i), "math.ldexp(x, y)"), "ldexpf": ((_f, _i), "float32(math.ldexp(x, y))"),
    "frexp": ((_d,), "math.frexp(x)"), "powi": ((_d, _i), "math.pow(x, float64(y))"), "powif": ((_f, _i), "float32(math.pow(float64(x), float64(y)))"),
    "abs": ((_i,), "int32(x if x >= 0 else -x)"), "llabs": ((_l,), "x if x >= 0 else -x"),
    **{f"{p}{f}": ((t, t), f"{t}(x if x {sign} y else y)") for p, t in (("", _i), ("ll", _l), ("u", _u), ("ull", _w))
       for f, sign in (("max", ">"), ("min", "<"))},
    "mul24": ((_i, _i), "int32((int32(x << 8) >> 8) * (int32(y << 8) >> 8))"), "mulhi": ((_i, _i), "int32((int64(x) * int64(y)) >> 32)"),
    "sad": ((_i, _i, _u), "uint32(abs(x - y) + z)"), "hadd": ((_i, _i), "int32((int64(x) + int64(y)) >> 1)"),
    "rhadd": ((_i, _i), "int32((int64(x) + int64(y) + 1) >> 1)"),
    "popc": ((_i,), "int32(_popc(x))"), "popcll": ((_l,), "int32(_popc(x))"), "clz": ((_i,), "int32(_clz(x))"),
    "clzll": ((_l,), "int32(_clz(x))"), "ffs": ((_i,), "int32(_ffs(x))"), "ffsll": ((_l,), "int32(_ffs(x))"),
    "brev": ((_i,), "int32(_brev(x))"), "brevll": ((_l,), "int64(_brev(uint64(x)))"),
    **{f"{n}2int_rz": ((t,), "int32(x)") for n, t in (("float", _f), ("double", _d))},
    **{f"{n}2int_rn": ((t,), "int32(np.rint(x))") for n, t in (("float", _f), ("double", _d))},
    **{f"{n}2int_rd": ((t,), "int32(np.floor(x))") for n, t in (("float", _f), ("double", _d))},
    **{f"{n}2int_ru": ((t,), "int32(np.ceil(x))") for n, t in (("float", _f), ("double", _d))},
    **{f"{n}2ll_rz": ((t,), "int64(x)") for n, t in (("float", _f), ("double", _d))},
    **{f"{n}2ll_rn": ((t,), "int64(np.rint(x))") for n, t in (("float", _f), ("double", _d))},
    **{f"{n}2ll_rd": ((t,), "int64(np.floor(x))") for n, t in (("float", _f), ("double", _d))},
    **{f"{n}2ll_ru": ((t,), "int64(np.ceil(x))") for n, t in (("float", _f), ("double", _d))},
    "double2float_rn": ((_d,), "float32(x)"), "int2float_rn": ((_i,), "float32(x)"), "int2double_rn": ((_i,), "float64(x)"),
    "float_as_int": ((_f,), "np.float32(x).view(np.int32)"), "int_as_float": ((_i,), "np.int32(x).view(np.float32)"),
    "double_as_longlong": ((_d,), "np.float64(x).view(np.int64)"), "longlong_as_double": ((_l,), "np.int64(x).view(np.float64)"),
    "double2hiint": ((_d,), "int32(np.float64(x).view(np.int64) >> 32)"), "double2loint": ((_d,), "int32(np.float64(x).view(np.int64))"),
    "hiloint2double": ((_i, _i), "np.int64(int64(x) << 32 | int64(uint32(y))).view(np.float64)"),
    "umulhi": ((_u, _u), "uint32((uint64(x) * uint64(y)) >> uint64(32))"), "umul24": ((_u, _u), "uint32((x & 0xFFFFFF) * (y & 0xFFFFFF))"),
    "umul64hi": ((_w, _w), "int64(_high(x, y))"),
    "mul64hi": ((_l, _l), "int64(_high(uint64(x), uint64(y))) - (y if x < 0 else 0) - (x if y < 0 else 0)"),
    "byte_perm": ((_i, _i, _i), "int32(_byte(x, y, z) | _byte(x, y, z >> 4) << 8 | _byte(x, y, z >> 8) << 16 | "
                                "_byte(x, y, z >> 12) << 24)"),
    "usad": ((_u, _u, _u), "uint32((x - y if x > y else y - x) + z)"), "uhadd": ((_u, _u), "uint32((int64(x) + int64(y)) >> 1)"),
    "urhadd": ((_u, _u), "uint32((int64(x) + int64(y) + 1) >> 1)"),
    **{f"modf{p}": ((t,), f"({t}(math.copysign({t}(0) if math.isinf(x) else x - np.trunc(x), x)), np.trunc(x))")
       for p, t in (("", _d), ("f", _f))},
    **{f"{n}2uint_{r}": ((t,), f"uint32(min(max({of}, 0.0), 4294967295.0))") for n, t in (("float", _f), ("double", _d))
       for r, of in (("rz", "float64(x)"), ("rn", "np.rint(float64(x))"), ("rd", "np.floor(float64(x))"), ("ru", "np.ceil(float64(x))"))},
    **{f"scalbn{p}": ((t, _i), f"{t}(math.ldexp(x, y))") for p, t in (("", _d), ("f", _f))},
    **{f"llround{p}": ((t,), "int64(np.trunc(x) + (math.copysign(1.0, x) if abs(x - np.trunc(x)) >= 0.5 else 0.0))") for p, t in (("", _d), ("f", _f))},
    **{f"llrint{p}": ((t,), "int64(np.rint(x))") for p, t in (("", _d), ("f", _f))},
    **{f"logb{p}": ((t,), f"{t}(math.frexp(x)[1] - 1 if x - x == 0 and x != 0 else (-math.inf if x == 0 else x * x))") for p, t in (("", _d), ("f", _f))},
    **{f"ilogb{p}": ((t,), "int32(math.frexp(x)[1] - 1 if x - x == 0 and x != 0 else (2147483647 if x == x and x != 0 else -2147483648))") for p, t in (("", _d), ("f", _f))},
    "frexpf": ((_f,), "math.frexp(x)"), "nextafter": ((_d, _d), "np.nextafter(x, y)"),
    "nextafterf": ((_f, _f), "float32(np.nextafter(x, y))"),
    **{f"normcdf{p}": ((t,), f"{t}(_normcdf(float64(x)))") for p, t in (("", _d), ("f", _f))},
    **{f"erfinv{p}": ((t,), f"{t}(_erfinv(float64(x)))") for p, t in (("", _d), ("f", _f))},
    **{f"erfcinv{p}": ((t,), f"{t}(_erfcinv(float64(x)))") for p, t in (("", _d), ("f", _f))},
    **{f"normcdfinv{p}": ((t,), f"{t}(0.0 - 1.4142135623730951 * _erfcinv(2.0 * float64(x)))") for p, t in (("", _d), ("f", _f))},
    "uint2float_rn": ((_u,), "float32(x)"), "uint2double_rn": ((_u,), "float64(x)"), "ll2float_rn": ((_l,), "float32(x)"),
    "ll2double_rn": ((_l,), "float64(x)"),
}  # fmt: skip


def _helper(name: str, source: str) -> None:
    _NAMES[name] = jit(_generated.function(name, source, _NAMES), device=True)


_helper(
    "_high",
    """def _high(x, y):
    low = uint64(0xFFFFFFFF)
    half = uint64(32)
    a, b, c, d = x >> half, x & low, y >> half, y & low
    middle = (b * d >> half) + (a * d & low) + (b * c & low)
    return a * c + (a * d >> half) + (b * c >> half) + (middle >> half)
""",
)
_helper(
    "_byte",
    """def _byte(x, y, which):
    which = which & 7
    return (x >> 8 * which if which < 4 else y >> 8 * (which - 4)) & 255
""",
)


# The same for C++, and in this order, since they call each other.
for _name in ("central", "erfcinv", "erfinv", "normcdf", "sinpi", "cospi"):
    _function = getattr(device_library, _name)
    _helper(f"_{_function.__name__}", f"def _{inspect.getsource(_function)[4:]}")


def _define(name: str, kinds: tuple[str, ...], expression: str, result: str = "") -> None:
    arguments = "xyz"[: len(kinds)]
    lines = [f"def {name}({', '.join(arguments)}):\n"]
    lines += [f"    {a} = {kind}({a})\n" for a, kind in zip(arguments, kinds, strict=True)]
    lines.append(f"    return {f'{result}({expression})' if result else expression}\n")
    made = jit(_generated.function(name, "".join(lines), _NAMES), device=True)
    made.__doc__ = f"``__nv_{name}`` of libdevice: {expression}."
    globals()[name] = made


for _name, _expression in _REAL.items():
    _count = 3 if "z" in _expression else 2 if "y)" in _expression or "y " in _expression else 1
    for _suffix, _kind in (("", "float64"), ("f", "float32")):
        _text = _expression.replace("T(", f"{_kind}(")
        _define(_name + _suffix, (_kind,) * _count, _text, "" if _text.startswith("(") else _kind)
for _name, (_kinds, _expression) in _OTHERS.items():
    _result = "float32" if _name.startswith("fast_") and _expression[0] != "(" else ""
    # numba-cuda declares all of libdevice's integers as signed.
    _result = {"uint32(": "int32", "uint64(": "int64"}.get(_expression.partition("(")[0] + "(", _result)
    _define(_name, _kinds, _expression, _result)

__all__ = [*_REAL, *(f"{_name}f" for _name in _REAL), *_OTHERS]
