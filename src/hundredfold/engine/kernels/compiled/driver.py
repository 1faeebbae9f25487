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
from .logcall import peek, poke
from .low import KernelFault
from .machine import Cell, Fault, Yield
from .places import borrow
from .warps import settle

_STOP, _PROGRESS = int(Cell.STOP), int(Cell.PROGRESS)
_LOG_BLOCK, _LOG_THREAD = int(Cell.LOG_BLOCK), int(Cell.LOG_THREAD)
_INTERVAL, _WARP, _EPOCH = int(Cell.INTERVAL), int(Cell.WARP), int(Cell.EPOCH)
_SHARED, _LOCAL, _EXCHANGE = int(Cell.SHARED), int(Cell.LOCAL), int(Cell.EXCHANGE)
_DYNAMIC = int(Cell.DYNAMIC)
_FAULT, _SITE = int(Cell.FAULT), int(Cell.FAULT_SITE)
_THREAD, _BLOCK = int(Cell.FAULT_THREAD), int(Cell.FAULT_BLOCK)
_DEADLOCK, _STOPPED = int(Fault.DEADLOCK), int(Fault.STOPPED)
_BARRIER, _COUNT, _AND, _OR = (int(Yield[k]) for k in ("BARRIER", "BARRIER_COUNT", "BARRIER_AND", "BARRIER_OR"))
_GRID, _SPIN, _SYNCWARP = int(Yield.GRID), int(Yield.SPIN), int(Yield.SYNCWARP)
_CODE, _VALUE, _RESULT = int(Row.CODE), int(Row.VALUE), int(Row.RESULT)
_PASSED, _WARPED = int(Row.INTERVAL), int(Row.WARP)
READY = -1
"""Code of a thread that can go on."""


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
                            poke(m, _LOG_THREAD, peek(m, _LOG_BLOCK) * width * height * depth + linear)
                        thread(c, m, *args)
                        if loops:
                            poke(m, _PROGRESS, peek(m, _PROGRESS) + 1)
            if tracing:
                poke(m, _LOG_BLOCK, peek(m, _LOG_BLOCK) + 1)
            if not loops:
                poke(m, _PROGRESS, peek(m, _PROGRESS) + 1)

    return run


def scheduled(thread, options: dict):
    """The driver of a kernel whose threads wait for each other.

    Its ``run`` takes, besides what a plain one takes: the threads' table (rows of :class:`.exchange.Row` for every thread of
    the blocks that run together), how many blocks run together, and the order in which the threads of a block are resumed.
    """

    @njit(**options)
    def run(m, first, last, dims, tracing, rows, together, order, shared_bytes, local_bytes, args):
        args = borrow(args)
        width, height, depth, across, down, deep = dims
        n = width * height * depth
        shared, dynamic = peek(m, _SHARED), peek(m, _DYNAMIC)
        local, table = peek(m, _LOCAL), peek(m, _EXCHANGE)
        traced = peek(m, _LOG_BLOCK)
        c = where(0, 0, 0, 0, 0, 0, width, height, depth, across, down, deep, tracing)
        kind = thread(c, m, *args)
        size = frame_size(kind)
        memory = np.empty(size * n * together + 16, np.uint8)
        frames = (memory.ctypes.data + 15) // 16 * 16
        for begin in range(first, last, together):
            end = min(begin + together, last)
            for block in range(begin, end):
                bx, by, bz = block % across, block // across % down, block // (across * down)
                base = (block - begin) * n
                t = 0
                for tz in range(depth):
                    for ty in range(height):
                        for tx in range(width):
                            c = where(tx, ty, tz, bx, by, bz, width, height, depth, across, down, deep, tracing)
                            keep(frames + (base + t) * size, thread(c, m, *args))
                            rows[base + t, _CODE] = READY
                            rows[base + t, _PASSED] = 0
                            rows[base + t, _WARPED] = 0
                            t += 1
            poke(m, _EPOCH, 0)
            blocks_left = end - begin
            while blocks_left > 0:
                blocks_left = 0
                moved = False
                at_grid = True
                stuck = -1
                for block in range(begin, end):
                    base = (block - begin) * n
                    poke(m, _SHARED, shared + (block - begin) * shared_bytes)
                    poke(m, _DYNAMIC, dynamic + (block - begin) * shared_bytes)
                    poke(m, _LOCAL, local + base * local_bytes)
                    poke(m, _EXCHANGE, table + base * 8 * _ROW)
                    if peek(m, _STOP) != 0:
                        poke(m, _FAULT, _STOPPED)
                        raise KernelFault
                    alive = waiting = warp = grid = 0
                    site = np.int64(-1)
                    predicated = False
                    for k in range(n):
                        t = order[k]
                        at = base + t
                        code = rows[at, _CODE]
                        if code == READY:
                            if tracing:
                                poke(m, _LOG_THREAD, (traced + block - begin) * n + t)
                                poke(m, _INTERVAL, rows[at, _PASSED])
                                poke(m, _WARP, rows[at, _WARPED])
                            code = resume(frames + at * size, kind)
                            moved = True
                            if code & 255 == _SPIN:
                                alive += 1
                                continue
                            poke(m, _PROGRESS, peek(m, _PROGRESS) + 1)
                            rows[at, _CODE] = code
                        if code != 0:
                            alive += 1
                            what = code & 255
                            if what >= _SYNCWARP:
                                warp += 1
                                stuck = at
                            elif what == _GRID:
                                grid += 1
                            else:
                                waiting += 1
                                predicated = predicated or what != _BARRIER
                                stuck = at if stuck < 0 else stuck
                                if site != code >> 8:
                                    if site >= 0 and tracing:
                                        poke(m, _PARTED, peek(m, _PARTED) + 1)
                                    site = code >> 8
                    if alive == 0:
                        continue
                    blocks_left += 1
                    if warp > 0 and settle(rows, base, n):
                        moved = True
                    if waiting == alive:
                        if tracing and alive < n:
                            poke(m, _ENDED, peek(m, _ENDED) + 1)
                        if predicated:
                            count = 0
                            for t in range(n):
                                code = rows[base + t, _CODE]
                                if code != 0 and code & 255 != _BARRIER and rows[base + t, _VALUE] != 0:
                                    count += 1
                        for t in range(n):
                            code = rows[base + t, _CODE]
                            if code != 0:
                                what = code & 255
                                if what == _COUNT:
                                    rows[base + t, _RESULT] = count
                                elif what == _AND:
                                    rows[base + t, _RESULT] = 1 if count == alive else 0
                                elif what == _OR:
                                    rows[base + t, _RESULT] = 1 if count > 0 else 0
                                rows[base + t, _CODE] = READY
                                rows[base + t, _PASSED] += 1
                        moved = True
                        at_grid = False
                    elif grid != alive:
                        at_grid = False
                        if grid > 0:
                            stuck = base if stuck < 0 else stuck
                if blocks_left > 0 and at_grid:
                    for at in range((end - begin) * n):
                        if rows[at, _CODE] != 0:
                            rows[at, _CODE] = READY
                    poke(m, _EPOCH, peek(m, _EPOCH) + 1)
                    moved = True
                if blocks_left > 0 and not moved:
                    poke(m, _FAULT, _DEADLOCK)
                    poke(m, _SITE, rows[max(stuck, 0), _CODE] >> 8)
                    t = max(stuck, 0) % n
                    block = begin + max(stuck, 0) // n
                    poke(m, _THREAD, t % width)
                    poke(m, _THREAD + 1, t // width % height)
                    poke(m, _THREAD + 2, t // (width * height))
                    poke(m, _BLOCK, block % across)
                    poke(m, _BLOCK + 1, block // across % down)
                    poke(m, _BLOCK + 2, block // (across * down))
                    raise KernelFault
            traced += end - begin
            poke(m, _LOG_BLOCK, traced)
        poke(m, _SHARED, shared)
        poke(m, _DYNAMIC, dynamic)
        poke(m, _LOCAL, local)
        poke(m, _EXCHANGE, table)
        return memory

    return run


_ROW = int(Row.LENGTH)
_PARTED, _ENDED = int(Cell.PARTED), int(Cell.ENDED)
