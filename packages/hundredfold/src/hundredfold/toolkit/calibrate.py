"""Measure this machine's own rates, once: how fast it moves memory and how fast it calculates.

A limit must not lie below what a right measurement can reach, or the right measurement would be called impossible. So each
rate is the best of several runs of the best of several kernels; what disturbs a run makes it slower, never faster.
"""

from __future__ import annotations

import datetime
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from gpusim import hardware

METHOD = (
    "best of repeated copies, triads and sums (STREAM's counting) over arrays larger than the last cache, and of chains of "
    "fused multiply-adds in the first, by all cores at once"
)
UNKNOWN_CACHE = 32 << 20
SMALLEST, LARGEST = 32 << 20, 256 << 20  # bytes of one of the three arrays


def cpu_rates(again: bool = False) -> hardware.rates.Rates:
    """Return this CPU's rates: kept ones, or measured now, which takes two seconds and says so on stderr.

    Parameters
    ----------
    again
        Measure even so, and keep the better of old and new.
    """
    import numba

    key = f"{hardware.rates.cpu_key()} numba {numba.__version__}"
    return _kept(key, again, f"CPU is ({hardware.cpu.cores()} cores)", _measure_cpu)


def gpu_rates(again: bool = False) -> hardware.rates.Rates:
    """Return the rates of the current real GPU, kept or measured now with CuPy."""
    from .calibrate_gpu import measure_gpu

    return _kept(hardware.rates.key(), again, "GPU is", measure_gpu)


def _kept(key: str, again: bool, what: str, measure: Callable[[], hardware.rates.Rates]) -> hardware.rates.Rates:
    kept = hardware.rates.load(key)
    if kept is not None and not again:
        return kept
    _say(f"measuring how fast this {what}, once ...")
    found = measure()
    if kept is not None:
        found = _better(kept, found)
    hardware.rates.save(key, found)
    return found


def gpu_cache() -> int:
    """Return the bytes of L2 cache of the current real GPU."""
    import cupy

    return int(cupy.cuda.Device().attributes["L2CacheSize"])


def last_cache(root: str = "/sys/devices/system/cpu") -> int:
    """Return the bytes of last-level cache that this process's cores share; 32 MiB where the system does not say."""
    affinity = getattr(os, "sched_getaffinity", None)
    total, seen = 0, set()
    for cpu in affinity(0) if affinity else ():
        last = (0, "", 0)
        for index in Path(root, f"cpu{cpu}", "cache").glob("index*"):
            try:
                level = int((index / "level").read_text())
                shared = (index / "shared_cpu_list").read_text().strip()
                size = (index / "size").read_text().strip()
                last = max(last, (level, shared, int(size.rstrip("KMG")) << {"K": 10, "M": 20, "G": 30}[size[-1]]))
            except (OSError, ValueError, KeyError, IndexError):
                continue
        if last[2] and last[:2] not in seen:
            seen.add(last[:2])
            total += last[2]
    return total or UNKNOWN_CACHE


def _measure_cpu() -> hardware.rates.Rates:
    import numba

    cores = hardware.cpu.cores()
    with ThreadPoolExecutor(cores) as threads:
        bandwidth = _bandwidth(threads, cores)
        fp64, fp32 = (_arithmetic(threads, cores, dtype) for dtype in (np.float64, np.float32))
    return hardware.rates.Rates(
        device=hardware.cpu.cpu_name(),
        bandwidth=bandwidth,
        fp64=fp64,
        fp32=fp32,
        measured_at=now(),
        method=METHOD,
        versions={"numba": numba.__version__, "numpy": np.__version__},
    )


def _bandwidth(threads: ThreadPoolExecutor, cores: int) -> float:
    from . import kernels

    # Never more than a quarter of what is left, all three arrays together: a small seat must survive this.
    room = hardware.cpu.memory().available // 12
    nbytes = max(1 << 20, min(LARGEST, max(SMALLEST, 4 * last_cache()), room))
    slices = []
    for _ in range(3):
        whole = np.empty(nbytes // 8)
        slices.append(np.array_split(whole, cores))
    # First touch by the thread that works there.
    for parts in slices:
        list(threads.map(lambda part: part.fill(1.0), parts))
    per_second = []
    for kernel, moved in ((kernels.copy, 16), (kernels.triad, 24), (kernels.read, 8)):

        def run(kernel: Callable = kernel) -> None:
            list(threads.map(kernel, *slices))

        per_second.append(moved * (nbytes // 8) / _best(run, 0.2))
    return max(per_second)


def _arithmetic(threads: ThreadPoolExecutor, cores: int, dtype: type) -> float:
    from . import kernels

    size, calls = 16384 // np.dtype(dtype).itemsize, 50
    work = [(np.full(size, 0.5, dtype), np.full(size, 0.25, dtype)) for _ in range(cores)]
    p, q = dtype(0.5), dtype(0.25)

    def chains(pair: tuple[np.ndarray, np.ndarray]) -> None:
        for _ in range(calls):
            kernels.multiply_add(*pair, p, q)

    flops = cores * calls * kernels.CHAIN * size * kernels.FLOPS_PER_ROUND
    return flops / _best(lambda: list(threads.map(chains, work)), 0.2)


def _best(run: Callable[[], object], budget: float) -> float:
    """Return the least seconds of a run, after one that compiles, of at least five and as many as `budget` seconds allow."""
    run()
    best, spent, runs = np.inf, 0.0, 0
    while runs < 5 or (spent < budget and runs < 1000):
        start = time.perf_counter()
        run()
        took = time.perf_counter() - start
        best, spent, runs = min(best, took), spent + took, runs + 1
    return best


def _better(old: hardware.rates.Rates, new: hardware.rates.Rates) -> hardware.rates.Rates:
    import dataclasses

    faster = {
        name: max(getattr(old, name) or 0, getattr(new, name) or 0) or None
        for name in ("bandwidth", "fp64", "fp32", "gemm64", "link")
    }
    return dataclasses.replace(new, **faster)


def now() -> str:
    """Return the time as it stands in a record."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _say(words: str) -> None:
    # On stderr: it appears on the first run only, and a notebook's compared output must not depend on that.
    print(f"Hundredfold: {words}", file=sys.stderr)
