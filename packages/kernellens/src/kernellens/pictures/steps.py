"""A log as steps: one access of the source as all threads of a block make it, the n-th time in a barrier interval.

Where threads go through memory in a regular way, a step is five numbers, however many threads there are: which element
thread (0, 0, 0) touches, and how much further each axis of the block leads.  So a picture can hold every access of every
thread and stay small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpusim.device.indices import indices
from gpusim.kernels.sanitizer import blocks as sample
from gpusim.kernels.sanitizer.log import ATOMIC, READ, RECORD, WRITE, Log

MOST = 400_000
"""Records of a log that are made into steps; there are fewer blocks in a picture where each has many."""


@dataclass(frozen=True)
class Memory:
    """An array as pictures have it.

    Attributes
    ----------
    name, space : str
    shape : tuple of int
        Of dynamic shared memory as much as was touched.
    itemsize : int
    dtype : str
    address : int
        Of the first element, in bytes.
    strides : tuple of int
        Bytes.
    """

    name: str
    space: str
    shape: tuple[int, ...]
    itemsize: int
    dtype: str
    address: int
    strides: tuple[int, ...]

    @property
    def size(self) -> int:
        """Elements."""
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass(frozen=True)
class Step:
    """One access of the source by threads of a block.

    Attributes
    ----------
    site : int
        Its number in the log.
    array : int
        Its number among `Steps.memories`.
    interval : int
        Barrier interval of the block, from 0.
    threads : numpy.ndarray, int64, shape (n,)
        Linear, ascending.
    elements : numpy.ndarray, int64, shape (n,)
        What they touch: flat, in C order of the array's shape.
    affine : tuple of int or None
        ``(base, x, y, z)``: element = base + x · threadIdx.x + y · threadIdx.y + z · threadIdx.z, where that is so.
    """

    site: int
    array: int
    interval: int
    threads: np.ndarray
    elements: np.ndarray
    affine: tuple[int, int, int, int] | None


@dataclass(frozen=True)
class Steps:
    """The steps of some blocks of a log.

    Attributes
    ----------
    log : Log
    memories : list of Memory
    kinds : numpy.ndarray, uint8
        READ, WRITE or ATOMIC of each site.
    blocks : list of int
        Linear ids, the one to show first before the others.
    of : dict
        Linear id → its steps, in the order in which they were made.
    cut : bool
        Whether a block had more records than are shown.
    """

    log: Log
    memories: list[Memory]
    kinds: np.ndarray
    blocks: list[int]
    of: dict[int, list[Step]]
    cut: bool

    def intervals(self, block: int) -> int:
        """Barrier intervals in which a block touched memory."""
        return max((step.interval for step in self.of[block]), default=-1) + 1


def memories(log: Log) -> tuple[list[Memory], np.ndarray]:
    """The arrays of a log, those that an engine listed several times once, and which of them each of its numbers is."""
    found: dict[tuple, int] = {}
    result: list[Memory] = []
    which = np.zeros(len(log.arrays) + 1, np.int64)
    for number, array in enumerate(log.arrays):
        key = (array.name, array.space, array.dtype, array.shape, array.address if array.space == "global" else None)
        if key not in found:
            found[key] = len(result)
            size, strides = array.dtype.itemsize, array.strides
            if strides is None:
                strides = tuple(
                    size * int(np.prod(array.shape[k + 1 :], dtype=np.int64)) for k in range(len(array.shape))
                )
            result.append(
                Memory(array.name, array.space, array.shape, size, str(array.dtype), array.address or 0, tuple(strides))
            )
        which[number] = found[key]
    return result, which


def steps(log: Log, first: Sequence[int] = (), most: int = 64) -> Steps:
    """Make the steps of some blocks.

    Parameters
    ----------
    log : Log
    first : sequence of int
        Linear ids of blocks that are wanted before others.
    most : int
        Blocks at most.
    """
    known, which = memories(log)
    kinds = log.kinds
    threads = log.threads_per_block
    counts = np.zeros(len(log.blocks), np.int64)
    for _, records in log.pieces():
        counts += np.bincount(indices(records["thread"] // np.uint32(threads)), minlength=len(counts))
    chosen, cut = _chosen(log, list(first), counts, most)
    positions = np.flatnonzero(np.isin(log.blocks, chosen))
    records = _records(log, positions, kinds)
    if len(records) > 2 * MOST:  # one block that does very much: its beginning is shown
        records, cut = records[: 2 * MOST], True
    array = which[np.minimum(records["array"], len(which) - 1)]
    elements = _flat(log, known, records, array)
    known = [_trimmed(memory, elements[array == k]) for k, memory in enumerate(known)]
    of: dict[int, list[Step]] = {int(block): [] for block in chosen}
    if len(records):
        for block, made in _grouped(log, records, array, elements):
            of[block].append(made)
    return Steps(log, known, kinds, [int(block) for block in chosen], of, cut)


def _chosen(log: Log, first: list[int], counts: np.ndarray, most: int) -> tuple[list[int], bool]:
    """The blocks of a picture, those that matter most first, as many as it has room for."""

    there = {int(block): int(n) for block, n in zip(log.blocks, counts, strict=True)}
    middle = _middle(log)
    wanted = [*first, middle, *map(int, sample.choose(log.griddim, most)), *there]
    wanted = [block for block in dict.fromkeys(wanted) if block in there][:most]
    chosen, records = [], 0
    for block in wanted:
        if chosen and records + there[block] > MOST:
            break
        chosen.append(block)
        records += there[block]
    return chosen, False


def _middle(log: Log) -> int:
    """A block that has neighbours on all sides, if there is one among the traced."""
    x, y, z = log.griddim
    wanted = np.array([x // 2, y // 2, z // 2])
    places = np.stack([log.blocks % x, log.blocks // x % y, log.blocks // (x * y)], 1)
    rim = ((places == 0) | (places == np.array([x, y, z]) - 1)) & (np.array([x, y, z]) > 2)
    return int(log.blocks[np.lexsort((np.abs(places - wanted).sum(1), rim.sum(1)))[0]])


def _records(log: Log, positions: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    touches = np.isin(kinds, (READ, WRITE, ATOMIC))
    wanted = np.zeros(len(log.blocks), bool)
    wanted[positions] = True
    found = []
    for _, records in log.pieces():
        mine = touches[records["site"]] & wanted[records["thread"] // np.uint32(log.threads_per_block)]
        found.append(records[mine])
    return np.concatenate(found) if found else np.empty(0, RECORD)


def _flat(log: Log, known: list[Memory], records: np.ndarray, array: np.ndarray) -> np.ndarray:
    """Elements in C order: records count them as they lie in memory."""
    elements = records["element"].astype(np.int64)
    for number, memory in enumerate(known):
        plain = [
            memory.itemsize * int(np.prod(memory.shape[k + 1 :], dtype=np.int64)) for k in range(len(memory.shape))
        ]
        if all(n <= 1 or s == p for n, s, p in zip(memory.shape, memory.strides, plain, strict=True)):
            continue
        mine = array == number
        left = elements[mine] * memory.itemsize
        index = [np.zeros(len(left), np.int64) for _ in memory.shape]
        for axis in sorted(range(len(memory.shape)), key=lambda a: -abs(memory.strides[a])):
            stride, n = abs(memory.strides[axis]), memory.shape[axis]
            if stride and n > 1:
                at = np.minimum(left // stride, n - 1)
                left = left - at * stride
                index[axis] = at if memory.strides[axis] > 0 else n - 1 - at
        elements[mine] = np.ravel_multi_index(index, memory.shape)
    return elements


def _trimmed(memory: Memory, elements: np.ndarray) -> Memory:
    """Dynamic shared memory has no shape of its own: as much of it as was touched."""
    if memory.space != "shared" or len(memory.shape) != 1 or memory.size * memory.itemsize < 1 << 18:
        return memory
    size = int(elements.max(initial=-1)) + 1
    return Memory(memory.name, memory.space, (size,), memory.itemsize, memory.dtype, memory.address, memory.strides)


def _grouped(log: Log, records: np.ndarray, array: np.ndarray, elements: np.ndarray):
    """Yield each step with its block's linear id, block by block, in the order of the source as it was run."""
    threads = log.threads_per_block
    block, thread = np.divmod(records["thread"].astype(np.int64), threads)
    moment = records["epoch"].astype(np.int64) << 16 | records["interval"]
    interval = _ranks(block, moment)
    site = records["site"].astype(np.int64)
    # The how-manieth access of its thread each record is, and the how-manieth of this place in this interval.
    ordinal = _nth(block * threads + thread)
    time = _nth(_packed(block * threads + thread, interval, site, array))
    group = _packed(block, interval, site, array, time)
    order = np.lexsort((thread, group))
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    rank = np.maximum.reduceat(ordinal[order], starts)
    line = np.array([s.line for s in log.sites])[site[order[starts]]]
    sequence = np.lexsort((line, rank, interval[order[starts]], block[order[starts]]))
    x, y, z = log.blockdim
    linear = np.arange(threads)
    places = np.stack([linear % x, linear // x % y, linear // (x * y)])
    for k in sequence:
        rows = order[starts[k] : ends[k]]
        one = rows[0]
        mine, touched = thread[rows], elements[rows]
        yield (
            int(log.blocks[block[one]]),
            Step(
                site=int(site[one]),
                array=int(array[one]),
                interval=int(interval[one]),
                threads=mine,
                elements=touched,
                affine=_affine(mine, touched, places, (1, x, x * y), (x, y, z)),
            ),
        )


def _affine(threads: np.ndarray, elements: np.ndarray, places: np.ndarray, strides, dims) -> tuple | None:
    """The five numbers of a step, if there are such."""
    factors = []
    origin = places[:, threads[0]]
    for axis in range(3):
        factor = 0
        if dims[axis] > 1:
            # The first thread beside the first one along this axis, among those that are there.
            others = [k for k in range(3) if k != axis]
            beside = np.flatnonzero(
                (places[axis, threads] != origin[axis])
                & (places[others[0], threads] == origin[others[0]])
                & (places[others[1], threads] == origin[others[1]])
            )
            if len(beside):
                far = int(places[axis, threads[beside[0]]] - origin[axis])
                factor, left = divmod(int(elements[beside[0]] - elements[0]), far)
                if left:
                    return None
        factors.append(factor)
    base = int(elements[0]) - int(np.dot(factors, origin))
    if (base + np.asarray(factors) @ places[:, threads] == elements).all():
        return (base, *factors)
    return None


def _nth(key: np.ndarray) -> np.ndarray:
    """How many equal keys stand before each."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    times = np.empty(len(key), np.int64)
    times[order] = np.arange(len(key)) - np.repeat(starts, np.diff(starts, append=len(key)))
    return times


def _ranks(block: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Barrier intervals of each block, numbered from 0 without gaps."""
    both = _packed(block, moment)
    values, where = np.unique(both, return_inverse=True)
    owner = values // (int(moment.max()) + 1)
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    rank = np.arange(len(values)) - np.repeat(starts, np.diff(starts, append=len(values)))
    return rank[where]


def _packed(*fields: np.ndarray) -> np.ndarray:
    """One integer for several, that compares like them."""
    packed = np.zeros(len(fields[0]), np.int64)
    for values in fields:
        size = int(values.max(initial=0)) + 1
        if packed.max(initial=0) > 2**62 // size:
            packed = np.unique(packed, return_inverse=True)[1].astype(np.int64, copy=False)
        packed = packed * size + values
    return packed
