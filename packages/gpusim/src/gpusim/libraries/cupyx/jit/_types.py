"""CuPy's rules for the types of operations in a JIT kernel."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.frontend.cuda_cpp.c_types import OF_DTYPE

ORDER = "?bBhHiIlLqQefdFD"
OPERATORS = {
    ast.And: ("cupy_logical_and", lambda x, y: x and y), ast.Or: ("cupy_logical_or", lambda x, y: x or y),
    ast.Add: ("cupy_add", operator.add), ast.Sub: ("cupy_subtract", operator.sub),
    ast.Mult: ("cupy_multiply", operator.mul), ast.Pow: ("cupy_power", operator.pow),
    ast.Div: ("cupy_true_divide", operator.truediv), ast.FloorDiv: ("cupy_floor_divide", operator.floordiv),
    ast.Mod: ("cupy_remainder", operator.mod), ast.LShift: ("cupy_left_shift", operator.lshift),
    ast.RShift: ("cupy_right_shift", operator.rshift), ast.BitOr: ("cupy_bitwise_or", operator.or_),
    ast.BitAnd: ("cupy_bitwise_and", operator.and_), ast.BitXor: ("cupy_bitwise_xor", operator.xor),
    ast.Invert: ("cupy_invert", operator.invert), ast.Not: ("cupy_logical_not", operator.not_),
    ast.Eq: ("cupy_equal", operator.eq), ast.NotEq: ("cupy_not_equal", operator.ne), ast.Lt: ("cupy_less", operator.lt),
    ast.LtE: ("cupy_less_equal", operator.le), ast.Gt: ("cupy_greater", operator.gt),
    ast.GtE: ("cupy_greater_equal", operator.ge), ast.USub: ("cupy_negative", operator.neg),
}  # fmt: skip
_TEXT = {
    "cupy_add": "+", "cupy_subtract": "-", "cupy_multiply": "*", "cupy_true_divide": "/", "cupy_left_shift": "<<",
    "cupy_right_shift": ">>", "cupy_bitwise_or": "|", "cupy_bitwise_and": "&", "cupy_bitwise_xor": "^",
    "cupy_logical_and": "&&", "cupy_logical_or": "||", "cupy_equal": "==", "cupy_not_equal": "!=", "cupy_less": "<",
    "cupy_less_equal": "<=", "cupy_greater": ">", "cupy_greater_equal": ">=",
}  # fmt: skip
_TRUTHS = frozenset(("&&", "||", "==", "!=", "<", "<=", ">", ">="))
_FUNCTIONS = {
    **{f"cupy_{n}": n for n in (
        "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "floor",
        "ceil", "trunc", "rint", "hypot", "copysign", "cbrt", "isnan", "isinf", "isfinite", "signbit",
    )},
    "cupy_arcsin": "asin", "cupy_arccos": "acos", "cupy_arctan": "atan", "cupy_arcsinh": "asinh", "cupy_arccosh": "acosh",
    "cupy_arctanh": "atanh", "cupy_arctan2": "atan2", "cupy_absolute": "abs", "cupy_minimum": "_hf_minimum",
    "cupy_maximum": "_hf_maximum", "cupy_fmin": "fmin", "cupy_fmax": "fmax", "cupy_fmod": "fmod",
    "cupy_power": "_hf_power", "cupy_floor_divide": "_hf_floordiv", "cupy_remainder": "_hf_pymod",
}  # fmt: skip


def constant_type(mode: str, value: Any) -> np.dtype:
    """The dtype of a constant: int32 and float32 where CUDA's rules hold.

    Raises
    ------
    NotImplementedError
        As CuPy raises it, for what is no number.
    """
    if isinstance(value, np.generic):
        return value.dtype
    kinds = [(bool, "?"), (int, "q"), (float, "d"), (complex, "D")]
    for kind, char in kinds:
        if isinstance(value, kind):
            if mode == "cuda":
                small = kind is int and -(1 << 31) <= value < (1 << 31)
                char = {"q": "i" if small else "q", "d": "f", "D": "F"}.get(char, char)
            return np.dtype(char)
    raise NotImplementedError(f"{value} is not scalar object.")


def castable(mode: str, given: np.dtype, wanted: np.dtype) -> bool:
    """Whether a loop of a ufunc takes a type."""
    if mode == "numpy":
        return np.can_cast(given, wanted)
    return ORDER.find(given.char) <= ORDER.find(wanted.char)


def loop(name: str, types: list[np.dtype], mode: str, dtype: Any = None) -> tuple[list[np.dtype], np.dtype]:
    """The types that a ufunc computes in, and its result's.

    Raises
    ------
    TypeError
        As CuPy raises it.
    """
    from cupy._core.ufuncs import lookup

    ufunc = lookup(name)
    for each in ufunc.types:
        ins, _, out = each.partition("->")
        if "V" in ins:
            continue
        if dtype is not None:
            if np.dtype(out) == np.dtype(dtype):
                return [np.dtype(c) for c in ins], np.dtype(out)
        elif all(castable(mode, t, np.dtype(c)) for t, c in zip(types, ins, strict=True)):
            if each in ufunc._refused:
                raise TypeError(ufunc._refused[each])
            return [np.dtype(c) for c in ins], np.dtype(out)
    raise TypeError(f'"{name}" does not support for the input types: {types}')


def ctype(dtype: np.dtype) -> str:
    """A dtype's name in C.

    Raises
    ------
    NotSimulatedError
        For float16.
    """
    if dtype not in OF_DTYPE:
        raise NotSimulatedError(f"{dtype} in a JIT kernel", "float32")
    kind = OF_DTYPE[dtype]
    return f"_hf_{kind.char}" if kind.kind == "c" else str(kind)


def code(name: str, out: np.dtype, ins: list[np.dtype], args: list[str]) -> str:
    """A ufunc's operation in C, on arguments that have its types.

    Raises
    ------
    NotSimulatedError
        For a ufunc that has no C here.
    """
    if ins[0] == np.bool_ and name in ("cupy_add", "cupy_multiply"):
        return f"({args[0]} {'||' if name == 'cupy_add' else '&&'} {args[1]})"
    if name == "cupy_negative":
        return f"({ctype(out)})(-{args[0]})"
    if name in ("cupy_invert", "cupy_logical_not"):
        inverted = name == "cupy_invert" and ins[0] != np.bool_
        return f"({ctype(out)})(~{args[0]})" if inverted else f"(!{args[0]})"
    if name == "cupy_true_divide" and ins[0].kind in "iu":
        args = [f"(double)({a})" for a in args]
    if name in _TEXT:
        made = f"({args[0]} {_TEXT[name]} {args[1]})"
        return made if _TEXT[name] in _TRUTHS else f"(({ctype(out)}){made})"
    if name not in _FUNCTIONS:
        raise NotSimulatedError(f"{name.removeprefix('cupy_')} in a JIT kernel")
    return f"(({ctype(out)}){_FUNCTIONS[name]}({', '.join(args)}))"


def written(value: Any, dtype: np.dtype) -> str:
    """A constant in C."""
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind in "iu":
        value = int(value)
        if value == -(2**63):
            return "(-9223372036854775807LL - 1)"
        suffix = ("u" if dtype.kind == "u" else "") + ("LL" if dtype.itemsize == 8 else "")
        return f"(({ctype(dtype)})({value}{suffix}))"
    if dtype.kind == "f":
        short = dtype.itemsize < 8
        value = float(value)
        if value != value:
            return "CUDART_NAN_F" if short else "CUDART_NAN"
        if value in (float("inf"), float("-inf")):
            return ("-" if value < 0 else "") + ("CUDART_INF_F" if short else "CUDART_INF")
        return f"({value!r}{'f' if short else ''})" if any(c in repr(value) for c in ".e") else f"({value!r}.0)"
    part = "f" if dtype.itemsize == 8 else ""
    number = complex(value)
    return f"_hf_make{dtype.itemsize}({number.real!r}{part}, {number.imag!r}{part})"
