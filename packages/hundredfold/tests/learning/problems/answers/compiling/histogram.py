"""``compiling.histogram``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numba
import numpy as np
from numba import njit, prange

from ..edits import Wrong


@njit(parallel=True)
def _rows(v):
    parts = numba.get_num_threads()
    counts = np.zeros((parts, 256), np.int64)
    for t in prange(parts):
        for i in range(t * v.size // parts, (t + 1) * v.size // parts):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)


@njit(parallel=True)
def _own(v):
    counts = np.zeros((8, 256), np.int64)
    for t in prange(8):
        mine = np.zeros(256, np.int64)
        for i in range(t, v.size, 8):
            mine[v[i]] += 1
        counts[t] = mine
    return counts.sum(axis=0)


@njit(parallel=True)
def _by_thread(v):
    counts = np.zeros((numba.get_num_threads(), 256), np.int64)
    for i in prange(v.size):
        counts[numba.get_thread_id(), v[i]] += 1
    return counts.sum(axis=0)


@njit(parallel=True)
def _starter(v):
    counts = np.zeros(256, np.int64)
    for i in prange(v.size):
        counts[v[i]] += 1
    return counts


@njit(parallel=True)
def _range(v):
    counts = np.zeros(256, np.int64)
    for i in range(v.size):
        counts[v[i]] += 1
    return counts


@njit(parallel=True)
def _modulo(v):
    parts = numba.get_num_threads()
    counts = np.zeros((parts, 256), np.int64)
    for i in prange(v.size):
        counts[i % parts, v[i]] += 1
    return counts.sum(axis=0)


@njit
def _one_core(v):
    counts = np.zeros(256, np.int64)
    for i in range(v.size):
        counts[v[i]] += 1
    return counts


@njit(parallel=True)
def _in_disguise(v):
    counts = np.zeros((1, 256), np.int64)
    for t in prange(1):
        for i in range(v.size):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)


@njit
def _prange_alone(v):
    counts = np.zeros(256, np.int64)
    for i in prange(v.size):
        counts[v[i]] += 1
    return counts


def _bincount(v):
    return np.bincount(v, minlength=256)


@njit(parallel=True)
def _equal_parts(v):
    parts = 8
    each = v.size // parts
    counts = np.zeros((parts, 256), np.int64)
    for t in prange(parts):
        for i in range(t * each, (t + 1) * each):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)


@njit(parallel=True)
def _overlapping(v):
    parts = 8
    counts = np.zeros((parts, 256), np.int64)
    for t in prange(parts):
        for i in range(t * v.size // parts, min((t + 1) * v.size // parts + 1, v.size)):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)


@njit(parallel=True)
def _not_summed(v):
    counts = np.zeros((8, 256), np.int64)
    for t in prange(8):
        for i in range(t, v.size, 8):
            counts[t, v[i]] += 1
    return counts


@njit(parallel=True)
def _floats(v):
    counts = np.zeros((8, 256))
    for t in prange(8):
        for i in range(t, v.size, 8):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)


@njit(parallel=True)
def _narrow(v):
    counts = np.zeros((8, 256), np.uint8)
    for t in prange(8):
        for i in range(t, v.size, 8):
            counts[t, v[i]] += 1
    return counts.astype(np.int64).sum(axis=0)


@njit(parallel=True)
def _past_the_end(v):
    parts = 8
    each = v.size // parts + 1
    counts = np.zeros((parts, 256), np.int64)
    for t in prange(parts):
        for i in range(t * each, (t + 1) * each):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)


WRONG = {
    "race": Wrong(_starter, "race"),
    "modulo": Wrong(_modulo, "race"),
    "serial": Wrong(_one_core, "serial"),
    "prange of one": Wrong(_in_disguise, "serial"),
    "prange alone": Wrong(_prange_alone, "serial"),
    "range": Wrong(_range, "serial"),
    "bincount": Wrong(_bincount, "serial"),
    "remainder": Wrong(_equal_parts, "remainder"),
    "overlap": Wrong(_overlapping, "overlap"),
    "shape": Wrong(_not_summed, "shape"),
    "dtype": Wrong(_floats, "dtype"),
    "bounds": Wrong(_past_the_end, "bounds"),
    "narrow": Wrong(_narrow, "overflow"),
}
RIGHT = {"a row for each part": _rows, "an array for each part": _own, "by the thread's number": _by_thread}
