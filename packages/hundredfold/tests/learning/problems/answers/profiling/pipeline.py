"""``profiling.pipeline``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong, edit


def _starter(blocks, basis):
    pool = cp.get_default_memory_pool()
    total = np.zeros(basis.shape[1], np.float32)
    for block in blocks:
        x = cp.asarray(block)
        x = (x - x.mean(axis=1, keepdims=True)) @ cp.asarray(basis)
        total += cp.asnumpy((x * x).sum(axis=0))
        pool.free_all_blocks()
    return total


def _two_streams(blocks, basis):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    w = cp.asarray(basis)
    sums = [cp.zeros(basis.shape[1], cp.float32) for _ in streams]
    cp.cuda.Device().synchronize()
    for i, block in enumerate(blocks):
        with streams[i % 2]:
            x = cp.asarray(block)
            x = (x - x.mean(axis=1, keepdims=True)) @ w
            sums[i % 2] += (x * x).sum(axis=0)
    for stream in streams:
        stream.synchronize()
    return cp.asnumpy(sums[0] + sums[1])


def _kept_for_the_end(blocks, basis):
    copies, kernels = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    arrays, parts = [cp.empty(block.shape, block.dtype) for block in blocks], [cp.zeros(basis.shape[1], cp.float32)]
    w = cp.asarray(basis)
    cp.cuda.get_current_stream().synchronize()
    for x, block in zip(arrays, blocks, strict=True):
        x.set(block, stream=copies)
        kernels.wait_event(copies.record())
        with kernels:
            y = (x - x.mean(axis=1, keepdims=True)) @ w
            parts.append((y * y).sum(axis=0))
    kernels.synchronize()
    return cp.asnumpy(sum(parts))


def _dropped(blocks, basis):
    copies, kernels = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    w, total = cp.asarray(basis), cp.zeros(basis.shape[1], cp.float32)
    cp.cuda.Device().synchronize()
    for block in blocks:
        with copies:
            x = cp.asarray(block)
        kernels.wait_event(copies.record())
        with kernels:
            y = (x - x.mean(axis=1, keepdims=True)) @ w
            total += (y * y).sum(axis=0)
    kernels.synchronize()
    return cp.asnumpy(total)


def _copies_wait_for_the_last_but_one(blocks, basis):
    copies, kernels = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    w, total, done = cp.asarray(basis), cp.zeros(basis.shape[1], cp.float32), []
    cp.cuda.Device().synchronize()
    for i, block in enumerate(blocks):
        with copies:
            if i > 1:
                copies.wait_event(done[i - 2])
            x = cp.asarray(block)
        kernels.wait_event(copies.record())
        with kernels:
            y = (x - x.mean(axis=1, keepdims=True)) @ w
            total += (y * y).sum(axis=0)
            done.append(kernels.record())
    kernels.synchronize()
    return cp.asnumpy(total)


def _one_stream(blocks, basis):
    w = cp.asarray(basis)
    total = cp.zeros(basis.shape[1], cp.float32)
    for block in blocks:
        x = cp.asarray(block)
        x = (x - x.mean(axis=1, keepdims=True)) @ w
        total += (x * x).sum(axis=0)
    return cp.asnumpy(total)


def _by_numpy(blocks, basis):
    x = (blocks - blocks.mean(axis=2, keepdims=True)) @ basis
    return (x * x).sum(axis=(0, 1))


_KEPT = {}


def _keeps_its_results(blocks, basis):
    key = blocks.tobytes(), basis.tobytes(), blocks.shape
    if key not in _KEPT:
        _KEPT[key] = _two_streams(blocks, basis)
    return _KEPT[key].copy()


WRONG = {
    "starter": Wrong(_starter, "transfer"),
    "keeps its results": Wrong(_keeps_its_results, "serialised"),
    "ordinary memory": edit(_two_streams, ("cp.asarray(block)", "cp.asarray(np.array(block))"), reason="serialised"),
    "the pool is emptied": edit(
        _two_streams,
        (
            "sums[i % 2] += (x * x).sum(axis=0)",
            "sums[i % 2] += (x * x).sum(axis=0)\n        del x\n        cp.get_default_memory_pool().free_all_blocks()",
        ),
        reason="serialised",
    ),
    "a wait in the loop": edit(
        _two_streams,
        (
            "sums[i % 2] += (x * x).sum(axis=0)",
            "sums[i % 2] += (x * x).sum(axis=0)\n        cp.cuda.Device().synchronize()",
        ),
        reason="serialised",
    ),
    "basis in the loop": edit(_two_streams, ("@ w", "@ cp.asarray(basis)"), reason="transfer"),
    "each block dropped": Wrong(_dropped, "freed-early"),
    "nobody waits": edit(
        _two_streams,
        ("stream.synchronize()", "pass"),
        ("return cp.asnumpy(sums[0] + sums[1])", "return (sums[0] + sums[1]).get()"),
        reason="unordered",
    ),
    "the default stream is not waited for": edit(
        _two_streams, drop="cp.cuda.Device().synchronize()", reason="unordered"
    ),
    "no mean": edit(_two_streams, ("(x - x.mean(axis=1, keepdims=True)) @ w", "x @ w"), reason="quantity"),
    "columns": edit(_two_streams, ("axis=1", "axis=0"), reason="axis"),
    "projected first": edit(
        _two_streams,
        ("x = (x - x.mean(axis=1, keepdims=True)) @ w", "x = x @ w\n            x = x - x.mean(axis=1, keepdims=True)"),
        reason="order",
    ),
    "unsquared": edit(_two_streams, ("(x * x).sum", "x.sum"), reason="squared"),
    "mean of blocks": edit(
        _two_streams,
        ("cp.asnumpy(sums[0] + sums[1])", "cp.asnumpy((sums[0] + sums[1]) / max(1, len(blocks)))"),
        reason="factor",
    ),
    "last": edit(_two_streams, ("enumerate(blocks)", "enumerate(blocks[-1:])"), reason="partial"),
    "on the device": edit(_two_streams, ("cp.asnumpy(sums[0] + sums[1])", "sums[0] + sums[1]"), reason="device"),
    "float64": edit(_two_streams, ("cp.zeros(basis.shape[1], cp.float32)", "cp.zeros(basis.shape[1])"), reason="dtype"),
    "one stream": Wrong(_one_stream, "serialised"),
    "by NumPy": Wrong(_by_numpy, "transfer"),
    "nobody waits for the sums": edit(
        _two_streams,
        (
            "return cp.asnumpy(sums[0] + sums[1])",
            "host = np.frombuffer(cp.cuda.alloc_pinned_memory(4 * basis.shape[1]), np.float32, basis.shape[1])\n"
            "    return cp.asnumpy(sums[0] + sums[1], out=host, blocking=False)",
        ),
        reason="unjoined",
    ),
}
RIGHT = {
    "two streams": _two_streams,
    "a stream for copies": _kept_for_the_end,
    "copies wait for the last but one": _copies_wait_for_the_last_but_one,
}
