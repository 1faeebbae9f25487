"""How threads that wait for each other exchange values: a row per thread in a table of the block.

A thread *posts* what it brings (mask, value, lane), yields, and when the scheduler resumes it *takes* the result.
"""

from __future__ import annotations

import enum

from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from .llvm import WORD, linear_thread, load
from .worker_state import Cell

LEFT = 1 << 62
"""In place of the mask of a thread that has ended: it did so by a return that stands as a guard, in no loop, or before the
thread had come to any barrier."""


class Row(enum.IntEnum):
    """What lies where in a thread's row (each an int64)."""

    CODE = 0  # what it waits for: a Yield, the site above the low byte; 0 once it has ended
    MASK = 1
    VALUE = 2
    LANE = 3
    RESULT = 4
    FLAG = 5
    INTERVAL = 6  # barriers passed, and syncwarps
    WARP = 7
    LENGTH = 8


def _row(builder: ir.IRBuilder, c: ir.Value, m: ir.Value, which: Row) -> ir.Value:
    base = builder.inttoptr(load(builder, m, Cell.EXCHANGE), ir.PointerType(WORD))
    at = builder.add(
        builder.mul(linear_thread(builder, c), ir.Constant(WORD, int(Row.LENGTH))), ir.Constant(WORD, int(which))
    )
    return builder.gep(base, [at])


def _shared_type(value: types.Type) -> types.Type:
    kind = types.unliteral(value)
    if isinstance(kind, types.Boolean) or (isinstance(kind, types.Integer) and kind.bitwidth < 32):
        return types.int32
    if kind in (types.int32, types.uint32, types.int64, types.uint64, types.float32, types.float64):
        return kind
    raise TypingError(f"threads of a warp exchange 32- and 64-bit integers and floats only, not {value}")


def _word(kind: types.Type) -> bool:
    """Whether a type is a whole number of 32 bits or more: numba-cuda cuts it to 32, and cannot lengthen it."""
    kind = types.unliteral(kind)
    return isinstance(kind, types.Integer) and kind.bitwidth >= 32


def _any(mask: types.Type, value: types.Type, lane: types.Type) -> None:
    pass


def _shuffle(mask: types.Type, value: types.Type, lane: types.Type) -> None:
    if types.unliteral(value) not in (types.int32, types.int64, types.float32, types.float64):
        raise TypingError(f"shuffles take 32- and 64-bit signed integers and floats only, not {value}: convert it")
    for what, kind in (("mask", mask), ("lane", lane)):
        if not _word(kind):
            raise TypingError(f"the {what} of a shuffle is a whole number of 32 or 64 bits, not {kind}")


def _vote(mask: types.Type, value: types.Type, lane: types.Type) -> None:
    if not _word(mask):
        raise TypingError(f"the mask of a vote is a whole number of 32 or 64 bits, not {mask}")
    if not isinstance(types.unliteral(value), types.Integer | types.Boolean):
        raise TypingError(f"threads vote with a whole number or a comparison, not with {value}: write {value} != 0")


def _predicate(mask: types.Type, value: types.Type, lane: types.Type) -> None:
    if not isinstance(types.unliteral(value), types.Integer):
        raise TypingError(
            f"cuda.syncthreads_count, _and and _or take a whole number, not {value}: write int(condition)"
        )


def _make(check):
    @intrinsic
    def post(typingctx, c, m, mask, value, lane):
        """Bring a value; returns it, with the type it is exchanged as."""
        check(mask, value, lane)
        kind = _shared_type(value)

        def codegen(context, builder, sig, args):
            cv, mv, mask_value, item, lane_value = args
            item = context.cast(builder, item, value, kind)
            if isinstance(kind, types.Float):
                word = builder.bitcast(item, ir.IntType(kind.bitwidth))
            else:
                word = item
            if word.type.width < 64:
                word = (builder.sext if isinstance(kind, types.Integer) and kind.signed else builder.zext)(word, WORD)
            builder.store(context.cast(builder, mask_value, mask, types.int64), _row(builder, cv, mv, Row.MASK))
            builder.store(word, _row(builder, cv, mv, Row.VALUE))
            builder.store(context.cast(builder, lane_value, lane, types.int64), _row(builder, cv, mv, Row.LANE))
            return item

        return kind(c, m, mask, value, lane), codegen

    return post


post = _make(_any)
"""What CUDA C++ exchanges, whose types are checked elsewhere."""
post_shuffle, post_vote, post_predicate = map(_make, (_shuffle, _vote, _predicate))


@intrinsic
def left(typingctx, c, m, looped):
    """A thread returns before the end of the kernel, out of a loop or not."""

    def codegen(context, builder, sig, args):
        passed = builder.load(_row(builder, args[0], args[1], Row.INTERVAL))
        guard = builder.or_(builder.not_(args[2]), builder.icmp_signed("==", passed, ir.Constant(WORD, 0)))
        mark = builder.select(guard, ir.Constant(WORD, LEFT), ir.Constant(WORD, 0))
        builder.store(mark, _row(builder, args[0], args[1], Row.MASK))
        return context.get_dummy_value()

    return types.void(c, m, types.boolean), codegen


@intrinsic
def take_value(typingctx, c, m, posted, waited):
    """The value that a shuffle brought, of the posted one's type."""

    def codegen(context, builder, sig, args):
        word = builder.load(_row(builder, args[0], args[1], Row.RESULT))
        kind = context.get_value_type(posted)
        if isinstance(posted, types.Float):
            return builder.bitcast(builder.trunc(word, ir.IntType(32)) if posted.bitwidth == 32 else word, kind)
        return builder.trunc(word, kind) if posted.bitwidth < 64 else word

    return posted(c, m, posted, waited), codegen


@intrinsic
def take_mask(typingctx, c, m, posted, waited):
    """A result of 32 bits: a ballot, a count."""

    def codegen(context, builder, sig, args):
        return builder.trunc(builder.load(_row(builder, args[0], args[1], Row.RESULT)), ir.IntType(32))

    return types.int32(c, m, posted, waited), codegen


@intrinsic
def take_bool(typingctx, c, m, posted, waited):
    """A result that is true or false."""

    def codegen(context, builder, sig, args):
        word = builder.load(_row(builder, args[0], args[1], Row.RESULT))
        return builder.icmp_unsigned("!=", word, ir.Constant(WORD, 0))

    return types.boolean(c, m, posted, waited), codegen


@intrinsic
def take_pair(typingctx, c, m, posted, waited):
    """What ``match_all_sync`` gives: a mask and whether all agreed."""
    kind = types.Tuple((types.int32, types.boolean))

    def codegen(context, builder, sig, args):
        mask = builder.trunc(builder.load(_row(builder, args[0], args[1], Row.RESULT)), ir.IntType(32))
        flag = builder.load(_row(builder, args[0], args[1], Row.FLAG))
        flag = builder.icmp_unsigned("!=", flag, ir.Constant(WORD, 0))
        return context.make_tuple(builder, kind, (mask, flag))

    return kind(c, m, posted, waited), codegen
