"""What Numba has for a CPU and numba-cuda has not for a GPU: asked of numba-cuda 0.30.4, which compiles without a GPU too.

`packages/kernellens/tests/test_compile_extra.py` asks it again, where it is installed.
"""

from __future__ import annotations

import math
import operator

import numpy as np
from numba.core import ir, types

UFUNCS = frozenset(
    (
        *("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "bitwise_and", "bitwise_or"),
        *(
            "bitwise_xor",
            "conjugate",
            "cos",
            "cosh",
            "deg2rad",
            "degrees",
            "divide",
            "equal",
            "fmax",
            "fmin",
            "greater",
        ),
        *("greater_equal", "hypot", "invert", "isnan", "left_shift", "less", "less_equal", "log", "log10", "log2"),
        *("logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "not_equal", "rad2deg"),
        *("radians", "right_shift", "sin", "sinh", "tan", "tanh"),
    )
)
"""The ufuncs that a kernel can call [numba_cuda/numba/cuda/ufuncs.py]."""

FUNCTIONS = frozenset(
    (
        *("max", "amax", "min", "amin", "ptp", "median", "percentile", "quantile", "nanmax", "nanmin", "nanmedian"),
        *(
            "nanpercentile",
            "nanquantile",
            "interp",
            "allclose",
            "array_equal",
            "nan_to_num",
            "round",
            "around",
            "matmul",
        ),
    )
)
"""Functions of NumPy that give a number and that a kernel cannot call all the same."""

METHODS = frozenset(("max", "min", "ptp", "ravel"))

_INSTEAD = {
    **{
        name: f"math.{name}(x)" for name in ("sqrt", "exp", "expm1", "log1p", "floor", "ceil", "trunc", "fabs", "isinf")
    },
    **{name: f"math.{name}(x)" for name in ("isfinite", "copysign", "ldexp", "fmod")},
    **{
        "absolute": "abs(x)",
        "add": "x + y",
        "subtract": "x - y",
        "multiply": "x * y",
        "negative": "-x",
        "square": "x * x",
    },
    **{
        "power": "x ** y",
        "float_power": "x ** y",
        "remainder": "x % y",
        "floor_divide": "x // y",
        "cbrt": "cuda.cbrt(x)",
    },
    **{"rint": "round(x)", "round": "round(x)", "around": "round(x)", "reciprocal": "1 / x", "exp2": "2.0 ** x"},
    **{"divmod": "x // y and x % y", "positive": "x", "max": "a loop with max(a, b)", "min": "a loop with min(a, b)"},
    **{"amax": "a loop with max(a, b)", "amin": "a loop with min(a, b)", "ravel": "reshape"},
}


def absent(expression: object, typemap: dict[str, types.Type]) -> str | None:
    """Say what an expression uses that a GPU's compiler does not have, and what to use; None if nothing.

    Parameters
    ----------
    expression : numba.core.ir.Inst
        With a signature in Numba's ``calltypes``.
    typemap : dict
        The type of each variable.
    """
    if not isinstance(expression, ir.Expr):
        return None
    if expression.op in ("binop", "inplace_binop") and expression.fn in (operator.matmul, operator.imatmul):
        return "The product @ is a library's, which a kernel cannot call: write a loop."
    return _called(typemap.get(expression.func.name)) if expression.op == "call" else None


def _called(callee: types.Type | None) -> str | None:
    key = getattr(callee, "typing_key", None)
    if isinstance(callee, types.BoundFunction):
        method = key[1] if isinstance(key, tuple) else str(key).rsplit(".", 1)[-1]
        array = isinstance(getattr(callee, "this", None), types.Array)
        return _sentence(f"The method {method}", method) if array and method in METHODS else None
    if isinstance(key, np.ufunc):
        return None if key.__name__ in UFUNCS else _sentence(f"np.{key.__name__}", key.__name__)
    name, module = getattr(key, "__name__", ""), getattr(key, "__module__", None) or ""
    if isinstance(getattr(key, "__self__", None), np.random.RandomState):
        return (
            f"np.random.{name} does not exist in a kernel: take random numbers from numba.cuda.random (xoroshiro128p)."
        )
    if key is math.gcd or key is hash:
        return _sentence(f"{'math.' if key is math.gcd else ''}{name}", name)
    if module.startswith("numpy.linalg"):
        return f"np.linalg.{name} is a library's, which a kernel cannot call: write a loop, or use cupy.linalg outside of it."
    if module.split(".")[0] == "numpy" and name in FUNCTIONS:
        return _sentence(f"np.{name}", name)
    return None


def _sentence(what: str, name: str) -> str:
    instead = _INSTEAD.get(name)
    return f"{what} does not exist in a kernel: " + (f"write {instead}." if instead else "write a loop.")
