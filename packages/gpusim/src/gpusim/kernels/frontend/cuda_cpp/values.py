"""Values of C and the Python expressions that compute them with C's types."""

from __future__ import annotations

import ast
import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import device_library
from .c_types import (
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    Array,
    Pointer,
    Scalar,
    common,
    promoted,
    wrapped,
)


@dataclass
class Value:
    """An expression with its type.

    Attributes
    ----------
    type
    node : ast.expr
        What computes it; of a pointer, the array it points into.
    offset : ast.expr or None
        Of a pointer, in elements.
    const : int, float or None
        Its value, where that is known.
    parts : list of Value or None
        Of a struct, its numbers; then `node` has no meaning.
    array : Array or None
        What a pointer was made of, for ``sizeof``.
    captured : list or None
        Of a lambda, the expressions that it captured.
    """

    type: Any
    node: Any
    offset: Any = None
    const: Any = None
    parts: Any = None
    array: Array | None = None
    captured: Any = None


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def call(name: str, *args: ast.expr) -> ast.Call:
    """A call of one of the names in :mod:`.device_library`."""
    function: ast.expr = load(name.partition(".")[0])
    for attribute in name.split(".")[1:]:
        function = ast.Attribute(function, attribute, ast.Load())
    return ast.Call(function, list(args), [])


def to(char: str, node: ast.expr) -> ast.expr:
    """A NumPy type's conversion."""
    return call(f"_c_{char}", node)


def literal(kind: Any, value: Any) -> Value:
    """A constant."""
    if kind.kind in "iub":
        value = wrapped(int(value), kind)
        node: ast.expr = ast.Constant(bool(value) if kind.kind == "b" else value)
        if kind.kind != "b":
            node = to(kind.char, node)
        return Value(kind, node, const=value)
    if kind.kind == "c":
        return Value(kind, to(kind.char, ast.Constant(complex(value))))
    value = float(value)
    if kind.size < 8:
        with np.errstate(all="ignore"):
            value = np.float32(value) if kind != HALF else value  # CuPy's float16 is made of a float
            value = float(np.float16(value) if kind.size == 2 else value)
    if math.isnan(value) or math.isinf(value):
        node = ast.Attribute(load("_c_math"), "nan" if math.isnan(value) else "inf", ast.Load())
        node = ast.UnaryOp(ast.USub(), node) if value < 0 else node
    else:
        node = ast.Constant(value)
    return Value(kind, to("f4" if kind.size < 8 else "f8", node), const=value)


def convert(value: Value, kind: Any) -> Value:
    """C's conversion of a number; out of range as a GPU converts, which clips floats."""
    given = value.type
    if value.const is not None and kind.kind != "c":
        if given.kind == "f" and kind.kind in "iu":
            return literal(kind, getattr(device_library, f"clip_{_wide(kind)}")(value.const))
        return literal(kind, bool(value.const) if kind.kind == "b" else value.const)
    if given.char == kind.char:
        return Value(kind, value.node, const=value.const)
    if kind.kind == "b":
        if given.kind == "c":
            return Value(kind, ast.Compare(value.node, [ast.NotEq()], [to(given.char, ast.Constant(0))]))
        return Value(kind, ast.Compare(value.node, [ast.NotEq()], [literal(given, 0).node]))
    if given.kind == "f" and kind.kind in "iu":
        node = call(f"_c_clip_{_wide(kind)}", value.node)
        return Value(kind, node if kind.size >= 4 else to(kind.char, node))
    if kind == HALF and given == DOUBLE:
        return Value(kind, call("_c_f2_of_double", value.node))
    return Value(kind, to(kind.char, value.node))


def _wide(kind: Scalar) -> str:
    return kind.char if kind.size >= 4 else f"{kind.kind}4"


_OPERATORS = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "&": ast.BitAnd, "|": ast.BitOr, "^": ast.BitXor,
    "<<": ast.LShift, ">>": ast.RShift, "%": ast.Mod,
}  # fmt: skip
_COMPARE = {"<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq, "!=": ast.NotEq}
COMPARISONS = frozenset(_COMPARE)
_FOLDED = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift, "/": device_library.quotient, "%": device_library.remainder,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def binary(op: str, a: Value, b: Value) -> Value | None:
    """An operation on two numbers, by C's rules; None if there is none on such types."""
    if op in ("<<", ">>"):
        return _shift(op, a, b)
    if HALF in (a.type, b.type) and a.type != b.type:
        return None  # ambiguous: as halves or as floats
    kind = common(a.type, b.type)
    if kind.kind == "c" and not (a.type == b.type or real_of(a.type) == b.type or a.type == real_of(b.type)):
        return None  # the templates of complex numbers want one type: no complex<float> times a double or an int
    if kind.kind == "c" and op not in ("+", "-", "*", "/", "==", "!="):
        return None
    if kind.kind == "f" and op in ("%", "&", "|", "^"):
        return None
    a, b = convert(a, kind), convert(b, kind)
    if op in _COMPARE:
        known = _folded(op, a, b)
        if known is not None:
            return literal(BOOL, known)
        return Value(BOOL, ast.Compare(a.node, [_COMPARE[op]()], [b.node]))
    known = _folded(op, a, b) if kind.kind in "iu" else None
    if known is not None:
        return literal(kind, known)
    node: ast.expr
    if kind.kind in "fc":
        node = ast.BinOp(a.node, _OPERATORS[op](), b.node)
        return Value(kind, to("f2", to("f4", node)) if kind.size == 2 else node)
    if op in "/%":
        if kind.kind == "u" or (b.const is not None and b.const > 0 and _never_negative(a)):
            node = ast.BinOp(a.node, ast.FloorDiv() if op == "/" else ast.Mod(), b.node)
        else:
            node = call("_c_quotient" if op == "/" else "_c_remainder", a.node, b.node)
    else:
        node = ast.BinOp(a.node, _OPERATORS[op](), b.node)
    return Value(kind, to(kind.char, node))


def combined(op: str, a: Value, b: Value) -> Value:
    """An operation that there is for these types."""
    made = binary(op, a, b)
    assert made is not None, f"{a.type} {op} {b.type}"
    return made


def _never_negative(value: Value) -> bool:
    return value.const is not None and value.const >= 0


def _shift(op: str, a: Value, b: Value) -> Value | None:
    if a.type.kind not in "iub" or b.type.kind not in "iub":
        return None
    kind = promoted(a.type)
    a, b = convert(a, kind), convert(b, promoted(b.type))
    known = _folded(op, a, b)
    if known is not None:
        return literal(kind, known)
    wide = "i8" if kind.kind == "i" else "u8"
    node = ast.BinOp(to(wide, a.node), _OPERATORS[op](), to(wide, b.node))
    return Value(kind, to(kind.char, node))


def _folded(op: str, a: Value, b: Value) -> int | None:
    """The value of an operation on constants."""
    x, y = a.const, b.const
    if x is None or y is None:
        return None
    if (op in "/%" and not y) or (op in ("<<", ">>") and not 0 <= y < 64):
        return None
    return int(_FOLDED[op](x, y))


def negated(a: Value) -> Value:
    """``!`` of a number."""
    if a.const is not None:
        return literal(BOOL, not a.const)
    return Value(BOOL, ast.UnaryOp(ast.Not(), convert(a, BOOL).node))


def unary(op: str, a: Value) -> Value | None:
    """``+ - ~`` of a number; None if there is none for its type."""
    kind = promoted(a.type)
    a = convert(a, kind)
    if op == "+":
        return a
    if op == "-":
        if a.const is not None:
            return literal(kind, -a.const)
        if kind.kind in "fc":
            return Value(kind, ast.UnaryOp(ast.USub(), a.node))
        return Value(kind, to(kind.char, ast.BinOp(literal(kind, 0).node, ast.Sub(), a.node)))
    if kind.kind not in "iu":
        return None
    if a.const is not None:
        return literal(kind, ~a.const)
    return Value(kind, to(kind.char, ast.BinOp(a.node, ast.BitXor(), literal(kind, -1).node)))


def constant(text: str, kind: str) -> Value:
    """A number or character as it is written in C."""
    if kind == "char" or text.startswith("'"):
        return literal(Scalar("char", "i1"), ord(ast.literal_eval(text)))
    lower = text.lower()
    if not lower.startswith("0x") and any(c in lower for c in ".ef"):
        body = lower.rstrip("fl")
        return literal(FLOAT if lower.endswith("f") else DOUBLE, float(body))
    body = lower.rstrip("ul")
    suffix = lower[len(body) :]
    octal = len(body) > 1 and body.startswith("0") and body[1].isdigit()
    value = int(body, 8) if octal else int(body, 0)
    unsigned, longs = "u" in suffix, suffix.count("l")
    tries = [UINT, ULONG] if unsigned else [INT, LONG]
    if not unsigned and (body.startswith(("0x", "0b")) or octal):
        tries = [INT, UINT, LONG, ULONG]
    if longs == 1:
        tries = [k for k in tries if k.size == 8]
    elif longs == 2:
        tries = [ULLONG] if unsigned else [LLONG, ULLONG]
    for each in tries:
        if wrapped(value, each) == value:
            return literal(each, value)
    return literal(tries[-1], value)


def real_of(kind: Scalar) -> Scalar:
    """The type of a complex number's parts."""
    return {COMPLEX64: FLOAT, COMPLEX128: DOUBLE}.get(kind, kind)


def added(offset: ast.expr, more: ast.expr) -> ast.expr:
    """A pointer's offset, further."""
    if isinstance(offset, ast.Constant) and offset.value == 0:
        return more
    if isinstance(more, ast.Constant) and more.value == 0:
        return offset
    return ast.BinOp(offset, ast.Add(), more)


def wide(value: Value) -> ast.expr:
    """A whole number as an offset: int64."""
    if value.const is not None:
        return ast.Constant(int(value.const))
    return value.node if value.type.char == "i8" else to("i8", value.node)


def index(offset: Any) -> ast.expr:
    """An offset as an index that never counts from the end, as C's do not."""
    known: Any = offset.value if isinstance(offset, ast.Constant) else None
    if known is not None and known >= 0:
        return ast.Constant(known)
    return to("u8", offset)


def decayed(value: Value, const: bool) -> Value:
    """An array as a pointer to its first element."""
    assert isinstance(value.type, Array)
    return Value(Pointer(value.type.of, const, value.type.shape[1:]), value.node, ast.Constant(0), array=value.type)
