"""The accesses of a log as the requests that warps make of memory.

A warp that executes a load or a store makes one request for all its active lanes.  A log has no clock: the n-th time a
thread executes an access, counted since its last barrier, is taken to be together with the n-th time of its warp's other
threads.  Threads of a warp that take turns of a loop in which others skip the access are so counted closer together than
a GPU might run them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gpusim.device.indices import indices
from gpusim.kernels.sanitizer.log import FENCE, OTHER, Log, Site


@dataclass(slots=True)
class Requests:
    """The requests of one place in the source on one kind of memory.

    Attributes
    ----------
    site : Site
    arrays : tuple of str
        The names of the arrays that it touched.
    request : numpy.ndarray, int64, shape (n,)
        Which request each access belongs to, 0 to `count` - 1.
    address : numpy.ndarray, int64, shape (n,)
        Of its first byte.
    lane : numpy.ndarray, int64, shape (n,)
        Of the thread in its warp, 0 to 31.
    nbytes : int
        Bytes of one access.
    count : int
        How many requests there are.
    thread : numpy.ndarray, int64, shape (n,)
        Of each access, as in a log's records.
    """

    site: Site
    arrays: tuple[str, ...]
    request: np.ndarray
    address: np.ndarray
    lane: np.ndarray
    nbytes: int
    count: int
    thread: np.ndarray


def requests(log: Log, space: str) -> Iterator[Requests]:
    """Yield the requests of each place in the source, and of each width of access there.

    Parameters
    ----------
    log : Log
    space : str
        ``"global"`` or ``"shared"``.
    """
    wanted = np.array([array.space == space for array in log.arrays] + [False])
    lowest = np.array([array.lowest or 0 for array in log.arrays] + [0], np.int64)
    sizes = np.array([array.dtype.itemsize for array in log.arrays] + [0], np.int64)
    kinds = log.kinds
    for number, site in enumerate(log.sites):
        if kinds[number] in (FENCE, OTHER):
            continue
        records = log.at_site(number)
        which = np.minimum(records["array"], len(log.arrays))
        records, which = records[wanted[which]], which[wanted[which]]
        for size in np.flatnonzero(np.bincount(indices(sizes[which]))) if len(records) else ():
            mine = sizes[which] == size
            part, array = records[mine], which[mine]
            names = tuple(dict.fromkeys(log.arrays[k].name for k in np.flatnonzero(np.bincount(indices(array)))))
            address = lowest[array] + part["element"].astype(np.int64) * size + site.offset
            request, lane = together(log, part)
            thread = part["thread"].astype(np.int64)
            yield Requests(
                site, names, request, address, lane, site.nbytes or int(size), int(request.max()) + 1, thread
            )


def together(log: Log, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The request that each record belongs to, and its thread's lane."""
    block, warp, lane = log.positions(records["thread"].astype(np.int64))
    warps = -(-log.threads_per_block // 32)
    fields = [(block * warps + warp, len(log.blocks) * warps)]
    fields += [(records[name], int(records[name].max(initial=0)) + 1) for name in ("epoch", "interval", "warp")]
    fields.append(_times(records, log.threads_per_block * len(log.blocks)))
    # One integer for each request; a kernel that needs more than 63 bits for them would need more memory for its log.
    packed = np.zeros(len(records), np.int64)
    for values, size in fields:
        if size > 1:
            packed *= size
            packed += values
    return _dense(packed).astype(np.int64, copy=False), lane  # a browser's positions have 32 bits


def _times(records: np.ndarray, threads: int) -> tuple[np.ndarray, int]:
    """The first, second … time that a thread came here since its last barrier, from 0, and one more than the largest."""
    thread = records["thread"]
    if np.bincount(indices(thread), minlength=threads).max(initial=0) <= 1:
        return np.zeros(len(records), np.int64), 1
    since = records["epoch"].astype(np.int64) << 32 | records["interval"].astype(np.int64) << 16 | records["warp"]
    order = np.lexsort((since, thread)) if since.any() else np.argsort(thread, kind="stable")
    new = np.ones(len(records), bool)
    thread, since = thread[order], since[order]
    new[1:] = (thread[1:] != thread[:-1]) | (since[1:] != since[:-1])
    starts = np.flatnonzero(new)
    times = np.empty(len(records), np.int64)
    times[order] = np.arange(len(records)) - np.repeat(starts, np.diff(starts, append=len(records)))
    return times, int(times.max()) + 1


def _dense(packed: np.ndarray) -> np.ndarray:
    """Numbers from 0 without gaps for the distinct ones among some integers."""
    top = int(packed.max(initial=0)) + 1
    if top > 4 * len(packed) + 1024:
        return np.searchsorted(distinct(packed)[0], packed)
    seen = np.zeros(top, bool)
    seen[packed] = True
    return (np.cumsum(seen) - 1)[packed]


def distinct(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct integers, ascending, and how often each occurs; `numpy.unique` hashes, many times as slow for millions."""
    ordered = np.sort(values)
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    return ordered[starts], np.diff(starts, append=len(ordered))


def pairs(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct pairs of two arrays of integers of one length, ordered by the first and then by the second."""
    if not len(first):
        return first, second
    first, second = (each.astype(np.int64, copy=False) for each in (first, second))
    low = int(first.min()), int(second.min())
    span = int(second.max()) - low[1] + 1
    if (int(first.max()) - low[0] + 1) * span >= 1 << 62:  # memories that lie far apart
        (of_first, first), (of_second, second) = (np.unique(each, return_inverse=True) for each in (first, second))
        one, other = pairs(first, second)
        return of_first[one], of_second[other]
    packed = distinct((first - low[0]) * span + (second - low[1]))[0]
    return packed // span + low[0], packed % span + low[1]
