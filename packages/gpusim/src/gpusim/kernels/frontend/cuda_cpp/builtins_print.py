"""``printf`` in a kernel: C's own, with the types that its format says."""

from __future__ import annotations

import ast
import functools
import re
from typing import Any

from pycparser import c_ast

from .c_types import DOUBLE, INT, LLONG, UINT, ULLONG
from .values import Value, convert, load

_SPECIFIER = re.compile(r"%[-+ #0]*(?:\d+)?(?:\.\d+)?(hh|h|ll|l|z|t|j)?(.)", re.S)


def call_of(b: Any, f: Any, given: list[c_ast.Node], node: c_ast.Node) -> Value:
    """A call of printf; what it prints appears when the kernel runs, in whatever order the threads come."""
    if not given or not isinstance(given[0], c_ast.Constant) or given[0].type != "string":
        f.refuse("printf() without a format that is written there", node)
    text = given[0].value[1:-1].encode().decode("unicode_escape")
    values, rest = [], list(given[1:])
    for size, letter in _SPECIFIER.findall(text):
        if letter == "%":
            continue
        if letter not in "diuxXocfFeEgG":
            f.refuse(f"printf() of %{size}{letter}", node)
        if not rest:
            f.wrong("the format string requires additional arguments", node)
        made = f.number(rest.pop(0))
        whole = letter in "diuxXoc"
        if made.type.kind == "c" or whole != (made.type.kind in "iub"):
            f.wrong(f'argument of type "{made.type}" is incompatible with the format %{size}{letter}', node)
        long = size in ("l", "ll", "z", "t", "j")
        kind = DOUBLE if not whole else (LLONG if long else INT) if letter in "dic" else (ULLONG if long else UINT)
        values.append(convert(made, kind).node)
    f.called["_c_printf"] = _printf()
    return Value(INT, ast.Call(load("_c_printf"), [ast.Constant(text), ast.Tuple(values, ast.Load())], []))


@functools.cache
def _printf() -> Any:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic(prefer_literal=True)
    def printf(typingctx, text, values):
        if not isinstance(text, types.StringLiteral):
            return None

        def codegen(context, builder, signature, args):
            printed = cgutils.printf(
                builder, text.literal_value, *cgutils.unpack_tuple(builder, args[1], len(values.types))
            )
            nothing = ir.IntType(8).as_pointer()
            flush = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.IntType(32), [nothing]), "fflush")
            builder.call(flush, [ir.Constant(nothing, None)])
            return printed

        return types.int32(text, values), codegen

    return printf
