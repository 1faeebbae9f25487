"""What compiled code calls for every access of a traced launch."""

from __future__ import annotations

import functools

from numba import carray, njit, types
from numba.extending import intrinsic

from ...sanitizer.records import OUTSIDE, WITHIN
from . import cache, cache_key
from .access import PART, STORED
from .worker_state import Cell

ROOT = 6
"""Cells of a row in the table of arrays: space, start, bytes, bytes an item, number, whether it holds records."""
GLOBAL, SHARED, LOCAL = range(3)
WORDS = 5
"""32-bit words of a record, see ``trace.log.RECORD``."""


@intrinsic
def words(typingctx, address):
    """A pointer to 64-bit words at an address."""
    kind = types.CPointer(types.int64)

    def codegen(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(kind))

    return kind(types.int64), codegen


@intrinsic
def halves(typingctx, address):
    """A pointer to 32-bit words at an address."""
    kind = types.CPointer(types.uint32)

    def codegen(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(kind))

    return kind(types.int64), codegen


@intrinsic
def peek(typingctx, machine, which):
    """One of the machine's cells, read anew each time: another thread may have changed it."""

    def codegen(context, builder, sig, args):
        base = builder.inttoptr(args[0], context.get_value_type(_CELLS))
        return builder.load_atomic(builder.gep(base, [args[1]]), "monotonic", 8)

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def poke(typingctx, machine, which, value):
    """Set one of the machine's cells."""

    def codegen(context, builder, sig, args):
        base = builder.inttoptr(args[0], context.get_value_type(_CELLS))
        builder.store(args[2], builder.gep(base, [args[1]]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


_CELLS = types.CPointer(types.int64)
_COUNT, _CAPACITY, _RECORDS = int(Cell.LOG_COUNT), int(Cell.LOG_CAPACITY), int(Cell.LOG_RECORDS)
_VALUES, _VALUES_COUNT = int(Cell.LOG_VALUES), int(Cell.LOG_VALUES_COUNT)
_ROOTS, _ROOTS_COUNT, _THREAD = int(Cell.LOG_ROOTS), int(Cell.LOG_ROOTS_COUNT), int(Cell.LOG_THREAD)
_INTERVAL, _WARP, _EPOCH = int(Cell.INTERVAL), int(Cell.WARP), int(Cell.EPOCH)
_SHARED, _LOCAL, _STRIDE = int(Cell.SHARED), int(Cell.LOCAL), int(Cell.LOCAL_STRIDE)
_ARRAY, _OFFSET, _OUTSIDE = int(Cell.OUTSIDE_ARRAY), int(Cell.OUTSIDE_OFFSET), OUTSIDE
_STORED, _PART, _WITHIN, _ROOT, _WORDS, _LENGTH = STORED, PART, WITHIN, ROOT, WORDS, int(Cell.LENGTH)


@functools.cache
def function() -> tuple[int, object]:
    """Address of the logging function, compiled when a launch is traced for the first time, and what keeps it alive."""

    def enter(machine, address, site, flags, value):
        cells = carray(words(machine), _LENGTH)
        count = cells[_COUNT]
        if count >= cells[_CAPACITY]:
            cells[_COUNT] = count + 1  # so that the Python side sees how many there would have been
            return
        if address == -1:  # a fence, or a way that a thread takes
            record = carray(halves(cells[_RECORDS] + 4 * _WORDS * count), _WORDS)
            record[0] = 0
            record[1] = cells[_THREAD]
            record[2] = site | 0xFFFF << 16
            record[3] = (cells[_INTERVAL] & 0xFFFF) | (cells[_WARP] & 0xFFFF) << 16
            record[4] = cells[_EPOCH] & 0xFFFF
            cells[_COUNT] = count + 1
            return
        beyond = 0
        if flags & _OUTSIDE:  # no array has this element: the one it is meant to be of is known by its first
            address, beyond = cells[_ARRAY], cells[_OFFSET]
        roots = carray(words(cells[_ROOTS]), cells[_ROOTS_COUNT] * _ROOT)
        for k in range(cells[_ROOTS_COUNT]):
            row = k * _ROOT
            space = roots[row]
            offset = address - roots[row + 1]
            if space == 1:
                offset -= cells[_SHARED]
            elif space == 2:
                offset = address - cells[_LOCAL]
                if offset >= 0 and cells[_STRIDE] > 0:
                    offset = offset % cells[_STRIDE]
                offset -= roots[row + 1]
            if 0 <= offset < roots[row + 2]:
                item, within = roots[row + 3], 0
                if roots[row + 5] != 0 and not flags & _PART:
                    item, within = 1, _WITHIN  # a view into records: the place says which part of the item it is
                record = carray(halves(cells[_RECORDS] + 4 * _WORDS * count), _WORDS)
                record[0] = (offset + beyond) // item
                record[1] = cells[_THREAD]
                record[2] = site | roots[row + 4] << 16
                record[3] = (cells[_INTERVAL] & 0xFFFF) | (cells[_WARP] & 0xFFFF) << 16
                record[4] = (cells[_EPOCH] & 0xFFFF) | (flags & 0xFFFF | within) << 16
                cells[_COUNT] = count + 1
                if flags & _STORED:
                    values = carray(words(cells[_VALUES]), cells[_CAPACITY])
                    values[cells[_VALUES_COUNT]] = value
                    cells[_VALUES_COUNT] += 1
                return

    signature = (types.int64,) * 5
    try:
        key = cache_key.digest(("log", enter.__qualname__))
    except cache_key.NoKey:
        key = None
    kept = cache.load(key, signature) if key else None
    if kept is not None:
        result = kept[0]
    else:
        compiled = njit(no_cpython_wrapper=True)(enter)
        compiled.compile(signature)
        result = compiled.overloads[signature]
        if key:
            cache.save(key, result, None)
    return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name), result
