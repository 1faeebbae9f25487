"""Atomic operations of compiled kernels: LLVM's own, because blocks run on several cores at once.

What each does follows CUDA's programming guide (10.14, Atomic Functions) and numba-cuda, whose ``max`` and ``min`` leave
an element alone when it or the value is NaN, and whose ``nanmax`` and ``nanmin`` replace a NaN.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from .access import either, log, pointer, tells
from .llvm import word

_INTEGERS = (types.int32, types.uint32, types.int64, types.uint64)
_UNSIGNED = (types.uint32, types.uint64)
_NUMBERS = (*_INTEGERS, types.float32, types.float64)
_ORDER = "monotonic"


def _compare_and_swap(builder: ir.IRBuilder, at: ir.Value, old: ir.Value, new: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return what was there, and whether it was swapped; floats as their bits."""
    kind = old.type
    if not isinstance(kind, ir.IntType):
        word = ir.IntType(32 if isinstance(kind, ir.FloatType) else 64)
        at = builder.bitcast(at, ir.PointerType(word))
        old, new = builder.bitcast(old, word), builder.bitcast(new, word)
    result = builder.cmpxchg(at, old, new, _ORDER, _ORDER)
    found = builder.extract_value(result, 0)
    if found.type != kind:
        found = builder.bitcast(found, kind)
    return found, builder.extract_value(result, 1)


def _repeat(builder: ir.IRBuilder, at: ir.Value, compute: Callable) -> ir.Value:
    """Replace an element by ``compute(old) -> (new, leave)`` as one step; `leave` is a bit or None.  Returns the old one."""
    first = builder.load(at)
    before = builder.basic_block
    attempt = builder.append_basic_block("atomic")
    swap = builder.append_basic_block("atomic.swap")
    done = builder.append_basic_block("atomic.done")
    builder.branch(attempt)
    builder.position_at_end(attempt)
    old = builder.phi(first.type)
    old.add_incoming(first, before)
    new, leave = compute(old)
    builder.cbranch(leave if leave is not None else ir.Constant(ir.IntType(1), 0), done, swap)
    builder.position_at_end(swap)
    found, swapped = _compare_and_swap(builder, at, old, new)
    old.add_incoming(found, swap)
    builder.cbranch(swapped, done, attempt)
    builder.position_at_end(done)
    return old


def _simple(whole: str, unsigned: str | None = None) -> Callable:
    def operation(builder, kind, at, value):
        name = unsigned if unsigned and not kind.signed else whole
        return builder.atomic_rmw(name, at, value, ordering=_ORDER)

    return operation


def _arithmetic(name: str) -> Callable:
    def operation(builder, kind, at, value):
        if isinstance(kind, types.Float):
            emit = builder.fadd if name == "add" else builder.fsub
            return _repeat(builder, at, lambda old: (emit(old, value), None))
        return builder.atomic_rmw(name, at, value, ordering=_ORDER)

    return operation


def _extreme(name: str, ignore_nan: bool) -> Callable:
    whole = _simple(name, f"u{name}")

    def operation(builder, kind, at, value):
        if not isinstance(kind, types.Float):
            return whole(builder, kind, at, value)

        def compute(old):
            better = builder.fcmp_ordered("<" if name == "max" else ">", old, value)
            if ignore_nan:
                better = builder.or_(better, builder.fcmp_unordered("uno", old, old))
                better = builder.and_(better, builder.fcmp_ordered("ord", value, value))
            return value, builder.not_(better)

        return _repeat(builder, at, compute)

    return operation


def _wrapping(up: bool) -> Callable:
    def operation(builder, kind, at, value):
        def compute(old):
            zero, one = ir.Constant(old.type, 0), ir.Constant(old.type, 1)
            if up:
                reached = builder.icmp_unsigned(">=", old, value)
                return builder.select(reached, zero, builder.add(old, one)), None
            over = builder.icmp_unsigned(">", old, value)
            wrap = builder.or_(builder.icmp_unsigned("==", old, zero), over)
            return builder.select(wrap, value, builder.sub(old, one)), None

        return _repeat(builder, at, compute)

    return operation


def _index(base: types.Array, index: types.Type) -> bool:
    parts = list(index.types) if isinstance(index, types.BaseTuple) else [index]
    return len(parts) == base.ndim and all(isinstance(types.unliteral(part), types.Integer) for part in parts)


def _whole(base: types.Type, index: types.Type) -> types.Type:
    """The type that an index is used as: numba-cuda converts any number to a whole one, where the array has one dimension."""
    kind = types.unliteral(index)
    return types.intp if base.ndim == 1 and isinstance(kind, types.Float | types.Boolean) else index


def _at_element(context, builder, base: types.Array, given, cv, mv, index, value, site, operand, operate: Callable):
    """Emit ``operate(at)`` for the address of an element, and enter it in the log if the launch is traced; returns its result."""
    array = context.make_array(base)(context, builder, given)
    kind = _whole(base, index)
    if kind is not index:
        value = context.cast(builder, value, index, kind)

    def act(at, negative, rare):
        result = operate(at)
        if rare:
            log(builder, cv, mv, at, site, negative, word(builder, operand))
        return (result,)

    place = (context, builder, cv, mv, base, array, kind, value, site)
    if tells(context, base):  # twice, so that the usual way asks for nothing
        return either(*place, act, traced=True)[0]
    return act(*pointer(*place), True)[0]


def _check(base: types.Type, index: types.Type, name: str, allowed: tuple) -> None:
    if not isinstance(base, types.Array):
        raise TypingError(f"cuda.atomic.{name} works on an element of an array, not on {base}")
    if base.dtype not in allowed:
        names = ", ".join(str(kind) for kind in allowed)
        raise TypingError(f"cuda.atomic.{name} works on arrays of {names}, not of {base.dtype}")
    if base.ndim == 1 and isinstance(index, types.BaseTuple):
        raise TypingError(f"cuda.atomic.{name} wants a number as the index of an array of one dimension, not {index}")
    if not _index(base, _whole(base, index)):
        raise TypingError(f"cuda.atomic.{name} wants {base.ndim} whole numbers as the index, not {index}")


def _make(name: str, allowed: tuple, operation: Callable):
    @intrinsic
    def atomic(typingctx, c, m, base, index, value, site):
        _check(base, index, name, allowed)
        if not typingctx.can_convert(value, base.dtype):
            return None

        def codegen(context, builder, sig, args):
            cv, mv, given, index_value, operand, site_value = args
            operand = context.cast(builder, operand, value, base.dtype)
            return _at_element(
                *(context, builder, base, given, cv, mv, index, index_value, site_value, operand),
                lambda at: operation(builder, base.dtype, at, operand),
            )

        return base.dtype(c, m, base, index, value, site), codegen

    return atomic


atomic_add = _make("add", _NUMBERS, _arithmetic("add"))
atomic_sub = _make("sub", _NUMBERS, _arithmetic("sub"))
atomic_and_ = _make("and_", _INTEGERS, _simple("and"))
atomic_or_ = _make("or_", _INTEGERS, _simple("or"))
atomic_xor = _make("xor", _INTEGERS, _simple("xor"))
atomic_exch = _make("exch", _INTEGERS, _simple("xchg"))
atomic_max = _make("max", _NUMBERS, _extreme("max", ignore_nan=False))
atomic_min = _make("min", _NUMBERS, _extreme("min", ignore_nan=False))
atomic_nanmax = _make("nanmax", _NUMBERS, _extreme("max", ignore_nan=True))
atomic_nanmin = _make("nanmin", _NUMBERS, _extreme("min", ignore_nan=True))
atomic_inc = _make("inc", _UNSIGNED, _wrapping(up=True))
atomic_dec = _make("dec", _UNSIGNED, _wrapping(up=False))


@intrinsic
def atomic_cas(typingctx, c, m, base, index, old, value, site):
    _check(base, index, "cas", _INTEGERS)

    def codegen(context, builder, sig, args):
        cv, mv, given, index_value, expected, operand, site_value = args
        expected = context.cast(builder, expected, old, base.dtype)
        operand = context.cast(builder, operand, value, base.dtype)
        return _at_element(
            *(context, builder, base, given, cv, mv, index, index_value, site_value, operand),
            lambda at: _compare_and_swap(builder, at, expected, operand)[0],
        )

    return base.dtype(c, m, base, index, old, value, site), codegen
