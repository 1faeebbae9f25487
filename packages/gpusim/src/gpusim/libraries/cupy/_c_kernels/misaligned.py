"""Launches with a pointer to where a GPU cannot load what it points to: stopped by the access, and not by the address."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpusim.device import queue
from gpusim.kernels import operands, reported
from gpusim.kernels.faults import OutOfBoundsError
from gpusim.kernels.frontend.cuda_cpp.c_types import Pointer, Struct, alignment
from gpusim.kernels.sanitizer.records import UNREAD

from .launch import Crooked, layout

_AT_ONCE = 1 << 20
"""Threads of a launch whose accesses are looked at together, about."""


def launch(
    kernel: Any, grid: tuple, block: tuple, args: tuple, shared_mem: int, cooperative: bool, crooked: Crooked
) -> None:
    """Run a launch at once, and stop it as a GPU does, if it touches what is misaligned: the address alone harms nothing."""
    queue.run()
    blocks, at_once = math.prod(grid), max(1, _AT_ONCE // math.prod(block))
    for begin in range(0, blocks, blocks if cooperative else at_once):
        some = np.arange(begin, blocks if cooperative else min(begin + at_once, blocks))
        log, stopped = kernel.trace(grid, block, args, sharedmem=shared_mem, cooperative=cooperative, blocks=some)
        for memory, name, kind in crooked:
            if _touches(log, memory, kind):
                needs = alignment(kind.to)
                said = (
                    f"{name} is a pointer to {kind.to}, which must lie at a multiple of {needs} bytes; the array begins "
                    f"{memory.ctypes.data % needs} bytes behind one. Pass an array that begins at one, or read its numbers one by one."
                )
                queue.submit_uncounted(kernel.name, _fail, (said,))
                return
        if stopped is not None and not (isinstance(stopped, OutOfBoundsError) and reported.goes_on()):
            raise stopped
    reads, writes = operands.declared(kernel.function(), args)
    queue.count(kernel.name, queue.nbytes(reads), queue.nbytes(writes), by=kernel, reads=reads, writes=writes)


def _touches(log: Any, memory: np.ndarray, kind: Pointer) -> bool:
    """Whether a launch loads or stores a number, or several as one vector, at an address that is no multiple of their size."""
    low, records = memory.ctypes.data, log.records
    members: dict[str, set[int]] = {"read": set(), "write": set()}
    for number, array in enumerate(log.arrays):
        if array.space != "global" or array.lowest is None or not low <= array.lowest < low + memory.nbytes:
            continue
        mine = np.unique(records[records["array"] == number][["element", "site"]])
        for site in np.unique(mine["site"]):
            place = log.sites[site]
            if place.operation == UNREAD:
                continue
            elements = mine["element"][mine["site"] == site].astype(np.int64)
            places = array.lowest - low + elements * array.dtype.itemsize + place.offset
            if ((low + places) % (place.nbytes or array.dtype.itemsize)).any():
                return True
            if place.array.endswith("]") and place.kind in members:  # else it was cast to a pointer to numbers
                members[place.kind].update((places % kind.to.dtype.itemsize).tolist())
    for begin, together in _vectors(kind.to):
        loaded, stored = {together[0], together[-1]} <= members["read"], set(together) <= members["write"]
        if (loaded or stored) and (low + begin) % (together.step * len(together)):
            return True
    return False


def _vectors(kind: Any) -> list[tuple[int, range]]:
    """Where members of a struct with an alignment of its own lie that are loaded by one instruction, and stored by one.

    Those between two that are loaded come along; NVRTC 13 does so with 2, 4, 8 or 16 bytes (``ld.global.v4.f32``).
    """
    if not isinstance(kind, Struct) or kind.aligned == 1:
        return []
    starts = {start: base.itemsize for start, base, shape in layout(kind.dtype) if not shape}
    made = []
    for begin, size in starts.items():
        for width in (2, 4):
            group = range(begin, begin + size * width, size)
            if begin % (size * width) == 0 and size * width <= min(16, kind.alignment) and set(group) <= starts.keys():
                made.append((begin, group))
    return made


def _fail(said: str) -> None:
    """End a launch as a GPU ends one that loads from an address that is not aligned."""
    from ..cuda._errors import CUDARuntimeError

    error = CUDARuntimeError(716)
    error.add_note(said)
    raise error
