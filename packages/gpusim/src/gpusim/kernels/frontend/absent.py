"""Functions of NumPy and methods of arrays that numba-cuda does not have for a GPU: asked of numba-cuda 0.30.4, which
compiles without a GPU too.

`packages/kernellens/tests/test_compile_extra.py` and `packages/gpusim/tests/compiler_sweep` ask it again, where it is installed.
"""

from __future__ import annotations

import ast

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
            "isclose",
        ),
    )
)
"""Functions of NumPy that give a number and that a kernel cannot call all the same."""

METHODS = frozenset(("max", "min", "ptp", "ravel", "sort", "nonzero", "dot", "take", "tobytes"))

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


def mistyped(node: ast.AST) -> bool:
    """Whether numba-cuda finds a statement or an expression of Python wrong by its types: it calls that a `TypingError`."""
    if isinstance(node, ast.Try):
        names = {getattr(handler.type, "id", "") for handler in node.handlers}
        return bool(names - {"", "Exception"})
    return isinstance(node, ast.Dict | ast.DictComp | ast.ListComp | ast.JoinedStr)


def sentence(what: str, name: str) -> str:
    """Say that something does not exist in a kernel, and what to write instead."""
    instead = _INSTEAD.get(name)
    return f"{what} does not exist in a kernel: " + (f"write {instead}." if instead else "write a loop.")
