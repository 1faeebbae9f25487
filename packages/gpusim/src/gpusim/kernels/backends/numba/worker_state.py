"""The state that compiled kernels and the Python side share: one array of 64-bit cells per worker thread."""

from __future__ import annotations

import enum

import numpy as np

SCRATCH_BYTES = 1024
"""What an access past the end of an array may touch instead: a number, or a record of at most so many bytes."""


class Cell(enum.IntEnum):
    """What lies where in a machine's cells (each an int64)."""

    STOP = 0  # set from outside: loops end at their next turn
    PROGRESS = 1  # grows as threads end or pass a barrier
    FAULT = 2  # a Fault, then what is known of it
    FAULT_SITE = 3
    FAULT_AXIS = 4
    FAULT_SIZE = 5
    FAULT_RANK = 6
    FAULT_THREAD = 7  # three cells, then the block's three
    FAULT_BLOCK = 10
    LOG_FUNCTION = 13  # address of the function that enters an access in the log
    LOG_RECORDS = 14
    LOG_COUNT = 15
    LOG_CAPACITY = 16
    LOG_VALUES = 17
    LOG_VALUES_COUNT = 18
    LOG_ROOTS = 19  # address of a table of arrays: start, end, itemsize, id
    LOG_ROOTS_COUNT = 20
    LOG_BLOCK = 21  # how many traced threads the blocks before this one had
    LOG_THREAD = 22
    INTERVAL = 23
    WARP = 24
    EPOCH = 25
    SHARED = 26  # address of the block's shared memory
    DYNAMIC = 27  # address and bytes of its dynamic part
    DYNAMIC_BYTES = 28
    LOCAL = 29  # address of local memory, and bytes from one thread's to the next
    LOCAL_STRIDE = 30
    EXCHANGE = 31  # address of the table through which threads exchange values
    STUCK = 32  # threads left after the last round
    BARRIER_DIVERGENCE = 33  # traced: how threads diverged at a barrier, see BarrierDivergence; then thread, site, other thread, other site, interval
    BLOCKS = 39  # how many are done
    BEYOND = 40  # how many accesses went past the end of an array, where they may
    SCRATCH = 41  # address of SCRATCH_BYTES that such accesses touch instead
    FAULT_INDEX = 42  # as many cells as an array may have axes
    OUTSIDE_ARRAY = 50  # of the last such access: address of the array's first item, and bytes from there
    OUTSIDE_OFFSET = 51
    INVALID_WARP_SYNC = 52  # traced: for each InvalidWarpSyncKind whether it was seen; then thread, site, other thread, other site, lane
    LENGTH = 76


class Fault(enum.IntEnum):
    """Why a compiled kernel stopped."""

    NONE = 0
    OUT_OF_BOUNDS = 1
    STOPPED = 2
    DEADLOCK = 3
    GRID = 4
    RAISED = 5  # an exception of the kernel's own


class BarrierDivergence(enum.IntEnum):
    """How threads of a block diverged at a barrier, the gravest last."""

    GUARDED = 1  # some had returned, by a guard
    ENDED = 2
    BARRIERS = 3  # they wait at different ones


class InvalidWarpSyncKind(enum.IntEnum):
    """How a warp-level synchronization is invalid."""

    MASKS = 0
    ABSENT = 1
    OWN = 2
    PASSED = 3


class Context(enum.IntEnum):
    """What lies where in the tuple of int32 that tells a thread where it is."""

    THREAD = 0
    BLOCK = 3
    BLOCK_DIM = 6
    GRID_DIM = 9
    TRACING = 12


class Yield(enum.IntEnum):
    """What a thread waits for when it hands over; the site stands above the low byte."""

    ENDED = 0
    BARRIER = 1
    BARRIER_COUNT = 2
    BARRIER_AND = 3
    BARRIER_OR = 4
    GRID = 5
    SPIN = 6
    SYNCWARP = 10  # from here on: warps
    SHFL = 11
    SHFL_UP = 12
    SHFL_DOWN = 13
    SHFL_XOR = 14
    ALL = 15
    ANY = 16
    EQ = 17
    BALLOT = 18
    MATCH_ANY = 19
    MATCH_ALL = 20
    ACTIVEMASK = 21


MOST_AXES = int(Cell.OUTSIDE_ARRAY - Cell.FAULT_INDEX)


def new() -> np.ndarray:
    """A machine at rest."""
    return np.zeros(Cell.LENGTH, np.int64)
