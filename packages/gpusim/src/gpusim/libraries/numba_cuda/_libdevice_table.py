"""What the functions of `libdevice` give, as expressions of their arguments x, y and z, or X, Y and Z without a sign.

Their names and types are those of numba-cuda, in ``libdevice.json``: a result is converted to its type.
"""

from __future__ import annotations

# For both widths, the name of float32 with an f behind it; T is the type.
_BOTH = {
    **{f: f"math.{f}(x)" for f in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "erfc", "exp", "expm1",
                                   "lgamma", "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh", "fabs")},
    **{f: f"np.{f}(x)" for f in ("ceil", "floor", "rint", "trunc")},
    **{f: f"math.{f}(x, y)" for f in ("atan2", "copysign", "fmod", "hypot", "pow", "remainder")},
    **{f: f"_{f}(x)" for f in ("cbrt", "erfcx", "j0", "j1", "y0", "y1")},
    **{f: f"_{f}(float64(x))" for f in ("sinpi", "cospi", "normcdf", "erfinv", "erfcinv")},
    **{f: f"_{f}(x, y)" for f in ("jn", "yn")},
    "tgamma": "math.gamma(x)", "exp2": "T(2) ** x", "exp10": "T(10) ** x", "rcbrt": "T(1) / _cbrt(x)", "rsqrt": "T(1) / math.sqrt(x)",
    "fma": "_fma(x, y, z)",
    "fmax": "y if x != x or x < y or (x == y and math.copysign(1.0, x) < 0.0) else x",
    "fmin": "y if x != x or y < x or (x == y and math.copysign(1.0, y) < 0.0) else x",
    "fdim": "T(0) if x <= y else x - y", "nearbyint": "np.rint(x)", "nextafter": "np.nextafter(x, y)",
    "round": "math.copysign(np.trunc(x) + (T(0) if abs(x - np.trunc(x)) < T(0.5) else math.copysign(T(1), x)), x)",
    "llround": "np.trunc(x) + (math.copysign(1.0, x) if abs(x - np.trunc(x)) >= 0.5 else 0.0)", "llrint": "np.rint(x)",
    "sincos": "math.sin(x), math.cos(x)", "sincospi": "_sinpi(float64(x)), _cospi(float64(x))", "frexp": "math.frexp(x)",
    "modf": "math.copysign(T(0) if math.isinf(x) else x - np.trunc(x), x), np.trunc(x)", "remquo": "_remquo(float64(x), float64(y))",
    "ldexp": "math.ldexp(x, y)", "scalbn": "math.ldexp(x, y)", "powi": "math.pow(float64(x), float64(y))",
    "logb": "math.frexp(x)[1] - 1 if x - x == 0 and x != 0 else (-math.inf if x == 0 else x * x)",
    "ilogb": "math.frexp(x)[1] - 1 if x - x == 0 and x != 0 else (2147483647 if x == x and x != 0 else -2147483648)",
    "normcdfinv": "0.0 - 1.4142135623730951 * _erfcinv(2.0 * float64(x))",
}  # fmt: skip

_WAYS = {"rd": -1, "ru": 1, "rz": 0}
_ROUNDED = {"rn": "np.rint({})", "rd": "np.floor({})", "ru": "np.ceil({})", "rz": "{}"}
_TO_WHOLE = {"int": "_clip_i4", "uint": "_clip_u4", "ll": "_clip_i8", "ull": "_clip_u8"}
_FROM_WHOLE = {"int": "_step{0}(float64(x), 0.0, {1})", "uint": "_step{0}(float64(X), 0.0, {1})",
               "ll": "_whole{0}(x >> 32, x & 4294967295, {1})",
               "ull": "_whole{0}(X >> uint64(32), X & uint64(4294967295), {1})"}  # fmt: skip
_OPERATIONS = {"add": ("sum", "x, y"), "mul": ("product", "x, y"), "div": ("quotient", "x, y"), "rcp": ("quotient", "T(1), x"),
               "sqrt": ("root", "x")}  # fmt: skip
_NEAREST = {"add": "x + y", "mul": "x * y", "div": "x / y", "rcp": "T(1) / x", "sqrt": "math.sqrt(x)"}

EXPRESSIONS = {
    **_BOTH,
    **{f"{name}f": text for name, text in _BOTH.items()},
    # Rounded as their names say.
    **{f"{p}{name}_rn": text for p in "fd" for name, text in _NEAREST.items()},
    **{f"{p}{name}_{r}": f"_{how}{width}({args}, {way})" for p, width in (("f", 32), ("d", 64)) for name, (how, args) in _OPERATIONS.items()
       for r, way in _WAYS.items()},
    "fsub_rn": "x - y", **{f"fsub_{r}": f"_sum32(x, -y, {way})" for r, way in _WAYS.items()},
    "fma_rn": "_fma(x, y, z)", **{f"fma_{r}": f"_fused64(x, y, z, {way})" for r, way in _WAYS.items()},
    "fmaf_rn": "_fma(x, y, z)", **{f"fmaf_{r}": f"_fused32(x, y, z, {way})" for r, way in _WAYS.items()},
    "frsqrt_rn": "1.0 / math.sqrt(float64(x))", "saturatef": "min(max(x, T(0)), T(1)) if x == x else T(0)",
    # float32's quick ones.
    **{f"fast_{f}f": f"math.{f}(x)" for f in ("cos", "exp", "log", "log10", "log2", "sin", "tan")},
    "fast_exp10f": "T(10) ** x", "fast_powf": "math.pow(x, y)", "fast_fdividef": "x / y", "fast_sincosf": "math.sin(x), math.cos(x)",
    # Questions.
    **{f"is{what}{p}": f"math.is{what}(x)" for what in ("nan", "inf") for p in "fd"},
    "finitef": "math.isfinite(x)", "isfinited": "math.isfinite(x)",
    **{f"signbit{p}": "math.copysign(x * 0 + 1 if x != x else 1, x) < 0" for p in "fd"},
    # Conversions.
    **{f"{kind}2{name}_{r}": f"{clip}({text.format('float64(x)')})" for kind in ("float", "double") for name, clip in _TO_WHOLE.items()
       for r, text in _ROUNDED.items()},
    **{f"{name}2{kind}_rn": "X" if name[0] == "u" else "x" for name in _FROM_WHOLE for kind in ("float", "double")},
    **{f"{name}2float_{r}": text.format(32, way) for name, text in _FROM_WHOLE.items() for r, way in _WAYS.items()},
    **{f"{name}2double_{r}": _FROM_WHOLE[name].format(64, way) for name in ("ll", "ull") for r, way in _WAYS.items()},
    "double2float_rn": "x", **{f"double2float_{r}": f"_step32(x, 0.0, {way})" for r, way in _WAYS.items()},
    "half2float": "_half_to_float(int64(x))", "float2half_rn": "_float_to_half(float64(x))",
    "float_as_int": "np.float32(x).view(np.int32)", "int_as_float": "np.int32(x).view(np.float32)",
    "double_as_longlong": "np.float64(x).view(np.int64)", "longlong_as_double": "np.int64(x).view(np.float64)",
    "double2hiint": "np.float64(x).view(np.int64) >> 32", "double2loint": "np.float64(x).view(np.int64)",
    "hiloint2double": "np.int64(int64(x) << 32 | int64(Y)).view(np.float64)",
    # Whole numbers.
    "abs": "x if x >= 0 else -x", "llabs": "x if x >= 0 else -x",
    **{f"{p}{f}": f"x if x {sign} y else y" for p in ("", "ll") for f, sign in (("max", ">"), ("min", "<"))},
    **{f"{p}{f}": f"X if X {sign} Y else Y" for p in ("u", "ull") for f, sign in (("max", ">"), ("min", "<"))},
    "mul24": "(int32(x << 8) >> 8) * (int32(y << 8) >> 8)", "umul24": "(X & 0xFFFFFF) * (Y & 0xFFFFFF)",
    "mulhi": "(int64(x) * int64(y)) >> 32", "umulhi": "(uint64(X) * uint64(Y)) >> uint64(32)", "umul64hi": "_high(X, Y)",
    "mul64hi": "int64(_high(X, Y)) - (y if x < 0 else 0) - (x if y < 0 else 0)",
    "sad": "uint32(abs(x - y) + Z)", "usad": "uint32((X - Y if X > Y else Y - X) + Z)",
    "hadd": "(int64(x) + int64(y)) >> 1", "rhadd": "(int64(x) + int64(y) + 1) >> 1",
    "uhadd": "(int64(X) + int64(Y)) >> 1", "urhadd": "(int64(X) + int64(Y) + 1) >> 1",
    **{f"{f}{p}": f"_{f}(X)" for f in ("popc", "clz", "ffs", "brev") for p in ("", "ll")},
    "byte_perm": "_byte(x, y, z) | _byte(x, y, z >> 4) << 8 | _byte(x, y, z >> 8) << 16 | _byte(x, y, z >> 12) << 24",
}  # fmt: skip
