"""Small measurements of a device: what a launch costs, how fast data crosses, how many random numbers it makes, what a request moves.

Each works with the real libraries and with the simulated libraries, whose times are the CPU's.  Times are the least of several, between
synchronisations: a rate is what the device can do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hundredfold.toolkit import where


def launches(count: int = 1000) -> dict[str, Any]:
    """Seconds a launch, of CuPy and of Numba: until the call returns, and until the kernel after it could begin.

    Returns
    -------
    dict
        ``rows``: dicts of `what`, `value` and `unit` (microseconds).
    """
    import cupy as cp
    from numba import cuda

    @cuda.jit
    def nothing(x):
        pass

    x = cp.zeros(1)
    twice = cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "hundredfold_twice")
    out = cp.empty_like(x)
    on_device = cuda.to_device(np.zeros(1))
    rows = []
    for name, call in (
        ("CuPy, elementwise kernel", lambda: twice(x, out)),
        ("Numba kernel", lambda: nothing[1, 32](on_device)),
    ):
        queued, done = _launched(call, count)
        rows.append({"what": f"{name}, the call", "value": queued * 1e6, "unit": "µs"})
        rows.append({"what": f"{name}, one after the other", "value": done * 1e6, "unit": "µs"})
    return {"rows": rows}


def _launched(call: Callable[[], Any], count: int) -> tuple[float, float]:
    call()
    best = [np.inf, np.inf]
    for _ in range(5):
        where.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        queued = time.perf_counter() - start
        where.synchronize()
        best = [min(best[0], queued / count), min(best[1], (time.perf_counter() - start) / count)]
    return best[0], best[1]


def transfers(sizes: Sequence[int] = (1 << 12, 1 << 20, 1 << 26, 1 << 28)) -> dict[str, Any]:
    """Bytes a second between host and device, both ways, from plain and from pinned memory; `sizes` in bytes."""
    import cupy as cp

    rows = []
    for size in sizes:
        device = cp.empty(size, cp.uint8)
        plain = np.ones(size, np.uint8)
        memory = cp.cuda.alloc_pinned_memory(size)
        pinned = np.frombuffer(memory, np.uint8, size)
        pinned[:] = 1
        for name, host in (("plain", plain), ("pinned", pinned)):
            for way, call in (
                ("to", lambda h=host, d=device: d.set(h)),
                ("from", lambda h=host, d=device: d.get(out=h)),
            ):
                value = size / _best(call) / 1e9
                rows.append({"what": f"{way} the device, {name} memory, {size} bytes", "value": value, "unit": "GB/s"})
    return {"rows": rows}


def random(n: int = 1 << 27) -> dict[str, Any]:
    """Random numbers a second by CuPy's generators, `n` at a time; the second call of each, with the memory it has already."""
    import cupy as cp

    new, old = cp.random.default_rng(1), cp.random.RandomState(1)
    ways = {
        "Generator.random, float64": lambda: new.random(n),
        "Generator.random, float32": lambda: new.random(n, dtype=cp.float32),
        "Generator.standard_normal, float64": lambda: new.standard_normal(n),
        "Generator.standard_normal, float32": lambda: new.standard_normal(n, dtype=cp.float32),
        "RandomState.random_sample, float64": lambda: old.random_sample(n),
        "RandomState.normal, float64": lambda: old.normal(10, 1, n),
    }
    return {
        "rows": [{"what": name, "value": n / _best(call) / 1e9, "unit": "10⁹ a second"} for name, call in ways.items()]
    }


#: A thread reads its lane's place of a request; requests lie a fixed number of bytes apart, all within the L2 cache, and L1 is passed by.
_READING = r"""
extern "C" __global__ void hundredfold_requests(const char* data, const int* places, long long apart, int kinds, int rounds, float* out) {
    int lane = threadIdx.x & 31;
    int place = places[lane];
    long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    float total = 0.0f;
    if (place >= 0)
        for (int k = 0; k < rounds; ++k) {
            const char* at = data + ((warp * 7 + k) % kinds) * apart + place;
            unsigned int got;
            asm volatile("ld.global.cg.u8 %0, [%1];" : "=r"(got) : "l"(at));
            total += got;
        }
    if (total < 0.0f) out[0] = total;
}
"""


def sectors_by_time(places: Sequence[Sequence[int]], budget: int = 8 << 20, rounds: int = 2000) -> list[float]:
    """How many 32-byte sectors requests of a warp move, told by their times: for a GPU whose counters may not be read.

    The same number of requests is timed for patterns of 1, 2, 4, 8, 16 and 32 sectors, and each request's time put between theirs.  All data
    stays in the L2 cache, whose traffic goes by sectors, and the loads pass L1 by.  A time below that of two sectors cannot be told from it:
    a request costs a cycle whatever it moves.

    Parameters
    ----------
    places : sequence of sequences of int
        For each request the byte offsets of its 32 lanes from the first byte; -1 for a lane that does not take part.
    budget : int
        Bytes of data; well within the L2 cache.
    rounds : int
        Requests of each warp.

    Returns
    -------
    list of float
    """
    import cupy as cp

    kernel = cp.RawKernel(_READING, "hundredfold_requests")
    data = cp.zeros(budget, cp.uint8)
    out = cp.zeros(1, cp.float32)
    blocks = 8 * cp.cuda.Device().attributes["MultiProcessorCount"]

    def seconds(pattern: Sequence[int], apart: int) -> float:
        lanes = cp.asarray(np.asarray(pattern, np.int32))
        kinds = max(1, (budget - max(pattern) - 1) // apart)
        call = (data, lanes, np.int64(apart), np.int32(kinds), np.int32(rounds), out)
        return _best(lambda: kernel((blocks,), (256,), call))

    steps = (1, 2, 4, 8, 16, 32)
    # The patterns that the others are put between lie as far apart as the widest request, so that all use the same lines.
    apart = max(1024, *(-(-(max(each) + 1) // 1024) * 1024 for each in places)) if places else 1024
    known = [seconds([32 * (lane * step // 32) for lane in range(32)], apart) for step in steps]
    # Times can only grow with the sectors; noise among the smallest must not turn that round.
    known = list(np.maximum.accumulate(known))
    return [float(2 ** np.interp(seconds(each, apart), known, np.log2(steps))) for each in places]


def _best(call: Callable[[], Any], most: float = 0.3) -> float:
    """Least seconds of at least five calls, each between synchronisations, after one that is not counted."""
    call()
    where.synchronize()
    best, spent, count = np.inf, 0.0, 0
    while count < 5 or (spent < most and count < 200):
        start = time.perf_counter()
        call()
        where.synchronize()
        took = time.perf_counter() - start
        best, spent, count = min(best, took), spent + took, count + 1
    return best
