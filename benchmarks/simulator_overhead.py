"""What the simulated CuPy costs: to enqueue a call, and to enqueue and run it, beside plain NumPy.

    python benchmarks/simulator_overhead.py [--seconds 2] [--json FILE]

Each pair of measurements is interleaved (simulated, NumPy, simulated, ...) in one process, so that the load of the machine
hits both alike; the figures are medians and interquartile ranges of the pairs.  An overhead below zero means that the
simulated CuPy is faster: its memory pool gives out memory that has been touched before, where NumPy pays for page faults.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import sys
from time import perf_counter

os.environ.setdefault("GPUSIM_GPU_MEMORY", "4GiB")
import gpusim

gpusim.activate()

import cupy as cp  # noqa: E402
import numpy as np  # noqa: E402

from gpusim.device import queue  # noqa: E402

CALLS = {
    "a + b": lambda xp, a, b: a + b,
    "a + 1": lambda xp, a, b: a + 1,
    "sin(a)": lambda xp, a, b: xp.sin(a),
    "a == b": lambda xp, a, b: a == b,
    "a += b": lambda xp, a, b: a.__iadd__(b),
    "a.sum()": lambda xp, a, b: a.sum(),
    "a[2:5]": lambda xp, a, b: a[2:5],
    "unit 01 (7 kernels)": lambda xp, a, b: (xp.sin(a) ** 2 + xp.cos(a) ** 2 == 1).all(),
}
WORK = {
    "a + b": CALLS["a + b"],
    "sin(a)": CALLS["sin(a)"],
    "a.sum()": CALLS["a.sum()"],
    "unit 01": lambda xp, a, b: xp.sin(a) ** 2 + xp.cos(a) ** 2 == 1,
}


def quartiles(values: list[float]) -> tuple[float, float]:
    """Median and interquartile range."""
    low, middle, high = np.percentile(values, [25, 50, 75])
    return float(middle), float(high - low)


def enqueue(function, seconds: float) -> list[float]:
    """Microseconds per call to enqueue, of batches that stay below the queue's limit."""
    a, b = cp.ones(10), cp.ones(10)
    times = []
    stop = perf_counter() + seconds
    while perf_counter() < stop:
        queue.run()
        start = perf_counter()
        for _ in range(100):
            function(cp, a, b)
        times.append((perf_counter() - start) / 100 * 1e6)
    return times


def pairs(function, size: int, seconds: float) -> tuple[list[float], list[float]]:
    """Seconds of the simulated library, synchronised, and of NumPy, one after the other."""
    device = cp.random.default_rng(0).random(size), cp.random.default_rng(1).random(size)
    host = tuple(array._a for array in device)  # the same memory: where arrays happen to lie must not decide
    for _ in range(2):
        function(cp, *device)
        queue.run()
        function(np, *host)
    ours, theirs = [], []
    stop = perf_counter() + seconds
    while perf_counter() < stop or len(ours) < 15:
        for first in (True, False):  # each goes first in turn: the second may find warm caches
            start = perf_counter()
            simulated(function, device) if first else function(np, *host)
            middle = perf_counter()
            function(np, *host) if first else simulated(function, device)
            end = perf_counter()
            ours.append(middle - start if first else end - middle)
            theirs.append(end - middle if first else middle - start)
    return ours, theirs


def simulated(function, device) -> None:
    """The simulated library's work, enqueued and run."""
    function(cp, *device)
    cp.cuda.runtime.deviceSynchronize()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each line (2)")
    parser.add_argument("--json", help="write the figures to a file")
    options = parser.parse_args()
    gc.disable()
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}, {os.cpu_count()} CPUs\n")
    result: dict = {"enqueue_us": {}, "overhead_percent": {}}
    print(f"{'to enqueue':<22}{'median':>9}{'IQR':>9}   µs per call, 10 elements")
    for name, function in CALLS.items():
        median, spread = result["enqueue_us"][name] = quartiles(enqueue(function, options.seconds / 4))
        print(f"{name:<22}{median:>9.2f}{spread:>9.2f}")
    print(f"\n{'enqueue and run':<22}{'elements':>9}{'simulated':>11}{'NumPy':>11}{'overhead':>10}{'IQR':>8}")
    for name, function in WORK.items():
        for size in (10**6, 3 * 10**6, 10**7):
            ours, theirs = pairs(function, size, options.seconds)
            ratio = [(o / t - 1) * 100 for o, t in zip(ours, theirs, strict=True)]
            median, spread = result["overhead_percent"][f"{name} {size}"] = quartiles(ratio)
            here, there = quartiles(ours)[0] * 1e3, quartiles(theirs)[0] * 1e3
            print(f"{name:<22}{size:>9.0e}{here:>8.2f} ms{there:>8.2f} ms{median:>8.1f} %{spread:>6.1f} %")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
