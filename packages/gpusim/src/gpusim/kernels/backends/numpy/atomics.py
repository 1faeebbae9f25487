"""Atomic operations, as if the lanes carried them out one after the other in the order of their threads.

What each does follows CUDA's programming guide (Atomic Functions) and numba-cuda: ``max`` and ``min`` leave an element alone
when it or the value is NaN, ``nanmax`` and ``nanmin`` replace a NaN.
"""

from __future__ import annotations

import functools

import numpy as np

from .arrays import Outside, address, without


def _place(g, a, index, access, *values):
    """Where, what was there, and the operands, all of one length."""
    if a.readonly or a.memory.space == "const":
        g.read_only(a, access)
    at = address(g, a, index, access)
    if g.log is not None:
        g.trace_value(values[-1])
    at = at if type(at) is np.ndarray else np.full(g.n, at)
    return a.flat, at, [v if type(v) is np.ndarray else np.full(g.n, v) for v in values]


def _in_order(flat, at, values, segment, step):
    """Old values of operations that meet: `segment` runs those of one element in order, `step` one of each of many."""
    n = len(at)
    order = np.argsort(at, kind="stable")
    sorted_at = at[order]
    first = np.concatenate(([True], sorted_at[1:] != sorted_at[:-1]))
    starts = np.flatnonzero(first)
    old = np.empty(n, flat.dtype)
    if len(starts) == n:
        old = flat[at]
        flat[at] = step(old, *values)
        return old
    lengths = np.diff(np.append(starts, n))
    if len(starts) <= lengths.max():
        for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
            lanes = order[start : start + length]
            where = sorted_at[start]
            old[lanes], flat[where] = segment(flat[where], *(v[lanes] for v in values))
        return old
    rank = np.arange(n) - np.repeat(starts, lengths)
    by_rank = np.argsort(rank, kind="stable")
    bounds = np.searchsorted(rank[by_rank], np.arange(lengths.max() + 1))
    for k in range(int(lengths.max())):
        lanes = order[by_rank[bounds[k] : bounds[k + 1] if k + 1 < len(bounds) else n]]
        where = at[lanes]
        found = flat[where]
        old[lanes] = found
        flat[where] = step(found, *(v[lanes] for v in values))
    return old


def _running(ufunc):
    """One element's operations by a ufunc: what each found, and what is left."""

    def segment(start, values):
        run = ufunc.accumulate(np.concatenate((np.array([start], values.dtype), values)))
        return run[:-1], run[-1]

    return segment


def _ufunc(ufunc):
    segment = _running(ufunc)

    def operation(g, a, index, value, access, used):
        flat, at, (value,) = _place(g, a, index, access, value)
        if not used:
            ufunc.at(flat, at, value)
            return None
        return _in_order(flat, at, [value], segment, ufunc)

    return operation


add_ = _ufunc(np.add)
and_ = _ufunc(np.bitwise_and)
or_ = _ufunc(np.bitwise_or)
xor_ = _ufunc(np.bitwise_xor)


def sub_(g, a, index, value, access, used):
    flat, at, (value,) = _place(g, a, index, access, value)
    if not used:
        np.subtract.at(flat, at, value)
        return None
    return _in_order(flat, at, [-value], _running(np.add), np.add)


def _extreme(ufunc, replace_nan):
    run = _running(ufunc)

    def step(old, value):
        new = ufunc(old, value)
        return new if replace_nan or old.dtype.kind != "f" else np.where(np.isnan(old), old, new)

    def segment(start, values):
        if not replace_nan and start != start:
            return np.full(len(values), start), start
        return run(start, values)

    def operation(g, a, index, value, access, used):
        flat, at, (value,) = _place(g, a, index, access, value)
        if used:
            return _in_order(flat, at, [value], segment, step)
        stuck = at[np.isnan(flat[at])] if flat.dtype.kind == "f" and not replace_nan else None
        ufunc.at(flat, at, value)
        if stuck is not None:
            flat[stuck] = np.nan
        return None

    return operation


max_ = _extreme(np.fmax, replace_nan=False)
min_ = _extreme(np.fmin, replace_nan=False)
nanmax_ = _extreme(np.fmax, replace_nan=True)
nanmin_ = _extreme(np.fmin, replace_nan=True)


def exch_(g, a, index, value, access, used):
    flat, at, (value,) = _place(g, a, index, access, value)
    if not used:
        flat[at] = value
        return None
    return _in_order(
        flat, at, [value], lambda start, v: (np.append(start, v[:-1]).astype(v.dtype), v[-1]), lambda old, v: v
    )


def _loop(step):
    """One element's operations one by one, where there is no faster way."""

    def segment(start, *values):
        olds = []
        for operands in zip(*values, strict=True):
            olds.append(start)
            start = step(start, *operands)
        return np.array(olds, values[0].dtype), start

    return segment


def _counting(step, closed):
    slow = _loop(step)

    def segment(start, values):
        if (values == values[0]).all() and start <= values[0]:
            period = int(values[0]) + 1
            k = np.arange(len(values) + 1, dtype=object if period > 2**62 else np.int64)
            run = closed(int(start), k, period).astype(values.dtype)
            return run[:-1], run[-1]
        return slow(start, values)

    def operation(g, a, index, value, access, used):
        flat, at, (value,) = _place(g, a, index, access, value)
        return _in_order(flat, at, [value], segment, step)

    return operation


def _inc(old, value):
    return np.where(old >= value, old.dtype.type(0), old + old.dtype.type(1))[()]


def _dec(old, value):
    return np.where((old == 0) | (old > value), value, old - old.dtype.type(1))[()]


inc_ = _counting(_inc, lambda start, k, period: (start + k) % period)
dec_ = _counting(_dec, lambda start, k, period: (start - k) % period)


def _compare_and_swap(old, expected, value):
    return np.where(old == expected, value, old)[()]


def _swaps(start, expected, values):
    olds, at, current = np.empty(len(values), values.dtype), 0, start
    while at < len(values):
        hits = np.flatnonzero(expected[at:] == current)
        if not len(hits):
            olds[at:] = current
            break
        hit = at + int(hits[0])
        olds[at : hit + 1] = current
        if values[hit] == current:  # swapped for itself: nothing changes from here on
            olds[hit + 1 :] = current
            changed = hit + 1 + np.flatnonzero((expected[hit + 1 :] == current) & (values[hit + 1 :] != current))
            if not len(changed):
                break
            hit = int(changed[0])
            olds[: hit + 1][at:] = current
        current, at = values[hit], hit + 1
    return olds, current


def cas_(g, a, index, expected, value, access, used):
    flat, at, (expected, value) = _place(g, a, index, access, expected, value)
    return _in_order(flat, at, [expected, value], _swaps, _compare_and_swap)


def compare_and_swap_(g, a, index, expected, value, access, used):
    return cas_(g, a, index, expected, value, access, used)


def _going_on(operation):
    """The operation, which in a kernel that goes on is done by the lanes that are inside of the array."""

    @functools.wraps(operation)
    def going(g, a, index, *rest):
        try:
            return operation(g, a, index, *rest)
        except Outside as outside:
            *values, access, used = rest
            return without(g, outside.gone, lambda *parts: going(*parts, access, used), a, index, *values)

    return going


for _name, _operation in list(globals().items()):
    if _name.endswith("_") and not _name.startswith("_"):
        globals()[_name] = _going_on(_operation)
