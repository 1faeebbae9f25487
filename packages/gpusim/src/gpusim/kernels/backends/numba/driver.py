"""The loops around a compiled kernel: over blocks and threads, and for kernels that wait, the scheduler of a block.

A kernel that waits for nothing is the body of the loop.  One that waits is a Numba generator: each thread's is kept in
memory and resumed until it ends or hands over with what it waits for (:class:`.machine.Yield`).  Blocks run one after the
other in a worker; those of a cooperative launch together, as grid barriers need.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from .exchange import Row
from .llvm import KernelFault
from .logcall import peek, poke
from .schedule import READY, finish, general, move, simple, split, start, tell
from .thread_intrinsics import borrow
from .worker_state import Cell, Fault

_STOP, _PROGRESS, _FAULT = int(Cell.STOP), int(Cell.PROGRESS), int(Cell.FAULT)
_LOG_BLOCK, _LOG_THREAD = int(Cell.LOG_BLOCK), int(Cell.LOG_THREAD)
_BLOCKS = int(Cell.BLOCKS)
_STOPPED, _CODE = int(Fault.STOPPED), int(Row.CODE)


@intrinsic
def where(typingctx, *numbers):
    """The tuple that tells a thread where it is, see :class:`.machine.Context`."""
    kind = types.UniTuple(types.int32, len(numbers))

    def codegen(context, builder, sig, args):
        given = cgutils.unpack_tuple(builder, args[0], len(numbers)) if len(args) == 1 else args
        narrow = [context.cast(builder, v, t, types.int32) for v, t in zip(given, numbers, strict=True)]
        return context.make_tuple(builder, kind, narrow)

    return kind(types.StarArgTuple(numbers)), codegen


@intrinsic
def frame_size(typingctx, generator):
    """Bytes of a thread's state between two resumptions."""

    def codegen(context, builder, sig, args):
        size = context.get_abi_sizeof(context.get_data_type(generator))
        return context.get_constant(types.int64, -(-size // 16) * 16)

    return types.int64(generator), codegen


@intrinsic
def keep(typingctx, address, generator):
    """Put a thread's first state where its later ones will lie."""
    if not isinstance(generator, types.Generator):
        raise TypingError("a kernel that waits for nothing has no states")

    def codegen(context, builder, sig, args):
        where, value = args
        builder.store(builder.load(value), builder.inttoptr(where, value.type))
        return context.get_dummy_value()

    return types.void(types.int64, generator), codegen


@intrinsic
def resume(typingctx, address, generator):
    """Let a thread go on until it hands over; returns what it waits for, 0 if it ended."""

    def codegen(context, builder, sig, args):
        kind = sig.args[1]
        at = builder.inttoptr(args[0], context.get_value_type(kind))
        call = context.get_generator_impl(kind)
        status, value = call(context, builder, kind.yield_type(kind), (at,))
        code = builder.alloca(context.get_value_type(types.int64))
        builder.store(context.get_constant(types.int64, 0), code)
        with builder.if_then(status.is_ok):
            builder.store(context.cast(builder, value, kind.yield_type, types.int64), code)
        with builder.if_then(builder.and_(status.is_error, builder.not_(status.is_stop_iteration)), likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return builder.load(code)

    return types.int64(types.int64, generator), codegen


def plain(thread, loops: bool, options: dict):
    """The driver of a kernel whose threads wait for nothing.

    Parameters
    ----------
    thread : numba dispatcher
        The rewritten kernel.
    loops : bool
        Whether it has loops: then each thread's end is counted as progress.
    """

    @njit(**options)
    def run(m, first, last, dims, tracing, args):
        args = borrow(args)
        width, height, depth, across, down, deep = dims
        for block in range(first, last):
            bx, by, bz = block % across, block // across % down, block // (across * down)
            if peek(m, _STOP) != 0:
                poke(m, _FAULT, _STOPPED)
                raise KernelFault
            for tz in range(depth):
                for ty in range(height):
                    for tx in range(width):
                        c = where(tx, ty, tz, bx, by, bz, width, height, depth, across, down, deep, tracing)
                        if tracing:
                            linear = tx + width * (ty + height * tz)
                            poke(m, _LOG_THREAD, peek(m, _LOG_BLOCK) + linear)
                        thread(c, m, *args)
                        if loops:
                            poke(m, _PROGRESS, peek(m, _PROGRESS) + 1)
            if tracing:
                poke(m, _LOG_BLOCK, peek(m, _LOG_BLOCK) + width * height * depth)
            poke(m, _BLOCKS, peek(m, _BLOCKS) + 1)

    return run


def scheduled(thread, barriers_only: bool, options: dict):
    """The driver of a kernel whose threads wait for each other.

    Its ``run`` takes, besides what a plain one takes: the threads' table (rows of :class:`.exchange.Row` for every thread of
    the blocks that run together), how many blocks run together, the order in which the threads of a block are resumed,
    and the bytes of shared memory of a block and of local memory of a thread.

    Parameters
    ----------
    thread : numba dispatcher
        The rewritten kernel, a generator.
    barriers_only : bool
        Whether its threads wait at ``syncthreads`` only: that takes less to compile, and to run.
    """
    decide = simple if barriers_only else general

    @njit(**options)
    def run(m, first, last, dims, tracing, rows, together, order, shared_bytes, local_bytes, args):
        args = borrow(args)
        width, height, depth, across, down, deep = dims
        n = width * height * depth
        c = where(0, 0, 0, 0, 0, 0, width, height, depth, across, down, deep, tracing)
        kind = thread(c, m, *args)
        size = frame_size(kind)
        memory = np.empty(size * n * together + 16, np.uint8)
        frames = (memory.ctypes.data + 15) // 16 * 16
        for begin in range(first, last, together):
            end = min(begin + together, last)
            for block in range(begin, end):
                bx, by, bz = block % across, block // across % down, block // (across * down)
                at = (block - begin) * n
                for tz in range(depth):
                    for ty in range(height):
                        for tx in range(width):
                            c = where(tx, ty, tz, bx, by, bz, width, height, depth, across, down, deep, tracing)
                            keep(frames + at * size, thread(c, m, *args))
                            at += 1
            start(m, rows, (end - begin) * n)
            going = True
            while going:
                for block in range(end - begin):
                    base = block * n
                    if together > 1:
                        move(m, block, base, shared_bytes, local_bytes)
                    for k in range(n):
                        at = base + order[k]
                        if rows[at, _CODE] == READY:
                            if tracing:
                                tell(m, rows, at)
                            rows[at, _CODE] = resume(frames + at * size, kind)
                    if together > 1:
                        move(m, -block, -base, shared_bytes, local_bytes)
                going = decide(m, rows, end - begin, n, tracing)
                if peek(m, _FAULT) != 0:
                    split(m, begin, dims)
                    raise KernelFault
            finish(m, begin, end - begin, dims)
        return memory

    return run
