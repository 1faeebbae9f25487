"""Accesses of whole arrays, which are logged element by element: ``a[i] = 0`` of a row, ``a.fill(0)``, ``np.sum(a)``, ``for x in a``.

Numba carries them out by loops of its own, in which nothing is logged.  Whoever looks at a trace wants to see them all the
same, and races are found by nothing else.
"""

from __future__ import annotations

import ast
import operator

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from . import access
from .low import WORD, tracing, unlikely

_SUMMING = (
    *("sum", "prod", "mean", "std", "var", "argmin", "argmax", "any", "all", "min", "max"),
    *("nansum", "nanprod", "nanmean", "nanstd", "nanvar", "count_nonzero", "cumsum", "cumprod"),
)
METHODS = frozenset(name for name in _SUMMING if not name.startswith(("nan", "count", "cum")))
"""Methods of an array that read all of it."""
BUILTINS = frozenset(("sum", "min", "max", "any", "all", "sorted", "enumerate", "zip"))
"""Functions of Python that do, given an array."""
_FUNCTIONS = frozenset(getattr(np, name) for name in _SUMMING)


def reads_all(function: object) -> bool:
    """Whether a function of NumPy reads all of the arrays that it is given."""
    return isinstance(function, np.ufunc) or (
        getattr(function, "__hash__", None) is not None and function in _FUNCTIONS
    )


def may_be_array(node: ast.expr) -> bool:
    """Whether an expression may stand for an array; calls make none in a kernel."""
    return isinstance(node, ast.Name | ast.Subscript) or (
        isinstance(node, ast.Attribute) and node.attr in ("T", "real", "imag")
    )


def each(context, builder, c, m, kind: types.Type, value: ir.Value, site: ir.Value, flags: ir.Value, *, stored: bool):
    """Enter every element of an array in the log, if this launch is traced."""
    if not isinstance(kind, types.Array) or isinstance(kind.dtype, types.Record | types.NestedArray):
        return
    with unlikely(builder, tracing(builder, c)):
        array = context.make_array(kind)(context, builder, value)
        shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
        with cgutils.loop_nest(builder, shape, WORD) as index:
            at = cgutils.get_item_pointer(context, builder, kind, array, list(index), wraparound=False)
            value = access.bits(builder, at, access.itemsize(context, kind)) if stored else None
            access.enter(builder, m, at, site, flags, value)


def part(typingctx, context, builder, c, m, base, array, kind, index, site, flags) -> None:
    """Enter every element of the part of an array that an index stands for: all were written."""
    if isinstance(types.unliteral(kind), types.EllipsisType):  # all of it; Numba can store there, but not read
        each(context, builder, c, m, base, array, site, flags, stored=True)
        return
    signature = typingctx.resolve_function_type(operator.getitem, (base, types.unliteral(kind)), {})
    if signature is None or not isinstance(signature.return_type, types.Array):
        return
    with unlikely(builder, tracing(builder, c)):
        index = context.cast(builder, index, kind, signature.args[1])
        made = context.get_function(operator.getitem, signature)(builder, (array, index))
        each(context, builder, c, m, signature.return_type, made, site, flags, stored=True)
        if context.enable_nrt:  # no variable holds it
            context.nrt.decref(builder, signature.return_type, made)


@intrinsic
def read_all(typingctx, c, m, value, site):
    """A value that is passed to what reads all of it, if it is an array."""

    def codegen(context, builder, sig, args):
        cv, mv, given, site_value = args
        each(context, builder, cv, mv, value, given, site_value, ir.Constant(WORD, 0), stored=False)
        if context.enable_nrt:
            context.nrt.incref(builder, value, given)
        return given

    return value(c, m, value, site), codegen


@intrinsic
def wrote_all(typingctx, c, m, value, result, site):
    """An array of which all was written, by what gave the result."""

    def codegen(context, builder, sig, args):
        cv, mv, given, made, site_value = args
        each(context, builder, cv, mv, value, given, site_value, ir.Constant(WORD, 0), stored=True)
        if context.enable_nrt:
            context.nrt.incref(builder, result, made)
        return made

    return result(c, m, value, result, site), codegen


@intrinsic
def turned(typingctx, c, m, value, position, site):
    """A turn of a loop over the elements of an array."""

    def codegen(context, builder, sig, args):
        cv, mv, given, position_value, site_value = args
        if isinstance(value, types.Array) and value.ndim == 1 and not isinstance(value.dtype, types.Record):
            with unlikely(builder, tracing(builder, cv)):
                array = context.make_array(value)(context, builder, given)
                at = cgutils.get_item_pointer(context, builder, value, array, [position_value], wraparound=False)
                access.enter(builder, mv, at, site_value, ir.Constant(WORD, 0))
        return context.get_dummy_value()

    return types.void(c, m, value, position, site), codegen
