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

KEYS = frozenset(
    "absolute add cbrt ceil copysign exp exp2 expm1 fabs float_power floor floor_divide fmod gcd isfinite isinf lcm ldexp log1p "
    "logaddexp logaddexp2 multiply negative nextafter positive power reciprocal remainder rint sign signbit spacing sqrt square "
    "subtract trunc".split()
)
"""Ufuncs that have a type and no code: a `KeyError` of numba-cuda's compiler. The others that it does not take are a `TypingError`."""

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
UNLOWERED = frozenset(("sort",))
"""The methods of these that numba-cuda finds the types of, and then has no code for: a `NotImplementedError`."""

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


def numbas_error(node: ast.AST, function: ast.AST) -> str:
    """What numba-cuda calls its error about a statement or an expression of Python in a function; empty for none of Numba's own."""
    if isinstance(node, ast.Try):
        names = {getattr(handler.type, "id", "") for handler in node.handlers}
        return "TypingError" if names - {"", "Exception"} else ""
    if isinstance(node, ast.List):
        return "TypingError" if not node.elts or _used_as_a_list(node, function) else "NumbaRuntimeError"
    if isinstance(node, ast.Set):  # Python's compiler makes one of three constants otherwise than one of two
        constant = len(node.elts) > 2 and all(isinstance(each, ast.Constant) for each in node.elts)
        return "TypingError" if constant else "AttributeError"
    if isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef):
        return "UnsupportedBytecodeError"
    return "TypingError" if isinstance(node, ast.Dict | ast.DictComp | ast.ListComp | ast.JoinedStr) else ""


def miscounted(name: str) -> str:
    """The error of numba-cuda about a function of ``cuda`` that is called with too few or too many arguments."""
    if name.startswith("atomic.") or name == "selp":
        return "ValueError"
    votes = ("all_sync", "any_sync", "eq_sync", "ballot_sync")
    return "TypeError" if name.startswith(("syncthreads", "shfl_", "grid")) or name in votes else "TypingError"


_TAKE_LISTS = frozenset(("len", "enumerate", "zip", "range"))


def _used_as_a_list(made: ast.List, function: ast.AST) -> bool:
    """Whether something is done with a list that a kernel has for no type of list; to make one is refused later."""

    def same(node: ast.AST | None) -> bool:  # a backend may look at a copy of the function
        place = (made.lineno, made.col_offset)
        return isinstance(node, ast.List) and (node.lineno, node.col_offset) == place

    names = {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and same(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def it(node: ast.AST | None) -> bool:
        return same(node) or isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)

    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and it(node.value):
            return True
        if isinstance(node, ast.BinOp) and (it(node.left) or it(node.right)):
            return True
        if isinstance(node, ast.Compare) and not isinstance(node.ops[0], ast.In | ast.NotIn):
            if any(map(it, (node.left, *node.comparators))):
                return True
        if isinstance(node, ast.Call) and any(map(it, node.args)) and getattr(node.func, "id", "") not in _TAKE_LISTS:
            return True
    return False


def sentence(what: str, name: str) -> str:
    """Say that something does not exist in a kernel, and what to write instead."""
    instead = _INSTEAD.get(name)
    return f"{what} does not exist in a kernel: " + (f"write {instead}." if instead else "write a loop.")
