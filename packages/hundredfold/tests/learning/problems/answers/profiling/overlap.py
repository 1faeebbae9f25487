"""``profiling.overlap``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong, edit


def _starter(blocks):
    found = cp.empty(len(blocks), dtype=cp.float32)
    for i, block in enumerate(blocks):
        x = cp.asarray(block)
        found[i] = (x @ x.T).max()
    return found


def _two_streams(blocks):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    found = cp.empty(len(blocks), dtype=cp.float32)
    for i, block in enumerate(blocks):
        with streams[i % 2]:
            x = cp.asarray(block)
            found[i] = (x @ x.T).max()
    for stream in streams:
        stream.synchronize()
    return found


def _a_stream_for_copies(blocks):
    copies, kernels = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    found = cp.empty(len(blocks), dtype=cp.float32)
    arrays = [cp.empty(block.shape, block.dtype) for block in blocks]
    for i, x in enumerate(arrays):
        x.set(blocks[i], stream=copies)
        kernels.wait_event(copies.record())
        with kernels:
            found[i] = (x @ x.T).max()
    kernels.synchronize()
    return found


def _dropped(blocks):
    found = cp.empty(len(blocks), dtype=cp.float32)
    copies = cp.cuda.Stream(non_blocking=True)
    work = cp.cuda.Stream(non_blocking=True)
    for i, block in enumerate(blocks):
        with copies:
            x = cp.asarray(block)
            there = copies.record()
        with work:
            work.wait_event(there)
            found[i] = (x @ x.T).max()
    copies.synchronize()
    work.synchronize()
    return found


def _a_temporary_dropped(blocks):
    copies, work = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    found, kept = cp.empty(len(blocks), dtype=cp.float32), []
    for i, block in enumerate(blocks):
        with copies:
            x = cp.asarray(block)
            turned = x.T.copy()
            kept.append(x)
        work.wait_event(copies.record())
        with work:
            found[i] = (x @ turned).max()
    cp.cuda.Device().synchronize()
    return found


def _copies_wait_for_the_last_but_one(blocks):
    copies, work = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    found, done = cp.empty(len(blocks), dtype=cp.float32), []
    for i, block in enumerate(blocks):
        with copies:
            if i > 1:
                copies.wait_event(done[i - 2])
            x = cp.asarray(block)
        work.wait_event(copies.record())
        with work:
            found[i] = (x @ x.T).max()
            done.append(work.record())
    cp.cuda.Device().synchronize()
    return found


def _all_are_kept(blocks):
    copies, work = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    found, kept = cp.empty(len(blocks), dtype=cp.float32), []
    for i, block in enumerate(blocks):
        with copies:
            x = cp.asarray(block)
            kept.append(x)
        work.wait_event(copies.record())
        with work:
            found[i] = (x @ x.T).max()
    cp.cuda.Device().synchronize()
    return found


def _four_streams(blocks):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(4)]
    parts = []
    for i, block in enumerate(blocks):
        with streams[i % 4]:
            x = cp.asarray(block)
            parts.append(cp.matmul(x, x.T).max())
    cp.cuda.Device().synchronize()
    return cp.stack(parts) if parts else cp.empty(0, cp.float32)


def _all_at_once(blocks):
    x = cp.asarray(blocks)
    found = cp.empty(len(blocks), dtype=cp.float32)
    for i in range(len(blocks)):
        found[i] = (x[i] @ x[i].T).max()
    return found


def _ordinary_memory(blocks):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    found = cp.empty(len(blocks), dtype=cp.float32)
    for i, block in enumerate(blocks):
        with streams[i % 2]:
            x = cp.asarray(np.array(block))
            found[i] = (x @ x.T).max()
    for stream in streams:
        stream.synchronize()
    return found


_KEPT = {}


def _keeps_its_results(blocks):
    key = blocks.tobytes(), blocks.shape
    if key not in _KEPT:
        _KEPT[key] = _two_streams(blocks)
    return _KEPT[key].copy()


def _by_numpy(blocks):
    return cp.asarray(np.array([(block @ block.T).max() for block in blocks], np.float32))


def _of_all(blocks):
    found = _two_streams(blocks)
    return cp.full_like(found, found.max()) if len(found) else found


WRONG = {
    "starter": Wrong(_starter, "beside"),
    "all at once": Wrong(_all_at_once, "beside"),
    "one stream": edit(_two_streams, ("range(2)", "range(1)"), ("i % 2", "0"), reason="beside"),
    "a wait in the loop": edit(
        _two_streams, ("(x @ x.T).max()", "(x @ x.T).max()\n        streams[i % 2].synchronize()"), reason="beside"
    ),
    "a number in the loop": edit(_two_streams, ("(x @ x.T).max()", "float((x @ x.T).max())"), reason="transfer"),
    "ordinary memory": Wrong(_ordinary_memory, "beside"),
    "keeps its results": Wrong(_keeps_its_results, "beside"),
    "nobody waits": edit(_two_streams, ("stream.synchronize()", "pass"), reason="unjoined"),
    "no event between": edit(_a_stream_for_copies, drop="kernels.wait_event(copies.record())", reason="unordered"),
    "each block dropped": Wrong(_dropped, "freed-early"),
    "a temporary dropped": Wrong(_a_temporary_dropped, "freed-early"),
    "not transposed": edit(_two_streams, ("x.T", "x"), reason="transposed"),
    "of all": Wrong(_of_all, "per-element"),
    "by NumPy": Wrong(_by_numpy, "transfer"),
    "float64": edit(_two_streams, ("dtype=cp.float32", "dtype=cp.float64"), reason="dtype"),
    "fetched": edit(_two_streams, ("return found", "return found.get()"), reason="host"),
}
RIGHT = {
    "two streams": _two_streams,
    "a stream for copies": _a_stream_for_copies,
    "four streams": _four_streams,
    "all are kept": _all_are_kept,
    "copies wait for the last but one": _copies_wait_for_the_last_but_one,
}
