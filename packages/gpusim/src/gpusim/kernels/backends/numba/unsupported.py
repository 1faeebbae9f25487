"""What Numba has for a CPU and numba-cuda has not for a GPU."""

from __future__ import annotations

import math
import operator
import random
from typing import Any

import numpy as np
from numba.core import ir, types

from ...frontend.absent import FUNCTIONS, KEYS, METHODS, UFUNCS, UNLOWERED, sentence
from . import access


class Unlowered(str):
    """A sentence about what numba-cuda finds the types of, and then has no code for."""


class Unknown(str):
    """A sentence about a ufunc for which numba-cuda's compiler ends in a `KeyError`."""


def absent(expression: Any, typemap: dict[str, types.Type]) -> str | None:
    """Say what an expression uses that a GPU's compiler does not have, and what to use; None if nothing.

    Parameters
    ----------
    expression : numba.core.ir.Inst
        With a signature in Numba's ``calltypes``.
    typemap : dict
        The type of each variable.
    """
    if isinstance(expression, ir.Print):
        return _printed([typemap.get(each.name) for each in expression.args])
    if not isinstance(expression, ir.Expr):
        return None
    if expression.op in ("binop", "inplace_binop") and expression.fn in (operator.matmul, operator.imatmul):
        return "The product @ is a library's, which a kernel cannot call: write a loop."
    if expression.op in ("binop", "inplace_binop") and expression.fn in _JOINING:
        if _text(typemap, expression.lhs) or _text(typemap, expression.rhs):
            return "Text cannot be joined or repeated in a kernel: do so outside of it, and use the name of the result."
    if expression.op == "getiter" and _text(typemap, expression.value):
        return (
            'A kernel cannot loop over text: pass its characters\' codes as an array, as np.frombuffer(b"…", np.uint8).'
        )
    if expression.op != "call":
        return None
    callee = typemap.get(expression.func.name)
    if getattr(callee, "typing_key", None) is access.get:
        return _outside(*(typemap.get(each.name) for each in expression.args[2:4]))
    return _called(callee, len(expression.args))


_JOINING = (operator.add, operator.iadd, operator.mul, operator.imul)
_TEXT_METHODS = frozenset(
    "find index rfind rindex isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle "
    "isupper".split()
)
"""The methods of text that a kernel can call; asked of numba-cuda 0.30.4."""


def _text(typemap: dict[str, types.Type], variable: ir.Var) -> bool:
    return isinstance(typemap.get(variable.name), types.UnicodeType | types.StringLiteral)


def named(callee: Any) -> str | None:
    """Say that a function does not exist for a GPU's compiler, whatever it is called with; None if it does.

    Parameters
    ----------
    callee : object
        The function as Python has it.
    """
    if isinstance(callee, np.ufunc):
        if callee.__name__ in UFUNCS:
            return None
        said = sentence(f"np.{callee.__name__}", callee.__name__)
        return Unknown(said) if callee.__name__ in KEYS else said
    name, module = getattr(callee, "__name__", ""), getattr(callee, "__module__", None) or ""
    owner = getattr(callee, "__self__", None)
    if isinstance(owner, np.random.RandomState | random.Random):
        where = "random" if isinstance(owner, random.Random) else "np.random"
        return f"{where}.{name} does not exist in a kernel: take random numbers from numba.cuda.random (xoroshiro128p)."
    if callee is chr:
        return "chr does not exist in a kernel: store the number, and make text of it outside."
    if callee is math.gcd or callee is hash:
        return sentence(f"{'math.' if callee is math.gcd else ''}{name}", name)
    if module.startswith("numpy.linalg"):
        return f"np.linalg.{name} is a library's, which a kernel cannot call: write a loop, or use cupy.linalg outside of it."
    if module.split(".")[0] == "numpy" and name in FUNCTIONS:
        return sentence(f"np.{name}", name)
    return None


def _outside(base: Any, index: Any) -> str | None:
    if isinstance(base, types.BaseTuple) and isinstance(index, types.IntegerLiteral):
        if not -len(base) <= index.literal_value < len(base):
            return f"A tuple of {len(base)} has no item {index.literal_value}."
    return None


def attribute(expression: Any, typemap: dict[str, types.Type]) -> str | None:
    """Say which attribute of an array a GPU's compiler does not have; None if there is none."""
    if not isinstance(expression, ir.Expr) or expression.op != "getattr":
        return None
    kind: Any = typemap.get(expression.value.name)
    if not isinstance(kind, types.Array):
        return None
    if expression.attr == "flags" or (expression.attr == "imag" and not isinstance(kind.dtype, types.Complex)):
        return f"An array in a kernel has no {expression.attr}."
    return None


def _printed(kinds: list[types.Type | None]) -> str | None:
    for kind in kinds:
        value: Any = getattr(kind, "kind", kind)  # what is printed in another form
        inner = value.types if isinstance(value, types.BaseTuple) else (value,)
        if any(isinstance(each, _UNPRINTED) for each in inner):
            return Unlowered(
                f"print in a kernel prints numbers and constant text, not {kind}: print the elements, or the parts, one by one."
            )
    return None


_UNPRINTED = (types.Array, types.NoneType, types.Complex, types.Opaque, types.RangeType, types.SliceType)


def _called(callee: types.Type | None, given: int) -> str | None:
    key = getattr(callee, "typing_key", None)
    if isinstance(callee, types.BoundFunction):
        method = key[1] if isinstance(key, tuple) else str(key).rsplit(".", 1)[-1]
        array = isinstance(getattr(callee, "this", None), types.Array)
        if array and method == "sum" and given:
            return "The method sum takes no axis in a kernel: write a loop."
        if isinstance(getattr(callee, "this", None), types.UnicodeType | types.StringLiteral):
            return None if method in _TEXT_METHODS else f"Text has no method {method} in a kernel: call it outside."
        if not array or method not in METHODS:
            return None
        said = sentence(f"The method {method}", method)
        return Unlowered(said) if method in UNLOWERED else said
    return named(key)
