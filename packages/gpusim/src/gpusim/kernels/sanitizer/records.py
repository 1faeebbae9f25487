"""What a log is made of: records of accesses, and the places, arrays and barriers that they name by number."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

WARP = 32

RECORD = np.dtype(
    [
        ("element", "u4"),  # index of the item in its array's memory, counted from the lowest address
        ("thread", "u4"),  # k * threads per block + linear thread id, k the position of its block in `Log.blocks`
        ("site", "u2"),
        ("array", "u2"),
        ("interval", "u2"),  # block barriers that this thread has passed
        ("warp", "u2"),  # syncwarps it has passed
        ("epoch", "u2"),  # grid syncs it has passed
        ("flags", "u2"),
    ]
)
NEGATIVE = 1
"""Flag: a negative index was used. `NEGATIVE_AXIS << axis` may say along which axes."""
NEGATIVE_AXIS = 2
FLAGGED_AXES = 13
"""Axes for which there is such a flag."""
WITHIN = 0x4000
"""Flag, while a chunk is filled: `element` counts bytes, for an item of an array that lies in a record."""
OUTSIDE = 0x8000
"""Flag: the array has no such element (records of `Log.outside` only; there the axes are those that are exceeded)."""


def axis_flags(negative: Any, axis: int) -> Any:
    """The flags for an index along an axis, where it was negative: 0 or 1, or an array of booleans."""
    return negative * (NEGATIVE | (NEGATIVE_AXIS << axis if axis < FLAGGED_AXES else 0))


NO_ARRAY = 0xFFFF
"""The array of a record that is no access: a memory fence, noted so that what it orders is no race."""

READ, WRITE, ATOMIC, FENCE, OTHER = range(5)
KINDS = ("read", "write", "atomic", "fence")


FROM_THE_END = "from the end"
"""The operation of a read or a write whose index is a constant below zero: it is meant."""
COPIED, UNREAD = "copied", "unread"


def of_a_copy(node: Any) -> str:
    """The operation of a read at a node of the source: nothing, where it is no part of a copy of a whole record."""
    return (UNREAD if getattr(node, "unread", False) else COPIED) if getattr(node, "copied", False) else ""


class Site(NamedTuple):
    """A place in the source that touches an array, or a memory fence (kind ``"fence"``).

    The two ways of a conditional are places too (``"taken"``, ``"passed"``), where a trace was asked to log them.  So are
    those where lanes of a warp meet (``"sync"``, with the operation): a ``syncwarp`` of some lanes only is logged once for
    each of them, with their mask as the element, and a shuffle where a lane reads from outside of its mask.

    Attributes
    ----------
    line, column : int
        In the kernel's own source, 1-based and 0-based.
    array : str
        The array as it is written there.
    kind : str
        ``"read"``, ``"write"``, ``"atomic"`` or ``"fence"``.
    function : str
        The kernel, or the device function it is in.
    text : str
        The line, or the access, as it is written: ``"total += x[i + 1, j]"``.
    operation : str
        Which atomic (``"add"``) or which fence (``"threadfence_block"``), or `FROM_THE_END`, if the backend says.  Of a read, `COPIED`: it is
        a part of a copy of a whole record, of which some members may never have been set; `UNREAD`: and nothing uses this one.
    offset, nbytes : int
        The part of the item that is touched (a field of a record), in bytes; 0 bytes mean all of it.
    """

    line: int
    column: int = 0
    array: str = ""
    kind: str = "read"
    function: str = ""
    text: str = ""
    operation: str = ""
    offset: int = 0
    nbytes: int = 0


class Array(NamedTuple):
    """An array whose elements were touched.

    Attributes
    ----------
    name : str
    space : str
        ``"global"``, ``"shared"``, ``"local"`` or ``"const"``.
    dtype : numpy.dtype
    shape : tuple of int
    strides : tuple of int
        Bytes; None means C order.
    address : int
        Of the first item, in the memory of its space; arrays of one space whose bytes overlap are one memory (an
        array that is passed twice, dynamic shared memory that is cut up).  None: apart from all others.
    nbytes : int
        From the lowest to the highest byte; 0 means as shape and dtype have it.
    """

    name: str
    space: str
    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    address: int | None = None
    nbytes: int = 0

    @property
    def lowest(self) -> int | None:
        """Address of the lowest byte: the one that element 0 of a record begins at."""
        if self.address is None or self.strides is None:
            return self.address
        return self.address + sum(s * (n - 1) for s, n in zip(self.strides, self.shape, strict=True) if s < 0 < n)

    @property
    def extent(self) -> int:
        """Bytes from the lowest to the end of the highest item."""
        if self.nbytes:
            return self.nbytes
        if 0 in self.shape:
            return 0
        if self.strides is None:
            return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        reach = sum(abs(s) * (n - 1) for s, n in zip(self.strides, self.shape, strict=True))
        return reach + self.dtype.itemsize

    def index_of(self, element: int) -> tuple[int, ...]:
        """The index of an element, given as in a record: the first that denotes it, where several do."""
        strides = self.strides
        if strides is None:
            return tuple(int(i) for i in np.unravel_index(element, self.shape)) if self.shape else ()
        left = int(element) * self.dtype.itemsize
        index = [0] * len(self.shape)
        for axis in sorted(range(len(self.shape)), key=lambda a: -abs(strides[a])):
            step, n = abs(strides[axis]), self.shape[axis]
            if step and n > 1:
                at = min(left // step, n - 1)
                left -= at * step
                index[axis] = at if strides[axis] > 0 else n - 1 - at
        return tuple(index)


class Sync(NamedTuple):
    """A barrier in the source: its line and kind (``"syncthreads"``, ``"grid"`` …)."""

    line: int
    kind: str = "syncthreads"
    text: str = ""
    function: str = ""


ENDED = -1
"""In place of a barrier: the thread had come to the end of the kernel."""
GUARDED = -2
"""In place of a barrier: the thread had returned, out of no loop or before it came to any barrier."""


class Arrival(NamedTuple):
    """A thread's arrival at a barrier at which its block diverged; `sync` may be `ENDED` or `GUARDED`."""

    thread: int
    sync: int
    interval: int


class InvalidWarpSync(NamedTuple):
    """An invalid warp-level synchronization: lanes that have to act together do not, so the result is undefined.

    Attributes
    ----------
    what : str
        ``"masks"``: two lanes that exchange name different lanes.  ``"absent"``: a lane asks one that its mask names and
        that is not there.  ``"own"``: a lane's mask does not name itself.  ``"passed"``: a mask names a lane that has gone
        past to the end of the kernel.
    thread, sync : int
        Numbered as in records and in `Log.syncs`.
    other, other_sync : int
        The lane with the other mask, or that went past; -1 for none.
    lane : int
        The other's place in the warp.
    """

    what: str
    thread: int
    sync: int
    other: int
    other_sync: int
    lane: int


class Chunk(NamedTuple):
    """Room for records that compiled code fills.

    Attributes
    ----------
    records : numpy.ndarray, RECORD
    values : numpy.ndarray, uint64
        The stored value of each write, the operand of each atomic, in the order of the records.
    counts : numpy.ndarray, int64, shape (2,)
        How many of each are filled.
    """

    records: np.ndarray
    values: np.ndarray
    counts: np.ndarray
