"""Accesses to elements that no array has, of a trace that went on past them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..faults import OutOfBoundsError
from .reading import Log
from .records import FLAGGED_AXES, NEGATIVE, NEGATIVE_AXIS, Array


class Outside(NamedTuple):
    """Accesses of one line to one array that exceed one axis.

    Attributes
    ----------
    error : OutOfBoundsError
        The first of them.
    elements : int
        How many different elements there would be.
    """

    error: OutOfBoundsError
    elements: int


def outside(log: Log) -> Iterator[Outside]:
    """Yield what a launch did past the ends of its arrays, line by line."""
    records = log.outside
    kinds = [(site.line, site.function, site.kind == "read") for site in log.sites]
    lines = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
    of_site = np.array([lines[kind] for kind in kinds], np.int64)
    axes = np.array([axis(int(flags)) for flags in records["flags"]], np.int64)
    key = (of_site[records["site"]] * 0x10000 + records["array"]) * FLAGGED_AXES + axes
    for which in dict.fromkeys(key.tolist()):
        mine = records[key == which]
        yield Outside(_error(log, mine[0]), len(np.unique(mine["element"])))


def index(array: Array, element: int, flags: int) -> tuple[int, ...]:
    """The index that an access outside of an array was meant for.

    Parameters
    ----------
    array : Array
    element, flags : int
        Of a record of `Log.outside`.

    Notes
    -----
    Right where an axis is exceeded by less than it is long, and all of them the same way; otherwise one that denotes the
    same place in memory.
    """
    at, size = int(np.uint32(element).view(np.int32)), array.dtype.itemsize
    strides = array.strides or _c_order(array.shape, size)
    left = at * size
    found = [0] * len(array.shape)
    order = sorted(range(len(array.shape)), key=lambda a: -abs(strides[a]))
    for axis in order:
        if strides[axis]:
            found[axis], left = divmod(left, strides[axis]) if array.shape[axis] > 1 or axis == order[0] else (0, left)
    for slower, axis in zip(order, order[1:], strict=False):
        if flags & NEGATIVE_AXIS << axis and 0 <= found[axis] < array.shape[axis]:
            way = -1 if flags & NEGATIVE else 1
            found[axis] += way * array.shape[axis]
            found[slower] -= way
    # A negative index was counted from the end once.
    return tuple(i - n if i < 0 else i for i, n in zip(found, array.shape, strict=True))


def axis(flags: int) -> int:
    """The last axis that is exceeded."""
    return max((a for a in range(FLAGGED_AXES) if flags & NEGATIVE_AXIS << a), default=0)


def _c_order(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    strides = []
    for n in reversed(shape):
        strides.append(size)
        size *= max(n, 1)
    return tuple(reversed(strides))


def _error(log: Log, record: np.void) -> OutOfBoundsError:
    site, array = log.sites[record["site"]], log.arrays[record["array"]]
    where = axis(int(record["flags"]))
    return OutOfBoundsError(
        array=site.array or array.name,
        index=index(array, int(record["element"]), int(record["flags"])),
        axis=where,
        size=array.shape[where] if where < len(array.shape) else None,
        writing=site.kind != "read",
        kernel=log.kernel,
        line=site.line,
        source_line=site.text,
        function=site.function if site.function != log.kernel else None,
        thread=log.thread_of(record["thread"]),
        block=log.block_of(record["thread"]),
    )
