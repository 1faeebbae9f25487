"""Elements that an array does not have, where kernels may go on past its end as on a GPU.

A GPU does not look where an address lies.  What lies inside the same array (the next row, for an index past the end of
this one) is what it would read or write, and is read and written here too.  What lies outside belongs to something else
there; here it reads as zero, and what is written is dropped.  A launch tells of its first such access; a trace that was
asked to go on has all of them in its log, apart from the others.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from llvmlite import ir
from numba.core import types

from .. import reported
from ..resolve import Function
from .low import WORD, cell, load, note
from .machine import Cell

Way = Literal["stop", "tell", "log"]
_way: Way = "stop"  # of the kernel that is being compiled; compiling holds a lock


@contextmanager
def compiling(way: Way) -> Iterator[None]:
    """Compile what is compiled inside so that it stops at the end of an array, or goes on and tells or logs it."""
    global _way
    before, _way = _way, way
    try:
        yield
    finally:
        _way = before


def lenient(aryty: types.Type) -> bool:
    """Whether the kernel compiled now may leave arrays of this type: it goes on, and an item is a plain number."""
    return _way != "stop" and isinstance(aryty.dtype, types.Number | types.Boolean)


def logged() -> bool:
    """Whether the kernel compiled now enters such accesses in the log."""
    return _way == "log"


def pointer(context, builder, c, m, aryty, array, places, index, outside, axis, size, site) -> ir.Value:
    """The address of an element at some positions, of which `outside` says whether one is past the end.

    Parameters
    ----------
    places, index : sequence of ir.Value
        Position along each axis, negative ones wrapped once; and as the kernel gave it, for the report.
    axis, size : ir.Value
        The axis that is exceeded, and its length.
    """
    strides = [builder.extract_value(array.strides, k) for k in range(aryty.ndim)]
    offset = ir.Constant(WORD, 0)
    for place, stride in zip(places, strides, strict=True):
        offset = builder.add(offset, builder.mul(place, stride))
    # In an array with gaps, what lies inside cannot be told from what belongs to others.
    whole = builder.mul(array.nitems, array.itemsize) if aryty.layout in "CF" else ir.Constant(WORD, 0)
    gone = builder.and_(outside, builder.icmp_unsigned(">=", offset, whole))
    at = builder.add(builder.ptrtoint(array.data, WORD), offset)
    with builder.if_then(outside, likely=False):
        note(builder, c, m, site, axis, size, tuple(index))
        if logged():
            builder.store(builder.ptrtoint(array.data, WORD), cell(builder, m, Cell.OUTSIDE_ARRAY))
            builder.store(offset, cell(builder, m, Cell.OUTSIDE_OFFSET))
    scratch = load(builder, m, Cell.SCRATCH)
    with builder.if_then(gone, likely=False):
        for k in range(2):  # 16 bytes: the widest number
            here = builder.inttoptr(builder.add(scratch, ir.Constant(WORD, 8 * k)), ir.PointerType(WORD))
            builder.store(ir.Constant(WORD, 0), here)
    return builder.inttoptr(builder.select(gone, scratch, at), array.data.type)


def tell(workers: list, compiled: object, function: Function) -> None:
    """Report what the kernel did past the ends of its arrays, if it did anything.

    Raises
    ------
    OutOfBoundsError
        For the first such access, of a kernel that logs them: all its blocks have run.
    """
    from .workers import out_of_bounds

    passed = [worker for worker in workers if worker.cells[Cell.BEYOND]]
    if not passed:
        return
    times = sum(int(worker.cells[Cell.BEYOND]) for worker in passed)
    fault = out_of_bounds(passed[0].cells, compiled, function)
    for worker in passed:
        worker.cells[Cell.BEYOND] = 0
    if compiled.beyond == "log":
        raise fault
    if reported.beyond(fault, times):
        warnings.warn(f"{fault}\n({times:,} such accesses; {reported.SETTING}=continue let it go on.)", stacklevel=4)
