"""Where a thread is, bits and fences: the small intrinsics of compiled kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import box, intrinsic, models, overload, register_jitable, register_model

from .access import log
from .llvm import WORD, linear_thread

warpsize = np.int32(32)


class Dim3(NamedTuple):
    """``cuda.threadIdx`` and its like as a value."""

    x: int
    y: int
    z: int


@register_jitable
def dim3(x, y, z):
    return Dim3(x, y, z)


@intrinsic
def laneid(typingctx, c):
    """Position of a thread in its warp, int32."""

    def codegen(context, builder, sig, args):
        lane = builder.and_(linear_thread(builder, args[0]), ir.Constant(ir.IntType(64), 31))
        return builder.trunc(lane, ir.IntType(32))

    return types.int32(c), codegen


@intrinsic
def this_grid(typingctx):
    """The group of all threads, which has no value."""

    def codegen(context, builder, sig, args):
        return context.get_dummy_value()

    return types.Opaque("GridGroup")(), codegen


@intrinsic
def lanemask_lt(typingctx, c):
    """Mask of the lanes below a thread's own, uint32."""

    def codegen(context, builder, sig, args):
        lane = builder.and_(linear_thread(builder, args[0]), ir.Constant(ir.IntType(64), 31))
        one = ir.Constant(ir.IntType(64), 1)
        return builder.trunc(builder.sub(builder.shl(one, lane), one), ir.IntType(32))

    return types.uint32(c), codegen


@intrinsic
def fence(typingctx, c, m, site):
    """What a thread wrote before is seen by all before what it writes after."""

    def codegen(context, builder, sig, args):
        cv, mv, site_value = args
        builder.fence("seq_cst")
        nowhere = builder.inttoptr(ir.Constant(WORD, -1), ir.PointerType(ir.IntType(8)))
        log(builder, cv, mv, nowhere, site_value, ir.Constant(ir.IntType(1), 0))
        return context.get_dummy_value()

    return types.void(c, m, site), codegen


@intrinsic
def way(typingctx, c, m, site):
    """A thread comes by here: noted when traced, and no access."""

    def codegen(context, builder, sig, args):
        cv, mv, site_value = args
        nowhere = builder.inttoptr(ir.Constant(WORD, -1), ir.PointerType(ir.IntType(8)))
        log(builder, cv, mv, nowhere, site_value, ir.Constant(ir.IntType(1), 0))
        return context.get_dummy_value()

    return types.void(c, m, site), codegen


class Printed(types.Type):
    """A float, or a tuple, that is printed as a GPU does: floats with six places."""

    def __init__(self, kind: types.Type):
        self.kind = kind
        super().__init__(f"printed({kind})")


@register_model(Printed)
class _PrintedModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("value", fe_type.kind)])


def _form(kind: types.Type) -> str:
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(map(_form, kind.types))}{',' * (len(kind.types) == 1)})"
    return "%f" if isinstance(kind, types.Float) else "%s"


@box(Printed)
def _box_printed(kind, value, c):
    inner = c.pyapi.from_native_value(kind.kind, c.builder.extract_value(value, 0), c.env_manager)
    form = c.pyapi.string_from_string(c.context.insert_const_string(c.builder.module, _form(kind.kind)))
    made = c.pyapi.number_remainder(form, inner)
    c.pyapi.decref(inner)
    c.pyapi.decref(form)
    return made


@intrinsic(prefer_literal=True)
def printed(typingctx, value):
    """What `print` gets of a value."""
    nested = isinstance(value, types.BaseTuple) and not any(isinstance(each, types.BaseTuple) for each in value.types)
    if not isinstance(value, types.Float) and not nested:
        return value(value), lambda context, builder, sig, args: args[0]
    kind = Printed(value)

    def codegen(context, builder, sig, args):
        made = cgutils.create_struct_proxy(kind)(context, builder)
        made.value = args[0]
        return made._getvalue()

    return kind(value), codegen


@register_jitable
def drop(*values):
    """Evaluate and return nothing."""


@intrinsic
def nanosleep(typingctx, duration):
    """Nothing happens, and nobody waits."""
    if not isinstance(types.unliteral(duration), types.Integer | types.Boolean | types.Float):
        raise TypingError(f"cuda.nanosleep takes a number of nanoseconds, not {duration}")

    def codegen(context, builder, sig, args):
        return context.get_dummy_value()

    return types.void(duration), codegen


# numba-cuda declares each of these for some types; what is none of them it converts to the first.


def _bitwise(name: str, first: types.Type, result, emit, least: int = 8, others: bool = True, among: tuple = ()):
    @intrinsic
    def function(typingctx, value):
        kind = types.unliteral(value)
        if others and isinstance(kind, types.Boolean | types.Float):
            kind = first
        if not isinstance(kind, types.Integer):
            raise TypingError(f"cuda.{name} takes a whole number, not {value}")
        if kind.bitwidth < least:
            if not others:
                raise TypingError(f"cuda.{name} takes a whole number of {least} bits or more, not {value}")
            kind = first
        if among and kind not in among:
            kind = first
        made = result(kind)

        def codegen(context, builder, sig, args):
            bits = context.cast(builder, args[0], value, kind)
            return context.cast(builder, emit(builder, bits), kind, made)

        return made(value), codegen

    return function


popc = _bitwise("popc", types.int8, lambda kind: kind, lambda builder, bits: builder.ctpop(bits))
clz = _bitwise(
    "clz", types.int8, lambda kind: kind, lambda builder, bits: builder.ctlz(bits, ir.Constant(ir.IntType(1), 0))
)


def _first_set(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    zero = ir.Constant(bits.type, 0)
    count = builder.cttz(bits, ir.Constant(ir.IntType(1), 0))
    found = builder.add(count, ir.Constant(bits.type, 1))
    return builder.select(builder.icmp_unsigned("==", bits, zero), zero, found)


ffs = _bitwise("ffs", types.int32, lambda kind: types.uint32, _first_set, least=32, others=False)
brev = _bitwise(
    *("brev", types.uint32, lambda kind: kind),
    lambda builder, bits: builder.bitreverse(bits),
    among=(types.uint32, types.uint64),  # so of an int64 it takes the lower half
)


def _of_floats(args: tuple, emit: Callable) -> tuple:
    """Signature and code of an intrinsic of numbers: in float32 if all are, else in float64."""
    kind = types.float32 if {types.unliteral(each) for each in args} == {types.float32} else types.float64

    def codegen(context, builder, sig, given):
        values = [context.cast(builder, v, t, kind) for v, t in zip(given, sig.args, strict=True)]
        return emit(context, builder, kind, values)

    return kind(*args), codegen


@intrinsic
def fma(typingctx, a, b, c):
    """``a * b + c`` rounded once."""
    return _of_floats((a, b, c), lambda context, builder, kind, values: builder.fma(*values))


@intrinsic
def math_fmod(typingctx, a, b):
    """``math.fmod``: the remainder with the sign of the first."""
    return _of_floats((a, b), lambda context, builder, kind, values: builder.frem(*values))


def _of_one(name: str):
    @intrinsic
    def function(typingctx, value):
        given = types.unliteral(value)
        if not isinstance(given, types.Integer | types.Float | types.Boolean):
            return None
        kind = types.float32 if given == types.float32 else types.float64

        def codegen(context, builder, sig, args):
            number = context.get_value_type(kind)
            rounded = builder.module.declare_intrinsic(f"llvm.{name}", [number])
            return builder.call(rounded, [context.cast(builder, args[0], value, kind)])

        return kind(value), codegen

    return function


math_floor, math_ceil, math_trunc, math_exp2 = (_of_one(name) for name in ("floor", "ceil", "trunc", "exp2"))


def _remainder(x, y):
    """IEEE 754's: x - n y with n the nearest whole number, the even one of two."""
    if math.isinf(y) and not math.isinf(x):
        return x
    size = abs(y)
    rest = math_fmod(abs(x), size)
    other = size - rest
    odd = math_fmod(abs(x) - rest, size + size) != 0
    if rest > other or (rest == other and odd):
        rest = -other
    return math.copysign(rest, x) if rest == 0 else rest if x > 0 else -rest


@intrinsic
def math_remainder(typingctx, a, b):
    """``math.remainder``, which Numba has for GPUs only."""

    def emit(context, builder, kind, values):
        return context.compile_internal(builder, _remainder, kind(kind, kind), values)

    return _of_floats((a, b), emit)


@register_jitable
def math_modf(value):
    """``math.modf``: the part behind the point, and the whole part."""
    whole = np.trunc(value)
    rest = 0.0 if math.isinf(value) else value - whole
    return math.copysign(rest, value), whole


@njit
def cbrt(value):
    return _nearer(np.cbrt(value), value)


def _nearer(root, value):
    """A cube root, nearer: Numba's is a power, ten units of the last place off in float64, and has no sign of zero."""
    raise NotImplementedError


@overload(_nearer)
def _nearer_of(root, value):
    if root != types.float64:
        return lambda root, value: math.copysign(root, value)

    def stepped(root, value):
        x = np.float64(value)
        if root != 0 and math.isfinite(root):
            root -= (root - x / (root * root)) / 3.0  # one of Newton's steps
        return math.copysign(root, x)

    return stepped


_SELECTED = (
    *(types.float32, types.float64, types.int16, types.uint16),
    *(types.int32, types.uint32, types.int64, types.uint64),
)


@intrinsic
def selp(typingctx, test, a, b):
    """`a` where a condition holds, else `b`."""
    kind = types.unliteral(a)
    if not isinstance(types.unliteral(test), types.Boolean):
        raise TypingError(f"cuda.selp takes a condition first, not {test}: write {test} != 0")
    if kind != types.unliteral(b) or kind not in _SELECTED:
        raise TypingError(f"cuda.selp takes two numbers of one type, of 16 bits or more, not {a} and {b}")

    def codegen(context, builder, sig, args):
        one, other = (context.cast(builder, v, t, kind) for v, t in zip(args[1:], sig.args[1:], strict=True))
        return builder.select(args[0], one, other)

    return kind(test, a, b), codegen


def _borrow(context, builder, kind: types.Type, value: ir.Value) -> ir.Value:
    """The same value, whose arrays count no references: the launch keeps the memory alive."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        made = [_borrow(context, builder, inner, part) for inner, part in zip(kind.types, parts, strict=True)]
        return context.make_tuple(builder, kind, made)
    return value


@intrinsic
def borrow(typingctx, value):
    """A value whose arrays count no references."""

    def codegen(context, builder, sig, args):
        return _borrow(context, builder, sig.args[0], args[0])

    return value(value), codegen


# ``min`` and ``max`` of two numbers, as a GPU has them: of a NaN and a number they give the number. numba-cuda compiles
# them to ``fmin`` and ``fmax`` (libdevice's ``__nv_fminf`` and so on); Numba on a CPU compares.


def _make(builtin, name: str):
    @intrinsic
    def extreme(typingctx, a, b):
        if not all(isinstance(types.unliteral(kind), types.Float | types.Integer | types.Boolean) for kind in (a, b)):
            chosen = typingctx.resolve_function_type(builtin, (a, b), {})
            if chosen is None:
                return None
            kind = None
        else:
            chosen = typingctx.resolve_function_type(builtin, (types.unliteral(a), types.unliteral(b)), {})
            kind = chosen.return_type if isinstance(chosen.return_type, types.Float) else None

        def codegen(context, builder, sig, args):
            if kind is None:
                values = [context.cast(builder, v, t, w) for v, t, w in zip(args, sig.args, chosen.args, strict=True)]
                return context.get_function(builtin, chosen)(builder, values)
            values = [context.cast(builder, v, t, kind) for v, t in zip(args, sig.args, strict=True)]
            number = context.get_value_type(kind)
            of_two = ir.FunctionType(number, [number, number])
            function = builder.module.declare_intrinsic(f"llvm.{name}", [number], of_two)
            return builder.call(function, values)

        return chosen.return_type(a, b), codegen

    return extreme


minimum = _make(min, "minnum")
maximum = _make(max, "maxnum")
